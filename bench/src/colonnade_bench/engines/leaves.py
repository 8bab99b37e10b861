"""Extracts one field of the records in a column of lists, after the column was read."""

from __future__ import annotations

from typing import Any


def field_of_items(column: Any, field: str) -> Any:
    """Returns the same lists with only one field.

    The column is an Awkward Array, a pyarrow ChunkedArray or a polars Series.
    """
    kind = type(column).__module__.partition(".")[0]
    if kind == "awkward":
        return column[field]
    if kind == "pyarrow":
        import pyarrow as pa

        parts = [pa.ListArray.from_arrays(part.offsets, part.values.field(field)) for part in column.chunks]
        return pa.chunked_array(parts)
    import polars as pl

    return column.list.eval(pl.element().struct.field(field))
