"""The pandas rows of the round-trip matrix, through every format: every case, every way in and out."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from tests.helpers.each import each

pytest.importorskip("pandas")

import numpy as np
import pandas as pd

import colonnade as cn
from colonnade.testing import strategies_pandas
from colonnade.testing.cases_pandas import CASES, REFUSED, assert_identical, is_identical_in_memory
from tests.helpers.ways import (
    WAYS,
    Way,
    check_comes_back,
    check_refused,
    every_case_and_way,
    every_random_way,
    every_way,
    every_whole_format,
    exactly,
)


@every_case_and_way(CASES)
def test_every_case_comes_back(name: str, way: Way, tmp_path: Path) -> None:
    frame = CASES[name]()
    path = check_comes_back(frame, way, tmp_path, cn.Frame.to_pandas, assert_identical, is_identical_in_memory)
    # Writing leaves the frame alone.
    for other in (CASES[name](), cn.read(path, mmap=True).to_native()):
        if not is_identical_in_memory(frame, other):
            assert_identical(frame, other)


@every_whole_format
@each("name", list(CASES), per=20)
def test_every_case_comes_back_from_bytes_that_are_always_the_same(name: str, format: str) -> None:
    frame = CASES[name]()
    content = cn.encode(frame, format, **exactly(format))
    assert_identical(frame, cn.decode(content, format).to_pandas())
    assert cn.encode(CASES[name](), format, **exactly(format)) == content


@each("name", list(CASES), per=50)
def test_every_case_comes_back_without_a_file(name: str) -> None:
    frame = CASES[name]()
    assert_identical(frame, cn.Frame(frame).to_pandas())
    assert cn.Frame(frame).shape == frame.shape


@every_whole_format
@each("name", list(REFUSED))
def test_what_cannot_be_held_is_refused_and_nothing_is_written(name: str, format: str, tmp_path: Path) -> None:
    check_refused(REFUSED[name], format, tmp_path)


@every_random_way
@settings(deadline=None, max_examples=50, suppress_health_check=list(HealthCheck))
@given(frame=strategies_pandas.pandas_frames())
def test_random_frames_come_back(way: str, frame: pd.DataFrame) -> None:
    assert_identical(frame, cn.decode(WAYS[way].encode(frame), WAYS[way].format).to_pandas())
    assert_identical(frame, cn.Frame(frame).to_pandas())


@each("format", ["arrows", "arrow", "npz", "msgpack", "parquet"])
def test_frames_that_differ_in_unused_categories_of_their_labels_do_not_get_each_others(format: str) -> None:
    def labels(used: list[object], categories: list[object], ordered: bool = False) -> pd.CategoricalIndex:
        return pd.CategoricalIndex(used, categories=categories, ordered=ordered)

    every = [
        labels([], [False]), labels([], [True]), labels([], [False, True]), labels([], [True, False]),
        labels(["a"], ["a"]), labels(["a"], ["a", "b"]), labels(["a"], ["b", "a"]), labels(["a"], ["b", "a"], True),
    ]  # fmt: skip
    for columns in [*every, *every]:
        frame = pd.DataFrame(np.zeros((0, len(columns))), columns=columns)
        assert_identical(frame, cn.decode(cn.encode(frame, format), format).to_pandas())
        with cn.listen("tcp://:0") as listener, cn.connect(listener.url) as here, listener.accept() as there:
            for other in (frame, pd.DataFrame(np.zeros((0, 1)), columns=every[5])):
                here.send(other)
                assert_identical(other, there.receive().to_pandas())


@every_way
def test_columns_and_rows_of_a_file(way: Way, tmp_path: Path) -> None:
    frame = CASES["everything at once"]()
    path = way.write(frame, tmp_path)
    for start in range(len(frame) + 1):
        for stop in range(start, len(frame) + 1):
            assert_identical(frame.iloc[start:stop], cn.read(path, rows=slice(start, stop)).to_pandas())
    chosen = [8, 0, 3]
    selected = cn.read(path, columns=[frame.columns[i] for i in chosen]).to_pandas()
    pd.testing.assert_frame_equal(selected, frame.iloc[:, chosen], check_freq=True)


@every_way
def test_a_frequency_does_not_outlive_a_selection_of_labels(way: Way, tmp_path: Path) -> None:
    days = pd.date_range("2020-01-01", periods=5, freq="D")
    frame = pd.DataFrame([[float(5 * i + j) for j in range(5)] for i in range(5)], columns=days, index=days)
    path = way.write(frame, tmp_path)
    chosen = cn.read(path, columns=[days[0], days[3], days[4]]).to_pandas()
    assert chosen.columns.freq is None
    assert chosen.index.freq == days.freq
    assert cn.read(path, rows=slice(2, 5)).to_pandas().index.freq == days.freq


@every_way
@pytest.mark.parametrize("mmap", [True, False])
def test_two_frames_of_one_file_share_no_writes(way: Way, tmp_path: Path, mmap: bool) -> None:
    import numpy as np

    frame = pd.DataFrame(np.zeros((20_000, 3)))
    frame["n"] = pd.array([1, None] * 10_000, dtype="Int64")
    frame["c"] = pd.Categorical(["a", "b"] * 10_000)
    frame["t"] = pd.date_range("2020", periods=20_000, freq="min", tz="UTC")
    if way.options.get("batch_nbytes"):
        way = Way(way.format, way.options | {"batch_nbytes": 50_000})
    path = way.write(frame, tmp_path)
    before = path.read_bytes() if path.is_file() else None
    lazy = cn.read(path, mmap=mmap)
    first, second = lazy.to_pandas(), lazy.to_pandas()
    first.iloc[0, 0] = 7.0
    first.iloc[1, 3] = 9
    first.iloc[0, 4] = "b"
    first.iloc[0, 5] = pd.Timestamp("1999-01-01", tz="UTC")
    assert (first.iloc[0, 0], first.iloc[1, 3], first.iloc[0, 4]) == (7.0, 9, "b")
    for other in (second, lazy.to_pandas(), cn.read(path, mmap=mmap).to_pandas()):
        assert_identical(frame, other)
    assert before is None or path.read_bytes() == before
