"""An object of a store as a target: uploaded in parts while it is written, and visible only when it is complete."""

from __future__ import annotations

import errno
import queue
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

from .store_objects import PART_NBYTES, StoreObject

_WAITING_PARTS = 4


class _Abandoned(Exception):
    """Ends an upload whose object must not appear."""


@dataclass
class StoreTarget:
    """An object of a store. `commit` makes it visible; `discard` leaves the old one."""

    object: StoreObject
    _parts: queue.Queue[bytes | BaseException | None] = field(
        default_factory=lambda: queue.Queue(_WAITING_PARTS), init=False, repr=False
    )
    _collected: bytearray = field(default_factory=bytearray, init=False, repr=False)
    _thread: threading.Thread | None = field(default=None, init=False, repr=False)
    _error: BaseException | None = field(default=None, init=False, repr=False)
    _is_settled: bool = field(default=False, init=False)

    @property
    def name(self) -> str:
        """The URL for messages and for the suffix."""
        return self.object.name

    def send(self, data: memoryview) -> None:
        """Add bytes to the upload. They are copied, because the writer uses its memory again."""
        while data:
            room = PART_NBYTES - len(self._collected)
            self._collected += data[:room]
            data = data[room:]
            if len(self._collected) == PART_NBYTES:
                part = bytes(self._collected)
                self._collected.clear()
                self._hand_over(part)

    def commit(self) -> None:
        """Send the last part and wait until the object is there."""
        if self._thread is None:
            self._is_settled = True
            self.object.put_whole(bytes(self._collected))
            return
        self._hand_over(bytes(self._collected))
        self._end(None)
        if self._error is not None:
            raise self._error

    def discard(self) -> None:
        """End the upload. The old object stays, and the store drops the parts."""
        if not self._is_settled and self._thread is not None:
            self._end(_Abandoned())

    def _hand_over(self, part: bytes) -> None:
        if self._thread is None:
            # A daemon: an interrupted program does not wait for an upload that no call completes.
            thread = threading.Thread(target=self._upload, name="colonnade-upload", daemon=True)
            try:
                thread.start()
            except RuntimeError:
                self._is_settled = True
                why = "An object of more than 8 MiB is uploaded by a thread, and the system allows no more threads"
                raise OSError(errno.EAGAIN, f"{why}. Raise their limit (ulimit -u)", self.name) from None
            self._thread = thread
        self._put(part)

    def _put(self, item: bytes | BaseException | None) -> None:
        while True:
            if self._error is not None and not isinstance(self._error, _Abandoned):
                self._is_settled = True
                raise self._error
            try:
                # Signals are noticed between two waits.
                self._parts.put(item, timeout=0.1)
                return
            except queue.Full:
                continue

    def _end(self, last: BaseException | None) -> None:
        self._put(last)
        self._is_settled = True
        assert self._thread is not None
        while self._thread.is_alive():
            self._thread.join(0.1)

    def _upload(self) -> None:
        try:
            self.object.put(self._received())
        except BaseException as error:
            self._error = error

    def _received(self) -> Iterator[bytes]:
        while (part := self._parts.get()) is not None:
            if isinstance(part, BaseException):
                raise part
            yield part
