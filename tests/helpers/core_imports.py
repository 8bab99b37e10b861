"""Finds which module of a Rust crate imports which, from its ``use`` lines and paths: for `test_core_rooms.py`.

A path is resolved to the file that holds the item: ``super::Grid`` to ``frame/block.rs``, where ``frame/mod.rs`` says
``pub use block::Grid``. A parent that declares or re-exports a child does not import it. Tests do not count.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

CRATES = Path(__file__).resolve().parents[2] / "crates"
CORE = "colonnade"

Module = tuple[str, ...]  # ("frame", "block")
_USE = re.compile(r"^[ \t]*(pub(?:\([^)]*\))? )?use ([^;]+);", re.MULTILINE)
_PATH = re.compile(r"(?<![\w:])(?:crate|(?:super::)*super|self)(?:::[A-Za-z_]\w*)+")
_COMMENT = re.compile(r"//[^\n]*")


def is_test(parts: tuple[str, ...]) -> bool:
    """Whether a file is compiled only for tests, by its name."""
    return any(part in ("tests", "samples", "suite") or part.endswith("_tests") for part in parts)


@cache
def modules(crate: str = CORE) -> dict[Module, str]:
    """The text of every module of a crate, without comments and without test modules."""
    source, found = CRATES / crate / "src", {}
    for path in source.rglob("*.rs"):
        parts = path.relative_to(source).with_suffix("").parts
        if is_test(parts):
            continue
        text = _COMMENT.sub("", path.read_text(encoding="utf-8"))
        module = parts[:-1] if parts[-1] in ("mod", "lib") else parts
        found[module] = re.split(r"#\[cfg\(test\)\]\s*(?:pub\(crate\) )?mod \w+ \{", text)[0]
    return found


def leaves(tree: str, prefix: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """Paths of a use tree, each with the name under which it is imported."""
    tree = tree.strip()
    at = tree.find("{")
    if at < 0:
        path, _, alias = tree.partition(" as ")
        parts = prefix + tuple(part.strip() for part in path.split("::"))
        if parts[-1] == "self":
            parts = parts[:-1]
        yield parts, alias.strip() or parts[-1]
        return
    head = prefix + tuple(part.strip() for part in tree[:at].split("::") if part.strip())
    depth, start, inner = 0, 0, tree[at + 1 : tree.rindex("}")]
    for i, char in enumerate(inner + ","):
        depth += (char == "{") - (char == "}")
        if char == "," and depth == 0:
            if inner[start:i].strip():
                yield from leaves(inner[start:i], head)
            start = i + 1


def absolute(path: tuple[str, ...], module: Module, crate: str) -> Module | None:
    """Resolve a path within `module` to one from the root of the crate; None for other crates."""
    if path[0] == "crate":
        return path[1:]
    if path[0] == "self":
        return module + path[1:]
    supers = next((i for i, part in enumerate(path) if part != "super"), len(path))
    if supers:
        return module[: len(module) - supers] + path[supers:]
    return module + path if module + path[:1] in modules(crate) else None


@cache
def exports(module: Module, crate: str) -> dict[str, Module]:
    """Names that a module re-exports, and their paths."""
    found = {}
    for visibility, tree in _USE.findall(modules(crate).get(module, "")):
        if not visibility:
            continue
        for path, name in leaves(tree):
            target = absolute(path, module, crate)
            if target is not None:
                found[name] = target
    return found


def home(path: Module, crate: str) -> Module:
    """The module that holds the item at `path`."""
    for _ in range(8):
        known = max((n for n in range(len(path) + 1) if path[:n] in modules(crate)), default=0)
        module, rest = path[:known], path[known:]
        target = exports(module, crate).get(rest[0]) if rest else None
        if target is None:
            return module
        path = target + rest[1:]
    return path


@cache
def imports(crate: str = CORE) -> dict[Module, frozenset[Module]]:
    """Modules that each module imports, itself and its children's re-exports left out."""
    found: dict[Module, set[Module]] = defaultdict(set)
    for module, text in modules(crate).items():
        paths = [path for visibility, tree in _USE.findall(text) for path, _ in leaves(tree)]
        paths += [tuple(match.split("::")) for match in _PATH.findall(_USE.sub("", text))]
        for path in paths:
            target = absolute(path, module, crate)
            if target is not None:
                found[module].add(home(target, crate))
        found[module].discard(module)
    return {module: frozenset(targets) for module, targets in found.items()}


def circles(graph: dict[Module, set[Module]]) -> list[list[Module]]:
    """Strongly connected components of more than one node (Tarjan)."""
    index: dict[Module, int] = {}
    low: dict[Module, int] = {}
    stack: list[Module] = []
    out: list[list[Module]] = []

    def visit(node: Module) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for below in graph.get(node, ()):
            if below not in index:
                visit(below)
                low[node] = min(low[node], low[below])
            elif below in stack:
                low[node] = min(low[node], index[below])
        if low[node] == index[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                out.append(sorted(stack[at:]))
            del stack[at:]

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return out
