"""The pages of nested columns: their levels, and columns of many of them."""

import io

import pytest

pytest.importorskip("pyarrow")

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import colonnade as cn


def test_lists_of_many_pages() -> None:
    """More than a megabyte of values in one row group."""
    offsets = pa.array(np.arange(0, 400_001, 4), pa.int32())
    table = pa.table({"a": pa.ListArray.from_arrays(offsets, pa.array(np.arange(400_000)))})
    sink = io.BytesIO()
    pq.write_table(table, sink, use_dictionary=False, compression="none", data_page_size=64 << 10)
    assert cn.read_arrow(sink.getvalue()).equals(table)


def test_the_levels_of_structs_count_towards_the_limit() -> None:
    nrows = 1_000_000
    kind = pa.struct([pa.field("v", pa.bool_())])
    sink = io.BytesIO()
    pq.write_table(pa.table({"a": pa.nulls(nrows, kind)}), sink)
    with pytest.raises(cn.LimitError, match="the levels of lists and structs"):
        cn.read_arrow(sink.getvalue(), limits=cn.Limits(max_unbacked_nbytes=nrows // 2, max_expansion=1))
    assert cn.read_arrow(sink.getvalue())["a"].null_count == nrows
