"""The Arrow schema of a file of many columns, of which one is read."""

import io

import pytest

pytest.importorskip("pyarrow")

import pyarrow as pa
import pyarrow.parquet as pq

import colonnade as cn


def test_each_column_of_many_has_its_own_zone() -> None:
    zones = ["America/Argentina/ComodRivadavia", "Europe/Berlin", "UTC", "+05:30", "America/Indiana/Tell_City"]
    fields = [pa.field(f"c{k}", pa.timestamp("us", zones[k % len(zones)])) for k in range(150)]
    table = pa.table([pa.array([k], field.type) for k, field in enumerate(fields)], pa.schema(fields))
    sink = io.BytesIO()
    pq.write_table(table, sink)
    for field in fields:
        assert cn.read_arrow(sink.getvalue(), columns=[field.name]).schema.field(0).type == field.type
