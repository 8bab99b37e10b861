"""A link in user space: a process between writer and reader that limits the rate and adds a delay.

It reads pieces from one socket. It computes when each would leave a line of that rate and arrive, and sends it at that
time. It bounds the bytes in flight to the capacity of such a line plus 50 ms, so that the writer is slowed down as by a
real line.
"""

from __future__ import annotations

import json
import queue
import socket
import sys
import threading
import time
from typing import Any

from colonnade_bench.panel.shaping import Shape

SPARE_S = 0.05


def main() -> int:
    """Takes commands like every end. ``to`` gives the reader's address, and the answer is the address to dial."""
    task = json.loads(sys.stdin.readline())
    shape = Shape(task["bps"], task["delay_s"])
    say(word="loaded")
    for line in sys.stdin:
        told = json.loads(line)
        if told["word"] == "exit":
            break
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        say(word="listening", address=listener.getsockname())
        threading.Thread(target=serve, args=(listener, tuple(told["to"]), shape), daemon=True).start()
    return 0


def say(**words: Any) -> None:
    sys.stdout.write(json.dumps(words) + "\n")
    sys.stdout.flush()


def serve(listener: socket.socket, to: tuple[str, int], shape: Shape) -> None:
    """Serves one connection in one direction."""
    with listener:
        inward = listener.accept()[0]
    onward = socket.create_connection(to)
    onward.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    most = max(2, int(shape.bps / 8 * (shape.delay_s + SPARE_S)) // shape.burst_nbytes)
    line: queue.Queue[tuple[float, bytes] | None] = queue.Queue(maxsize=most)
    threading.Thread(target=arrive, args=(line, onward), daemon=True).start()
    free = 0.0
    while some := inward.recv(shape.burst_nbytes):
        free = max(time.monotonic(), free) + len(some) * 8 / shape.bps
        line.put((free + shape.delay_s, some))
    line.put(None)
    inward.close()


def arrive(line: queue.Queue[tuple[float, bytes] | None], onward: socket.socket) -> None:
    """Sends each piece at its time."""
    while (item := line.get()) is not None:
        due, some = item
        if (wait := due - time.monotonic()) > 0:
            time.sleep(wait)
        onward.sendall(some)
    onward.close()


if __name__ == "__main__":
    sys.exit(main())
