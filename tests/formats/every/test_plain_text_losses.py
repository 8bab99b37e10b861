"""Plain text: every kind of loss is named, once, and refused where that is asked for."""

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import colonnade as cn
from tests.helpers.each import each
from tests.helpers.losses import losses

pa, pd = pytest.importorskip("pyarrow"), pytest.importorskip("pandas")

TEXTS = ("csv", "json", "ndjson", "yaml")
EACH_ROW = ("json", "ndjson", "yaml")


def column(kind: Any, *values: Any) -> Callable[[], Any]:
    return lambda: pa.table({"a": pa.array([*values, None], kind)})


def pandas(values: Any, **more: Any) -> Callable[[], Any]:
    return lambda: pd.DataFrame({"a": values}, **more)


def with_attrs() -> Any:
    frame = pd.DataFrame({"a": [1]})
    frame.attrs["unit"] = "m"
    return frame


def named() -> Any:
    return pytest.importorskip("static_frame").Frame.from_dict({"a": (1,)}, name="f")


# What is lost: the data, the column (None: the frame), the message, the formats (all), the options.
LOST: list[tuple[Any, ...]] = [
    (pandas(pd.Categorical(["x"])), "a", "categories come back as their values"),
    (column(pa.timestamp("s", "Europe/Berlin"), 0), "a", "times in Europe/Berlin come back in UTC"),
    (column(pa.timestamp("s"), 2**45), "a", "times outside the years 0000 to 9999 come back as numbers"),
    (column(pa.duration("s"), 5), "a", "durations come back as numbers"),
    (lambda: {"a": np.array([5], "m8[s]")}, "a", "durations come back as numbers"),
    (lambda: {"a": np.array([5], "M8[M]")}, "a", "<M8[M] comes back as numbers"),
    (lambda: {"a": np.array([5j])}, "a", "<c16 comes back as text", ["csv"]),
    (column(pa.time64("us"), 5), "a", "times of day come back as text"),
    (column(pa.decimal128(5, 2), Decimal("1.5")), "a", "decimals come back as floats", ["csv"]),
    (column(pa.decimal128(5, 2), Decimal("1.5")), "a", "decimals come back as text", EACH_ROW),
    (column(pa.binary(), b"x"), "a", "bytes come back as text (base64)"),
    (column(pa.list_(pa.int64()), [1]), "a", "list<item: int64> comes back as JSON text", ["csv"]),
    (column(pa.list_(pa.duration("s")), [1]), "a", "list<item: duration[s]> comes back as other types", EACH_ROW),
    (pandas([1, "x"]), "a", "cells of several kinds come back as text or as other types"),
    (pandas(pd.period_range("2020", periods=1)), "a", "the period type of pandas is not written"),
    (pandas(pd.interval_range(0, 1)), "a", "the interval type of pandas is not written"),
    (pandas(pd.arrays.SparseArray([0, 0, 1])), "a", "the sparse type of pandas is not written"),
    (column(pa.string(), "1", "2.5"), "a", "text whose cells all look like numbers comes back as them", ["csv"]),
    (column(pa.string(), "true"), "a", "text whose cells all look like booleans comes back as them", ["csv"]),
    (column(pa.string(), "2024-02-29"), "a", "text whose cells all look like dates or times comes back as them"),
    (column(pa.string(), "x", "NA"), "a", 'the text "NA" comes back as null', ["csv"]),
    (column(pa.string(), "x"), "a", 'null, spelled "-", comes back as a value', ["csv"], {"na_rep": "-"}),
    (column(pa.float64(), float("nan")), "a", "NaN comes back as null", ["json", "ndjson"]),
    (pandas([np.inf]), "a", "infinities come back as null", ["json", "ndjson"]),
    (with_attrs, None, "attrs are not written"),
    (named, None, 'the name of the frame ("f") is not written'),
    (pandas([1], index=["x"]), None, "row labels (the index) come back as columns"),
    (pandas([1], index=pd.RangeIndex(1, name="n")), None, 'the name of the row labels ("n") is not written'),
    (pandas([1], index=pd.to_datetime([5])), None, "row labels (the index) come back as text", ["json"],
     {"orient": "columns"}),
    (lambda: pd.DataFrame({"a": [1]}).rename_axis(columns="c"), None,
     'the name of the column labels ("c") is not written'),
    (lambda: pd.DataFrame({"a": [1]}).rename_axis(columns=[("what", None)]), None,
     'the name of the column labels (("what", None)) is not written'),
    (lambda: np.ones((1, 2)), None, "column labels that are numbers come back as text"),
    (lambda: pd.DataFrame({0: [1]}), None, "column labels that are not text come back as text"),
    (lambda: pd.DataFrame({("a", "b"): [1]}), None, "column labels of 2 levels come back as one text each"),
    (lambda: pd.DataFrame([[1, 2]], columns=["a", None]), None, "a missing column label comes back as text"),
    (lambda: pd.DataFrame([[1, 2]], columns=["a", "a"]), None,
     'the column label "a" repeats, so later ones get a number', EACH_ROW),
    (lambda: pd.DataFrame({"a": [1]})[:0], None, "without a row there are no names of columns", EACH_ROW),
    (lambda: pd.DataFrame(index=range(3)), None, "3 rows of no column are not written", ["csv"]),
]  # fmt: skip


@each("case", LOST, ids=lambda case: case[2])
@each("format", list(TEXTS))
def test_every_loss_is_named(case: tuple[Any, ...], format: str, tmp_path: Path) -> None:
    make, name, what, formats, options = (*case, *(TEXTS, {})[len(case) - 3 :])
    data, path = make(), tmp_path / "x"
    if format not in formats:
        return
    assert losses(data, format, **options) == [(name, what)]
    path.write_bytes(b"old")
    told = f"{format}: plain text does not bring back everything: {name + ': ' if name else ''}{what}. Write schema="
    with pytest.raises(cn.EncodeError) as raised:
        cn.write(data, path, format=format, on_loss="raise", **options)
    assert str(raised.value).startswith(told)
    assert (path.read_bytes(), list(tmp_path.iterdir())) == (b"old", [path])
    assert losses(data, format, on_loss="ignore", **options) == losses(data, format, schema="header") == []


@each("format", list(TEXTS))
def test_five_are_named(format: str) -> None:
    data = {name: pd.Categorical(["x"]) for name in "abcdefg"} | {"g": pd.to_timedelta([1])}
    with pytest.warns(cn.LossWarning) as caught:
        cn.encode(pd.DataFrame(data), format)
    assert ": a, b, c, d, e: categories come back as their values; and 2 more. " in str(caught[0].message)
    assert caught[0].message.losses[-1] == ("g", "durations come back as numbers")
    assert caught[0].filename == __file__
