"""Arrow and Parquet against pyarrow, DuckDB and the crate `parquet`."""

import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import colonnade as cn

from . import crates, sql_values, tables
from .outcomes import File, NotCompared, Peer, Refused

pa.set_cpu_count(1)
pa.set_io_thread_count(1)


def our_arrow(file: File) -> tables.Exported:
    """The frame of an Arrow file or stream; every other input of the fuzzer may end early."""
    frame = cn.decode(file.content, file.format, allow_truncated=bool(file.choice % 2), threads=1)
    return tables.exported(frame)


def pyarrows_arrow(file: File) -> pa.Table:
    """The table as pyarrow reads it."""
    source = pa.BufferReader(file.content)
    if file.format == "arrow":
        return tables.valid_or_refused(pa.ipc.open_file(source).read_all())
    reader = pa.ipc.open_stream(source)
    if not file.choice % 2:
        return tables.valid_or_refused(reader.read_all())
    batches = []
    try:
        batches.extend(iter(reader))
    except (pa.ArrowException, OSError) as error:
        raise NotCompared("a stream that ends early") from error
    return tables.valid_or_refused(pa.Table.from_batches(batches, reader.schema))


def our_parquet(file: File) -> tables.Exported:
    """The frame of a Parquet file."""
    return tables.exported(cn.decode(file.content, "parquet", threads=1))


def pyarrows_parquet(file: File) -> pa.Table:
    """The table as pyarrow reads it."""
    table = pq.ParquetFile(pa.BufferReader(file.content)).read(use_threads=False)
    return tables.valid_or_refused(table)


def duckdbs_parquet(file: File) -> pa.Table:
    """The table as DuckDB reads it."""
    import duckdb

    settings = {
        "threads": 1,
        "memory_limit": "1GB",
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
    }
    with tempfile.TemporaryDirectory() as folder, duckdb.connect(config=settings) as connection:
        path = Path(folder) / "x.parquet"
        path.write_bytes(file.content)
        found = connection.sql(f"select * from read_parquet('{path}', hive_partitioning = false)")
        if found is None:
            raise Refused("DuckDB: nothing")
        return found.to_arrow_table()


def crates_parquet(file: File) -> pa.Table:
    """The table as the crate reads it."""
    return tables.valid_or_refused(crates.parquet_table(file.content))


ARROW: dict[str, Peer] = {"pyarrow": Peer(our_arrow, pyarrows_arrow, tables.difference)}


def parquet_difference(ours: tables.Exported, theirs: pa.Table) -> str | None:
    """Where tables differ. A type that metadata claim is not the values' own, so it is said whether these are equal."""
    found = tables.difference(ours, theirs)
    if found is None or not found.startswith("type of column"):
        return found
    of_values = sql_values.difference(ours, theirs)
    return f"{found}; the values are equal" if of_values is None else f"{found}; {of_values}"


PARQUET: dict[str, Peer] = {
    "pyarrow": Peer(our_parquet, pyarrows_parquet, parquet_difference),
    "DuckDB": Peer(our_parquet, duckdbs_parquet, sql_values.difference),
    "parquet (Rust)": Peer(our_parquet, crates_parquet, parquet_difference),
}
