"""The contract of transports whose bytes are all there from the start: memory, files, descriptors of files, objects."""

import gzip
import io
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

import colonnade as cn
from colonnade.testing.transports import Collected, TransportTests


class Later(Collected):
    """Bytes that are looked up once they are asked for."""

    def __init__(self, look: Callable[[], Any]) -> None:
        self._look = look

    def result(self) -> bytes:
        return bytes(self._look())


class InFolder(TransportTests):
    """What needs a folder."""

    folder: Path

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self.folder = tmp_path

    def filled(self, data: bytes) -> Path:
        path = self.folder / "messages"
        path.write_bytes(data)
        return path


class TestMemory(TransportTests):
    def receiver(self, data: bytes) -> AbstractContextManager[cn.Connection]:
        return cn.connect((data, None))

    @contextmanager
    def sender(self) -> Iterator[tuple[cn.Connection, Collected]]:
        sink = cn.BufferSink()
        with cn.connect((None, sink)) as connection:
            yield connection, Later(lambda: sink)


class TestFile(InFolder):
    def receiver(self, data: bytes) -> AbstractContextManager[cn.Connection]:
        return cn.connect((self.filled(data), None))

    @contextmanager
    def sender(self) -> Iterator[tuple[cn.Connection, Collected]]:
        path = self.folder / "target"
        with cn.connect((None, path)) as connection:
            yield connection, Later(path.read_bytes)


class TestDescriptorOfFile(InFolder):
    @contextmanager
    def receiver(self, data: bytes) -> Iterator[cn.Connection]:
        with open(self.filled(data), "rb", buffering=0) as file, cn.connect((file.fileno(), None)) as connection:
            yield connection

    @contextmanager
    def sender(self) -> Iterator[tuple[cn.Connection, Collected]]:
        path = self.folder / "target"
        with open(path, "wb", buffering=0) as file, cn.connect((None, file.fileno())) as connection:
            yield connection, Later(path.read_bytes)

    def test_the_descriptor_stays_the_callers(self) -> None:
        with open(self.filled(b""), "rb", buffering=0) as file:
            with cn.connect((file.fileno(), None)):
                pass
            assert os.fstat(file.fileno()).st_size == 0


class TestLoneDescriptor(InFolder):
    """Which way it carries is what it was opened for."""

    @contextmanager
    def receiver(self, data: bytes) -> Iterator[cn.Connection]:
        with open(self.filled(data), "rb", buffering=0) as file, cn.connect(file.fileno()) as connection:
            yield connection

    @contextmanager
    def sender(self) -> Iterator[tuple[cn.Connection, Collected]]:
        path = self.folder / "target"
        with open(path, "wb", buffering=0) as file, cn.connect(file.fileno()) as connection:
            yield connection, Later(path.read_bytes)


class TestOpenedFile(InFolder):
    """A file object of Python's own, with its buffer."""

    has_timeouts = False

    @contextmanager
    def receiver(self, data: bytes) -> Iterator[cn.Connection]:
        with open(self.filled(data), "rb") as file, cn.connect(file) as connection:
            yield connection

    @contextmanager
    def sender(self) -> Iterator[tuple[cn.Connection, Collected]]:
        path = self.folder / "target"
        with open(path, "wb") as file, cn.connect(file) as connection:
            yield connection, Later(path.read_bytes)


class TestBytesIO(TransportTests):
    has_timeouts = False

    def receiver(self, data: bytes) -> AbstractContextManager[cn.Connection]:
        return cn.connect((io.BytesIO(data), None))

    @contextmanager
    def sender(self) -> Iterator[tuple[cn.Connection, Collected]]:
        file = io.BytesIO()
        with cn.connect((None, file)) as connection:
            yield connection, Later(file.getvalue)


class TestGzip(InFolder):
    """A file object that is none of the system's: its bytes are made as they are read."""

    has_timeouts = False

    @contextmanager
    def receiver(self, data: bytes) -> Iterator[cn.Connection]:
        path = self.folder / "messages.gz"
        path.write_bytes(gzip.compress(data, 1))
        with gzip.open(path) as file, cn.connect((file, None)) as connection:
            yield connection

    @contextmanager
    def sender(self) -> Iterator[tuple[cn.Connection, Collected]]:
        path = self.folder / "target.gz"
        file = gzip.open(path, "wb", 1)  # noqa: SIM115

        def look() -> bytes:
            file.close()
            return gzip.decompress(path.read_bytes())

        with cn.connect((None, file)) as connection:
            yield connection, Later(look)


class Grudging(io.RawIOBase):
    """Gives and takes a few bytes a call: what a file object is allowed to do."""

    def __init__(self, data: bytes | None) -> None:
        self._data = None if data is None else memoryview(data)
        self.taken = bytearray()
        self._turn = 0

    def readable(self) -> bool:
        return self._data is not None

    def writable(self) -> bool:
        return self._data is None

    def _some(self) -> int:
        self._turn += 1
        return (1, 70_001, 3, 7, 300_000, 64)[self._turn % 6]

    def readinto(self, view: Any) -> int:
        assert self._data is not None
        nbytes = min(len(view), self._some(), len(self._data))
        view[:nbytes] = self._data[:nbytes]
        self._data = self._data[nbytes:]
        return nbytes

    def write(self, data: Any) -> int:
        piece = bytes(data)[: self._some()]
        self.taken += piece
        return len(piece)


class TestGrudgingObject(TransportTests):
    has_timeouts = False

    def receiver(self, data: bytes) -> AbstractContextManager[cn.Connection]:
        return cn.connect((Grudging(data), None))

    @contextmanager
    def sender(self) -> Iterator[tuple[cn.Connection, Collected]]:
        file = Grudging(None)
        with cn.connect((None, file)) as connection:
            yield connection, Later(lambda: file.taken)
