"""Rows as data: mappings, dataclasses, tuples; types of the first batch; errors that name the misfit."""

import collections
import csv
import dataclasses
import datetime as dt
import decimal
import sqlite3
import sys
import uuid
import zoneinfo
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import colonnade as cn
from colonnade.adapters._rows import Rows
from colonnade.testing.cases_cells import same_cell
from tests.helpers.each import each

BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")
Point = collections.namedtuple("Point", "x y")


@dataclasses.dataclass
class Event:
    at: dt.datetime
    name: str | None = None


def table(rows: Any, batch_rows: int | None = None) -> pa.Table:
    return cn.Frame(rows, batch_rows=batch_rows).to_arrow()


def types(rows: Any) -> dict[str, str]:
    return {field.name: str(field.type) for field in table(rows).schema}


# ---------------------------------------------------------------------------- kinds of rows


def test_mappings() -> None:
    rows = [{"a": 1, "b": "x"}, {"b": "y"}, {"a": 3, "c": 2.5}]
    assert (
        table(rows).to_pylist()
        == pa.Table.from_pylist(rows, pa.schema({"a": "int64", "b": "string", "c": "float64"})).to_pylist()
    )


def test_dataclasses_and_named_tuples() -> None:
    noon = dt.datetime(2020, 1, 1, 12)
    assert table([Event(noon), Event(noon, "x")]).to_pylist() == [{"at": noon, "name": None}, {"at": noon, "name": "x"}]
    assert table([Point(1, 2), Point(3, None)]).to_pylist() == [{"x": 1, "y": 2}, {"x": 3, "y": None}]


@pytest.mark.parametrize("kind", [tuple, list])
def test_tuples_are_numbered(kind: type) -> None:
    frame = cn.Frame([kind((1, "x")), kind((2, "y"))])
    assert list(frame.columns) == [0, 1]
    assert frame[0].to_numpy().tolist() == [1, 2]


def test_what_the_standard_library_gives() -> None:
    connection = sqlite3.connect(":memory:")
    query = "select 1 as n, 'x' as s union all select 2, null"
    assert table(connection.execute(query))["0"].to_pylist() == [1, 2]
    connection.row_factory = sqlite3.Row
    assert table(connection.execute(query)).to_pylist() == [{"n": 1, "s": "x"}, {"n": 2, "s": None}]
    connection.close()
    assert table(csv.DictReader(["a,b", "1,2"])).to_pylist() == [{"a": "1", "b": "2"}]
    assert table(csv.reader(["1,2"])).to_pylist() == [{"0": "1", "1": "2"}]


def test_labels_that_are_no_text() -> None:
    day = dt.date(2020, 1, 1)
    frame = cn.Frame([{1: "x", day: 2}])
    assert list(frame.columns) == [1, day]


def test_no_rows() -> None:
    assert cn.Frame([]).shape == (0, 0)
    assert cn.Frame(iter(())).shape == (0, 0)
    assert cn.Frame([{}, {}]).shape == (2, 0)


