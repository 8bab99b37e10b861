"""The three processes of a relay: ``sender`` -> ``relay`` -> ``receiver``, all over Unix sockets.

The sender writes the same piece many times into one message, so that no process holds the whole. The receiver reads it
batch by batch and adds up every byte. Commands and answers are JSON lines.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from colonnade_bench._parent import Parent
from colonnade_bench.datasets import DATASETS
from colonnade_bench.measure import settle, touch_all, trim_heap

MASK = (1 << 64) - 1


def blocks(frame: Any) -> list[Any]:
    """Returns only the values.

    Labels come once in each batch, and the receiver's batches may differ from the sender's.
    """
    return [block.values for block in frame._mgr.blocks]


class Role:
    """One of the three processes."""

    def __init__(self, parent: Parent, task: dict[str, Any]) -> None:
        self.say, self.task = parent.say, task

    def heard(self) -> dict[str, Any]:
        line = sys.stdin.readline()
        if not line:
            raise SystemExit(1)
        return json.loads(line)  # type: ignore[no-any-return]

    def listen(self) -> Any:
        """Reports an address for the previous process and accepts its connection."""
        import colonnade as cn

        listener = cn.listen(f"unix:{self.task['path']}")
        self.say(address=listener.url)
        connection = listener.accept(timeout_s=60)
        listener.close()
        return connection

    def sender(self) -> None:
        import colonnade as cn

        piece = DATASETS[self.task["dataset"]].load("pandas", 1.0, Path(self.task["cache"]))
        connection = cn.connect(self.task["to"])
        total = touch_all(blocks(piece))
        self.say(word="ready", nbytes=sum(block.nbytes for block in blocks(piece)))
        while count := self.heard()["count"]:
            # A rehearsal is one short piece: the same calls with little memory.
            frame = piece.iloc[:1000] if count < 0 else piece
            start = time.monotonic()
            with cn.open_writer(connection, format="arrows") as writer:
                for _ in range(abs(count)):
                    writer.write(frame)
            expected = touch_all(blocks(frame)) if count < 0 else total
            nrows = len(frame) * abs(count)
            self.say(seconds=time.monotonic() - start, sum=expected * abs(count) & MASK, nrows=nrows)

    def relay(self) -> None:
        import colonnade as cn

        onward = cn.connect(self.task["to"])
        inward = self.listen()
        self.say(word="ready")
        while self.heard()["count"]:
            settle()
            trim_heap()
            self.say(word="idle")
            self.heard()
            cn.convert(inward, onward)
            self.say(word="done")

    def receiver(self) -> None:
        import colonnade as cn

        connection = self.listen()
        self.say(word="ready")
        while self.heard()["count"]:
            total = nrows = nbatches = 0
            with cn.open_reader(connection) as reader:
                for batch in reader:
                    frame = batch.to_pandas()
                    total, nrows, nbatches = (total + touch_all(blocks(frame))) & MASK, nrows + len(frame), nbatches + 1
            self.say(sum=total, nrows=nrows, nbatches=nbatches)


def main() -> int:
    parent = Parent()
    task = parent.task()
    role = Role(parent, task)
    try:
        {"sender": role.sender, "relay": role.relay, "receiver": role.receiver}[task["role"]]()
    except Exception as error:  # the parent turns the error into a row
        return parent.failed(error)
    return 0


if __name__ == "__main__":
    sys.exit(main())
