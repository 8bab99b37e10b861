"""A DataFrame may be written to: no data returned before or after changes with it."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import colonnade as cn
from tests.helpers.each import each

pd = pytest.importorskip("pandas")

FORMATS = ("npz", "npy", "arrow", "arrows", "parquet", "msgpack", "csv", "json", "ndjson", "yaml")
every_format = pytest.mark.parametrize("format", FORMATS)


@pytest.fixture
def written(format: str, tmp_path: Path) -> Path:
    data = pd.DataFrame({"a": np.arange(5000), "b": np.arange(5000) * 0.5})
    path = tmp_path / ("frame" if format == "npy" else f"frame.{format}")
    cn.write(data, path, format=format)
    return path


def spoil(frame: Any) -> None:
    frame.iloc[0, 0] = 99


@every_format
@each("mmap", [None, False])
def test_a_column_that_is_kept(format: str, written: Path, mmap: bool | None) -> None:
    column = cn.read(written, format=format, mmap=mmap)["a"]
    numbers = column.to_numpy()
    spoil(column.to_pandas())
    assert numbers[0] == 0
    assert column.to_pandas().iloc[0, 0] == 0
    assert column.to_numpy()[0] == 0


@every_format
def test_a_part_and_then_the_whole(format: str, written: Path) -> None:
    frame = cn.read(written, format=format)
    numbers, head = frame["a"].to_numpy(), frame.head(10).to_arrow()
    spoil(frame.to_pandas())
    assert numbers[0] == 0
    assert head.column("a")[0].as_py() == 0
    assert frame.to_pandas().iloc[0, 0] == 0


@every_format
def test_the_whole_twice(format: str, written: Path) -> None:
    frame = cn.read(written, format=format)
    first, second = frame.to_pandas(), frame.to_pandas()
    spoil(first)
    assert second.iloc[0, 0] == 0


@pytest.mark.parametrize("format", ["npz", "arrow", "arrows", "parquet", "msgpack", "csv", "ndjson"])
def test_what_a_reader_gives(format: str, written: Path) -> None:
    with cn.open_reader(written, format=format) as reader:
        batch = next(iter(reader))
        spoil(batch.to_pandas())
        assert batch.to_pandas().iloc[0, 0] == 0
    with cn.open_reader(written, format=format) as reader:
        whole = reader.read_all()
        spoil(whole.to_pandas())
        assert whole.to_pandas().iloc[0, 0] == 0


def test_batches_that_were_joined() -> None:
    source, sink = os.pipe()
    with open(sink, "wb") as file:
        cn.write({"a": np.arange(2000), "b": np.zeros(2000)}, file, format="arrows", batch_nbytes=4000)
    with open(source, "rb") as file, cn.open_reader(file) as reader:
        next(iter(reader))
        rest = reader.read_all()
    first = int(rest["a"].to_numpy()[0])
    assert first > 0
    spoil(rest.to_pandas())
    assert rest.to_pandas().iloc[0, 0] == first


@pytest.mark.parametrize("format", ["arrows", "msgpack", "csv", "ndjson"])
def test_what_was_received(format: str) -> None:
    with cn.listen("tcp://:0") as listener, cn.connect(listener.url) as here, listener.accept() as there:
        here.send({"a": np.arange(3)}, format)
        here.finish()
        frame = there.receive()
    numbers = frame["a"].to_numpy()
    spoil(frame.to_pandas())
    assert (numbers[0], frame.to_pandas().iloc[0, 0]) == (0, 0)


@every_format
def test_a_frame_for_one_use_may_be_written_to(format: str, written: Path) -> None:
    frame = cn.read_pandas(written, format=format)
    spoil(frame)
    assert frame.iloc[0, 0] == 99
    assert cn.read_pandas(written, format=format).iloc[0, 0] == 0


def test_the_index_of_a_column_that_was_decoded(tmp_path: Path) -> None:
    for name, index in (("auto.npz", None), ("stored.npz", np.arange(30) * 10)):
        cn.write(pd.DataFrame({"a": np.arange(30), "b": 0.5}, index=index), tmp_path / name)
        column = cn.read(tmp_path / name, rows=slice(10, 20))["a"]
        before = list(column.index)
        column.to_numpy()
        assert list(column.index) == before == list(column.to_pandas().index)
