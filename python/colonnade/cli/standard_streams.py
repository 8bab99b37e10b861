"""Standard input, output and error that were closed when the process began (``>&-``)."""

import errno
import os
import sys

_NAMES = ("stdin", "stdout", "stderr")
_closed: set[int] = set()


def fill_standard() -> None:
    """Opens the null device for each closed stream. Otherwise an opened file would get its descriptor number."""
    for number, name in enumerate(_NAMES):
        if getattr(sys, name) is not None:
            continue
        _closed.add(number)
        # Open it in the wrong direction, so that writing to /dev/stdout fails instead of losing data silently.
        os.open(os.devnull, os.O_WRONLY if number == 0 else os.O_RDONLY)
        setattr(sys, name, open(os.devnull, "r" if number == 0 else "w"))  # noqa: SIM115


def standard(number: int) -> int:
    """The descriptor of a standard stream that is the source or the target."""
    if number in _closed:
        raise OSError(errno.EBADF, f"{_NAMES[number]} is closed")
    return int(getattr(sys, _NAMES[number]).fileno())
