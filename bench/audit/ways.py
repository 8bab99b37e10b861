"""Ten ways to turn a DataFrame into bytes and back, as each library's documentation shows them."""

import io
import pickle  # noqa: TID251 - one of the formats that are measured

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

import colonnade as cn


def into_bytes(write, **options):
    """Calls a writer of files with a buffer in memory."""
    sink = io.BytesIO()
    write(sink, **options)
    return sink.getvalue()


def ours(name, **options):
    """Colonnade's two calls."""
    return lambda df: cn.encode(df, name, **options), lambda data: cn.read(data, format=name).to_pandas()


def by_pyarrow(df):
    """Writes Parquet by pyarrow, through its Table."""
    return into_bytes(lambda sink: pq.write_table(pa.Table.from_pandas(df), sink, compression="zstd"))


def pandas_of(write, read, **options):
    """Two calls of pandas: a method of the frame, and a function."""
    return lambda df: into_bytes(getattr(df, write), **options), lambda data: read(io.BytesIO(data))


WAYS = {
    "colonnade npz none": ours("npz"),
    "colonnade arrow none": ours("arrow"),
    "colonnade parquet auto": ours("parquet"),
    "colonnade msgpack none": ours("msgpack"),
    "pickle pickle none": (lambda df: pickle.dumps(df, protocol=5), pickle.loads),
    "pyarrow parquet zstd": (by_pyarrow, lambda data: pq.read_table(pa.BufferReader(data)).to_pandas()),
    "pandas feather lz4": pandas_of("to_feather", pd.read_feather, compression="lz4"),
    "pandas feather zstd": pandas_of("to_feather", pd.read_feather, compression="zstd"),
    "pandas parquet snappy": pandas_of("to_parquet", pd.read_parquet),
    "colonnade csv none": ours("csv"),
}
