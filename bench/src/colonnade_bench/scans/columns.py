"""Five columns of a hundred, of an object of 1 GB behind a delay of 20 ms."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from colonnade.cli.amounts import nbytes_text
from colonnade_bench.scans.contest import Contest
from colonnade_bench.scans.s3_server import KEY, serving

NCOLUMNS, NROWS = 100, 1_250_000
ASKED = [f"c{i}" for i in (7, 23, 41, 66, 90)]
DELAY_S = 0.02
COMPARED = {
    "colonnade parquet": ["pyarrow.dataset parquet", "polars scan_parquet"],
    "colonnade arrow": ["pyarrow.dataset ipc", "pyarrow.dataset parquet", "polars scan_parquet"],
    "colonnade npz": ["pyarrow.dataset parquet", "polars scan_parquet"],
}


def make(folder: Path) -> None:
    """Writes the objects once: Parquet and Arrow by pyarrow, NPZ by Colonnade."""
    import pyarrow.feather
    import pyarrow.parquet

    import colonnade as cn

    chance = np.random.default_rng(0)
    table = pa.table({f"c{i}": chance.random(NROWS) for i in range(NCOLUMNS)})
    pyarrow.parquet.write_table(table, folder / "wide.parquet")
    pyarrow.feather.write_feather(table, folder / "wide.arrow", compression="uncompressed", chunksize=131_072)
    cn.write(table, folder / "wide.npz")


@contextmanager
def contests(folder: Path) -> Iterator[list[Contest]]:
    """The contests, with the server that they need."""
    bucket = folder / "bucket"
    if not (bucket / "wide.npz").exists():
        bucket.mkdir(parents=True, exist_ok=True)
        make(bucket)
    with serving(folder, DELAY_S) as server:
        yield [
            Contest(
                "5 of 100 columns of an object of 1 GB, 20 ms a request",
                __name__,
                {"address": server.address, "columns": ASKED},
                COMPARED,
                server.moved_nbytes,
                [f"The five columns have {nbytes_text(len(ASKED) * NROWS * 8)}. The server is ours, on loopback."],
            )
        ]


def sums(columns: Mapping[str, Any]) -> dict[str, float]:
    """The answer: the sum of each column."""
    return {name: float(np.sum(values)) for name, values in columns.items()}


def of_arrow(table: Any) -> dict[str, float]:
    return sums({name: table[name].to_numpy() for name in table.column_names})


def of_polars(frame: Any) -> dict[str, float]:
    return sums({name: frame[name].to_numpy() for name in frame.columns})


def options(address: str) -> dict[str, str]:
    return {
        "endpoint": f"http://{address}",
        "access_key_id": KEY,
        "secret_access_key": KEY,
        "region": "us-east-1",
    }


def colonnade(suffix: str) -> Callable[[Mapping[str, Any]], Any]:
    def prepare(arguments: Mapping[str, Any]) -> Any:
        import colonnade as cn

        url, access = f"s3://bucket/wide.{suffix}", options(arguments["address"])
        columns = arguments["columns"]
        return lambda: cn.read(url, columns=columns, storage_options=access).to_arrow(), of_arrow

    return prepare


def pyarrow_dataset(suffix: str) -> Callable[[Mapping[str, Any]], Any]:
    def prepare(arguments: Mapping[str, Any]) -> Any:
        import pyarrow.dataset as ds
        from pyarrow.fs import S3FileSystem

        store = S3FileSystem(
            access_key=KEY, secret_key=KEY, region="us-east-1", endpoint_override=arguments["address"], scheme="http"
        )
        columns, format = arguments["columns"], "ipc" if suffix == "arrow" else suffix

        def call() -> Any:
            return ds.dataset(f"bucket/wide.{suffix}", filesystem=store, format=format).to_table(columns=columns)

        return call, of_arrow

    return prepare


def polars_parquet(arguments: Mapping[str, Any]) -> Any:
    import polars as pl

    access = {f"aws_{name}": value for name, value in options(arguments["address"]).items()}
    access |= {"aws_endpoint_url": access.pop("aws_endpoint"), "aws_allow_http": "true"}
    columns = arguments["columns"]
    return (
        lambda: pl.scan_parquet("s3://bucket/wide.parquet", storage_options=access).select(columns).collect(),
        of_polars,
    )


CONTESTANTS = {
    "colonnade parquet": colonnade("parquet"),
    "colonnade arrow": colonnade("arrow"),
    "colonnade npz": colonnade("npz"),
    "pyarrow.dataset parquet": pyarrow_dataset("parquet"),
    "pyarrow.dataset ipc": pyarrow_dataset("arrow"),
    "polars scan_parquet": polars_parquet,
}
