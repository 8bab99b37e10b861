"""Files of pyarrow whose `ARROW:schema` claims other types than the file's own schema has."""

from __future__ import annotations

import base64
import io
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq


def claiming(
    table: Any, claims: Any, metadata: dict[str, str] | None = None, *, rows: int | None = None, **options: Any
) -> bytes:
    """`table` by pyarrow, without a schema of its own; `claims` is the schema that the metadata say it has.

    `rows` is how many a row group has.
    """
    out = io.BytesIO()
    with pq.ParquetWriter(out, table.schema, store_schema=False, **options) as writer:
        writer.write_table(table, row_group_size=rows)
        serialized = base64.b64encode(claims.serialize().to_pybytes()).decode()
        writer.add_key_value_metadata({"ARROW:schema": serialized, **(metadata or {})})
    return out.getvalue()


def of_pyarrow(content: bytes) -> Any:
    return pq.read_table(io.BytesIO(content))


STORED: dict[str, Any] = {
    "bool": pa.array([True, None]),
    **{
        name: pa.array([1, None], getattr(pa, name)())
        for name in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
    },
    "float16": pa.array([1.5, None]).cast(pa.float16()),
    "float32": pa.array([1.5, None], pa.float32()),
    "float64": pa.array([1.5, None], pa.float64()),
    "date32": pa.array([19000, None], pa.date32()),
    "time32[ms]": pa.array([1234, None], pa.time32("ms")),
    "time64[us]": pa.array([1234, None], pa.time64("us")),
    "time64[ns]": pa.array([1234, None], pa.time64("ns")),
    **{
        f"timestamp[{unit}, {zone}]": pa.array([1_600_000_000_123, None], pa.timestamp(unit, zone))
        for unit in ("ms", "us", "ns")
        for zone in (None, "UTC")
    },
    "string": pa.array(["ab", None]),
    "json": pa.ExtensionArray.from_storage(pa.json_(), pa.array(["{}", None])),
    "uuid": pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"0123456789abcdef", None], pa.binary(16))),
    "binary": pa.array([b"ab", None], pa.binary()),
    **{f"binary({n})": pa.array([b"x" * n, None], pa.binary(n)) for n in (2, 4, 8, 12, 16, 32)},
    "decimal(9, 2)": pa.array([125, None]).cast(pa.decimal128(21, 2)).cast(pa.decimal128(9, 2)),
    "decimal(18, 2)": pa.array([125, None]).cast(pa.decimal128(21, 2)).cast(pa.decimal128(18, 2)),
    "decimal(38, 2)": pa.array([125, None]).cast(pa.decimal128(38, 2)),
    "decimal(76, 2)": pa.array([125, None]).cast(pa.decimal256(76, 2)),
    "null": pa.nulls(2),
}
"""A column of each type that a Parquet file can have."""

UNITS = ("s", "ms", "us", "ns")
CLAIMS: list[Any] = [
    pa.null(),
    pa.bool_(),
    *(getattr(pa, f"{sign}int{bits}")() for sign in ("", "u") for bits in (8, 16, 32, 64)),
    *(pa.float16(), pa.float32(), pa.float64(), pa.date32(), pa.date64()),
    *(pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns")),
    *(pa.timestamp(unit, zone) for unit in UNITS for zone in (None, "UTC", "Asia/Tokyo")),
    *(pa.duration(unit) for unit in UNITS),
    *(pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view()),
    *(pa.binary(n) for n in (4, 8, 12, 16)),
    pa.month_day_nano_interval(),
    *(pa.decimal32(9, 2), pa.decimal32(9, 5), pa.decimal64(9, 2), pa.decimal64(18, 2)),
    *(pa.decimal128(p, s) for p, s in ((5, 2), (9, 2), (9, 5), (18, 2), (18, 9), (38, 2), (38, 0))),
    *(pa.decimal256(p, s) for p, s in ((9, 2), (9, 5), (38, 2), (50, 2), (76, 2), (76, 9))),
    *(
        pa.dictionary(pa.int8(), values)
        for values in (pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.int64())
    ),
    pa.dictionary(pa.int32(), pa.string(), ordered=True),
    pa.dictionary(pa.int8(), pa.timestamp("us", "Asia/Tokyo")),
    pa.dictionary(pa.int8(), pa.decimal128(9, 2)),
    pa.run_end_encoded(pa.int32(), pa.string()),
    pa.run_end_encoded(pa.int32(), pa.int64()),
    pa.list_(pa.int64()),
    pa.struct([("a", pa.int64())]),
    pa.json_(),
    pa.uuid(),
]
"""Types that metadata may claim, whatever the column is."""
