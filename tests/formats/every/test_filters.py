"""Rows by `filters=` in every format: those of a mask, made row by row in Python's own order."""

import datetime as dt
import decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import colonnade as cn
from tests.helpers.conditions import ORDERS, holds
from tests.helpers.each import each

FORMATS = ("npz", "npy", "arrow", "arrows", "parquet", "msgpack", "csv", "json", "ndjson", "yaml")
TEXT = ("csv", "json", "ndjson", "yaml")
_START, _UTC, N = dt.datetime(2024, 1, 1), dt.UTC, 300


def _some(values: list[Any], kind: Any) -> pa.Array:
    return pa.array([None if i % 7 == 3 else value for i, value in enumerate(values)], kind)


def _table() -> pa.Table:
    ints = [(i * 37) % 41 - 20 for i in range(N)]
    hours = [_START + dt.timedelta(hours=i) for i in range(N)]
    return pa.table(
        {
            "row": pa.array(range(N), pa.int64()),
            "int": _some(ints, pa.int16()),
            "real": pa.array([float("nan") if i % 9 == 1 else v / 4 for i, v in enumerate(ints)]),
            "word": _some([f"w'{v}" for v in ints], pa.large_string()),
            "kind": _some([f"c{v % 5}" for v in ints], pa.string()).dictionary_encode(),
            "flag": _some([v > 0 for v in ints], pa.bool_()),
            "day": _some([h.date() for h in hours], pa.date32()),
            "time": _some(hours, pa.timestamp("us")),
            "zoned": pa.array([h.replace(tzinfo=_UTC) for h in hours], pa.timestamp("us", "Europe/Oslo")),
            "price": _some([decimal.Decimal(v).scaleb(-2) for v in ints], pa.decimal128(9, 2)),
            "an id": _some([bytes([v % 256]) for v in ints], pa.large_binary()),
            "list": _some([[v] for v in ints], pa.large_list(pa.int64())),
        }
    )


TABLE = _table()
CELLS = TABLE.to_pylist()

# The conditions, and the same as text.
FILTERS: list[tuple[Any, str | None]] = [
    ([("int", ">", 5)], "int > 5"),
    ([("int", "!=", 5), ("real", "<=", -1.25)], "int <> 5 AND real <= -1.25"),
    ([("int", "is", None)], "int is null"),
    ([("list", "is not", None), ("row", ">", 280)], "list is not null and row > 280"),
    ([("real", "!=", 1.0)], "real != 1e0"),
    ([("word", "in", ["w'3", "w'-4", "none"])], "word in ('w''3', 'w''-4', 'none')"),
    ([("kind", "not in", ["c1", "c2"])], "`kind` not in ('c1','c2')"),
    ([("flag", "==", True)], "flag = true"),
    ([("day", ">=", dt.date(2024, 1, 9))], "day >= '2024-01-09'"),
    ([("time", "<", _START + dt.timedelta(hours=30))], "time < '2024-01-02T06:00'"),
    ([("zoned", ">", dt.datetime(2024, 1, 12, tzinfo=_UTC))], "zoned > '2024-01-12 01:00+01:00'"),
    ([("price", "<", decimal.Decimal("-0.155"))], "price < -.155"),
    ([("an id", ">", b"\xf0")], None),
    ([[("row", "<", 3)], [("row", ">", 297), ("int", "is not", None)]], "row < 3 or (row > 297 and int is not null)"),
    ([[("row", "<", 9), ("flag", "==", True)], [("row", "<", 9), ("int", "is", None)]],
     "row < 9 and (flag == TRUE or int IS NULL)"),
    ([("row", "<", 0)], '"row" < 0'),
    ([("row", ">=", 0)], "row >= 0"),
]  # fmt: skip


def kept(filters: Any) -> list[int]:
    lists = filters if isinstance(filters[0], list) else [filters]
    return [row for row in range(N) if any(all(holds(CELLS[row], term) for term in terms) for terms in lists)]


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder, found = tmp_path_factory.mktemp("filters"), {}
    for format in FORMATS:
        found[format] = folder / f"t.{format}"
        small = {"batch_nbytes": 2000} if format in ("arrow", "arrows") else {}
        cn.write(TABLE, found[format], **({"schema": "header"} if format in TEXT else small))
    return found


@each("format", FORMATS)
@each("filters", FILTERS, ids=str)
def test_the_rows_are_those_of_a_mask(paths: dict[str, Path], format: str, filters: Any) -> None:
    path, rows = paths[format], kept(filters[0])
    whole = cn.read(path).to_arrow()
    expected = str(whole.take(pa.array(rows, pa.int64())).to_pylist())
    for said in filters:
        if said is None:
            continue
        frame = cn.read(path, filters=said)
        assert frame.shape == (len(rows), 12)
        assert str(frame.to_arrow().to_pylist()) == expected
        assert frame.dtypes.names() == cn.read(path).dtypes.names()
        part = cn.read_pandas(path, filters=said, columns=["row"], rows=slice(1, 40))
        assert part["row"].tolist() == rows[1:40]
        assert part.index.tolist() == list(range(1, len(rows)))[:39]
        with cn.open_reader(path, filters=said, columns=["row", "int"], rows=slice(2, None)) as reader:
            pieces = [row for piece in reader for row in piece.to_pandas()["row"].tolist()]
        assert pieces == rows[2:]
        source = path if format == "npy" else path.read_bytes()
        target = cn.BufferSink()
        cn.convert(source, target, read_options={"filters": said, "format": format}, write_options={"format": "arrows"})
        assert str(cn.read_arrow(target).to_pylist()) == expected


