"""The work of a program whose system calls fail: between two marks, with its end as an exit status."""

import contextlib
import os
import sys
from collections.abc import Callable
from typing import Any

import colonnade as cn


def marked(work: Callable[[], Any], described: Callable[[Any], str]) -> int:
    """Do the work. Prints what it gave and returns 0, or prints a typed error and returns 3."""
    mark()
    try:
        found = work()
    except (cn.ColonnadeError, OSError, MemoryError) as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 3
    finally:
        mark()
    print(described(found))
    return 0


def mark() -> None:
    """Leave a system call in the trace."""
    with contextlib.suppress(OSError):
        os.readlink("/colonnade-mark")
