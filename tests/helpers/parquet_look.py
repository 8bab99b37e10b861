"""Parquet files in memory: written by others with all of their options, and read by others."""

from __future__ import annotations

import io
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from colonnade.testing import cases_pandas
from colonnade.testing._arrow_cells import cells, same_column

# How pyarrow may be asked to write a file, beside its defaults. The small ones cut a handful of rows.
PYARROW: dict[str, dict[str, Any]] = {
    "defaults": {},
    "none": {"compression": "none"},
    "gzip": {"compression": "gzip"},
    "brotli": {"compression": "brotli"},
    "lz4": {"compression": "lz4"},
    "zstd plain": {"compression": "zstd", "use_dictionary": False},
    "pages of version 2": {"data_page_version": "2.0"},
    "pages of version 2, plain, zstd": {"data_page_version": "2.0", "use_dictionary": False, "compression": "zstd"},
    "small groups and pages": {"row_group_size": 3, "data_page_size": 1, "write_batch_size": 2},
    "small pages of version 2": {"data_page_version": "2.0", "data_page_size": 1, "write_batch_size": 1},
    "dictionaries that overflow": {"dictionary_pagesize_limit": 1, "data_page_size": 1, "write_batch_size": 1},
    "without the Arrow schema": {"store_schema": False},
    "version 1.0": {"version": "1.0"},
    "version 2.4": {"version": "2.4"},
    "int96": {"use_deprecated_int96_timestamps": True},
    "milliseconds": {"coerce_timestamps": "ms", "allow_truncated_timestamps": True},
    "spark": {"flavor": "spark"},
    "old lists": {"use_compliant_nested_type": False},
    "no statistics": {"write_statistics": False},
    "page index and checksums": {"write_page_index": True, "write_page_checksum": True},
    "decimals as integers": {"store_decimal_as_integer": True},
}


def pyarrow_file(table: Any, **options: Any) -> bytes:
    """The table as pyarrow writes it."""
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, **options)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def pyarrow_table(content: bytes) -> Any:
    """The table as pyarrow reads it, names that stand twice too."""
    return pq.ParquetFile(pa.BufferReader(content)).read()


def pandas_frame(content: bytes, **options: Any) -> pd.DataFrame:
    """The frame as pandas reads it, by pyarrow."""
    return pd.read_parquet(io.BytesIO(content), engine="pyarrow", **options)


def frame_of_one_piece(content: bytes) -> pd.DataFrame:
    """The frame of pyarrow's table, its row groups joined first.

    pandas converts each row group by itself: within structs, integers are floats in a row group that holds a null, and
    integers in the next.
    """
    frame: pd.DataFrame = pq.read_table(io.BytesIO(content)).combine_chunks().to_pandas()
    return frame


def fastparquet_frame(path: Any) -> pd.DataFrame:
    """The frame as fastparquet reads it."""
    import fastparquet

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fastparquet.ParquetFile(str(path)).to_pandas()


def footer(content: bytes) -> Any:
    return pq.ParquetFile(pa.BufferReader(content)).metadata


def checked_table(content: bytes) -> Any:
    """The table as pyarrow reads it, every page's checksum compared."""
    table = pq.ParquetFile(pa.BufferReader(content), page_checksum_verification=True).read()
    table.validate(full=True)
    return table


def common(nrows: int) -> pd.DataFrame:
    """What every reader has a type for."""
    numbers = np.random.default_rng(7)
    holes = np.arange(nrows) % 7 == 3
    return pd.DataFrame(
        {
            "i1": (np.arange(nrows) % 100).astype("i1"),
            "i4": numbers.integers(-1000, 1000, nrows).astype("i4"),
            "i8": np.arange(nrows) * 3 + 10_000_000_000,
            "u4": numbers.integers(0, 1 << 32, nrows).astype("u4"),
            "f4": numbers.random(nrows).astype("f4"),
            "f8": np.where(holes, np.nan, numbers.random(nrows)),
            "b": numbers.random(nrows) < 0.3,
            "s": [f"word {i % 13}" for i in range(nrows)],
            "t": pd.Series([None if hole else f"text {i}" for i, hole in enumerate(holes)], dtype=object),
            "raw": pd.Series([bytes([i % 256]) * (i % 5) for i in range(nrows)], dtype=object),
            "day": pd.date_range("1990-01-01", periods=nrows, freq="h").as_unit("us"),
            "gap": pd.Series(pd.date_range("1990-01-01", periods=nrows, freq="h").as_unit("us")).mask(holes),
        }
    )


def plain_cells(frame: pd.DataFrame) -> dict[str, list[Any]]:
    """Cells as plain Python values, None for what is missing."""
    found = {}
    for name in frame.columns:
        column = frame[name].astype(object)
        found[name] = [bytes(x) if isinstance(x, bytearray) else x for x in column.where(frame[name].notna(), None)]
    return found


def assert_same(wanted: pd.DataFrame, found: pd.DataFrame) -> None:
    """To the bit, but for the NaN of two bytes."""
    if "float16" in {str(dtype) for dtype in wanted.dtypes}:  # pyarrow gives every NaN of two bytes the same bits
        pd.testing.assert_frame_equal(found, wanted, check_exact=True)
    else:
        cases_pandas.assert_identical(wanted, found)


def assert_same_table(wanted: Any, found: Any) -> None:
    """Types, metadata and cells to the bit, but for the name of a map's entries: pyarrow gives them the column's."""
    assert wanted.shape == found.shape
    assert wanted.schema.equals(found.schema), f"{wanted.schema}\n--- is not ---\n{found.schema}"
    assert wanted.schema.metadata == found.schema.metadata
    assert list(map(_own_metadata, wanted.schema)) == list(map(_own_metadata, found.schema))
    for position in range(wanted.num_columns):
        theirs, ours = wanted.column(position), found.column(position)
        assert same_column(theirs, ours), f"column {position}: {cells(theirs)[:20]} is not {cells(ours)[:20]}"


def _own_metadata(field: Any) -> dict[bytes, bytes]:
    """What says the extension type is in the type, too."""
    return {key: value for key, value in (field.metadata or {}).items() if not key.startswith(b"ARROW:extension:")}
