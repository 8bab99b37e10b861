"""The StaticFrame rows of the round-trip matrix, through every format: every case, every way in and out."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from tests.helpers.each import each

pytest.importorskip("static_frame")

import static_frame as sf

import colonnade as cn
from colonnade.testing import strategies
from colonnade.testing.cases_static_frame import CASES, REFUSED, assert_identical, is_identical_in_memory
from tests.helpers.ways import (
    WAYS,
    Way,
    check_comes_back,
    check_refused,
    every_case_and_way,
    every_random_way,
    every_whole_format,
    exactly,
    ways_of_bytes,
)


@every_case_and_way(CASES)
def test_every_case_comes_back(name: str, way: Way, tmp_path: Path) -> None:
    frame = CASES[name]()
    check_comes_back(frame, way, tmp_path, cn.Frame.to_static_frame, assert_identical, is_identical_in_memory)


@every_whole_format
@each("name", list(REFUSED))
def test_what_cannot_be_held_is_refused_and_nothing_is_written(name: str, format: str, tmp_path: Path) -> None:
    check_refused(REFUSED[name], format, tmp_path)


@every_random_way
@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(frame=strategies.static_frames())
def test_random_frames_come_back(way: str, frame: sf.Frame) -> None:
    assert_identical(frame, cn.decode(WAYS[way].encode(frame), WAYS[way].format).to_static_frame())


@ways_of_bytes
def test_a_selection_of_columns_and_rows(way: Way) -> None:
    frame = CASES["the article frame"]()
    source = way.encode(frame)
    found = cn.decode(source, way.format, columns=[("valid", "*"), ("data", "B")], rows=slice(1, 3)).to_static_frame()
    assert_identical(frame.iloc[1:3, [3, 1]], found)
    group = cn.decode(source, way.format, columns=[("data",)]).to_static_frame()
    assert_identical(frame.iloc[:, :3], group)


@every_whole_format
def test_equal_frames_give_equal_bytes(format: str) -> None:
    for name in ("the article frame", "all dtypes side by side"):
        options = exactly(format)
        assert cn.encode(CASES[name](), format, **options) == cn.encode(CASES[name](), format, **options)
