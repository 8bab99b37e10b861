"""Blocking reads and writes on descriptors that may be non-blocking."""

import errno
import os
import select
import stat


def read_into(fd: int, view: memoryview) -> int:
    """Read the available bytes into the view, and wait for the first one; 0 at the end."""
    while True:
        try:
            count = os.readv(fd, [view])
        except BlockingIOError:
            _wait(fd, select.POLLIN)
            continue
        if count or not view.nbytes or not _may_begin(fd):
            return count
        _wait(fd, select.POLLIN)


def write_all(fd: int, data: memoryview) -> None:
    """Write all of `data`."""
    left = data
    while left.nbytes:
        try:
            left = left[os.write(fd, left) :]
        except BlockingIOError:
            _wait(fd, select.POLLOUT)


def status_of(fd: int) -> os.stat_result:
    """What the system says of a descriptor.

    Raises
    ------
    OSError
        The descriptor is not open.
    """
    try:
        return os.fstat(fd)
    except OverflowError:
        raise OSError(errno.EBADF, f"{os.strerror(errno.EBADF)}: no descriptor has the number {fd}") from None


def duplicate_descriptor(path: str) -> int | None:
    """The descriptor of this process that a path such as ``/dev/stdout`` or ``/dev/fd/3`` means."""
    for _ in range(40):
        try:
            target = os.readlink(path)
        except OSError:  # no link: an ordinary file
            return None
        folder, name = os.path.split(path)
        folder = os.path.realpath(folder or ".")
        if folder == f"/proc/{os.getpid()}/fd" and name.isdecimal():
            return int(name)
        path = os.path.join(folder, target)
    return None


def _may_begin(fd: int) -> bool:
    """Whether an empty FIFO has had no writer yet. Poll reports a hang-up after a writer has closed it."""
    if not stat.S_ISFIFO(os.fstat(fd).st_mode):
        return False
    flags = _wait(fd, select.POLLIN, 0)
    return not flags & select.POLLHUP or bool(flags & select.POLLIN)


def _wait(fd: int, for_what: int, most_ms: int | None = None) -> int:
    # `select.select` does not support descriptors from 1024 on.
    poller = select.poll()
    poller.register(fd, for_what)
    return sum(flags for _, flags in poller.poll(most_ms))
