"""What a round trip lost is named: each kind of loss by itself, and nothing where nothing was."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from colonnade_bench.panel.fidelity import losses, losses_of_tables
from colonnade_bench.panel.loss_kinds import MOST, kind_of
from colonnade_bench.panel.summary import Fidelity

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


WHEN = pd.Series(pd.to_datetime(["2020-01-01 05:00", None])).dt.as_unit("us").dt.tz_localize("UTC")


@pytest.mark.parametrize(
    ("original", "result"),
    [
        (frame(a=[1, 2]), frame(a=[1.0, 2.0])),
        (frame(a=[1]), frame(a=[1]).rename_axis("id")),
        (frame(a=[1, 2]), frame(a=[1, 2]).set_axis([0, 1])),
        (frame(a=pd.Categorical(["x"], categories=["x", "y"])), frame(a=["x"])),
        (frame(a=WHEN), frame(a=WHEN.dt.tz_convert("Etc/UTC"))),
        (frame(a=WHEN), frame(a=WHEN.dt.as_unit("ns"))),
        (frame(a=WHEN), frame(a=["2020-01-01 05:00:00+00:00", None])),
        (frame(a=WHEN[:1]), frame(a=[1577854800000000])),
        (frame(a=[1]).set_axis(WHEN[:1]), frame(a=[1]).set_axis(WHEN[:1].dt.as_unit("ns"))),
    ],
)
def test_a_type_or_a_name_that_is_lost_is_metadata(original: Any, result: Any) -> None:
    found = losses(original, result)
    assert found
    assert {kind_of(loss) for loss in found} == {"metadata"}
    assert Fidelity(True, tuple(found)).values_kept


@pytest.mark.parametrize(
    ("original", "result"),
    [
        (frame(a=[1, 2]), frame(a=[1, 3])),
        (frame(a=[2**53 + 1]), frame(a=[2**53])),
        (frame(a=[1, 2]), frame(a=[1])),
        (frame(a=[1], b=[2]), frame(a=[1])),
        (frame(a=[1]), frame(b=[1])),
        (frame(a=[1, 2]), frame(a=[1, 2]).set_axis([5, 6])),
        (frame(a=["x", None]), frame(a=["x", ""])),
        (frame(a=WHEN), frame(a=["2020-01-01 06:00:00+00:00", None])),
        (frame(a=WHEN[:1]), frame(a=[1577854800000])),
        (frame(values=[1.5]), frame(values=["x"])),
        (frame(a=[1]), [1]),
    ],
)
def test_cells_that_change_are_a_loss_of_values(original: Any, result: Any) -> None:
    found = losses(original, result)
    assert "values" in {kind_of(loss) for loss in found}
    assert not Fidelity(True, tuple(found)).values_kept


@pytest.mark.parametrize(
    ("loss", "kind"),
    [
        ("first.when: POSIXct became character", "metadata"),
        ("names of rows", "metadata"),
        ("flights.kind: levels", "metadata"),
        ("by a file: flights.time_hour: datetime64[us, UTC] became datetime64[us, Etc/UTC]", "metadata"),
        ("second.word: NA became values (1 of 6)", "values"),
        ("x: values became NA (3 of 6)", "values"),
        ("x: 6 values became 3", "values"),
        ("the list of tables became NULL", "values"),
        ("table one-a is gone", "values"),
        ("and 7 more", "values"),
        ("something new", "values"),
    ],
)
def test_texts_of_earlier_records_have_a_kind(loss: str, kind: str) -> None:
    assert kind_of(loss) == kind


def test_losses_of_values_are_listed_first_where_some_are_left_out() -> None:
    original = pd.DataFrame({f"c{k}": [k] for k in range(MOST + 5)})
    result = original.astype("float64")
    assert losses(original, result)[-1] == "and 5 more of metadata"
    result.loc[0, "c44"] = 0.5
    found = losses(original, result)
    assert found[0] == "c44: values changed (1 of 1)"
    assert kind_of(found[-1]) == "metadata"


def test_what_the_benchmark_does_not_pass_on_is_named_once() -> None:
    original = frame(a=[1, 2]).set_axis(pd.Index([5, 6], name="id"))
    found = losses_of_tables({"t": original}, {"t": frame(a=[1, 3])}, ("index",))
    assert found == ["index: not passed on by the benchmark", "a: values changed (1 of 2)"]
    assert [kind_of(loss) for loss in found] == ["metadata", "values"]


# ---------------------------------------------------------------- polars, pyarrow


def test_frames_of_polars_are_compared_as_they_are() -> None:
    pl = pytest.importorskip("polars")
    original = pl.DataFrame({"a": [1, None], "x": [0.5, float("nan")], "c": ["u", "v"]})
    original = original.with_columns(pl.col("c").cast(pl.Categorical))
    assert losses(original, original.clone()) == []
    other = original.with_columns(pl.col("c").cast(pl.String), pl.lit(2.0).alias("x"))
    assert losses(original, other) == ["x: values changed (2 of 2)", "c: Categorical became String"]
    assert losses(original, original.head(1)) == ["2 rows became 1"]
    assert losses(original, original.drop("a")) == ["columns: labels differ"]
    assert losses(original, [1]) == ["a list came back"]


def test_tables_of_pyarrow_are_compared_as_they_are() -> None:
    pa = pytest.importorskip("pyarrow")
    original = pa.table({"t": pa.array([1, None], pa.timestamp("us", "UTC")), "l": [[1], []]})
    assert losses(original, original.slice(0)) == []
    zone = original.set_column(0, "t", original.column(0).cast(pa.timestamp("us", "Etc/UTC")))
    assert losses(original, zone) == ["t: timestamp[us, tz=UTC] became timestamp[us, tz=Etc/UTC]"]
    assert losses(original, original.set_column(1, "l", pa.array([[1], [2]]))) == ["l: values changed (1 of 2)"]
    renamed = pa.table({"t": original.column(0), "l": original.column(1).cast(pa.list_(pa.field("e", pa.int64())))})
    (loss,) = losses(original, renamed)
    assert kind_of(loss) == "metadata"


def test_an_order_of_columns_is_metadata() -> None:
    pl = pytest.importorskip("polars")
    original = frame(a=[1], b=[2.5])
    assert losses(original, original[["b", "a"]]) == ["columns: order of labels"]
    assert losses(pl.DataFrame(original), pl.DataFrame(original[["b", "a"]])) == ["columns: order of labels"]
    assert kind_of("columns: order of labels") == "metadata"


def test_the_shortest_text_of_a_narrow_float_says_it() -> None:
    original = frame(a=np.array([0.1, 2.5], "f4"))
    assert losses(original, frame(a=[0.1, 2.5])) == ["a: float32 became float64"]
    assert "a: values changed (1 of 2)" in losses(original, frame(a=[0.11, 2.5]))
