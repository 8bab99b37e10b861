"""What the metadata of a Parquet file claim never changes what its data say; pyarrow is the oracle."""

import datetime
import decimal
import io
import json
from typing import Any

import numpy as np
import pytest

from tests.helpers.each import each

pytest.importorskip("pyarrow")

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import colonnade as cn
from colonnade.errors import ColonnadeError, DecodeError
from tests.helpers.parquet_claims import CLAIMS, STORED, claiming, of_pyarrow

every_column = each("stored", list(STORED))


def nested_of(values: Any, how: str) -> Any:
    if how == "list":
        return pa.ListArray.from_arrays([0, 1, 2], values)
    if how == "struct":
        return pa.StructArray.from_arrays([values], ["a"])
    keys = pa.array(["k", "l"])
    return pa.MapArray.from_arrays([0, 1, 2], keys, values)


def claim_of(claim: Any, how: str) -> Any:
    if how == "flat":
        return claim
    if how == "list":
        return pa.list_(claim)
    return pa.struct([("a", claim)]) if how == "struct" else pa.map_(pa.string(), claim)


def assert_as_pyarrow(content: bytes, **options: Any) -> None:
    wanted = of_pyarrow(content)
    found = cn.read(content, format="parquet", **options).to_arrow()
    assert found.schema.field("x").type == wanted.schema.field("x").type
    assert found.column("x").to_pylist() == wanted.column("x").to_pylist()


@each("how", ["flat", "list", "struct", "map"], per=50)
@every_column
def test_each_claim_on_each_column(stored: str, how: str) -> None:
    values = STORED[stored]
    table = pa.table({"x": values if how == "flat" else nested_of(values, how)})
    for number, claim in enumerate(CLAIMS):
        if {stored, getattr(claim, "extension_name", "")} in ({"uuid", "arrow.json"}, {"json", "arrow.uuid"}):
            continue  # pyarrow makes the one of the other's bytes, or fails to
        content = claiming(table, pa.schema([pa.field("x", claim_of(claim, how))]))
        try:
            assert_as_pyarrow(content, verify=number % 2 == 0)
        except (AssertionError, ColonnadeError) as error:
            raise AssertionError(f"{stored} claimed as {claim}: {error}") from error


# --------------------------------------------------------------------------- filters
def test_filters_compare_in_the_scale_of_the_file() -> None:
    values = [decimal.Decimal(n) / 100 for n in range(1000)]
    table = pa.table({"x": pa.array(values, pa.decimal128(10, 2))})
    for claim in (pa.decimal128(10, 7), pa.decimal128(5, 2), pa.decimal256(10, 0), pa.int64()):
        content = claiming(table, pa.schema([pa.field("x", claim)]), rows=100, write_page_index=True)
        found = cn.read(content, format="parquet", filters=[("x", ">=", decimal.Decimal("9.5"))])
        assert found.to_arrow().column("x").to_pylist() == values[950:]


@pytest.mark.parametrize("zone", [None, "UTC"])
def test_filters_compare_in_the_zone_of_the_file(zone: str | None) -> None:
    utc = datetime.UTC if zone else None
    values = [datetime.datetime(2020, 1, 1, hour, tzinfo=utc) for hour in range(24)]
    table = pa.table({"x": pa.array(values, pa.timestamp("us", zone))})
    for claim in (pa.timestamp("us"), pa.timestamp("ms", "Asia/Tokyo"), pa.timestamp("us", "Asia/Tokyo")):
        content = claiming(table, pa.schema([pa.field("x", claim)]), rows=5)
        found = cn.read(content, format="parquet", filters=[("x", ">", values[20])])
        assert found.to_arrow().column("x").to_pylist() == values[21:]
        assert found.to_arrow().schema.field("x").type == of_pyarrow(content).schema.field("x").type


# --------------------------------------------------------------------------- our own metadata
def ours(names: list[str]) -> dict[str, str]:
    """The key of this package for a table of these columns."""
    frame = {name: np.arange(2) for name in names}
    metadata = pq.read_metadata(io.BytesIO(cn.encode(frame, "parquet"))).metadata
    return {"colonnade": metadata[b"colonnade"].decode()}


