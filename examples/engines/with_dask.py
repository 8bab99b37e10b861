"""Dask over a dataset in S3, by four processes, of which one is killed on the way."""

import os
import signal
import threading
import time

import pandas as pd
from dask.distributed import Client, LocalCluster
from flights import Store, main

import colonnade.dask


def ask(store: Store) -> pd.DataFrame:
    processes = {"n_workers": 4, "threads_per_worker": 1, "processes": True}
    with LocalCluster(**processes, dashboard_address=None) as cluster, Client(cluster) as client:
        frame = colonnade.dask.read(store.url, filters="month >= 6 and month <= 8", storage_options=store.options)
        threading.Thread(target=kill_one, args=(client,), daemon=True).start()
        found = frame.groupby("carrier")["arr_delay"].agg(["count", "mean"]).compute()
    return found.reset_index()


def kill_one(client: Client) -> None:
    """Kill the first worker when the work has begun. Dask starts another one, and does its tasks again."""
    time.sleep(0.5)
    os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)


if __name__ == "__main__":
    main("Dask", ask)