@each("format", FORMATS)
@each("index", ["text", "levels", "dates", "range"])
def test_row_labels_are_conditions_and_stay_with_their_rows(format: str, index: str, tmp_path: Path) -> None:
    labels = {
        "text": pd.Index([f"r{i}" for i in range(20)], name="key"),
        "levels": pd.MultiIndex.from_product([["a", "b"], range(10)], names=["key", "n"]),
        "dates": pd.date_range("2024-01-01", periods=20, name="key"),
        "range": pd.RangeIndex(100, 140, 2, name="key"),
    }[index]
    df = pd.DataFrame({"v": range(20), "w": list("ab" * 10)}, index=labels)
    cn.write(df, tmp_path / f"t.{format}", **({"schema": "header"} if format in TEXT else {}))
    source = tmp_path / f"t.{format}"
    mask = df["v"].isin([3, 4, 7, 19])
    found = cn.read_pandas(source, filters=[("v", "in", [3, 4, 7, 19])], columns=["w"])
    assert found.index.tolist() == df.index[mask].tolist()
    assert found.index.names == df.index.names
    if index == "range":
        with pytest.raises(cn.ColumnNotFound, match="key"):
            cn.read(source, filters="key > 3")
        return
    value = {"text": "r7", "levels": "b", "dates": "2024-01-05"}[index]
    expected = df[df.index.get_level_values("key") >= value]
    found = cn.read_pandas(source, filters=f"key >= '{value}'")
    pd.testing.assert_frame_equal(found, expected, check_freq=False, check_dtype=False)


@each("format", FORMATS)
@each(
    ("filters", "error", "words"),
    [
        ("rwo > 3", cn.ColumnNotFound, "'rwo' is not there; nearest: 'row'"),
        ([("int", "==", "text")], cn.OptionError, '"int" ==: expected a value that int16'),
        ("time > '2024-13-01'", cn.OptionError, "ISO 8601"),
        ("zoned > '2024-01-01'", cn.OptionError, "with a zone"),
        ("list = 3", cn.OptionError, '"list" is nested'),
        ([("int", "==", None)], cn.OptionError, "'is', None"),
    ],
    ids=str,
)
def test_what_cannot_be_compared_is_refused(
    paths: dict[str, Path], format: str, filters: Any, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        cn.read(paths[format], filters=filters)
    with pytest.raises(error, match=words), cn.open_reader(paths[format], filters=filters) as reader:
        list(reader)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_table_in_any_format(data: st.DataObject) -> None:
    numbers = data.draw(st.lists(st.none() | st.integers(-4, 4), max_size=30))
    table = pa.table({"n": pa.array(numbers, pa.int32()), "i": pa.array(range(len(numbers)), pa.int64())})
    term = st.tuples(st.just("n"), st.sampled_from(list(ORDERS)), st.integers(-5, 5))
    term |= st.sampled_from([("n", "is", None), ("n", "is not", None), ("n", "not in", [1, 2])])
    filters = data.draw(st.lists(st.lists(term, min_size=1, max_size=3), min_size=1, max_size=3))
    lists = [[holds({"n": n}, term) for term in terms] for n in numbers for terms in filters]
    rows = [i for i in range(len(numbers)) if any(map(all, lists[i * len(filters) : (i + 1) * len(filters)]))]
    for format in ("npz", "arrow", "parquet", "msgpack", "ndjson"):
        options = {"schema": "header"} if format in TEXT else {}
        found = cn.decode(cn.encode(table, format, **options), format, filters=filters)
        assert found["i"].to_numpy().tolist() == rows


def test_arrays_of_numpy_are_compared_as_their_columns() -> None:
    columns = {
        "wide": np.array(["a", "bb", "ccc"]),
        "bytes": np.array([b"a", b"bb", b"ccc"]),
        "big": np.array([1, 2, 3], ">i4"),
        "moment": np.array(["2024-01-01", "NaT", "2024-01-03"], "M8[D]"),
        3: np.array([1.5, 2.5, float("nan")]),
    }
    data = cn.encode(columns, "npz")
    matrix = cn.encode(np.arange(12.0).reshape(6, 2), "npz")
    for filters, rows in {
        "wide > 'a'": [1, 2],
        "big >= 2": [1, 2],
        "moment is null": [1],
        '"3" <= 2.5': [0, 1],
    }.items():
        assert cn.decode(data, "npz", filters=filters)["big"].to_numpy().tolist() == [row + 1 for row in rows]
    assert len(cn.decode(data, "npz", filters=[("bytes", "==", b"bb")])) == 1
    assert cn.decode(matrix, "npz", filters=[(1, ">", 4), (0, "!=", 8)]).to_numpy().tolist() == [
        [4, 5],
        [6, 7],
        [10, 11],
    ]
