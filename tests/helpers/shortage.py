"""A process without free descriptors."""

import os
import resource
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress


@contextmanager
def no_descriptors() -> Iterator[Callable[[], None]]:
    """Every descriptor that this process may have is taken, until the function that this yields is called."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)

    def release() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    with ExitStack() as stack:
        stack.callback(release)
        limit = max(int(name) for name in os.listdir("/proc/self/fd")) + 1
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
        with suppress(OSError):
            while True:
                stack.callback(os.close, os.open(os.devnull, os.O_RDONLY))
        yield release
