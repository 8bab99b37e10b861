"""What a round trip lost is named: each kind of loss by itself, and nothing where nothing was."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from colonnade_bench.panel.fidelity import losses, losses_of_tables

pd = pytest.importorskip("pandas")


def frame(**columns: Any) -> Any:
    return pd.DataFrame(columns)


EVERYTHING = frame(
    n=[1, 2, 2**60],
    x=[0.5, np.nan, -0.0],
    t=["a", None, "\x00"],
    c=pd.Categorical(["u", "v", None], categories=["v", "u"], ordered=True),
    when=pd.to_datetime(["2020-01-01", None, "1969-12-31"]).tz_localize("Europe/Rome"),
    o=np.array([None, (1, 2), Decimal("1.50")], dtype=object),
    i=pd.array([1, None, 3], dtype="Int64"),
)


def test_nothing_is_lost_by_a_copy() -> None:
    assert losses(EVERYTHING, EVERYTHING.copy(deep=True)) == []


def objects(*cells: Any) -> Any:
    column = np.empty(len(cells), dtype=object)
    column[:] = cells
    return frame(o=column)


@pytest.mark.parametrize(
    ("original", "result", "named"),
    [
        (frame(a=[1, 2]), frame(a=[1.0, 2.0]), ["a: int64 became float64"]),
        (frame(a=[1, 2]), frame(a=[1, 3]), ["a: values changed (1 of 2)"]),
        (frame(a=[2**53 + 1]), frame(a=[2**53]), ["a: integers beyond 2^53 changed (1 of 1)"]),
        (frame(a=[1.5, np.nan]), frame(a=[1.5, 2.5]), ["a: values changed (1 of 2)"]),
        (frame(a=[1, 2]), frame(a=[1]), ["2 rows became 1"]),
        (frame(a=[1], b=[2]), frame(a=[1]), ["columns: number of labels", "2 columns became 1"]),
        (frame(a=[1]), frame(b=[1]), ["columns: labels differ"]),
        (frame(a=[1]), frame(a=[1]).rename_axis("id"), ["index: names [None] became ['id']"]),
        (frame(a=[1, 2]), frame(a=[1, 2]).set_axis([0, 1]), ["index: RangeIndex became Index"]),
        (objects(None, (1,)), objects(np.nan, (1,)), ["o: classes of cells changed (1 of 2)"]),
        (objects(True, 0), objects(1, 0), ["o: classes of cells changed (1 of 2)"]),
        (objects(1, (1,)), objects(1.0, (1,)), ["o: classes of cells changed (1 of 2)"]),
        (
            frame(a=pd.Categorical(["x"], categories=["x", "y"])),
            frame(a=pd.Categorical(["x"], categories=["y", "x"])),
            ["a: categories differ"],
        ),
        (
            frame(a=pd.Categorical(["x"], ordered=True)),
            frame(a=pd.Categorical(["x"])),
            ["a: order of categories"],
        ),
        (
            frame(a=pd.Categorical([1], categories=np.array([1], "i1"))),
            frame(a=pd.Categorical([1], categories=np.array([1], "i8"))),
            ["a: categories of int8 became those of int64"],
        ),
    ],
)
def test_each_loss_has_its_name(original: Any, result: Any, named: list[str]) -> None:
    assert losses(original, result) == named


def test_attrs() -> None:
    other = EVERYTHING.copy()
    other.attrs["source"] = "x"
    assert losses(EVERYTHING, other) == ["attrs"]


def test_what_is_no_frame() -> None:
    assert losses(EVERYTHING, [1]) == ["a list came back"]


def test_a_table_that_is_gone() -> None:
    both = {"one-a": frame(a=[1]), "one-b": frame(a=[1])}
    assert losses_of_tables(both, {"one-b": frame(a=[2])}) == ["table one-a is gone", "b.a: values changed (1 of 1)"]


def test_jagged_cells_are_compared_by_value():
    pyarrow = pytest.importorskip("pyarrow")
    rows = [[{"pt": [1.5, float("nan")], "n": 1}], [], None, [{"pt": None, "n": 2}]]
    frame = pyarrow.table({"jet": rows}).to_pandas(types_mapper=pd.ArrowDtype)
    assert losses(frame, frame.copy()) == []
    other = pyarrow.table({"jet": [[{"pt": [1.5, 2.0], "n": 1}], *rows[1:]]}).to_pandas(types_mapper=pd.ArrowDtype)
    assert losses(frame, other) == ["jet: values changed (1 of 4)"]
