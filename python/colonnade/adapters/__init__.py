"""Adapters: one module a dataframe library, imported when an object of that library is first met.

Each has ``to_frame(obj, *, options)``, which returns a `CoreFrame` or `Batches`, and two constants: ``LIBRARY``, and
``LAYOUT``, the memory it builds from. ``"blocks"`` (where it says nothing): ``from_frame(core)``, and ``WRITABLE`` says
whether the arrays must be writable, so that a file is mapped privately for it. ``"pandas"``: the same, and files are
decoded with NaN and NaT in the place of nulls where pandas' readers have them so. ``"arrow"``: ``from_frames(frames)``,
one frame a record batch.
"""

import functools
import importlib
from types import ModuleType
from typing import Any

# The first part of the module that defines an object's class -> the adapter's module here.
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
    """The adapter that serves `obj`, or None. Only looks at names: no library is imported to find out.

    Base classes count, so a DataFrame subclass of another package is served by the adapter of pandas. What no
    adapter serves by name is taken where it can hand itself over as Arrow capsules.
    """
    cls: Any = type(obj)  # a class is hashable, whatever `object` says of its objects
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


@functools.cache
def load_adapter(name: str) -> ModuleType:
    """The adapter module of a library. ImportError, with the line that installs it, where the library is absent."""
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
    except Exception as error:  # a library that is there, and fails while it is imported
        raise ImportError(
            f"{name.replace('_', '-')} is installed, but cannot be imported: {type(error).__name__}: {error}", name=name
        ) from error
