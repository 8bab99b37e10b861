"""Column labels that are remembered: each frame has its own, whatever was met before, whatever users do to theirs."""

from __future__ import annotations

import gc
import itertools
import threading
import weakref
from typing import Any

import numpy as np
import pandas as pd
import pytest

import colonnade as cn
from colonnade.adapters import _pandas_axis_cache as axis_cache
from colonnade.adapters import pandas as adapter
from tests.helpers.each import each

VALUES = np.arange(6.0).reshape(2, 3)

INDEXES: dict[str, Any] = {
    "text": pd.Index(["a", "b", "c"]),
    "objects": pd.Index(["a", "b", "c"], dtype=object),
    "text of Python": pd.Index(["a", "b", "c"], dtype="string[python]"),
    "text of pyarrow": pd.Index(["a", "b", "c"], dtype="string[pyarrow]"),
    "missing": pd.Index(["a", None, "c"]),
    "missing objects": pd.Index(["a", None, "c"], dtype=object),
    "nan objects": pd.Index(["a", np.nan, "c"], dtype=object),
    "ints as objects": pd.Index([1, 0, 2], dtype=object),
    "floats as objects": pd.Index([1.0, 0.0, 2.0], dtype=object),
    "negative zero": pd.Index([1.0, -0.0, 2.0], dtype=object),
    "bools as objects": pd.Index([True, False, 2], dtype=object),
    "tuples": pd.Index([("a", 1), ("b", 2), "c"], dtype=object, tupleize_cols=False),
    "ints": pd.Index([1, 0, 2]),
    "small ints": pd.Index(np.array([1, 0, 2], dtype=np.int8)),
    "floats": pd.Index([1.0, 0.0, 2.0]),
    "nullable": pd.Index(pd.array([1, None, 2], dtype="Int64")),
    "named": pd.Index(["a", "b", "c"], name="n"),
    "named 1": pd.Index(["a", "b", "c"], name=1),
    "named True": pd.Index(["a", "b", "c"], name=True),
    "named 1.0": pd.Index(["a", "b", "c"], name=1.0),
    "range": pd.RangeIndex(3),
    "dates": pd.date_range("2020-01-01", periods=3),
    "dates without a frequency": pd.DatetimeIndex(["2020-01-01", "2020-01-02", "2020-01-03"]),
    "months": pd.period_range("2020-01", periods=3, freq="M"),
    "categories": pd.CategoricalIndex(["a", "b", "c"]),
    "levels": pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)]),
}


def frame_of(columns: Any) -> pd.DataFrame:
    return pd.DataFrame(VALUES, columns=columns)


def through(frame: pd.DataFrame) -> pd.DataFrame:
    return cn.decode(cn.encode(frame, "arrows")).to_pandas()


def check(found: pd.Index, expected: pd.Index) -> None:
    pd.testing.assert_index_equal(found, expected, exact=True)
    assert [type(label) for label in found] == [type(label) for label in expected]
    assert list(map(repr, found)) == list(map(repr, expected))
    assert [type(name) for name in found.names] == [type(name) for name in expected.names]


@each(("first", "second"), list(itertools.permutations(INDEXES, 2)), per=50)
def test_one_layout_is_not_taken_for_another(first: str, second: str) -> None:
    for name in (first, second, first, second):
        check(through(frame_of(INDEXES[name])).columns, INDEXES[name])


def test_labels_are_converted_once() -> None:
    frame = frame_of(["x", "y", "z"])
    through(frame)
    axes, indexes = axis_cache._axes, axis_cache._indexes
    for values in (VALUES, VALUES + 1):
        again = through(pd.DataFrame(values, columns=frame.columns))
        assert again.columns.tolist() == ["x", "y", "z"]
    assert axis_cache._axes is axes
    assert axis_cache._indexes is indexes


def test_a_new_name_of_one_frame_is_not_anothers() -> None:
    data = cn.encode(frame_of(["x", "y", "z"]), "arrows")
    one, two = cn.decode(data).to_pandas(), cn.decode(data).to_pandas()
    one.columns.name = "renamed"
    assert two.columns.name is None
    assert cn.decode(data).to_pandas().columns.name is None
    two.columns.names = ["other"]
    assert one.columns.name == "renamed"
    assert cn.decode(data).to_pandas().columns.name is None


def test_a_new_name_is_sent() -> None:
    frame = frame_of(["x", "y", "z"])
    assert through(frame).columns.name is None
    frame.columns.name = "renamed"
    assert through(frame).columns.name == "renamed"
    frame.columns.name = None
    assert through(frame).columns.name is None


def test_new_labels_are_sent() -> None:
    frame = frame_of(["x", "y", "z"])
    through(frame)
    frame.columns = ["x", "y", "w"]
    assert through(frame).columns.tolist() == ["x", "y", "w"]
    assert through(frame.rename(columns={"w": "v"})).columns.tolist() == ["x", "y", "v"]


def test_labels_written_over_by_force_are_sent_and_stay_with_their_frame() -> None:
    frame = frame_of(pd.Index(["x", "y", "z"], dtype=object))
    through(frame)
    frame.columns._values[0] = "w"  # not what an Index is for
    other = through(frame)
    assert other.columns.tolist() == ["w", "y", "z"]
    with pytest.raises(ValueError, match="read-only"):
        other.columns._values[0] = "v"


def test_attrs_and_flags_stay_with_their_frame() -> None:
    one, two = frame_of(["x", "y", "z"]), frame_of(["x", "y", "z"])
    one.attrs["unit"] = "m"
    two.flags.allows_duplicate_labels = False
    for _ in range(2):
        a, b = through(one), through(two)
        assert a.attrs == {"unit": "m"}
        assert a.flags.allows_duplicate_labels
        assert b.attrs == {}
        assert not b.flags.allows_duplicate_labels
        a.attrs["unit"] = "km"


def test_few_and_short_ones_are_remembered() -> None:
    for i in range(50):
        through(frame_of([f"{i} a", f"{i} b", f"{i} c"]))
    assert len(axis_cache._axes) <= 8
    assert len(axis_cache._indexes) <= 8
    axes, indexes = axis_cache._axes, axis_cache._indexes
    through(pd.DataFrame(np.zeros((1, 1001)), columns=[f"column {i}" for i in range(1001)]))
    through(frame_of(["x" * 100_000, "y", "z"]))
    assert axis_cache._axes is axes
    assert axis_cache._indexes is indexes


def test_what_labels_were_cut_from_is_not_kept_alive() -> None:
    labels = np.array([f"label {i}" for i in range(10_000)], dtype=object)
    gone = weakref.ref(labels)
    through(frame_of(pd.Index(labels, dtype=object, copy=False)[:3]))
    del labels
    gc.collect()
    assert gone() is None
    pa = pytest.importorskip("pyarrow")
    text = pd.array([f"a long enough label {i}" for i in range(100_000)], dtype="string[pyarrow]")
    before = axis_cache._axes
    through(frame_of(pd.Index(text[:3])))
    assert axis_cache._axes is before
    del pa


def test_threads_do_not_mix_labels_up() -> None:
    wrong: list[Any] = []

    def work(seed: int) -> None:
        for i in range(200):
            labels = [f"{(seed + i) % 20} {letter}" for letter in "abc"]
            found = through(frame_of(labels)).columns.tolist()
            if found != labels:
                wrong.append((labels, found))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_an_adapters_frame_has_its_own_axis_after_a_rename() -> None:
    frame = frame_of(["x", "y", "z"])
    first = adapter.to_frame(frame)
    frame.columns = ["x", "y", "changed"]
    assert adapter.from_frame(first).columns.tolist() == ["x", "y", "z"]
