"""The Awkward rows of the round-trip matrix: every layout through every format."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from tests.helpers.each import each

pytest.importorskip("awkward")

import colonnade as cn
from colonnade.testing import strategies_awkward
from colonnade.testing.cases_awkward import CASES, REFUSED, assert_identical
from tests.helpers.ways import (
    WAYS,
    Way,
    check_comes_back,
    check_refused,
    every_case_and_way,
    every_random_way,
    every_way,
    every_whole_format,
)


@every_case_and_way(CASES)
def test_every_case_comes_back(name: str, way: Way, tmp_path: Path) -> None:
    array = CASES[name]()
    check_comes_back(array, way, tmp_path, cn.Frame.to_awkward, assert_identical)
    assert_identical(CASES[name](), array)


@each("name", list(CASES), per=50)
def test_every_case_comes_back_without_a_file(name: str) -> None:
    array = CASES[name]()
    assert_identical(array, cn.Frame(array).to_awkward())
    assert_identical(array, cn.Frame(array).to_native())


@every_whole_format
@each("name", list(REFUSED))
def test_what_cannot_be_held_is_refused_and_nothing_is_written(name: str, format: str, tmp_path: Path) -> None:
    check_refused(REFUSED[name], format, tmp_path)


@every_way
def test_slices_across_batches_and_chosen_columns(way: Way, tmp_path: Path) -> None:
    array = CASES["long enough for many batches"]()
    path = way.write(array, tmp_path)
    size = len(array)
    for start, stop in ((0, 1), (size - 1, size), (3, 7), (size // 2 - 3, size // 2 + 3), (1, size - 1), (4, 4)):
        assert_identical(array[start:stop], cn.read(path, rows=slice(start, stop)).to_awkward())
    chosen = ["s", "i"]
    assert_identical(array[chosen], cn.read(path, columns=chosen).to_awkward())
    assert_identical(array["i"], cn.read(path)["i"].to_awkward())


@every_random_way
@settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=100)
@given(array=strategies_awkward.arrays())
def test_random_layouts_come_back(way: str, array: Any) -> None:
    assert_identical(array, cn.decode(WAYS[way].encode(array), WAYS[way].format).to_native())


@settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=500)
@given(array=strategies_awkward.arrays())
def test_random_layouts_come_back_without_a_file(array: Any) -> None:
    assert_identical(array, cn.Frame(array).to_native())