@each(
    ("rows", "message"),
    [
        ([1, 2], "row 0: expected a mapping, a tuple or a dataclass, found builtins.int"),
        ([{"a": 1}, 2], "row 1: expected a mapping, found builtins.int"),
        ([Point(1, 2), (1, 2)], "row 1: expected a Point, found builtins.tuple"),
        ([(1, 2), "ab"], "row 1: expected a tuple, found builtins.str"),
        ([pd.DataFrame({"a": [1]})], "row 0: .*pandas.*cn.open_writer"),
    ],
    ids=["numbers", "mapping, number", "named, plain", "tuple, text", "tables"],
)
def test_what_is_no_row(rows: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        cn.Frame(rows)


# ---------------------------------------------------------------------------- types


@each(
    ("cells", "type"),
    [
        ([True, None], "bool"),
        ([1, None, -(2**63)], "int64"),
        ([2**63, 0], "uint64"),
        ([1, 2.5, None], "double"),
        ([float("nan"), -0.0], "double"),
        (["x", None, ""], "large_string"),
        ([b"x", b"\0"], "large_binary"),
        ([None, None], "large_string"),
        ([dt.datetime(2020, 1, 1), dt.datetime(1, 1, 1), dt.datetime.max], "timestamp[us]"),
        ([dt.datetime(2020, 7, 1, tzinfo=BERLIN), None], "timestamp[us, tz=Europe/Berlin]"),
        ([dt.datetime(2020, 7, 1, tzinfo=dt.timezone.utc)], "timestamp[us, tz=UTC]"),  # noqa: UP017
        ([dt.datetime(2020, 7, 1, tzinfo=dt.timezone(dt.timedelta(hours=-3)))], "timestamp[us, tz=-03:00]"),
        ([dt.timedelta(1, 2, 3), None], "duration[us]"),
        ([dt.date(2020, 1, 1), None], "date32[day]"),
        ([dt.time(1, 2, 3, 4)], "time64[us]"),
        ([decimal.Decimal("1.25"), None], "decimal128(38, 2)"),
        ([[1, None], [], None], "list<item: int64>"),
        ([{"a": 1}, {"b": ["x"]}], "struct<a: int64, b: list<item: string>>"),
        ([np.int32(3), np.int64(4)], "int64"),
        ([np.float32(0.5), 1.5], "double"),
        ([np.str_("x"), "y"], "large_string"),
        ([np.bool_(True), False], "bool"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_types(cells: list[Any], type: str) -> None:
    made = table([{"c": cell} for cell in cells])
    assert str(made.schema.field("c").type) == type
    back = made["c"].to_pylist()
    if isinstance(cells[0], dict):
        assert back == [{"a": 1, "b": None}, {"a": None, "b": ["x"]}]
    else:
        plain = [getattr(cell, "item", lambda cell=cell: cell)() for cell in cells]
        assert back == plain or str(back) == str(plain)  # NaN is not equal to itself


def test_values_are_exact() -> None:
    rng = np.random.default_rng(7)
    cells = [float(x) for x in rng.integers(0, 2**64, 1000, dtype=np.uint64).view(np.float64)]
    back = np.array(table([{"c": cell} for cell in cells])["c"].to_pylist())
    assert back.tobytes() == np.array(cells).tobytes()


def test_missing_values_of_pandas() -> None:
    assert table([{"a": 1}, {"a": pd.NA}]).to_pylist() == [{"a": 1}, {"a": None}]
    assert table([{"a": dt.datetime(2020, 1, 1)}, {"a": pd.NaT}])["a"].null_count == 1


@each(
    "cells",
    [
        [1, "x", None],
        ["x", 1],
        [True, 1],
        [2**53 + 1, 0.5],
        [0.5, 10**400],
        [2**64],
        [2**63, -1],
        [dt.date(2020, 1, 1), dt.datetime(2020, 1, 1)],
        [dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 1, tzinfo=BERLIN)],
        [dt.datetime(2020, 1, 1, tzinfo=BERLIN), dt.datetime(2020, 1, 1)],
        [decimal.Decimal("NaN")],
        [[1], ["x"], (2,)],
        [[1], 3],
        [{1: 2}],
        [1, np.int64(1), "x"],
        [uuid.UUID(int=1), pd.NA, 1 + 2j],
    ],
    ids=lambda cells: f"{cells!r:.60}",
)
def test_values_of_several_types_are_kept_each_as_it_is(cells: list[Any]) -> None:
    back = cn.decode(cn.encode([{"c": cell, "n": 1} for cell in cells], "arrow"))
    assert all(map(same_cell, cells, back.to_pandas()["c"].tolist()))
    assert back.to_pandas()["c"].dtype == object
    assert back.dtypes["n"] == "int64"


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (["\ud800"], "row 0, column 'c': .*surrogate"),
        ([object], "row 0, column 'c': expected None, a bool, a number, text"),
        ([1, {2}], r"row 1, column 'c': expected int64, found set \(\{2\}\)"),
        ([[1], [{2}]], r"row 1, column 'c': .*found \[\{2\}\]"),
    ],
    ids=lambda value: "",
)
def test_values_that_nothing_holds(cells: list[Any], message: str) -> None:
    with pytest.raises(cn.EncodeError, match=message):
        cn.Frame([{"c": cell} for cell in cells])


def test_a_first_batch_of_several_types_takes_any_later_cell_that_can_be_kept() -> None:
    rows = [{"c": 1}, {"c": "x"}, {"c": (2,)}, {}, {"c": None}]
    assert cn.Frame(rows, batch_rows=2).to_pandas()["c"].tolist() == [1, "x", (2,), None, None]
    with pytest.raises(cn.EncodeError, match=r"row 3, column 'c': at \[0\]: expected None, bool.*found a set"):
        cn.Frame([*rows[:3], {"c": [{1}]}], batch_rows=2)


def test_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    plain = [{"a": 1, "b": "x", "c": dt.datetime(2020, 1, 1), "d": None, "e": 2.5, "f": b"x", "g": dt.timedelta(1)}]
    assert cn.Frame(plain).shape == (1, 7)
    with pytest.raises(ImportError, match="pip install 'colonnade\\[pyarrow\\]'"):
        cn.Frame([{"a": [1]}])


# ---------------------------------------------------------------------------- batches


def test_batches_are_made_when_they_are_asked_for() -> None:
    taken: list[int] = []

    def rows() -> Iterator[dict[str, int]]:
        for i in range(10):
            taken.append(i)
            yield {"a": i}

    batches = Rows(4).batches(rows())
    assert next(batches).nrows == 4
    assert taken == [0, 1, 2, 3]
    assert [batch.nrows for batch in batches] == [4, 2]


@each(
    ("first", "later", "message"),
    [
        ({"a": 1}, {"a": 2.5}, "row 2, column 'a': expected int64, found float"),
        ({"a": 1}, {"b": 2}, "row 2: expected the columns 'a', found 'b' too.*batch_rows"),
        (
            {"a": {"x": 1}},
            {"a": {"x": 1, "y": 2}},
            "row 2, column 'a': expected struct<x: int64>, found struct<x: int64, y",
        ),
        ({"a": [1]}, {"a": [1.5]}, "expected list<item: int64>, found list<item: double>"),
        ({"a": decimal.Decimal("1.5")}, {"a": decimal.Decimal("1.25")}, "would cause data loss"),
        ({"a": None}, {"a": 1}, "expected str, found int"),
        ((1, 2), (1,), "row 2: expected the columns 0, 1, found 0"),
        (Point(1, 2), {"x": 1, "z": 2}, "row 2: expected the columns 'x', 'y', found 'z' too"),
    ],
    ids=["type", "column", "key", "inner type", "scale", "no value yet", "width", "another kind"],
)
def test_later_rows_fit_the_first_batch(first: Any, later: Any, message: str) -> None:
    with pytest.raises(cn.EncodeError, match=message):
        cn.Frame([first, first, later], batch_rows=2)


def test_later_rows_that_fit() -> None:
    assert table([{"a": 1.5}, {"a": 2}, {}], 1)["a"].to_pylist() == [1.5, 2.0, None]
    assert table([{"a": {"x": 1}}, {"a": {}}, {"a": None}], 1)["a"].to_pylist() == [{"x": 1}, {"x": None}, None]
    big = decimal.Decimal("123456789012345678901234567890.5")
    assert table([{"a": decimal.Decimal("1.5")}, {"a": big}], 1)["a"].to_pylist()[1] == big


@each("value", [0, -1, 2.5, True, "5"])
def test_batch_rows_is_checked(value: Any) -> None:
    with pytest.raises(cn.OptionError, match="batch_rows: expected a whole number"):
        cn.encode([{"a": 1}], "npz", batch_rows=value)


# ---------------------------------------------------------------------------- to files


@pytest.mark.parametrize("format", ["npz", "arrow", "arrows", "parquet"])
def test_rows_to_every_format(tmp_path: Path, format: str) -> None:
    path = tmp_path / f"x.{format}"
    cn.write(({"id": i, "name": f"n{i}", "odd": i % 2 == 1} for i in range(1000)), path, batch_rows=64)
    back = cn.read(path).to_pandas()
    assert back["id"].tolist() == list(range(1000))
    assert back["name"].tolist() == [f"n{i}" for i in range(1000)]
    assert back["odd"].tolist() == [i % 2 == 1 for i in range(1000)]
    assert back.index.equals(pd.RangeIndex(1000))


def test_rows_through_a_writer_keep_their_types(tmp_path: Path) -> None:
    path = tmp_path / "x.arrows"
    with cn.open_writer(path, batch_rows=10) as writer:
        writer.write([{"a": 1.5, "b": "x"}])
        writer.write([{"a": 2}])  # an int among floats
        writer.write(iter([]))
        writer.write({"a": i / 2, "b": None} for i in range(25))
    assert cn.read(path).shape == (27, 2)
    assert pa.ipc.open_stream(path).read_all()["a"].to_pylist()[:3] == [1.5, 2.0, 0.0]
    match = "row 1, column 'a': expected float64, found str"
    with pytest.raises(cn.EncodeError, match=match), cn.open_writer(tmp_path / "y.arrows") as writer:
        writer.write([{"a": 1.5}])
        writer.write([{"a": "x"}])
    assert [found.name for found in tmp_path.iterdir()] == ["x.arrows"]


def test_source_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def rows() -> Iterator[dict[str, int]]:
        yield from ({"a": i} for i in range(100))
        raise ConnectionResetError("gone")

    with pytest.raises(ConnectionResetError):
        cn.write(rows(), tmp_path / "x.arrows", batch_rows=10)
    assert list(tmp_path.iterdir()) == []
