"""Rows by `filters=`: the same rows as pyarrow's own filter and as a mask over the whole table."""

import datetime
import decimal
import functools
import io
import uuid
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import colonnade as cn
from tests.helpers.conditions import holds
from tests.helpers.each import each

NROWS = 5000
_RANDOM = np.random.default_rng(7)
_UTC = datetime.UTC


def _with_nulls(values: list[Any], kind: Any) -> pa.Array:
    return pa.array([None if i % 11 == 3 else value for i, value in enumerate(values)], kind)


def _table() -> pa.Table:
    n = NROWS
    ints = _RANDOM.integers(-50, 50, n)
    start = datetime.datetime(2024, 1, 1)
    hours = [start + datetime.timedelta(hours=i) for i in range(n)]
    return pa.table(
        {
            "row": pa.array(range(n), pa.int64()),
            "i8": _with_nulls(ints.tolist(), pa.int8()),
            "u64": _with_nulls([(1 << 64) - 1 - int(v) ** 2 for v in ints], pa.uint64()),
            "u32": _with_nulls([(1 << 32) - 1 - int(v) ** 2 for v in ints], pa.uint32()),
            "f64": _with_nulls([float(v) / 4 for v in ints], pa.float64()),
            "f32": _with_nulls([float(v) / 4 for v in ints], pa.float32()),
            "f16": _with_nulls([float(v) / 4 for v in ints], pa.float16()),
            "bool": _with_nulls([bool(v % 2) for v in ints], pa.bool_()),
            "text": _with_nulls([f"word {v:03d}" for v in ints], pa.string()),
            "sorted": pa.array([f"{i:06d}" for i in range(n)], pa.large_string()),
            "bytes": _with_nulls([bytes([v % 256, 255]) for v in ints], pa.binary()),
            "uuid": pa.array([uuid.UUID(int=i % 97).bytes for i in range(n)], pa.binary(16)),
            "category": _with_nulls([f"c{v % 7}" for v in ints], pa.string()).dictionary_encode(),
            "time": pa.array(hours, pa.timestamp("us")),
            "nanos": pa.array(hours, pa.timestamp("ns")),
            "zoned": pa.array([h.replace(tzinfo=_UTC) for h in hours], pa.timestamp("ms", "Europe/Oslo")),
            "date": pa.array([h.date() for h in hours], pa.date32()),
            "clock": pa.array([h.time() for h in hours], pa.time64("us")),
            "span": pa.array([datetime.timedelta(seconds=int(v)) for v in ints], pa.duration("s")),
            "decimal": _with_nulls([decimal.Decimal(int(v)).scaleb(-2) for v in ints], pa.decimal128(9, 2)),
            "wide": _with_nulls([decimal.Decimal(int(v) * 10**30).scaleb(-2) for v in ints], pa.decimal256(50, 2)),
        }
    )


TABLE = _table()


@pytest.fixture(scope="module", params=["groups", "pages", "plain", "ours"])
def path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("filter") / "t.parquet"
    match request.param:
        case "groups":
            pq.write_table(TABLE, where, row_group_size=700)
        case "pages":
            pq.write_table(TABLE, where, write_page_index=True, data_page_size=512, write_batch_size=64)
        case "plain":
            pq.write_table(TABLE, where, use_dictionary=False, write_statistics=False)
        case "ours":
            cn.write(TABLE, where, row_group_size=900)
    return where


_MOMENT = datetime.datetime(2024, 3, 3, 5)

