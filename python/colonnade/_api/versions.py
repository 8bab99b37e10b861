"""The versions for a bug report, without importing any of the libraries."""

import sys

from .. import _core
from .._io.detection import FORMAT_NAMES
from .._io.threads import resolve_threads, usable_cores
from .._plugins.discovery import ADAPTER_PLUGINS, FORMAT_PLUGINS
from .._values.terminal_text import table

_LIBRARIES = ("numpy", "pandas", "static-frame", "pyarrow", "polars", "awkward", "rich")


def versions() -> dict[str, str | int | list[str] | None]:
    """Name to version; None where a library is not installed."""
    import importlib.metadata
    import platform

    found: dict[str, str | int | list[str] | None] = {
        "colonnade": _core.__version__,
        "python": sys.version.split()[0],
        "platform": platform.platform(),
        "machine": platform.machine(),
        "cores": usable_cores(),
        "threads": resolve_threads(None),
        "formats": list(FORMAT_NAMES),
    }
    plugins = [f"{name} ({of})" for kind in (FORMAT_PLUGINS, ADAPTER_PLUGINS) for name, of in kind.distributions()]
    if plugins:
        found["plug-ins"] = plugins
    for library in _LIBRARIES:
        try:
            found[library] = importlib.metadata.version(library)
        except importlib.metadata.PackageNotFoundError:
            found[library] = None
    return found


def versions_text(found: dict[str, str | int | list[str] | None]) -> str:
    """The versions as a table of two columns."""
    texts = {
        name: "not installed" if value is None else ", ".join(value) if isinstance(value, list) else str(value)
        for name, value in found.items()
    }
    return table([[name, text] for name, text in texts.items()])


def show_versions() -> None:
    """Print the versions of Colonnade, Python and related libraries, for a bug report.

    Examples
    --------
    >>> import colonnade as cn
    >>> cn.show_versions()  # doctest: +ELLIPSIS
    colonnade ...
    """
    print(versions_text(versions()))
