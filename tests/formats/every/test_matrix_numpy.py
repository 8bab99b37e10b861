"""The NumPy rows of the round-trip matrix, through every format: every case, every way in and out."""

from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings

import colonnade as cn
from colonnade.testing import strategies
from colonnade.testing.cases_numpy import CASES, REFUSED, assert_identical
from tests.helpers.each import each
from tests.helpers.ways import (
    WAYS,
    Way,
    check_comes_back,
    check_refused,
    every_case_and_way,
    every_random_way,
    every_whole_format,
)


@every_case_and_way(CASES)
def test_every_case_comes_back(name: str, way: Way, tmp_path: Path) -> None:
    data = CASES[name]()
    check_comes_back(data, way, tmp_path, cn.Frame.to_numpy, assert_identical)


@every_whole_format
@each("name", list(REFUSED))
def test_what_cannot_be_held_is_refused_and_nothing_is_written(name: str, format: str, tmp_path: Path) -> None:
    check_refused(REFUSED[name], format, tmp_path)


@every_random_way
@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(data=strategies.numpy_data())
def test_random_data_come_back(way: str, data: Any) -> None:
    assert_identical(data, cn.decode(WAYS[way].encode(data), WAYS[way].format).to_numpy())
