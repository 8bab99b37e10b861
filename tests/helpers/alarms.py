"""Signals with a handler that arrive again and again while a test calls something."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def alarms(handler: Callable[[], object]) -> Iterator[None]:
    """Call `handler` every few milliseconds in the main thread. System calls that wait there are interrupted."""
    before = signal.signal(signal.SIGALRM, lambda *_: handler())
    signal.setitimer(signal.ITIMER_REAL, 0.003, 0.003)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
