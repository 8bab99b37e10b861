"""The compiled module that measures: `bench/native`."""

from collections.abc import Sequence

def touch(buffers: Sequence[object], threads: int = 1) -> int:
    """One pass over every byte of each array (any strides) or buffer: the benchmark's *usable*. Answers a checksum."""

def limit_memcpy(nbytes: int, repeat: int) -> list[float]:
    """Seconds of `repeat` copies of `nbytes` into warm memory, one thread."""

def limit_copy(
    source: object,
    threads: int,
    repeat: int,
    streaming: bool,
    columns: int = 1,
    piece: int = 0,
    by_column: bool = False,
    hot: bool = False,
) -> list[float]:
    """Seconds of `repeat` copies of a buffer into recycled huge-page memory; `streaming`: stores that bypass the cache.
    With `columns` and `piece` (bytes): gathered as a stream of record batches is laid out, chunks of `columns` pieces,
    each to its own column, without headers; `by_column`: column after column; `hot`: every chunk is the first one."""

def limit_fill(nbytes: int, threads: int) -> float:
    """Seconds to write every byte of a huge-page region once, in parallel."""

def limit_pread(path: str, threads: int, fresh: bool) -> float:
    """Seconds to read the whole file into a huge-page region by a bare parallel pread."""

def limit_write(path: str, nbytes: int, reserve: bool, replace: bool) -> float:
    """Seconds of a bare write of `nbytes` from warm memory (in 1 MiB calls), with fallocate where `reserve`, onto a
    fresh name or (replace) a temporary file renamed over `path`."""

def release() -> None:
    """Give the memory that the limits keep back to the system."""