FILTERS: list[Any] = [
    [("i8", ">", 20)],
    [("i8", "<=", -20.5)],
    [("i8", "==", 3), ("bool", "==", True)],
    [("i8", "!=", 3)],
    [("i8", "in", [1, 2, 77, 1000])],
    [("i8", "not in", [1, 2, 77])],
    [("u64", ">", (1 << 64) - 100)],
    [("u32", ">=", (1 << 32) - 26)],
    [("f64", "<", -3)],
    [("f64", "==", 1.25)],
    [("f32", ">=", 1.25)],
    [("f16", "!=", 1.25)],
    [("text", "==", "word 007")],
    [("text", ">", "word 030")],
    [("sorted", "<", "000123")],
    [("bytes", ">=", b"\xf0")],
    [("uuid", "==", uuid.UUID(int=5).bytes)],
    [("category", "in", ["c1", "c6", "none"])],
    [("category", "!=", "c2")],
    [("time", ">=", _MOMENT), ("time", "<", _MOMENT + datetime.timedelta(days=2))],
    [("nanos", "==", np.datetime64("2024-03-03T05", "h"))],
    [("zoned", "<", _MOMENT.replace(tzinfo=_UTC))],
    [("date", "==", datetime.date(2024, 2, 29))],
    [("clock", ">", datetime.time(22, 30))],
    [("span", "<", datetime.timedelta(seconds=-30, microseconds=-1))],
    [("decimal", "<", decimal.Decimal("-0.305"))],
    [("decimal", "==", decimal.Decimal("0.07"))],
    [("wide", ">", decimal.Decimal(10) ** 29)],
    [[("row", "<", 10)], [("row", ">=", 4990)], [("text", "==", "word 011"), ("f64", ">", 0)]],
    [("row", "<", 0)],
    [("row", ">=", 0)],
    [("i8", "is", None), ("row", "<", 2000)],
    [("row", "is", None)],
    [("text", "is not", None)],
]


def _mask(filter: Any) -> list[bool]:
    """Row by row in Python's own order; null holds of nothing."""
    groups = filter if isinstance(filter[0], list) else [filter]
    return [
        any(all(holds({term[0]: _cells(term[0])[row]}, term) for term in terms) for terms in groups)
        for row in range(NROWS)
    ]


@functools.cache
def _cells(column: str) -> list[Any]:
    values = TABLE.column(column)
    if pa.types.is_timestamp(values.type) and values.type.unit == "ns":
        return [np.datetime64(v.value, "ns") for v in values]
    return values.to_pylist()


@each("filter", list(FILTERS), ids=str, per=50)
def test_the_rows_are_those_of_a_mask(path: Path, filter: Any) -> None:
    expected = TABLE.filter(pa.array(_mask(filter)))
    out = cn.read(path, filters=filter)
    assert len(out) == expected.num_rows
    assert out.to_arrow().combine_chunks().to_pylist() == expected.to_pylist()


@each("filter", FILTERS[:12], ids=str)
def test_columns_and_rows_go_with_it(path: Path, filter: Any) -> None:
    expected = TABLE.filter(pa.array(_mask(filter)))["row"].to_pylist()
    frame = cn.read(path, filters=filter, columns=["row"], rows=slice(2, 40))
    assert frame.to_pandas()["row"].tolist() == expected[2:40]


def test_pandas_rows_are_those_of_read_parquet(tmp_path: Path) -> None:
    df = TABLE.select(["row", "i8", "f64", "text", "time", "zoned", "category"]).to_pandas()
    named = df.set_index("text")
    for frame in (df, named):
        frame.to_parquet(tmp_path / "t.parquet", row_group_size=640)
        filter = [("i8", ">", 10), ("f64", "<", 8)]
        expected = pd.read_parquet(tmp_path / "t.parquet", filters=filter)
        pd.testing.assert_frame_equal(cn.read_pandas(tmp_path / "t.parquet", filters=filter), expected)


@each("ours", [True, False])
@each("wanted", [range(5, 10), range(0, 10, 3), [1, 2, 7], [4], [], range(10)], ids=str)
def test_a_range_of_labels_that_means_something_goes_with_its_rows(ours: bool, wanted: Any, tmp_path: Path) -> None:
    index = pd.RangeIndex(100, 120, 2, name="minute")
    df = pd.DataFrame({"v": range(10), "w": list("abcdefghij")}, index=index)
    path = tmp_path / "t.parquet"
    if ours:
        cn.write(df, path, row_group_size=4)
    else:
        df.to_parquet(path, row_group_size=4)
    filter = [("v", "in", list(wanted))]
    expected = df[df["v"].isin(wanted)]
    found = cn.read_pandas(path, filters=filter)
    assert found.index.tolist() == expected.index.tolist()
    assert found.index.name == "minute"
    pd.testing.assert_frame_equal(found, expected, check_index_type=False)
    part = cn.read(path, filters=filter, columns=["w"], rows=slice(1, 3))
    assert part.to_pandas().index.tolist() == expected.index.tolist()[1:3]
    with cn.open_reader(path, filters=filter) as reader:
        assert [label for piece in reader for label in piece.to_pandas().index] == expected.index.tolist()


