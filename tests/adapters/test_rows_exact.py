"""Rows and nested cells that a builder would change without a word, or that would end the process."""

import datetime as dt
import decimal
import sqlite3
import subprocess
import sys
import zoneinfo
from typing import Any

import numpy as np
import pytest

import colonnade as cn
from tests.helpers.each import each

pa = pytest.importorskip("pyarrow")

BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")
NAIVE = dt.datetime(2020, 1, 1, 5, 30)
AWARE = dt.datetime(2020, 1, 1, 5, 30, tzinfo=BERLIN)

NESTED: list[Any] = [
    [NAIVE.date(), NAIVE],
    [NAIVE, AWARE],
    [AWARE, NAIVE],
    [AWARE, AWARE.astimezone(zoneinfo.ZoneInfo("America/New_York"))],
    ["a", b"b"],
    {b"k": 1},
    {b"\xff": 1, "k": 2},
    {np.str_("k"): 1},
    {"a\0b": 1, "a\0c": 2},
    [dt.time(1, 2, tzinfo=dt.UTC)],
    [dt.time(1, 2, fold=1)],
    [1, True],
]


def kept(cell: Any) -> Any:
    """The cell as pandas has it after a row of it went through a file."""
    pytest.importorskip("pandas")
    frame = cn.decode(cn.encode([{"x": cell}], "arrow"), "arrow").to_pandas()
    return frame["x"].iloc[0]


def classes(cell: Any) -> Any:
    if isinstance(cell, dict):
        return [(type(key), classes(value)) for key, value in cell.items()]
    return [classes(part) for part in cell] if isinstance(cell, list) else type(cell)


@each("cell", list(NESTED), ids=repr)
def test_nested_cells_of_several_types_are_exact(cell: Any) -> None:
    found = kept(cell)
    assert repr(found) == repr(cell)
    assert classes(found) == classes(cell)


@pytest.mark.parametrize("cell", [dt.time(1, 2, tzinfo=dt.UTC), dt.time(1, 2, fold=1)], ids=repr)
def test_times_of_day_with_a_zone(cell: dt.time) -> None:
    found = kept(cell)
    assert (found, found.tzinfo, found.fold) == (cell, cell.tzinfo, cell.fold)


@each(
    "cell",
    [
        [1, 2, None],
        [1, 2.5],
        ("a", "b"),
        np.arange(3),
        {"a": 1, "b": None},
        [{"a": 1}, {"b": "x"}],
        [AWARE, AWARE],
        [dt.datetime(2020, 1, 1, tzinfo=dt.UTC)],
        [decimal.Decimal("1.50"), decimal.Decimal(2)],
        {"t": dt.time(1, 2), "d": dt.date(2020, 1, 1), "s": dt.timedelta(1)},
        [float("nan"), 1.0],
        np.array(["2020-01-01", "2021-01-01T00:00:00.000000001"], "M8[ns]"),
        [np.datetime64("2020-01-01", "ns")],
        np.array([1.5, float("nan")], "f4"),
        [np.array([1, 2]), np.array([3])],
    ],
    ids=repr,
)
def test_nested_cells_of_one_type_are_columns(cell: Any) -> None:
    kind = cn.Frame([{"x": cell}]).to_arrow().schema.field("x").type
    assert pa.types.is_nested(kind), kind


def test_a_later_batch_says_which_row_would_change() -> None:
    rows = [{"x": ["a"]}] * 4 + [{"x": [b"a"]}]
    with pytest.raises(cn.EncodeError, match=r"row 4, column 'x'"):
        cn.write(iter(rows), cn.BufferSink(), format="arrows", batch_rows=2)


def test_names_of_a_query_may_be_there_twice() -> None:
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    twice = cn.Frame(connection.execute("select 1 as id, 2 as id union all select 3, 4")).to_arrow()
    assert [column.to_pylist() for column in twice.columns] == [[1, 3], [2, 4]]
    cases = cn.Frame(connection.execute("select 1 as a, 2 as A")).to_arrow()
    assert (cases.column_names, [column.to_pylist() for column in cases.columns]) == (["a", "A"], [[1], [2]])
    connection.close()


DEEP = """
import numpy as np, colonnade as cn
x = []; x.append(x)
y = []
for _ in range(100_000):
    y = [y]
z = {}; z["z"] = z
for cell in (x, y, z):
    for make in (lambda: [{"o": cell}], lambda: frame(cell)):
        try:
            cn.Frame(make())
        except cn.EncodeError as error:
            print("refused")
"""
FRAME = """
import pandas as pd
def frame(cell):
    a = np.empty(1, object); a[0] = cell
    return pd.DataFrame({"o": pd.Series(a, dtype=object)})
"""


def test_cells_without_an_end_are_refused() -> None:
    pytest.importorskip("pandas")
    code = DEEP.replace("x = []", FRAME + "x = []", 1)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "refused\n" * 6), done.stderr


def test_keys_with_nul_within_pandas() -> None:
    pd = pytest.importorskip("pandas")
    for cell in ({"a\0b": 1}, {"a\0b": 1, "a\0c": 2}, {np.str_("a"): 1}):
        found = cn.Frame(pd.DataFrame({"d": pd.Series([cell], dtype=object)})).to_pandas()["d"][0]
        assert (found, list(map(type, found))) == (cell, list(map(type, cell)))


NUL = """
import polars as pl, colonnade as cn
for frame in (pl.DataFrame({"a\\0b": [1]}), pl.DataFrame({"s": [{"a\\0b": 1}]}), pl.DataFrame({"l": [[{"a\\0b": 1}]]})):
    try:
        cn.Frame(frame)
    except cn.EncodeError as error:
        print("NUL" in str(error))
"""


def test_names_with_nul_of_polars_are_refused() -> None:
    pytest.importorskip("polars")
    done = subprocess.run([sys.executable, "-c", NUL], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "True\n" * 3), done.stderr


def test_offsets_of_pytz() -> None:
    pytz = pytest.importorskip("pytz")
    hour, two = (dt.datetime(2020, 1, 1, tzinfo=pytz.FixedOffset(minutes)) for minutes in (60, 120))
    assert str(cn.Frame([{"t": hour}]).to_arrow().schema.field("t").type) == "timestamp[us, tz=+01:00]"
    both = cn.Frame([{"t": hour}, {"t": two}]).to_pandas()["t"]
    assert [moment.utcoffset() for moment in both] == [dt.timedelta(hours=1), dt.timedelta(hours=2)]


@pytest.mark.parametrize("text", ["1E+100", "9" * 80])
def test_decimals_of_very_many_digits(text: str) -> None:
    assert kept(decimal.Decimal(text)) == decimal.Decimal(text)


@pytest.mark.parametrize(
    "cell",
    [
        dt.datetime.max.replace(tzinfo=zoneinfo.ZoneInfo("America/New_York")),
        dt.timedelta(days=200_000_000),
        dt.timedelta.min,
    ],
    ids=repr,
)
def test_ends_of_time(cell: Any) -> None:
    assert kept(cell) == cell
