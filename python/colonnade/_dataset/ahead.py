"""Reads the next parts of a dataset while the current one is used."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

T = TypeVar("T")
_PARTS_AT_ONCE = 4
"""Each has one frame that waits and one that is read."""
_STOP_S = 0.1


def read_ahead(parts: Sequence[Callable[[], Iterator[T]]]) -> Iterator[T]:
    """Yield what all parts yield, in order. Threads read the next parts meanwhile.

    An error of a part is raised in its turn. Closing the iterator ends the threads.
    """
    if len(parts) < 2:
        for part in parts:
            yield from part()
        return
    is_over = threading.Event()
    waiting: list[queue.Queue[Any]] = [queue.Queue(1) for _ in parts]
    following = iter(range(len(parts)))
    lock = threading.Lock()

    def read() -> None:
        while not is_over.is_set():
            with lock:
                i = next(following, None)
            if i is None:
                return
            try:
                for frame in parts[i]():
                    if not put(i, frame):
                        return
                put(i, None)
            except BaseException as error:
                put(i, error)

    def put(i: int, found: Any) -> bool:
        while not is_over.is_set():
            try:
                waiting[i].put(found, timeout=_STOP_S)
                return True
            except queue.Full:
                continue
        return False

    threads = _started(read, min(_PARTS_AT_ONCE, len(parts)))
    if not threads:
        for part in parts:
            yield from part()
        return
    try:
        for each in waiting:
            while (found := each.get()) is not None:
                if isinstance(found, BaseException):
                    raise found
                yield found
    finally:
        is_over.set()
        for thread in threads:
            thread.join()


def _started(work: Callable[[], None], most: int) -> list[threading.Thread]:
    """Threads that work, as many as the system starts."""
    threads: list[threading.Thread] = []
    for _ in range(most):
        thread = threading.Thread(target=work, name="colonnade-ahead", daemon=True)
        try:
            thread.start()
        except RuntimeError:
            break
        threads.append(thread)
    return threads
