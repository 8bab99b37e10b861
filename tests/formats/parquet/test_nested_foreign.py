"""Nested columns of files that others wrote: lists, structs and maps, whole, in rows, in row groups."""

import datetime as dt
import io
from typing import Any

import pytest

from tests.helpers.each import each

pytest.importorskip("hypothesis")
pytest.importorskip("pyarrow")

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import colonnade as cn
from colonnade.testing import strategies_pyarrow
from colonnade.testing._arrow_cells import cells

many = settings(deadline=None, max_examples=80, suppress_health_check=list(HealthCheck))

CODECS = ("none", "snappy", "gzip", "brotli", "zstd", "lz4")


def written(table: pa.Table, **options: Any) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, **options)
    return sink.getvalue()


def theirs(data: bytes, **options: Any) -> pa.Table:
    return pq.read_table(io.BytesIO(data), **options)


def ours(data: bytes, **options: Any) -> pa.Table:
    found = cn.read(data, **options).to_arrow()
    found.validate(full=True)
    return found


def cells_as(other: Any, mine: Any) -> list[Any]:
    """The cells of `other`. pyarrow forgets that dates within a list were counted in milliseconds; we read what the
    file's schema says."""
    return [in_unit(cell, other.type, mine.type) for cell in cells(other)]


def in_unit(cell: Any, kind: Any, wanted: Any) -> Any:
    """The cell of type `kind` with dates counted as `wanted` has them, at every level. pyarrow casts no list views."""
    if cell is None or kind == wanted:
        return cell
    if pa.types.is_date32(kind) and pa.types.is_date64(wanted):
        return cell * 86_400_000
    if pa.types.is_map(kind) and pa.types.is_map(wanted):
        keys, items = (kind.key_type, wanted.key_type), (kind.item_type, wanted.item_type)
        return [(in_unit(key, *keys), in_unit(item, *items)) for key, item in cell]
    if pa.types.is_struct(kind) and pa.types.is_struct(wanted):
        fields = [(a.type, b.type) for a, b in zip(kind, wanted, strict=True)]
        return tuple(in_unit(value, *types) for value, types in zip(cell, fields, strict=True))
    if isinstance(cell, list) and pa.types.is_nested(wanted):
        return [in_unit(item, kind.value_type, wanted.value_type) for item in cell]
    return cell


@pytest.mark.parametrize(
    "kind",
    [
        lambda date: pa.list_view(date),
        lambda date: pa.large_list_view(pa.list_(date)),
        lambda date: pa.struct({"a": pa.list_view(date), "b": pa.map_(pa.string(), date)}),
        lambda date: pa.list_(pa.large_list_view(date), 1),
    ],
)
def test_the_oracle_casts_dates_at_every_level(kind: Any) -> None:
    days = [dt.date(2020, 1, 2), None]
    rows = {
        "list_view<item: date64[ms]>": [days, None, []],
        "large_list_view<item: list<item: date64[ms]>>": [[days, None], None],
        "struct<a: list_view<item: date64[ms]>, b: map<string, date64[ms]>>": [
            {"a": days, "b": [("x", days[0])]},
            None,
        ],
        "fixed_size_list<item: large_list_view<item: date64[ms]>>[1]": [[days], [None]],
    }
    mine = kind(pa.date64())
    other = pa.array(rows[str(mine)], kind(pa.date32()))
    assert cells_as(other, pa.array(rows[str(mine)], mine)) == cells(pa.array(rows[str(mine)], mine))


def is_nested(kind: pa.DataType) -> bool:
    return pa.types.is_nested(kind)


def is_written(kind: pa.DataType) -> bool:
    """Lists of a fixed size of nothing end the process in pyarrow's writer, at times: none of its files hold them."""
    if pa.types.is_fixed_size_list(kind) and kind.list_size == 0:
        return False
    return all(is_written(kind.field(i).type) for i in range(kind.num_fields))


@st.composite
def columns(draw: st.DrawFn) -> pa.Table:
    """Columns of one nested type or a few, repeated until pages and row groups have several of them."""
    fields = draw(
        st.lists(strategies_pyarrow.types(depth=3).filter(is_nested).filter(is_written), min_size=1, max_size=2)
    )
    nrows = draw(st.integers(1, 6))
    arrays = [draw(strategies_pyarrow.arrays(kind, nrows)) for kind in fields]
    table = pa.table({f"c{k}": array for k, array in enumerate(arrays)})
    return pa.concat_tables([table] * draw(st.integers(1, 40)))