def means_the_same(found: Any, stored: Any) -> bool:
    """Whether a column holds what the file has: the same values, or the same bits where the file names no meaning."""
    if isinstance(stored, pa.ExtensionArray):
        stored = stored.storage
    if isinstance(found, pa.ExtensionArray):
        found = found.storage
    if found.type == stored.type:
        return bool(found.equals(stored))
    if pa.types.is_dictionary(found.type):
        views = pa.types.is_string_view(found.type.value_type) or pa.types.is_binary_view(found.type.value_type)
        if not views:
            return means_the_same(found.dictionary_decode(), stored)
    if pa.types.is_run_end_encoded(found.type):
        return means_the_same(pc.run_end_decode(found), stored)
    bare = (
        pa.types.is_int64(stored.type) or pa.types.is_fixed_size_binary(stored.type) or pa.types.is_int32(stored.type)
    )
    if bare and not pa.types.is_integer(found.type):
        return (
            bytes(found.buffers()[1])[: found.type.bit_width // 8]
            == bytes(stored.buffers()[1])[: found.type.bit_width // 8]
        )
    return bool(found.to_pylist() == stored.to_pylist())


@each("how", ["flat", "list", "struct"], per=50)
@every_column
def test_each_claim_with_the_key_of_this_package(stored: str, how: str) -> None:
    values = STORED[stored]
    table = pa.table({"x": values if how == "flat" else nested_of(values, how)})
    for claim in CLAIMS:
        content = claiming(table, pa.schema([pa.field("x", claim_of(claim, how))]), ours(["x"]))
        try:
            found = cn.read(content, format="parquet", verify=True).to_arrow().column("x").combine_chunks()
        except ColonnadeError:
            continue
        if isinstance(found, pa.ChunkedArray):
            found = found.chunk(0)
        if how == "list":
            found = found.flatten()
        elif how == "struct":
            found = found.field(0)
        assert means_the_same(found, values), f"{stored} claimed as {claim} is {found.type}: {found}"


def test_seconds_that_are_none_are_refused() -> None:
    """Seconds stand in the file as milliseconds; whole ones by this package."""
    for how in ("flat", "list"):
        for stored in ("timestamp[ms, None]", "time32[ms]"):
            values = STORED[stored]
            claim = pa.timestamp("s") if stored.startswith("timestamp") else pa.time32("s")
            table = pa.table({"x": values if how == "flat" else nested_of(values, how)})
            content = claiming(table, pa.schema([pa.field("x", claim_of(claim, how))]), ours(["x"]))
            with pytest.raises(DecodeError, match="say seconds"):
                cn.read(content, format="parquet", verify=True)


def dtype_claims() -> list[str]:
    kinds = ["b1", "i1", "<i2", ">i4", "<i8", "u1", "<u4", "<u8", "<f2", "<f4", ">f8", "<f16", "<c8", "<c16", "<c32"]
    units = ["Y", "D", "s", "ms", "us", "ns", "25s"]
    times = [f"{order}{kind}8[{unit}]" for order in "<>" for kind in "Mm" for unit in units]
    return [*kinds, *times, "S16", "V16", "<U1", ">U5", "<M8"]


@every_column
def test_each_dtype_claimed_by_the_key_of_this_package(stored: str) -> None:
    values = STORED[stored]
    table = pa.table({"x": values})
    for dtype in dtype_claims():
        metadata = {"colonnade": json.dumps({"dtype": dtype})}
        claims = pa.schema([pa.field("x", values.type, metadata=metadata)])
        content = claiming(table, claims, ours(["x"]))
        try:
            frame = cn.read(content, format="parquet")
        except ColonnadeError:
            continue
        assert_dtype_is_no_lie(frame, values, dtype)


def assert_dtype_is_no_lie(frame: Any, values: Any, dtype: str) -> None:
    found = np.dtype(dtype)
    whole = pa.chunked_array([values])
    if found.kind in "Mm" and pa.types.is_int64(values.type):
        return  # INT64 is how units stand that Parquet has no word for
    arrow = frame.to_arrow().column("x")
    assert arrow.to_pylist() == whole.to_pylist() or means_the_same(arrow.chunk(0), values), dtype


# --------------------------------------------------------------------------- pandas' key
def pandas_claims() -> list[dict[str, Any]]:
    """What the key may say of a column "x" and of labels."""
    entry: dict[str, Any] = {"name": "x", "field_name": "x", "metadata": None}
    types = [
        ("int8", "int8"),
        ("uint64", "uint64"),
        ("float64", "float64"),
        ("unicode", "object"),
        ("bytes", "object"),
        ("bool", "bool"),
        ("datetime", "datetime64[ns]"),
        ("datetimetz", "datetime64[ns, Asia/Tokyo]"),
        ("datetime", "datetime64[s]"),
        ("categorical", "int8"),
        ("decimal", "object"),
        ("empty", "object"),
    ]
    columns = [{**entry, "pandas_type": a, "numpy_type": b} for a, b in types]
    columns.append(
        {**entry, "pandas_type": "datetimetz", "numpy_type": "datetime64[ns]", "metadata": {"timezone": "Asia/Tokyo"}}
    )
    columns.append(
        {
            **entry,
            "pandas_type": "categorical",
            "numpy_type": "int8",
            "metadata": {"num_categories": 3, "ordered": True},
        }
    )
    base = {"index_columns": [], "column_indexes": [], "pandas_version": "2.0.0"}
    out: list[dict[str, Any]] = [{**base, "columns": [column]} for column in columns]
    for index in (["x"], ["y"], ["x", "x"], [{"kind": "range", "name": None, "start": 5, "stop": 9, "step": 2}]):
        out.append({**base, "columns": columns[:1], "index_columns": index})
    out.append(
        {**base, "index_columns": [{"kind": "range", "name": None, "start": 0, "stop": 7, "step": 1}], "columns": []}
    )
    return out


@every_column
def test_the_key_of_pandas_changes_no_value(stored: str) -> None:
    values = STORED[stored]
    table = pa.table({"x": values, "z": pa.array([1, 2])})
    for claim in pandas_claims():
        content = claiming(table, table.schema, {"pandas": json.dumps(claim)})
        found = cn.read(content, format="parquet").to_arrow()
        assert found.schema.field("x").type == values.type, claim
        assert found.column("x").to_pylist() == pa.chunked_array([values]).to_pylist(), claim


# --------------------------------------------------------------------------- intervals
def duckdb_file(query: str, path: Any) -> Any:
    duckdb = pytest.importorskip("duckdb")
    duckdb.sql(f"copy ({query}) to '{path}' (format parquet)")
    return path


MONTHS = (2).to_bytes(4, "little") + (3).to_bytes(4, "little") + (4000).to_bytes(4, "little")
INTERVAL = "interval '2 months 3 days 4 seconds'"


@each(
    ("query", "value"),
    [
        (f"select {INTERVAL} x", MONTHS),
        (f"select [{INTERVAL}, null] x", [MONTHS, None]),
        (f"select {{'a': {INTERVAL}}} x", {"a": MONTHS}),
        (f"select [{{'a': [{INTERVAL}]}}] x", [{"a": [MONTHS]}]),
        (f"select map {{'k': {INTERVAL}}} x", [("k", MONTHS)]),
        ("select [null::interval] x", [None]),
        ("select null::interval[] x", None),
    ],
)
def test_intervals_keep_their_months_wherever_they_stand(tmp_path: Any, query: str, value: Any) -> None:
    path = duckdb_file(query, tmp_path / "x.parquet")
    frame = cn.read(path, verify=True)
    assert frame.to_arrow().column("x").to_pylist() == [value]
    assert frame.to_arrow().schema.field("x").type == of_pyarrow(path.read_bytes()).schema.field("x").type
    for format in ("arrow", "parquet", "msgpack"):
        again = cn.read(cn.encode(frame, format), format=format)
        assert again.to_arrow().column("x").to_pylist() == [value]
