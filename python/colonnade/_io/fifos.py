"""Opens the paths of a pair. Opening a FIFO for writing waits for a reader, at most until the time limit."""

import errno
import os
import stat
import time

_RETRY_S = 0.005


def open_pair(source: str | None, target: str | None, timeout_s: float | None) -> tuple[int | None, int | None]:
    """(descriptor to read, descriptor to write) of two paths, each of a FIFO, a device or a file.

    The reading end is opened first, without waiting, so that two programs with the same two FIFOs do not deadlock.

    Raises
    ------
    TimeoutError
        No program opened the FIFO for reading.
    OSError
        Errors of the operating system.
    """
    deadline = None if timeout_s is None else time.monotonic() + timeout_s
    receive = None if source is None else os.open(source, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        return receive, None if target is None else _writable(target, deadline)
    except BaseException:
        if receive is not None:
            os.close(receive)
        raise


def _writable(path: str, deadline: float | None) -> int:
    while True:
        try:
            # The flags apply to files. A FIFO ignores both.
            return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NONBLOCK | os.O_CLOEXEC, 0o666)
        except OSError as error:
            if error.errno != errno.ENXIO or not stat.S_ISFIFO(os.stat(path).st_mode):
                raise
        if deadline is not None and time.monotonic() >= deadline:
            raise TimeoutError(f"{path!r}: no process opened this FIFO for reading in the time allowed.")
        time.sleep(_RETRY_S)
