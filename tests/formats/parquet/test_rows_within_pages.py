"""Filters whose rows end in the middle of a page of another column."""

import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import colonnade as cn
from tests.helpers.each import each


@each("nullable", [False, True])
@each("compression", ["none", "snappy", "zstd"])
def test_rows_up_to_the_middle_of_a_page(compression: str, nullable: bool) -> None:
    """A page of `wide` has half the rows of a page of `narrow`."""
    nrows = 20_000
    columns = {"wide": np.arange(nrows), "narrow": np.arange(nrows, dtype="f4")}
    fields = [pa.field(name, pa.from_numpy_dtype(column.dtype), nullable) for name, column in columns.items()]
    table = pa.table([pa.array(column) for column in columns.values()], pa.schema(fields))
    sink = io.BytesIO()
    options = {"write_batch_size": 500, "data_page_size": 8000, "write_page_index": True}
    pq.write_table(table, sink, use_dictionary=False, compression=compression, **options)
    wanted = [[("wide", "<", 1000)], [("wide", ">=", 15_000)]]
    found = cn.read_arrow(sink.getvalue(), filters=wanted)
    assert found.equals(pq.read_table(sink, filters=wanted))
    assert found["narrow"].to_pylist() == [*range(1000), *range(15_000, nrows)]
