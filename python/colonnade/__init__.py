"""Colonnade reads and writes DataFrames in files, pipes and sockets, and returns them exactly.

>>> import colonnade as cn, numpy as np
>>> data = cn.encode({"price": np.array([1.5, 2.5]), "count": np.array([10, 20])}, "npz")
>>> cn.decode(data)["price"].to_numpy()
array([1.5, 2.5])
"""

import importlib as _importlib
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

if _TYPE_CHECKING:
    from ._api.bundles import read_arrays, read_bundle, write_bundle
    from ._api.inspect_verify_convert import convert, inspect, verify
    from ._api.inspection import Info
    from ._api.memory import keep_memory, release_memory
    from ._api.read_into import read_arrow, read_pandas, read_polars
    from ._api.read_write import decode, encode, read, write
    from ._api.readers_writers import open_reader, open_writer
    from ._api.versions import show_versions
    from ._core import BufferSink, Limits, __version__
    from ._dataset.dataset import Dataset
    from ._dataset.leftovers import remove_leftovers
    from ._dataset.open_dataset import dataset
    from ._dataset.write_dataset import write_dataset
    from ._formats.arrow import ArrowOptions, ArrowsOptions
    from ._formats.csv import CsvOptions
    from ._formats.json import JsonOptions, NdjsonOptions
    from ._formats.msgpack import MsgpackOptions
    from ._formats.npy import NpyOptions
    from ._formats.npz import NpzOptions
    from ._formats.parquet import ParquetOptions
    from ._formats.yaml import YamlOptions
    from ._frame.frame import Frame
    from ._net.connect import connect, listen
    from ._net.connection import Connection
    from ._net.listener import Listener
    from ._net.wait import wait
    from .errors import (
        ColonnadeError,
        ColumnNotFound,
        ConflictError,
        DecodeError,
        EncodeError,
        InputError,
        InternalError,
        LimitError,
        LossWarning,
        OptionError,
        PluginError,
        TruncatedError,
        UnsupportedError,
    )
    from .polars import scan_polars

__all__ = [
    "ArrowOptions",
    "ArrowsOptions",
    "BufferSink",
    "ColonnadeError",
    "ColumnNotFound",
    "ConflictError",
    "Connection",
    "CsvOptions",
    "Dataset",
    "DecodeError",
    "EncodeError",
    "Frame",
    "Info",
    "InputError",
    "InternalError",
    "JsonOptions",
    "LimitError",
    "Limits",
    "Listener",
    "LossWarning",
    "MsgpackOptions",
    "NdjsonOptions",
    "NpyOptions",
    "NpzOptions",
    "OptionError",
    "ParquetOptions",
    "PluginError",
    "TruncatedError",
    "UnsupportedError",
    "YamlOptions",
    "__version__",
    "connect",
    "convert",
    "dataset",
    "decode",
    "encode",
    "inspect",
    "keep_memory",
    "listen",
    "open_reader",
    "open_writer",
    "read",
    "read_arrays",
    "read_arrow",
    "read_bundle",
    "read_pandas",
    "read_polars",
    "release_memory",
    "remove_leftovers",
    "scan_polars",
    "show_versions",
    "verify",
    "wait",
    "write",
    "write_bundle",
    "write_dataset",
]

# Importing every module takes longer than importing NumPy, so a name is imported when it is first used.
_MODULES = {
    "_api.bundles": ("read_arrays", "read_bundle", "write_bundle"),
    "_api.inspect_verify_convert": ("convert", "inspect", "verify"),
    "_api.inspection": ("Info",),
    "_api.memory": ("keep_memory", "release_memory"),
    "_api.read_into": ("read_arrow", "read_pandas", "read_polars"),
    "_api.read_write": ("decode", "encode", "read", "write"),
    "_api.readers_writers": ("open_reader", "open_writer"),
    "_api.versions": ("show_versions",),
    "_core": ("BufferSink", "Limits", "__version__"),
    "_dataset.dataset": ("Dataset",),
    "_dataset.leftovers": ("remove_leftovers",),
    "_dataset.open_dataset": ("dataset",),
    "_dataset.write_dataset": ("write_dataset",),
    "_formats.arrow": ("ArrowOptions", "ArrowsOptions"),
    "_formats.csv": ("CsvOptions",),
    "_formats.json": ("JsonOptions", "NdjsonOptions"),
    "_formats.msgpack": ("MsgpackOptions",),
    "_formats.npy": ("NpyOptions",),
    "_formats.npz": ("NpzOptions",),
    "_formats.parquet": ("ParquetOptions",),
    "_formats.yaml": ("YamlOptions",),
    "_frame.frame": ("Frame",),
    "_net.connect": ("connect", "listen"),
    "_net.connection": ("Connection",),
    "_net.listener": ("Listener",),
    "_net.wait": ("wait",),
    "errors": (
        "ColonnadeError",
        "ColumnNotFound",
        "ConflictError",
        "DecodeError",
        "EncodeError",
        "InputError",
        "InternalError",
        "LimitError",
        "LossWarning",
        "OptionError",
        "PluginError",
        "TruncatedError",
        "UnsupportedError",
    ),
    "polars": ("scan_polars",),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}
_SUBMODULES = ("adapters", "daft", "dask", "errors", "plugins", "polars", "ray", "serve", "spark", "typing")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_SUBMODULES, "advise", "bench"})


def __getattr__(name: str) -> _Any:
    if name in _MODULE_OF:
        found = getattr(_importlib.import_module(f".{_MODULE_OF[name]}", __name__), name)
    elif name in _SUBMODULES:
        return _importlib.import_module(f".{name}", __name__)
    elif name in ("bench", "advise"):
        # colonnade-bench is another distribution, and imports large modules.
        from ._distributions import NAMES, load

        return load(NAMES, name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found
