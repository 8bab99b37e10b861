"""Puts a file into the page cache, or removes all of it and verifies that it has gone."""

from __future__ import annotations

import ctypes
import mmap
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np

CACHES = ("warm", "cold")
PIECE = 1 << 20


def set_cache(path: Path, state: str) -> None:
    """Puts every file of `path` into the page cache (*warm*), or removes it (*cold*).

    Raises
    ------
    OSError
        Some pages stay in the cache, so the read would not be cold.
    """
    for file in files(path):
        with open(file, "rb", buffering=0) as opened:
            if state == "warm":
                place = bytearray(PIECE)
                while opened.readinto(place):
                    pass
            else:
                os.fsync(opened.fileno())
                os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
                if kept := resident(opened.fileno()):
                    raise OSError(f"bench: {kept:,} pages of {file} stay in the page cache")


def resident(descriptor: int) -> int:
    """Returns the number of pages of a file that are in the page cache."""
    nbytes = os.fstat(descriptor).st_size
    if not nbytes:
        return 0
    pages = -(-nbytes // mmap.PAGESIZE)
    seen = bytearray(pages)
    # a private map is writable, so ctypes can take its address
    region = mmap.mmap(descriptor, nbytes, flags=mmap.MAP_PRIVATE)
    try:
        held = (ctypes.c_char * nbytes).from_buffer(region)
        place = (ctypes.c_ubyte * pages).from_buffer(seen)
        mincore = ctypes.CDLL(None, use_errno=True).mincore
        status = mincore(ctypes.c_void_p(ctypes.addressof(held)), ctypes.c_size_t(nbytes), place)
        del held, place
    finally:
        region.close()
    if status:
        raise OSError(ctypes.get_errno(), "mincore")
    return int(np.count_nonzero(np.frombuffer(seen, np.uint8) & 1))


def files(path: Path) -> Iterator[Path]:
    """Yields the file, or the files below the directory."""
    yield from (file for file in sorted(path.rglob("*")) if file.is_file()) if path.is_dir() else [path]
