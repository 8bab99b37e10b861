"""`progress=` of reading by batches and of `convert`: one total, reported from beginning to end."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import colonnade as cn
from tests.helpers.each import each
from tests.helpers.pipes import piped

COUNT, ROWS = 5, 20_000


class Told:
    """A callback that records its calls."""

    def __init__(self) -> None:
        self.steps: list[tuple[int, int | None]] = []

    def __call__(self, done: int, total: int | None) -> None:
        self.steps.append((done, total))

    def is_one_work(self) -> bool:
        """Whether the values only grow, never exceed the total, and reach it."""
        done = [done for done, _ in self.steps]
        ends = self.steps[-1][1] in (None, self.steps[-1][0])
        return done == sorted(done) and ends and all(total is None or done <= total for done, total in self.steps)


def written(path: Path, **options: Any) -> Path:
    with cn.open_writer(path, **options) as writer:
        for i in range(COUNT):
            writer.write({"a": np.arange(i * ROWS, (i + 1) * ROWS), "b": np.ones(ROWS)})
    return path


CHUNKED: dict[str, dict[str, Any]] = {
    "arrow": {},
    "arrows": {"batch_nbytes": ROWS * 16},
    "parquet": {"row_group_size": ROWS},
    "msgpack": {},
    "csv": {},
    "ndjson": {},
}


# ---------------------------------------------------------------------------- open_reader


@each("format", list(CHUNKED))
def test_a_reader_of_a_file_tells_of_each_batch(format: str, tmp_path: Path) -> None:
    path = written(tmp_path / f"x.{format}", **CHUNKED[format])
    told, counts = Told(), []
    with cn.open_reader(path, progress=told) as reader:
        for _ in reader:
            counts.append(len(told.steps))
    assert len(counts) > 1
    assert all(before < after for before, after in zip([0, *counts], counts, strict=False))
    assert told.is_one_work()


@pytest.mark.parametrize("format", ["arrow", "parquet"])
def test_a_batch_that_is_read_again_counts_once(format: str, tmp_path: Path) -> None:
    told = Told()
    with cn.open_reader(written(tmp_path / f"x.{format}", **CHUNKED[format]), progress=told) as reader:
        for i in (2, 2, -3, 0):
            assert len(reader[i]) == ROWS
        assert len({done for done, _ in told.steps}) == 2
        assert sum(len(frame) for frame in reader) == COUNT * ROWS
        before = len(told.steps)
        assert sum(len(frame) for frame in reader) == COUNT * ROWS
        assert len(told.steps) == before
    assert told.is_one_work()
    assert told.steps[-1][1] is not None


def test_a_reader_of_a_pipe_tells_of_each_batch(tmp_path: Path) -> None:
    told = Told()
    data = written(tmp_path / "x.arrows", **CHUNKED["arrows"]).read_bytes()
    with open(piped(data), "rb") as source, cn.open_reader(source, progress=told) as reader:
        assert sum(len(frame) for frame in reader) == COUNT * ROWS
    assert len(told.steps) > 1
    assert told.is_one_work()


def test_what_it_raises_comes_through_the_reader(tmp_path: Path) -> None:
    def stop(done: int, total: int | None) -> None:
        raise KeyboardInterrupt

    with cn.open_reader(written(tmp_path / "x.arrow"), progress=stop) as reader, pytest.raises(KeyboardInterrupt):
        list(reader)


def test_a_bar_is_taken_away_with_the_reader(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "x.arrow")
    shown = []
    with cn.open_reader(path, progress=True) as reader:
        assert len(reader[0]) == ROWS
        shown.append(reader._drawn is not None)
    shown.append(reader._drawn is not None)
    with cn.open_reader(path, progress=True) as reader:
        assert sum(len(frame) for frame in reader) == COUNT * ROWS
        shown.append(reader._drawn is not None)
    assert shown == [True, False, False]
    assert capsys.readouterr().out == ""


# ---------------------------------------------------------------------------- convert


@each("target", ["npz", "arrow", "parquet", "csv", "json"])
@each("format", ["csv", "ndjson", "json", "yaml"])
def test_both_halves_of_a_conversion_of_text_are_told(format: str, target: str, tmp_path: Path) -> None:
    data = {"a": np.arange(3000 if format == "yaml" else 200_000)}
    path, told = tmp_path / f"x.{format}", Told()
    cn.write(data, path)
    cn.convert(path, tmp_path / f"y.{target}", progress=told)
    assert told.is_one_work()
    done, total = told.steps[-1]
    assert done == total
    assert any(0 < 2 * done <= total for done, _ in told.steps)  # of reading
    assert len({done for done, _ in told.steps if 2 * done > total}) > 0  # of writing


@each("target", ["npz", "arrows", "parquet", "msgpack", "ndjson"])
@each("format", ["npz", *CHUNKED])
def test_a_conversion_is_one_work(format: str, target: str, tmp_path: Path) -> None:
    path, told = tmp_path / f"x.{format}", Told()
    if format == "npz":
        cn.write({"a": np.arange(ROWS)}, path, compression="deflate")
    else:
        written(path, **CHUNKED[format])
    cn.convert(path, tmp_path / f"y.{target}", progress=told)
    assert told.is_one_work()


def test_a_conversion_from_a_pipe_is_one_work(tmp_path: Path) -> None:
    told = Told()
    with open(piped(cn.encode({"a": np.arange(200_000)}, "csv", on_loss="ignore")), "rb") as source:
        cn.convert(source, tmp_path / "y.npz", read_options={"format": "csv"}, progress=told)
    assert told.is_one_work()


def test_who_is_told_of_reading_alone_is_told(tmp_path: Path) -> None:
    path, reading, both = written(tmp_path / "x.arrow"), Told(), Told()
    cn.convert(path, tmp_path / "y.arrow", read_options={"progress": reading}, progress=both)
    assert reading.is_one_work()
    assert both.is_one_work()
    assert len(reading.steps) >= COUNT
