"""Feeds messages from memory to a connection in pieces of a given size, to measure the cost of the pieces.

Neither the kernel nor Python takes part. The source is part of the core and holds the whole message, so nothing waits.
"""

from __future__ import annotations

import gc
import random
import sys
from functools import partial
from pathlib import Path
from typing import Any

from colonnade_bench._parent import Parent
from colonnade_bench.cell import Cell
from colonnade_bench.channels.pieces import bytes_message, frame_message
from colonnade_bench.datasets import DATASETS
from colonnade_bench.libraries import LIBRARIES
from colonnade_bench.measure import Timing, settle, timed, touch_all, warm_guest


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

    def once(cell: Cell) -> tuple[Any, Timing]:
        settle()
        warm_guest(2 * nbytes)
        message = messages[cell.format]
        source = connection(message, cell.option.get("piece"))
        return timed(lambda: to_pandas(source) if cell.format == "frame-message" else source.receive())

    try:
        for cell in cells:
            result, _ = once(cell)
            if cell.format == "frame-message":
                difference = library.difference(result, frame)
            else:
                difference = None if result == messages[cell.format][16:] else "the bytes differ"
            record = {"kind": "check", "cell": cell.to_json(), "ok": True, "difference": difference}
            parent.say(**record, frame_nbytes=nbytes, wire_nbytes=len(messages[cell.format]))
        del result
        for number in range(task["rounds"]):
            order.shuffle(cells)
            for position, cell in enumerate(cells):
                for recorded in (False, True):  # the second call counts, because pools are warm
                    result, timing = once(cell)
                    is_frame = cell.format == "frame-message"
                    _, touching = timed(partial(touch_all, library.buffers(result) if is_frame else [result]))
                    del result
                    gc.collect()
                    if recorded:
                        record = {"kind": "time", "cell": cell.to_json(), "operation": "channel", "state": "repeat"}
                        record.update(round=number, position=position, count=1, message_s=timing.elapsed_s)
                        record.update(open_s=timing.elapsed_s, usable_s=timing.elapsed_s + touching.elapsed_s)
                        record.update(user_s=timing.user_s, system_s=timing.system_s)
                        parent.say(**record)
    except Exception as error:
        return parent.failed(error, kind="error")
    return 0


if __name__ == "__main__":
    sys.exit(main())