OPTIONS = st.fixed_dictionaries(
    {
        "data_page_version": st.sampled_from(["1.0", "2.0"]),
        "compression": st.sampled_from(CODECS),
        "use_dictionary": st.booleans(),
        "row_group_size": st.sampled_from([7, 64, 1 << 20]),
        "data_page_size": st.sampled_from([1, 100, 1 << 20]),
        "write_batch_size": st.sampled_from([1, 10, 1024]),
        "store_schema": st.booleans(),
    }
)


@many
@given(table=columns(), options=OPTIONS, data=st.data())
def test_random_columns_that_pyarrow_wrote(table: pa.Table, options: dict[str, Any], data: st.DataObject) -> None:
    try:
        bytes_ = written(table, **options)
        expected = theirs(bytes_)
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid, pa.ArrowIndexError):
        return
    found = ours(bytes_)
    assert found.num_rows == table.num_rows
    if expected.num_rows != table.num_rows:
        # pyarrow loses rows of lists of nothing but nulls where pages are small.
        return
    for mine, other in zip(found.columns, expected.columns, strict=True):
        assert cells(mine) == cells_as(other, mine)
    start, stop = (data.draw(st.integers(0, table.num_rows)) for _ in range(2))
    part = ours(bytes_, rows=slice(start, stop))
    for mine, other in zip(part.columns, expected.slice(start, max(stop - start, 0)).columns, strict=True):
        assert cells(mine) == cells_as(other, mine)


def jagged(nrows: int) -> pa.Table:
    """Rows of lists of structs, with lists in them; texts, maps and categories; nulls at every level."""
    rows = range(nrows)

    def jet(k: int) -> dict[str, Any] | None:
        tags = None if k % 11 == 0 else [None if k % 13 == 0 else f"tag {k % 5}"] * (k % 3)
        return None if k % 17 == 0 else {"pt": k / 4, "n": None if k % 7 == 0 else k % 100, "tags": tags}

    jets = [None if k % 19 == 0 else [jet(k + i) for i in range(k % 6)] for k in rows]
    names = [None if k % 5 == 0 else [(f"key {i}", None if i == 2 else i * 1.5) for i in range(k % 4)] for k in rows]
    return pa.table(
        {
            "jet": pa.array(
                jets, pa.list_(pa.struct({"pt": pa.float32(), "n": pa.int8(), "tags": pa.list_(pa.string())}))
            ),
            "place": pa.array(
                [None if k % 9 == 0 else {"x": k, "at": {"y": None if k % 4 == 0 else str(k)}} for k in rows],
                pa.struct({"x": pa.int64(), "at": pa.struct({"y": pa.string()})}),
            ),
            "name": pa.array(names, pa.map_(pa.string(), pa.float64())),
            "kind": pa.array([["abc"[k % 3]] * (k % 3) for k in rows], pa.list_(pa.dictionary(pa.int8(), pa.string()))),
            "pair": pa.array([None if k % 8 == 0 else [k, -k] for k in rows], pa.list_(pa.int32(), 2)),
            "flag": pa.array([[True, None, False][: k % 4] for k in rows], pa.large_list(pa.bool_())),
        }
    )


TABLE = jagged(5000)


@each("codec", list(CODECS))
@each("version", ["1.0", "2.0"])
@each("threads", [1, 2])
def test_codecs_and_versions(codec: str, version: str, threads: int) -> None:
    options = {"compression": codec, "data_page_version": version, "data_page_size": 3000, "row_group_size": 1700}
    data = written(TABLE, **options)
    assert ours(data, threads=threads).equals(theirs(data))
    for rows in (slice(0, 1), slice(1699, 1701), slice(1234, 4321), slice(4999, 5000), slice(60, 60)):
        assert (
            ours(data, rows=rows, threads=threads).to_pylist()
            == TABLE.slice(rows.start, rows.stop - rows.start).to_pylist()
        )


