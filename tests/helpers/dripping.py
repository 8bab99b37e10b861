"""A stream whose bytes come a few at a time."""

import io
from typing import Any


class Dripping(io.RawIOBase):
    """Gives at most `size` bytes a read."""

    def __init__(self, data: bytes, size: int) -> None:
        self._data, self._size = io.BytesIO(data), size

    def readable(self) -> bool:
        return True

    def readinto(self, view: Any) -> int:
        part = self._data.read(min(self._size, len(view)))
        view[: len(part)] = part
        return len(part)
