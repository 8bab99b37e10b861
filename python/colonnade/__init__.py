"""Colonnade moves a DataFrame to disk, over a pipe or a socket, and back: exactly, and as fast as the machine allows.

>>> import colonnade as cn, numpy as np
>>> data = cn.encode({"price": np.array([1.5, 2.5]), "count": np.array([10, 20])}, "npz")
>>> cn.decode(data)["price"].to_numpy()
array([1.5, 2.5])
"""

from typing import Any as _Any

from ._api.bundles import read_arrays, read_bundle, write_bundle
from ._api.inspect_verify_convert import convert, inspect, verify
from ._api.inspection import Info
from ._api.read_write import decode, encode, read, read_arrow, read_pandas, read_polars, write
from ._api.readers_writers import open_reader, open_writer
from ._api.versions import show_versions
from ._core import BufferSink, Limits, __version__
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
    DecodeError,
    EncodeError,
    InternalError,
    LimitError,
    OptionError,
    TruncatedError,
    UnsupportedError,
)

__all__ = [
    "ArrowOptions",
    "ArrowsOptions",
    "BufferSink",
    "ColonnadeError",
    "ColumnNotFound",
    "Connection",
    "CsvOptions",
    "DecodeError",
    "EncodeError",
    "Frame",
    "Info",
    "InternalError",
    "JsonOptions",
    "LimitError",
    "Limits",
    "Listener",
    "MsgpackOptions",
    "NdjsonOptions",
    "NpyOptions",
    "NpzOptions",
    "OptionError",
    "ParquetOptions",
    "TruncatedError",
    "UnsupportedError",
    "YamlOptions",
    "__version__",
    "connect",
    "convert",
    "decode",
    "encode",
    "inspect",
    "listen",
    "open_reader",
    "open_writer",
    "read",
    "read_arrays",
    "read_arrow",
    "read_bundle",
    "read_pandas",
    "read_polars",
    "show_versions",
    "verify",
    "wait",
    "write",
    "write_bundle",
]


def __dir__() -> list[str]:
    return sorted({*globals(), "advise", "bench"})


def __getattr__(name: str) -> _Any:
    # Another distribution has them, with its own weight: it is loaded by whoever asks for it.
    if name in ("bench", "advise"):
        from ._distributions import NAMES, load

        return load(NAMES, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
