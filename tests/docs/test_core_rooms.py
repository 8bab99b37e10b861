"""The rooms of the Rust core import only the rooms below them: read from the ``use`` lines and from
"Which room may import which" in docs/design/house.md.
"""

from collections import defaultdict

import pytest

from tests.helpers.core_imports import CRATES, Module, circles, imports, modules

# From the ground up. A room imports rooms of lower levels only; within the ground, files may use one another.
GROUND = frozenset({"error", "limits", "progress", "panics", "excerpt", "nearest", "calendar", "json_skip", "platform"})
LEVELS = (
    GROUND,
    frozenset({"memory", "parallel"}),
    frozenset({"frame", "codec", "source"}),
    frozenset({"arrow", "sink"}),
    frozenset({"cells"}),
    frozenset({"decode", "infer", "filter"}),
    frozenset({"container", "text"}),
    frozenset({"formats"}),
    frozenset({"message"}),
)
LEVEL = {room: level for level, rooms in enumerate(LEVELS) for room in rooms}
# No formats, but the modules that all formats share: the trait, the registry and their helpers.
CONTRACT = frozenset(
    module[1]
    for module in modules()
    if len(module) == 2 and module[0] == "formats" and (*module, "format") not in modules()
)


def _name(module: Module) -> str:
    return "::".join(module)


@pytest.mark.quick
def test_every_room_has_its_level() -> None:
    assert {module[0] for module in modules() if module} == set(LEVEL)


@pytest.mark.quick
def test_rooms_import_only_what_is_below_them() -> None:
    wrong = [
        f"{_name(module)} imports {_name(target)}"
        for module, targets in imports().items()
        for target in targets
        if module and target and module[0] != target[0]
        if LEVEL[target[0]] >= LEVEL[module[0]] and not ({module[0], target[0]} <= GROUND)
    ]
    assert wrong == []


@pytest.mark.quick
def test_formats_never_import_each_other() -> None:
    wrong = [
        f"{_name(module)} imports {_name(target)}"
        for module, targets in imports().items()
        for target in targets
        if module[:1] == target[:1] == ("formats",) and len(module) > 1 and len(target) > 1
        if module[1] not in CONTRACT and target[1] not in CONTRACT and module[1] != target[1]
    ]
    assert wrong == []


@pytest.mark.parametrize("crate", sorted(path.name for path in CRATES.iterdir()))
def test_files_form_no_circles_but_parent_and_child(crate: str) -> None:
    graph = {
        module: {target for target in targets if module[: len(target)] != target and target[: len(module)] != module}
        for module, targets in imports(crate).items()
    }
    assert [[_name(module) for module in circle] for circle in circles(graph)] == []


@pytest.mark.parametrize("crate", sorted(path.name for path in CRATES.iterdir()))
@pytest.mark.parametrize("depth", range(1, 5))
def test_folders_form_no_circles(depth: int, crate: str) -> None:
    graph: dict[Module, set[Module]] = defaultdict(set)
    for module, targets in imports(crate).items():
        for target in targets:
            a, b = module[:depth], target[:depth]
            if len(a) == len(b) == depth and a != b and a[:-1] == b[:-1]:
                graph[a].add(b)
    assert [[_name(module) for module in circle] for circle in circles(graph)] == []
