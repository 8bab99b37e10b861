"""What type checkers know of the package. Nothing runs it: mypy (`make lint`) and pyright (`make types`) read it.

Every ``# type: ignore`` is an error that a user must see: without the error the comment itself is one.
"""

# pyright: strict, reportUnnecessaryTypeIgnoreComment=true, reportUnusedExpression=false, reportUnusedCoroutine=false
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeArgument=false

import io
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any, assert_type

import awkward
import numpy
import pandas
import polars
import pyarrow
from typing_extensions import Unpack

import colonnade as cn
from colonnade.typing import Columns, CsvReading, Format, Source, Target


def read_by_library(path: Path) -> None:
    assert_type(cn.read(path), cn.Frame)
    assert_type(cn.read_pandas(path, dtype_backend="pyarrow"), pandas.DataFrame)
    assert_type(cn.read_polars(path, columns=["a"]), polars.DataFrame)
    assert_type(cn.read_arrow(path, rows=slice(0, 9)), pyarrow.Table | Any)
    assert_type(cn.read_bundle(path), Mapping[str, cn.Frame])


def convert_by_library(frame: cn.Frame) -> None:
    assert_type(frame.to_pandas(), pandas.DataFrame)
    assert_type(frame["a"].to_pandas(), pandas.DataFrame)
    assert_type(frame.to_polars(), polars.DataFrame)
    assert_type(frame.to_arrow(), pyarrow.Table | Any)
    assert_type(frame.to_awkward(), awkward.Array)
    assert_type(frame.to("pandas"), pandas.DataFrame)
    assert_type(frame.to("polars"), polars.DataFrame)
    assert_type(frame.to("of a plug-in"), Any)
    values: numpy.ndarray = frame["a"].to_numpy()
    assert_type(values.sum(), Any)
    assert_type(frame.select(["a", ("b", 1)]).head(3).shape, tuple[int, int])


def sources(path: Path, link: cn.Connection, peer: socket.socket, sink: cn.BufferSink) -> None:
    for source in ("a.npz", path, b"...", bytearray(), memoryview(b""), sink, io.BytesIO(), link, peer, 0):
        cn.read(source)
    cn.read([path, "b.parquet"])
    cn.read(path.open("rb"))
    cn.write({}, path.open("wb"))
    for target in ("a.npz", path, sink, io.BytesIO(), link, peer, 1):
        cn.write({}, target)
    cn.read(path.open())  # type: ignore[call-overload]
    cn.read(1.5)  # type: ignore[call-overload]
    cn.write({}, b"a.npz")  # type: ignore[call-overload]
    cn.write({}, path.open("w"))  # type: ignore[call-overload]


def options_of_a_format(path: Path) -> None:
    cn.read(path, format="csv", sep=";", dtype={"a": "int32"}, index_col=[0, 1], parse_dates=["day"], mmap=False)
    cn.read(path, format="parquet", filters=[("year", "in", [2024]), ("price", ">", 1)], categories=["kind"])
    cn.write({}, path, format="npz", compression={"a": "zstd"}, transform="auto", mkdir=True)
    cn.encode({}, "arrows", compression="lz4", batch_nbytes=1 << 20)
    cn.decode(b"", "json", orient="split", columns="a")
    with cn.open_writer(path, format="parquet", row_group_size=10) as writer:
        writer.write({"a": [1]})
    with cn.open_reader(path, format="ndjson", chunk_rows=10) as reader:
        assert_type(next(iter(reader)), cn.Frame)
    cn.read(path, options=cn.CsvOptions(sep=";"))


def wrong_options(path: Path) -> None:
    cn.read(path, format="csv", orient="split")  # type: ignore[call-overload]
    cn.read(path, format="npz", sep=";")  # type: ignore[call-overload]
    cn.read(path, format="csv", compression="gzip")  # type: ignore[call-overload]
    cn.write({}, path, format="parquet", level=3)  # type: ignore[call-overload]
    cn.encode({}, "npz", compression="lz4")  # type: ignore[call-overload]
    cn.decode(b"", "yaml", orient="split")  # type: ignore[call-overload]
    cn.open_reader(path, format="csv", chunk_rows="10")  # type: ignore[call-overload]
    cn.open_writer(path, format="parquet", batch_nbytes=10)  # type: ignore[call-overload]
    cn.CsvOptions(quoting="none")  # type: ignore[arg-type]


def without_a_format(path: Path) -> None:
    cn.read(path, sep=";")
    cn.read(path, allow_truncated=True)
    cn.write({}, path, profile="small", compression="brotli")
    cn.read(path, seperator=";")  # type: ignore[call-overload]
    cn.read(path, verify="yes")  # type: ignore[call-overload]
    cn.read_pandas(path, colums=["a"])  # type: ignore[call-overload]
    cn.write({}, path, compression="gz")  # type: ignore[call-overload]


def passed_on(source: Source, target: Target, format: Format, **options: Unpack[CsvReading]) -> None:
    cn.read(source, format="csv", **options)
    cn.write(cn.read(source, format=format), target, format=format, fsync=True)
    cn.read(source, **options)


def known_when_it_runs(path: Path, columns: Columns, format: str | None, options: dict[str, Any]) -> None:
    assert_type(cn.read(path, format=format, columns=columns, threads=1), cn.Frame)
    assert_type(cn.read(path, format=format, **options), cn.Frame)
    assert_type(cn.read(path, **options), cn.Frame)
    cn.write({}, path, format="orc", options=None, **options)