@pytest.mark.parametrize(
    "encoding", ["DELTA_BINARY_PACKED", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", "BYTE_STREAM_SPLIT"]
)
def test_encodings(encoding: str) -> None:
    kinds = {
        "DELTA_BINARY_PACKED": ([1, None, 5], pa.int64()),
        "DELTA_LENGTH_BYTE_ARRAY": (["a", None, "bb"], pa.string()),
        "DELTA_BYTE_ARRAY": (["abc", None, "abd"], pa.string()),
        "BYTE_STREAM_SPLIT": ([1.5, None, 2.5], pa.float64()),
    }
    values, kind = kinds[encoding]
    rows = [None if k % 7 == 0 else values[: k % 4] for k in range(3000)]
    table = pa.table(
        {
            "l": pa.array(rows, pa.list_(kind)),
            "s": pa.array([{"v": values[k % 3]} for k in range(3000)], pa.struct({"v": kind})),
        }
    )
    data = written(table, use_dictionary=False, column_encoding=encoding, data_page_size=2000)
    assert ours(data).equals(table)
    assert ours(data, rows=slice(1000, 1500)).to_pylist() == table.slice(1000, 500).to_pylist()


def test_row_groups_and_filters() -> None:
    keyed = TABLE.append_column("k", pa.array(range(5000)))
    data = written(keyed, row_group_size=800, data_page_size=2000)
    with cn.open_reader(data) as reader:
        groups = [frame.to_arrow() for frame in reader]
    assert [len(group) for group in groups] == [800] * 6 + [200]
    assert pa.concat_tables(groups).equals(theirs(data))
    for filters in ([("k", "in", [3, 799, 800, 4999])], [("k", ">=", 790), ("k", "<", 1650)]):
        expected = theirs(data, filters=filters)
        assert ours(data, filters=filters).to_pylist() == expected.to_pylist()


def test_a_part_of_a_column() -> None:
    data = written(TABLE, row_group_size=1700)
    for path, other in {
        "jet.list.element.pt": "jet.list.element.pt",
        "place.at.y": "place.at.y",
        "place.at": "place.at.y",
    }.items():
        assert ours(data, columns=[path]).to_pylist() == pq.ParquetFile(io.BytesIO(data)).read([other]).to_pylist()


def test_records_over_many_pages() -> None:
    lists = pa.array([[1], list(range(10_000)), None, [], [None] * 5000, [7]], pa.list_(pa.int32()))
    table = pa.table({"l": lists})
    for version in ("1.0", "2.0"):
        data = written(table, data_page_size=100, write_batch_size=64, data_page_version=version, use_dictionary=False)
        assert ours(data).equals(table)
        for row in range(6):
            assert ours(data, rows=slice(row, row + 1)).to_pylist() == table.slice(row, 1).to_pylist()


def test_files_of_polars_and_duckdb(tmp_path: Any) -> None:
    polars, duckdb = pytest.importorskip("polars"), pytest.importorskip("duckdb")
    table = TABLE.select(["jet", "place", "flag"])
    path = tmp_path / "of polars.parquet"
    for compression in ("uncompressed", "zstd", "snappy"):
        polars.from_arrow(table).write_parquet(path, compression=compression, row_group_size=900)
        assert ours(path.read_bytes()).to_pylist() == table.to_pylist()
    path = tmp_path / "of duckdb.parquet"
    with duckdb.connect() as session:
        session.register("t", TABLE.select(["jet", "place", "name", "flag"]))
        session.execute(f"copy t to '{path}' (format parquet, row_group_size 2048)")
    data = path.read_bytes()
    assert ours(data).to_pylist() == theirs(data).to_pylist()
    assert ours(data, rows=slice(2000, 2100)).to_pylist() == theirs(data).slice(2000, 100).to_pylist()


def test_required_values_below_nulls() -> None:
    inner = pa.struct([pa.field("a", pa.int32(), nullable=False), pa.field("b", pa.string(), nullable=False)])
    rows = [None, [], [{"a": 1, "b": "x"}], [None, {"a": 2, "b": ""}]] * 50
    table = pa.table({"l": pa.array(rows, pa.list_(inner)), "s": pa.array([{"a": 1, "b": "y"}, None] * 100, inner)})
    data = written(table, row_group_size=33)
    found = ours(data)
    assert found.schema.types == table.schema.types
    assert found.to_pylist() == table.to_pylist()
    assert pc.list_flatten(found["l"]).null_count == 50
