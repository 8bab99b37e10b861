"""Common parts of the contracts of formats and adapters: the registered plug-in, skipped cases, comparison by value."""

import json
import math
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, TypeVar

import pytest

import colonnade as cn
from colonnade import plugins

Case = TypeVar("Case", bound=Callable[..., None])


class PluginContract:
    """Hooks and cases of both contracts.

    Attributes
    ----------
    is_installed : bool
        Whether the plug-in is installed with its entry point. False skips this case, for a plug-in inside a program.
    """

    is_installed: ClassVar[bool] = True

    def plugin(self) -> Any:
        """Return the plug-in under test, a new `FormatPlugin` or `AdapterPlugin` object of `colonnade.plugins`."""
        raise NotImplementedError

    @pytest.fixture(autouse=True)
    def _registered(self, request: pytest.FixtureRequest) -> Iterator[None]:
        plugin = self.plugin()
        for capability in getattr(request.function, "needs", ()):
            if capability not in plugin.capabilities:
                pytest.skip(f"{plugin.name} has no capability {capability!r}")
        with plugins.registered(plugin):
            yield

    def test_every_method_is_claimed_and_every_claim_has_a_method(self) -> None:
        """A method that `capabilities` does not name is never called; a claim without a method is refused."""
        plugin = self.plugin()
        plugins.register(plugin)  # refuses false claims
        base = plugins.FormatPlugin if isinstance(plugin, plugins.FormatPlugin) else plugins.AdapterPlugin
        for method in set(base.KNOWN_CAPABILITIES) - {"columns"}:
            if getattr(type(plugin), method) is not getattr(base, method):
                assert method in plugin.capabilities, f"{method}() is defined: name it in capabilities"

    def test_its_entry_point_is_installed(self) -> None:
        """The distribution declares it, so that users need to import nothing."""
        if not self.is_installed:
            pytest.skip("not installed as a distribution: is_installed is False")
        name = self.plugin().name
        kind = "format" if isinstance(self.plugin(), plugins.FormatPlugin) else "adapter"
        # A registered plug-in hides the installed one, so a fresh process looks.
        code = (
            "import json; from colonnade import plugins\n"
            "print(json.dumps([(one.kind, one.name, one.problem) for one in plugins.installed()]))"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        found = {(of, named): problem for of, named, problem in json.loads(done.stdout)}
        assert (kind, name) in found, f"no entry point {name!r} in the group colonnade.{kind}s"
        assert found[kind, name] is None, found[kind, name]


def needs(*capabilities: str) -> Callable[[Case], Case]:
    """Skips a case if the plug-in lacks one of these capabilities."""

    def marked(case: Case) -> Case:
        case.needs = capabilities  # type: ignore[attr-defined]
        return case

    return marked


def assert_same_values(found: Any, expected: Any) -> None:
    """Assert that two frames have the same labels and values. The storage of types does not count.

    This function needs pyarrow.

    Parameters
    ----------
    found, expected
        Anything that `colonnade.Frame` takes.

    Raises
    ------
    AssertionError
        The frames differ. The message has the first difference.
    """
    ours, theirs = cn.Frame(found), cn.Frame(expected)
    assert list(ours) == list(theirs), f"columns: found {list(ours)}, expected {list(theirs)}"
    assert len(ours) == len(theirs), f"rows: found {len(ours)}, expected {len(theirs)}"
    for position, label in enumerate(ours):
        a, b = (frame.to_arrow().column(position).to_pylist() for frame in (ours, theirs))
        for row, (one, other) in enumerate(zip(a, b, strict=True)):
            assert _is_same(one, other), f"column {label!r}, row {row}: found {one!r}, expected {other!r}"


def _is_same(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float) and math.isnan(one):
        return math.isnan(other)
    return type(one) is type(other) and bool(one == other)
