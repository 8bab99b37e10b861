"""`colonnade.serve` against a server that sends the same bytes from memory: one client, and a hundred."""

from __future__ import annotations

import contextlib
import http.client
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from colonnade_bench.scans.contest import Contest

CLIENTS = 100
ROWS = {"large": 2_500_000, "small": 50_000}
"""20 columns: 400 MB, and 8 MB."""
PATHS = {"file": "/{name}.arrow", "rows": "/{name}.arrow?format=arrows", "raw": "/raw/{name}"}
COMPARED = {"colonnade.serve file": ["raw bytes"], "colonnade.serve rows": ["raw bytes"]}


@contextlib.contextmanager
def contests(folder: Path) -> Iterator[list[Contest]]:
    """The contests, with both servers."""
    place = folder / "serve"
    (place / "raw").mkdir(parents=True, exist_ok=True)
    for name, nrows in ROWS.items():
        make(place, name, nrows)
    with server("ours", place) as ours, server("raw", place) as raw:
        ports = {"file": ours, "rows": ours, "raw": raw}
        notes = ["Raw bytes: an application of 10 lines in the same server, uvicorn, sends the file from memory."]
        stalled = [*notes, "One more client asks for rows, and reads none of them."]
        yield [
            Contest("One client gets 400 MB", __name__, {"ports": ports, "name": "large"}, COMPARED, notes=notes),
            Contest(
                "A hundred clients get 8 MB each",
                __name__,
                {"ports": ports, "name": "small", "clients": CLIENTS},
                COMPARED,
                notes=stalled,
            ),
        ]


def make(place: Path, name: str, nrows: int) -> None:
    import colonnade as cn

    if not (place / "raw" / name).exists():
        chance = np.random.default_rng(0)
        cn.write({f"c{i}": chance.random(nrows) for i in range(20)}, place / f"{name}.arrow")
        (place / "raw" / name).write_bytes((place / f"{name}.arrow").read_bytes())


@contextlib.contextmanager
def server(kind: str, place: Path) -> Iterator[int]:
    """Runs uvicorn with one of the applications. Yields its port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    app = f"colonnade_bench.scans._served:{kind}"
    command = [sys.executable, "-m", "uvicorn", app, "--factory", "--port", str(port), "--log-level", "error"]
    with subprocess.Popen(command, env={**os.environ, "BENCH_FOLDER": str(place)}) as process:
        try:
            for _ in range(200):
                with contextlib.suppress(OSError):
                    socket.create_connection(("127.0.0.1", port), 1).close()
                    break
                time.sleep(0.05)
            yield port
        finally:
            process.kill()


def client(kind: str) -> Callable[[Mapping[str, Any]], Any]:
    def prepare(arguments: Mapping[str, Any]) -> Any:
        port, path = arguments["ports"][kind], PATHS[kind].format(name=arguments["name"])
        clients = arguments.get("clients", 1)
        if clients == 1:
            return lambda: got(port, path), bool
        stalled = socket.create_connection(("127.0.0.1", port))
        slow = PATHS[kind].format(name="large")
        stalled.sendall(f"GET {slow} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())

        def call() -> bool:
            with ThreadPoolExecutor(clients) as pool:
                return stalled.fileno() > 0 and min(pool.map(lambda _: got(port, path), range(clients))) > 0

        return call, bool

    return prepare


def got(port: int, path: str) -> int:
    """Reads an answer, and returns its bytes."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path)
    answer = connection.getresponse()
    assert answer.status == 200, answer.read()
    room, total = bytearray(1 << 20), 0
    while count := answer.readinto(room):
        total += count
    connection.close()
    return total


CONTESTANTS = {
    "colonnade.serve file": client("file"),
    "colonnade.serve rows": client("rows"),
    "raw bytes": client("raw"),
}
