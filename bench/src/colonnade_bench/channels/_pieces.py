"""Feeds messages from memory to a connection in pieces of a given size, to measure the cost of the pieces.

Neither the kernel nor Python takes part. The source is part of the core and holds the whole message, so nothing waits.
"""

from __future__ import annotations

import gc
import random
import sys
import time
from pathlib import Path
from typing import Any

from colonnade_bench._parent import Parent
from colonnade_bench.cell import Cell
from colonnade_bench.channels.pieces import bytes_message, frame_message
from colonnade_bench.datasets import DATASETS
from colonnade_bench.libraries import LIBRARIES
from colonnade_bench.measure import settle, touch_all, warm_guest


def connection(message: bytes, piece: int | None) -> Any:
    """Returns a connection whose peer is the message, in pieces."""
    from colonnade._core import Connection, ConnectOptions, Limits

    return Connection.over_buffer(message, "memory", ConnectOptions(limits=Limits()), piece)


def to_pandas(core: Any) -> Any:
    """Returns the next frame as a DataFrame, through the public class."""
    import colonnade as cn

    return cn.read_pandas(cn.Connection(core, 2))


def main() -> int:
    parent = Parent()
    task = parent.task()
    cells = [Cell.from_json(item) for item in task["cells"]]
    order, library = random.Random(task["seed"]), LIBRARIES["pandas"]
    frame = DATASETS[cells[0].dataset].load("pandas", cells[0].size, Path(task["cache"]))
    nbytes = library.nbytes(frame)
    messages = {"frame-message": frame_message(frame), "bytes-message": bytes_message(nbytes)}

    def once(cell: Cell) -> tuple[Any, float]:
        settle()
        warm_guest(2 * nbytes)
        message = messages[cell.format]
        source = connection(message, cell.option.get("piece"))
        start = time.monotonic()
        result = to_pandas(source) if cell.format == "frame-message" else source.receive()
        return result, time.monotonic() - start

    try:
        for cell in cells:
            result, _ = once(cell)
            if cell.format == "frame-message":
                difference = library.difference(result, frame)
            else:
                difference = None if result == messages[cell.format][16:] else "the bytes differ"
            record = {"kind": "check", "cell": cell.to_json(), "ok": True, "difference": difference}
            parent.say(**record, frame_nbytes=nbytes)
        del result
        for number in range(task["rounds"]):
            order.shuffle(cells)
            for position, cell in enumerate(cells):
                for recorded in (False, True):  # the second call counts, because pools are warm
                    result, seconds = once(cell)
                    is_frame = cell.format == "frame-message"
                    start = time.monotonic()
                    touch_all(library.buffers(result) if is_frame else [result])
                    usable = seconds + time.monotonic() - start
                    del result
                    gc.collect()
                    if recorded:
                        record = {"kind": "time", "cell": cell.to_json(), "operation": "channel", "state": "repeat"}
                        record.update(round=number, position=position, open_s=seconds, usable_s=usable)
                        parent.say(**record)
    except Exception as error:
        return parent.failed(error, kind="error")
    return 0


if __name__ == "__main__":
    sys.exit(main())
