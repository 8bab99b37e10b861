"""Dask with two worker processes: 10 GB of Parquet read and summed, and frames sent from one worker to the other."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from colonnade_bench.scans.contest import Contest
from colonnade_bench.scans.timed import Timed

PARTS, NROWS, NCOLUMNS = 40, 1_562_500, 20
SHIPPED_NROWS, SHIPPED_NCOLUMNS = 1_000_000, 20


def make(folder: Path) -> None:
    """Writes 10 GB once, by pyarrow: 40 parts of 20 columns of float64."""
    import pyarrow as pa
    import pyarrow.parquet

    folder.mkdir(parents=True)
    for i in range(PARTS):
        chance = np.random.default_rng(i)
        table = pa.table({f"c{k}": chance.random(NROWS) for k in range(NCOLUMNS)})
        pyarrow.parquet.write_table(table, folder / f"part-{i:02}.parquet")


@contextmanager
def contests(folder: Path) -> Iterator[list[Contest]]:
    """The contests."""
    place = folder / "dask"
    if not (place / f"part-{PARTS - 1:02}.parquet").exists():
        make(place)
    two = "Two workers with one thread each."
    peers = {"colonnade.dask.read": ["dd.read_parquet", "dd.read_parquet pyarrow filesystem"]}
    yield [
        Contest("Sum of 10 GB of Parquet", __name__, {"folder": str(place)}, peers, notes=[two]),
        *(
            Contest(
                f"A frame of 1,000,000 x 20 from one worker to another: {kind}",
                __name__,
                {"kind": kind},
                {"shipped, registered": ["shipped, Dask's default"]},
                notes=[two],
            )
            for kind in ("numbers", "numbers and text")
        ),
    ]


def summed(read: Callable[[str], Any]) -> Callable[[Mapping[str, Any]], Any]:
    def prepare(arguments: Mapping[str, Any]) -> Any:
        client = cluster()

        def call() -> Any:
            with Peak(client) as peak:
                found = read(arguments["folder"]).sum().compute()
            return Timed(found, peak_nbytes=peak.nbytes)

        return call, lambda sums: {name: float(value) for name, value in sums.items()}

    return prepare


def cluster() -> Any:
    from distributed import Client, LocalCluster

    return Client(LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None))


class Peak:
    """Samples the memory of the workers."""

    def __init__(self, client: Any) -> None:
        self.nbytes = 0
        self._workers = [Path(f"/proc/{worker.pid}/statm") for worker in client.cluster.workers.values()]
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._sample)

    def __enter__(self) -> Peak:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _sample(self) -> None:
        while not self._is_over.is_set():
            total = sum(int(path.read_text().split()[1]) * 4096 for path in self._workers)
            self.nbytes = max(self.nbytes, total)
            time.sleep(0.02)


def by_colonnade(folder: str) -> Any:
    import colonnade.dask

    return colonnade.dask.read(folder)


def by_dask(**options: Any) -> Callable[[str], Any]:
    def read(folder: str) -> Any:
        import dask.dataframe as dd

        return dd.read_parquet(folder, **options)

    return read


def shipped(is_registered: bool) -> Callable[[Mapping[str, Any]], Any]:
    """A frame that one worker holds is counted by the other, which must fetch it."""

    def prepare(arguments: Mapping[str, Any]) -> Any:
        client = cluster()
        if is_registered:
            import colonnade.dask

            client.run(colonnade.dask.register)
        one, other = client.scheduler_info()["workers"]

        def call() -> Any:
            frame = client.submit(made, arguments["kind"], workers=[one], pure=False)
            client.submit(len, frame, workers=[one], pure=False).result()
            start = time.perf_counter()
            nrows = client.submit(len, frame, workers=[other], pure=False).result()
            return Timed(nrows, seconds=time.perf_counter() - start)

        return call, lambda nrows: nrows

    return prepare


def made(kind: str) -> Any:
    import pandas as pd

    chance = np.random.default_rng(0)
    texts = SHIPPED_NCOLUMNS // 2 if kind != "numbers" else 0
    columns: dict[str, Any] = {f"n{i}": chance.random(SHIPPED_NROWS) for i in range(SHIPPED_NCOLUMNS - texts)}
    words = np.array([f"word {i}" for i in range(100_000)], dtype=object)
    for i in range(texts):
        columns[f"t{i}"] = pd.array(chance.choice(words, SHIPPED_NROWS), dtype="str")
    return pd.DataFrame(columns)


CONTESTANTS = {
    "colonnade.dask.read": summed(by_colonnade),
    "dd.read_parquet": summed(by_dask()),
    "dd.read_parquet pyarrow filesystem": summed(by_dask(filesystem="arrow")),
    "shipped, registered": shipped(True),
    "shipped, Dask's default": shipped(False),
}
