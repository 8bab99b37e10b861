"""Adapters: one module for each dataframe library, imported at the first object of that library.

Each module has ``to_frame(obj, *, options)``, which returns a `CoreFrame` or `Batches`. Its constants are ``LIBRARY``
and ``LAYOUT``, the memory layout from which it builds objects. ``"blocks"`` is the default: the module has
``from_frame(core)``, and ``WRITABLE`` says whether the arrays must be writable. A file is then mapped privately.
``"pandas"`` is the same, but files are decoded with NaN and NaT instead of nulls where pandas' readers do so.
``"arrow"``: the module has ``from_frames(frames)``, which takes one frame for each record batch. ``"views"`` is the
same, but a file's text may be views, which the library has too.
"""

import functools
import importlib
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._of_plugin import PluginAdapter

# The top-level package that defines an object's class -> the name of the adapter module in this package.
ADAPTERS = {
    "pandas": "pandas",
    "static_frame": "static_frame",
    "numpy": "numpy",
    "pyarrow": "pyarrow",
    "polars": "polars",
    "awkward": "awkward",
    "dask_awkward": "awkward",
}
_CAPSULES = ("__arrow_c_stream__", "__arrow_c_array__")


def find_adapter(obj: object) -> ModuleType | None:
    """The adapter for objects like `obj`, or None. It compares names only and imports no library.

    Base classes count, so the pandas adapter handles a DataFrame subclass of another package. The capsule adapter
    handles an object of any other library that exports Arrow capsules.
    """
    cls: Any = type(obj)  # A class is hashable even if its objects are not.
    return _find(cls)


@functools.lru_cache(maxsize=64)
def _find(cls: Any) -> ModuleType | None:
    for kind in cls.__mro__:
        name = ADAPTERS.get(kind.__module__.partition(".")[0])
        if name is not None:
            return load_adapter(name)
    if any(hasattr(cls, capsule) for capsule in _CAPSULES):
        return importlib.import_module(f"{__name__}._capsule")
    return None


def find_plugin(obj: object) -> "PluginAdapter | None":
    """The plug-in for objects like `obj`, which no built-in adapter takes, or None.

    Raises
    ------
    PluginError
        The plug-in of the object's package cannot be loaded, or two plug-ins claim it.
    """
    cls: Any = type(obj)
    if cls.__module__ == "builtins":  # the usual rows and mappings
        return None
    from .._plugins.lookup import adapter_of_class

    loaded = adapter_of_class(cls)
    if loaded is None or not loaded.can("to_frame"):
        return None
    from ._of_plugin import PluginAdapter

    return PluginAdapter(loaded)


@functools.cache
def load_adapter(name: str) -> ModuleType:
    """The adapter module of a library. If the library is absent, the ImportError has the command that installs it."""
    try:
        return importlib.import_module(f"{__name__}.{name}")
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        extra = name.replace("_", "-")
        raise ImportError(
            f"{extra} is not installed, so no frame can be made from it or for it. "
            f"Install it with: pip install 'colonnade[{extra}]'",
            name=name,
        ) from error
    except (ImportError, MemoryError):
        raise
    except Exception as error:  # The library is installed, but its import fails.
        raise ImportError(
            f"{name.replace('_', '-')} is installed, but cannot be imported: {type(error).__name__}: {error}", name=name
        ) from error
