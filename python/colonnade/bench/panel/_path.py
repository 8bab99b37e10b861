"""The winner's way, walked: encode, move, decode, one after another, in a process of its own.

To a folder: written and synced, read again when it has left the system's cache. To a host: sent to the one that serves
there, which says when the last byte has come; what it would take to decode there is what it takes here.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from colonnade.bench.engines import ENGINES
from colonnade.bench.libraries import LIBRARIES
from colonnade.bench.measure import settle, touch_all, trim_heap, warm_guest
from colonnade.bench.page_cache import set_cache
from colonnade.bench.panel import tables
from colonnade.bench.panel.link import write_all
from colonnade.bench.panel.peer import Peer
from colonnade.bench.spec import Cell

clock = time.perf_counter
Move = Callable[[Any], tuple[Any, float]]
"""Bytes to what arrives, and the seconds between."""


def to_folder(folder: str) -> Move:
    path = Path(folder) / f"colonnade-advise-{os.getpid()}.tmp"

    def move(payload: Any) -> tuple[Any, float]:
        try:
            start = clock()
            with open(path, "wb", 0) as file:
                write_all(file, payload)
                os.fsync(file.fileno())
            writing_s = clock() - start
            with contextlib.suppress(OSError):  # said of the link already
                set_cache(path, "cold")
            start = clock()
            arrived = path.read_bytes()
            return arrived, writing_s + clock() - start
        finally:
            path.unlink(missing_ok=True)

    return move


def to_peer(peer: Peer) -> Move:
    def move(payload: Any) -> tuple[Any, float]:
        view = memoryview(payload).cast("B")
        seconds = peer.echo(view, clock)
        return bytes(view), seconds - peer.ping(clock) / 2  # its answer does not count, only what it answers to

    return move


def walk(task: dict[str, Any], move: Move) -> dict[str, float]:
    """One repetition."""
    cell = Cell.from_json(task["cell"])
    engine, library = ENGINES[cell.engine], LIBRARIES["pandas"]
    frame = next(iter(task["tables"].values()))
    engine.forget()
    trim_heap()
    settle()
    warm_guest(int(library.nbytes(frame) * 2.5))
    start = clock()
    payload = engine.encode(frame, cell)
    encode_s = clock() - start
    arrived, move_s = move(payload)
    del payload
    start = clock()
    result = engine.decode(arrived, cell)
    touch_all(library.buffers(result))
    decode_s = clock() - start
    return {"encode_s": encode_s, "move_s": move_s, "decode_s": decode_s}


def main() -> int:
    channel = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    task = json.loads(sys.stdin.readline())
    kept = Path(task["tables"])
    peer = Peer(task["to"]) if task["peer"] else None
    move = to_folder(task["to"]) if peer is None else to_peer(peer)
    walk({**task, "tables": tables.load(tables.few(kept))}, move)
    whole = {**task, "tables": tables.load(kept)}
    for _ in range(task["repetitions"]):
        channel.write(json.dumps(walk(whole, move)) + "\n")
        channel.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
