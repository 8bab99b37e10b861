"""The polars rows of the round-trip matrix, nested types among them, through every format."""

from pathlib import Path

import pytest

from tests.helpers.each import each

pytest.importorskip("polars")
pytest.importorskip("pyarrow")

import colonnade as cn
from colonnade.testing.cases_polars import CASES, REFUSED, assert_identical, is_identical_in_memory
from tests.helpers.ways import (
    Way,
    check_comes_back,
    check_refused,
    every_case_and_way,
    every_way,
    every_whole_format,
)


@every_case_and_way(CASES)
def test_every_case_comes_back(name: str, way: Way, tmp_path: Path) -> None:
    frame = CASES[name]()
    check_comes_back(frame, way, tmp_path, cn.Frame.to_polars, assert_identical, is_identical_in_memory)
    again = CASES[name]()  # writing leaves the frame alone
    if not is_identical_in_memory(frame, again):
        assert_identical(frame, again)


@each("name", list(CASES), per=50)
def test_every_case_comes_back_without_a_file(name: str) -> None:
    frame = CASES[name]()
    assert_identical(frame, cn.Frame(frame).to_polars())


@every_whole_format
@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_held_is_refused_and_nothing_is_written(name: str, format: str, tmp_path: Path) -> None:
    check_refused(REFUSED[name], format, tmp_path)


@every_way
def test_slices_across_batches_and_chosen_columns(way: Way, tmp_path: Path) -> None:
    frame = CASES["long enough for many batches"]()
    path = way.write(frame, tmp_path)
    size = len(frame)
    for start, stop in ((0, 1), (size - 1, size), (3, 7), (size // 2 - 3, size // 2 + 3), (1, size - 1), (4, 4)):
        assert_identical(frame[start:stop], cn.read(path, rows=slice(start, stop)).to_polars())
    chosen = ["c", "i", "s"]
    assert_identical(frame.select(chosen), cn.read(path, columns=chosen).to_polars())
