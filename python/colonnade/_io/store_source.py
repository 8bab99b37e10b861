"""An object of a store as a source: the required ranges are fetched, several at once."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

from .. import _core
from .detection import MAGIC_NBYTES
from .json_detection import json_or_lines
from .store_objects import FIRST_NBYTES, StoreObject, Version

_PIECE_NBYTES = 8 << 20
_IN_FLIGHT_NBYTES = 64 << 20
"""The most bytes that are requested and that the reader has not taken."""
_IN_FLIGHT = 32
"""The most requests at once. The headers of an NPZ file's arrays are as many small ranges."""
_THREAD_NBYTES = 1 << 20
"""One request for fewer bytes needs no thread. The core waits for so few before it goes on."""
_TICK_S = 0.05


@dataclass
class StoreSource:
    """An object of a store. The first access sends the first request."""

    object: StoreObject
    _file: _core.StoreFile | None = field(default=None, init=False)
    _head: Any = field(default=b"", init=False, repr=False)

    is_stream = False

    @property
    def name(self) -> str:
        """The URL for messages and for the suffix."""
        return self.object.name

    def head(self) -> bytes:
        """The first bytes. This takes one request, which fetches all of a small object."""
        self._opened()
        return bytes(memoryview(self._head)[:MAGIC_NBYTES])

    def json_or_lines(self) -> str:
        """``"json"`` or ``"ndjson"``; empty if the bytes are neither."""
        file = self._opened()
        head = bytes(memoryview(self._head)[:FIRST_NBYTES])
        found = json_or_lines(head, len(head) == file.nbytes)
        return "json" if found is None else found

    def open(self, opener: Any, mmap: bool | None, **options: Any) -> Any:
        """Open the source with `opener`, a class of the core."""
        return opener.open_store(self._opened(), **options)

    def read_batches(self, opener: Any, **options: Any) -> Any:
        """The reader of `opener` that holds one batch at a time."""
        return opener.open_store(self._opened(), **options)

    def release(self) -> None:
        """Do nothing: requests end by themselves."""

    def _opened(self) -> _core.StoreFile:
        if self._file is None:
            version, self._head = self.object.first()
            ranges = RangeFetcher(self.object, version)
            self._file = _core.StoreFile(self.name, version.nbytes, self._head, ranges, ranges.read_into)
        return self._file


@dataclass(frozen=True)
class RangeFetcher:
    """Fetches ranges of one version of an object. The core calls it."""

    object: StoreObject
    version: Version

    def __call__(self, ranges: Iterable[tuple[int, int]]) -> Iterator[tuple[int, Any] | None]:
        """Yield ``(offset, bytes)`` of each piece of the ranges, in their order, and None while it waits."""
        pieces = _pieces(ranges)
        first = list(islice(pieces, 2))
        if len(first) == 1 and first[0][1] - first[0][0] < _THREAD_NBYTES:
            yield first[0][0], self.object.get(*first[0], self.version)
            return
        pieces = chain(first, pieces)
        # Imported here: it takes as long as a third of the package.
        from concurrent.futures import Future, ThreadPoolExecutor, wait

        pool = ThreadPoolExecutor(_IN_FLIGHT, thread_name_prefix="colonnade-store")
        waiting: deque[tuple[int, int, Future[Any]]] = deque()
        nbytes = 0
        try:
            while True:
                while len(waiting) < _IN_FLIGHT and nbytes < _IN_FLIGHT_NBYTES:
                    piece = next(pieces, None)
                    if piece is None:
                        break
                    start, end = piece
                    waiting.append((start, end - start, pool.submit(self.object.get, start, end, self.version)))
                    nbytes += end - start
                if not waiting:
                    return
                offset, length, future = waiting.popleft()
                while not wait([future], _TICK_S).done:
                    yield None
                yield offset, future.result()
                nbytes -= length
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def read_into(self) -> Callable[[Any], int]:
        """A function that fills a buffer with the next bytes of the whole object, and returns their number."""
        found = self([(0, self.version.nbytes)] if self.version.nbytes else [])
        chunks = (piece for piece in found if piece is not None)
        left = memoryview(b"")

        def read(room: Any) -> int:
            nonlocal left
            if not left:
                left = memoryview(next(chunks, (0, b""))[1])
            with memoryview(room) as target:
                count = min(len(target), len(left))
                target[:count] = left[:count]
            left = left[count:]
            return count

        return read


def _pieces(ranges: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    for start, end in ranges:
        for at in range(start, end, _PIECE_NBYTES):
            yield at, min(at + _PIECE_NBYTES, end)
