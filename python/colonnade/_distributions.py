"""What other distributions add: `colonnade bench`, `colonnade advise`, `cn.bench` and `cn.advise`, by entry point.

They belong to colonnade-bench, which has the same version as this package, because it is built from the same tree. What
is absent or of another version is an ImportError that says how to install it, before anything is imported of it.
"""

from importlib import metadata
from pathlib import Path
from typing import Any

COMMANDS = "colonnade.commands"
"""The group of commands: callables that take the arguments and give the exit status."""
NAMES = "colonnade.names"
"""The group of what `colonnade` has as an attribute."""
BENCH = "colonnade-bench"


def load(group: str, name: str) -> Any:
    """The object of the entry point `name` of colonnade-bench.

    Raises
    ------
    ImportError
        colonnade-bench is not installed, or its version is another one.
    """
    found = [entry for entry in metadata.entry_points(group=group, name=name) if entry.dist and _is_bench(entry.dist)]
    if not found:
        raise ImportError(f"{name} needs {BENCH}, which is not installed: {_install()}", name="colonnade_bench")
    entry, ours = found[0], _own_version()
    version = entry.dist.version if entry.dist else ""
    if version != ours:
        raise ImportError(f"{name} needs {BENCH} {ours}, found {version}: {_install()}", name="colonnade_bench")
    return entry.load()


def _is_bench(distribution: metadata.Distribution) -> bool:
    return distribution.name.replace("_", "-").lower() == BENCH


def _own_version() -> str:
    from ._core import __version__

    return __version__


def _install() -> str:
    """A line that works today: neither distribution is published, so it is installed from the sources."""
    tree = Path(__file__).parents[2] / "bench"
    if (tree / "pyproject.toml").is_file():
        return f"pip install {tree}"
    return f"in a checkout of Colonnade {_own_version()}, pip install ./bench"
