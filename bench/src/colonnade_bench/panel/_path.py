"""Measures the whole way of the winner: encode, move, decode, one after another, in a separate process.

To a folder it writes and syncs a file, and reads it after it has left the page cache. To a host it sends the data to
`colonnade bench serve`, which decodes it and reports the seconds. If that host lacks the engine, or refuses formats
that might run code, it only receives the bytes, and this process decodes.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from colonnade_bench._parent import Parent
from colonnade_bench.cell import Cell
from colonnade_bench.engines import ENGINES
from colonnade_bench.libraries import LIBRARIES
from colonnade_bench.measure import prepare, touch_all
from colonnade_bench.page_cache import set_cache
from colonnade_bench.panel import tables
from colonnade_bench.panel.measure_link import write_all
from colonnade_bench.panel.peer import Peer, Refused

clock = time.perf_counter
Frame = Any
Parts = dict[str, float]
Move = Callable[[Any], tuple[Any, float, float | None]]
"""Moves a payload.

Returns the received bytes, the seconds to move, and the seconds of decoding if the other host decoded.
"""


def to_folder(folder: str) -> Move:
    path = Path(folder) / f"colonnade-advise-{os.getpid()}.tmp"

    def move(payload: Any) -> tuple[Any, float, float | None]:
        try:
            start = clock()
            with open(path, "wb", 0) as file:
                write_all(file, payload)
                os.fsync(file.fileno())
            writing_s = clock() - start
            with contextlib.suppress(OSError):  # the measurement of the link has reported this already
                set_cache(path, "cold")
            start = clock()
            arrived = path.read_bytes()
            return arrived, writing_s + clock() - start, None
        finally:
            path.unlink(missing_ok=True)

    return move


def to_peer(peer: Peer, cell: dict[str, Any]) -> Move:
    def move(payload: Any) -> tuple[Any, float, float | None]:
        view = memoryview(payload).cast("B")
        back_s = peer.ping(clock) / 2  # the way back of the answer does not count
        try:
            seconds, decode_s = peer.decode(view, cell, clock)
        except Refused:
            return bytes(view), max(0.0, peer.echo(view, clock) - back_s), None
        return view, max(0.0, seconds - decode_s - back_s), decode_s

    return move


def walk(frame: Frame, cell: Cell, move: Move) -> Parts:
    """Runs one repetition."""
    engine, library = ENGINES[cell.engine], LIBRARIES["pandas"]
    prepare(library.nbytes(frame), engine)
    start = clock()
    payload = engine.encode(frame, cell)
    encode_s = clock() - start
    arrived, move_s, decode_s = move(payload)
    del payload
    if decode_s is None:
        start = clock()
        touch_all(library.buffers(engine.decode(arrived, cell)))
        decode_s = clock() - start
    return {"encode_s": encode_s, "move_s": move_s, "decode_s": decode_s}


def main() -> int:
    parent = Parent()
    task = parent.task()
    cell, kept = Cell.from_json(task["cell"]), Path(task["tables"])
    peer = Peer(task["to"], **task["options"]) if task["peer"] else None
    move = to_folder(task["to"]) if peer is None else to_peer(peer, task["cell"])
    few, whole = (next(iter(tables.load(path).values())) for path in (tables.few(kept), kept))
    walk(few, cell, move)
    for _ in range(task["repetitions"]):
        parent.say(**walk(whole, cell, move))
    return 0


if __name__ == "__main__":
    sys.exit(main())
