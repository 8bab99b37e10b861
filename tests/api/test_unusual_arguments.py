"""Unusual arguments: NumPy's integers, file objects that accept no bytes, names of file objects, options."""

import gzip
import io
import os
import socket
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import colonnade as cn
from colonnade.cli import main
from tests.helpers.each import each
from tests.helpers.ways import exactly


def stream(data: Any) -> Any:
    """The reading end of a pipe that holds all bytes."""
    source, sink = os.pipe()
    with open(sink, "wb") as file:
        file.write(cn.encode(data, "arrows"))
    return open(source, "rb")  # the caller closes it


def test_positions_of_numpy_are_positions() -> None:
    data = {"a": np.arange(10)}
    with stream(data) as source, pytest.raises(cn.OptionError, match="from the front of a stream"):
        cn.open_reader(source, rows=slice(np.int64(-5), None)).read_all()
    with stream(data) as source, cn.open_reader(source, rows=slice(np.int64(2), np.int64(4))) as reader:
        assert sum(len(batch) for batch in reader) == 2


def test_a_column_that_is_not_there_stays_an_error() -> None:
    with stream({"a": np.arange(3)}) as source:
        reader = cn.open_reader(source, columns=["nope"])
        for _ in range(2):
            with pytest.raises(cn.ColumnNotFound):
                next(iter(reader))


def test_a_file_objects_name_says_the_delimiter(tmp_path: Path) -> None:
    data = {"a": np.arange(2), "b": np.arange(2)}
    with gzip.open(tmp_path / "t.tsv.gz", "wb") as file:
        cn.write(data, file, format="csv", on_loss="ignore")
    with gzip.open(tmp_path / "t.tsv.gz", "rb") as file:
        assert file.read().splitlines()[-1] == b"1\t1"
    assert cn.read(tmp_path / "t.tsv.gz").shape == (2, 2)


class Full(io.RawIOBase):
    def __init__(self, answer: int | None) -> None:
        self.answer = answer

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int | None:
        return self.answer


@pytest.mark.parametrize(("answer", "error"), [(None, BlockingIOError), (0, OSError)])
def test_a_file_object_that_takes_nothing(answer: int | None, error: type[OSError]) -> None:
    with pytest.raises(error):
        cn.write({"a": np.arange(3)}, Full(answer), format="arrows")


def test_an_option_of_one_frame_is_none_of_a_bundle(tmp_path: Path) -> None:
    frames = {"x": {"a": np.arange(3)}, "y": {"b": np.arange(3)}}
    with pytest.raises(cn.OptionError, match="transform"):
        cn.write_bundle(frames, tmp_path / "x.npz", compression="zstd", transform={"a": "delta"})


def test_a_silent_peer_and_a_timeout() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with pytest.raises(TimeoutError):
            cn.read(f"tcp://127.0.0.1:{port}", format="arrows", timeout_s=0.2)


@pytest.mark.parametrize("option", [{"batch_rows": -1}, {"batch_rows": 0}, {"densify_sparse": 1}])
def test_options_of_a_frame_are_checked(option: dict[str, Any]) -> None:
    with pytest.raises(cn.OptionError, match=next(iter(option))):
        cn.Frame([{"a": 1}], **option)


def test_empty_rows_fix_no_columns(tmp_path: Path) -> None:
    with cn.open_writer(tmp_path / "rows.arrows") as writer:
        writer.write([])
        writer.write([{"a": 1}])
        writer.write([])
    assert cn.read(tmp_path / "rows.arrows").shape == (1, 1)
    with cn.open_writer(tmp_path / "none.arrows") as writer:
        writer.write([])
    assert cn.read(tmp_path / "none.arrows").shape == (0, 0)


def test_the_name_of_a_format_in_capitals(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    cn.write({"a": np.zeros(1000)}, tmp_path / "x.npz")
    paths = [str(tmp_path / name) for name in ("x.npz", "y")]
    assert main(["convert", *paths, "--to", "Parquet", "--compression", "none"]) == 0
    assert pq.ParquetFile(paths[1]).metadata.row_group(0).column(0).compression == "UNCOMPRESSED"


@pytest.mark.parametrize(("one", "other"), [(1, True), (1, 1.0), (0.0, -0.0)])
def test_identical_tells_values_that_python_calls_equal(one: Any, other: Any) -> None:
    pd = pytest.importorskip("pandas")

    def frame(value: Any) -> cn.Frame:
        made = pd.DataFrame({"a": [1]})
        made.attrs["x"] = value
        return cn.Frame(made)

    assert frame(one).equals(frame(other))
    assert not frame(one).identical(frame(other))
    assert frame(one).identical(frame(one))


@each("format", ["npz", "arrow", "parquet", "msgpack", "json"])
def test_a_level_of_integer_intervals_with_missing_labels(format: str) -> None:
    pd = pytest.importorskip("pandas")
    index = pd.MultiIndex(levels=[pd.interval_range(0, 2), [1]], codes=[[0, -1], [0, 0]])
    frame = pd.DataFrame({"a": [1, 2]}, index=index)
    found = cn.decode(cn.encode(frame, format, **exactly(format)), format).to_pandas()
    assert found.index.levels[0].dtype == index.levels[0].dtype
    pd.testing.assert_frame_equal(found, frame)