def test_labels_that_count_the_rows_count_those_that_are_left(tmp_path: Path) -> None:
    for data in (pd.DataFrame({"v": range(10)}), pa.table({"v": range(10)})):
        cn.write(data, tmp_path / "t.parquet")
        frame = cn.read(tmp_path / "t.parquet", filters=[("v", ">", 6)])
        assert frame.to_pandas().index.tolist() == [0, 1, 2]
        assert frame.to_arrow().column_names == ["v"]


def test_chunks_are_those_of_the_row_groups(path: Path) -> None:
    filter = [("i8", ">", 40)]
    whole = cn.read(path, filters=filter).to_arrow()
    with cn.open_reader(path, filters=filter) as reader:
        parts = [part.to_arrow() for part in reader]
    assert sum(part.num_rows for part in parts) == whole.num_rows
    assert pa.concat_tables(parts).to_pylist() == whole.to_pylist()


def test_bloom_filters_say_what_is_not_there(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    where = tmp_path / "t.parquet"
    source = f"select (i * 7919) % 100000 as k, 'w' || ((i * 31) % 5000)::varchar as w from range({20_000}) t(i)"
    duckdb.sql(f"copy ({source}) to '{where}' (format parquet, row_group_size 4096)")
    for filter in ([("k", "==", 7919)], [("k", "==", 7920)], [("w", "in", ["w31", "w", "x"])], [("w", "==", "w7")]):
        assert cn.read(where, filters=filter).to_arrow().equals(pq.read_table(where, filters=filter))


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_random_filters_are_pyarrows(data: st.DataObject) -> None:
    values = data.draw(st.lists(st.none() | st.integers(-5, 5), max_size=60))
    texts = data.draw(st.lists(st.none() | st.text("ab", max_size=3), min_size=len(values), max_size=len(values)))
    table = pa.table({"i": pa.array(values, pa.int32()), "t": pa.array(texts, pa.string())})
    sink = io.BytesIO()
    pq.write_table(table, sink, row_group_size=data.draw(st.integers(1, 20)), write_page_index=data.draw(st.booleans()))
    ops = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])
    term = st.tuples(st.just("i"), ops, st.integers(-6, 6)) | st.tuples(st.just("t"), ops, st.text("ab", max_size=3))
    filter = data.draw(st.lists(st.lists(term, min_size=1, max_size=3), min_size=1, max_size=3))
    expected = pq.read_table(io.BytesIO(sink.getvalue()), filters=filter)
    assert cn.decode(sink.getvalue(), "parquet", filters=filter).to_arrow().to_pylist() == expected.to_pylist()


def test_nan_is_equal_to_nothing_and_null_is_nothing() -> None:
    table = pa.table({"x": pa.array([1.0, float("nan"), None, -0.0, 0.0])})
    sink = io.BytesIO()
    pq.write_table(table, sink)
    rows = lambda *filter: cn.decode(sink.getvalue(), "parquet", filters=list(filter)).to_arrow()["x"].to_pylist()  # noqa: E731
    assert rows(("x", "==", 0.0)) == [0.0, 0.0]
    assert str(rows(("x", "!=", 1.0))) == "[nan, -0.0, 0.0]"
    assert rows(("x", "<", float("nan"))) == []
    assert rows(("x", "<=", 1)) == [1.0, -0.0, 0.0]


@each(
    ("filter", "error", "words"),
    [
        ([("text", ">", 5)], cn.OptionError, "text"),
        ([("time", ">", _MOMENT.replace(tzinfo=_UTC))], cn.OptionError, "zone"),
        ([("i8", "in", [1, None])], cn.OptionError, "Nulls"),
        ([("time", "==", pd.NaT)], cn.OptionError, "Nulls"),
        ([("i8", "~", 1)], cn.OptionError, "~"),
        ([("i8", "==", 1j)], cn.OptionError, "complex"),
        ([], cn.OptionError, "filter"),
    ],
    ids=str,
)
def test_what_cannot_be_compared_is_refused(path: Path, filter: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        cn.read(path, filters=filter)


def test_nested_columns_are_refused_by_name() -> None:
    sink = io.BytesIO()
    pq.write_table(pa.table({"x": [[1]], "y": [1]}), sink)
    with pytest.raises(cn.OptionError, match='"x" is nested'):
        cn.decode(sink.getvalue(), "parquet", filters=[("x", "==", 1)])
    assert cn.decode(sink.getvalue(), "parquet", filters=[("y", "==", 1)]).to_arrow()["x"].to_pylist() == [[1]]
