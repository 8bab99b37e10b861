"""Null under a header whose field holds no nulls: the error names the column and says null, as JSON does."""

from typing import Any

import pyarrow as pa
import pytest

import colonnade as cn
from tests.helpers.each import each

TYPES = [
    *(pa.int8(), pa.int16(), pa.int32(), pa.int64()),
    *(pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()),
    *(pa.float16(), pa.float32(), pa.float64()),
]


@each("orient", ["columns", "records", "table"])
@each("kind", TYPES)
def test_null_is_refused_where_the_field_holds_none(kind: pa.DataType, orient: Any) -> None:
    schema = pa.schema([pa.field("x", kind, nullable=False)])
    frame = pa.table([pa.array([11.0, 77.0, 13.0]).cast(kind)], schema=schema)
    content = cn.encode(frame, "json", orient=orient, schema="header")
    before, _, after = content.rpartition(b"77.0" if pa.types.is_floating(kind) else b"77")
    with pytest.raises(cn.DecodeError, match=r'"x": .*expected a value, as the field holds no nulls, found null'):
        cn.decode(before + b"null" + after, "json").to_arrow()
