"""The kinds of `source` and `target`: each source gives the same frame, each target gets the same bytes."""

import gzip
import io
import os
import socket
import stat
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import colonnade as cn
from tests.helpers.each import each
from tests.helpers.pipes import piped

DATA = {"a": np.arange(5), "b": np.linspace(0, 1, 5)}


@pytest.fixture(scope="module")
def encoded() -> bytes:
    return cn.encode(DATA, "npz")


@pytest.fixture
def path(tmp_path: Path, encoded: bytes) -> Path:
    made = tmp_path / "data.npz"
    made.write_bytes(encoded)
    return made


def is_data(frame: cn.Frame) -> bool:
    return frame.equals(DATA)


# ---------------------------------------------------------------------------- sources


@pytest.mark.parametrize("kind", [str, Path, os.fsencode], ids=["str", "Path", "PathLike of bytes"])
def test_path(path: Path, kind: Callable[[Any], Any]) -> None:
    class BytesPath:
        def __fspath__(self) -> bytes:
            return os.fsencode(path)

    source = BytesPath() if kind is os.fsencode else kind(path)
    assert is_data(cn.read(source))
    cn.write({"a": DATA["a"]}, source)
    assert cn.read(source).shape == (5, 1)


def test_path_that_is_no_unicode(tmp_path: Path) -> None:
    path = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.npz")
    cn.write(DATA, path)
    assert is_data(cn.read(path))


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, lambda data: np.frombuffer(data, np.uint8)])
def test_bytes_like(encoded: bytes, kind: Callable[[bytes], Any]) -> None:
    assert is_data(cn.read(kind(encoded)))
    assert is_data(cn.decode(kind(encoded)))


def test_sink_is_target_and_source(encoded: bytes) -> None:
    sink = cn.BufferSink()
    cn.write(DATA, sink, format="npz")
    assert bytes(memoryview(sink)) == encoded
    assert sink.nbytes == len(encoded)
    assert is_data(cn.read(sink))


def test_sink_takes_npy() -> None:
    sink = cn.BufferSink()
    cn.write(np.eye(3), sink, format="npy")
    np.testing.assert_array_equal(np.load(io.BytesIO(bytes(memoryview(sink)))), np.eye(3))


@pytest.mark.parametrize("buffering", [0, -1], ids=["raw", "buffered"])
def test_file_object(path: Path, buffering: int) -> None:
    with open(path, "rb", buffering=buffering) as file:
        frame = cn.read(file)
    assert is_data(frame)  # also after the file object is closed


def test_file_object_from_where_it_stands(tmp_path: Path, encoded: bytes) -> None:
    path = tmp_path / "later.bin"
    path.write_bytes(b"x" * 100 + encoded)
    with open(path, "rb") as file:
        file.seek(100)
        assert is_data(cn.read(file))


def test_descriptor_from_where_it_stands(tmp_path: Path, encoded: bytes) -> None:
    path = tmp_path / "later.bin"
    path.write_bytes(b"x" * 100 + encoded)
    with open(path, "rb", buffering=0) as file:
        file.seek(100)
        assert is_data(cn.read(file.fileno()))


def test_file_object_in_memory(encoded: bytes) -> None:
    assert is_data(cn.read(io.BytesIO(encoded)))


def test_gzip_has_a_descriptor_of_other_bytes(tmp_path: Path, encoded: bytes) -> None:
    path = tmp_path / "data.npz.gz"
    with gzip.open(path, "wb") as file:
        cn.write(DATA, file, format="npz")
    assert gzip.decompress(path.read_bytes()) == encoded
    with gzip.open(path, "rb") as file:
        assert is_data(cn.read(file))


@pytest.mark.parametrize("make", [tempfile.TemporaryFile, tempfile.NamedTemporaryFile, tempfile.SpooledTemporaryFile])
def test_temporary_files(make: Callable[[], Any], encoded: bytes) -> None:
    with make() as file:
        cn.write(DATA, file, format="npz")
        file.seek(0)
        assert file.read() == encoded
        file.seek(0)
        assert is_data(cn.read(file))


def test_regular_descriptor(path: Path) -> None:
    with open(path, "rb") as file:
        frame = cn.read(file.fileno())
    assert is_data(frame)


def test_unlinked_file(path: Path) -> None:
    with open(path, "rb") as file:
        path.unlink()
        assert is_data(cn.read(file))


def test_pipe(encoded: bytes) -> None:
    fd = piped(encoded)
    try:
        assert is_data(cn.read(fd))
    finally:
        os.close(fd)


@pytest.mark.parametrize("buffering", [0, -1], ids=["raw", "buffered"])
def test_pipe_as_file_object(encoded: bytes, buffering: int) -> None:
    with open(piped(encoded), "rb", buffering=buffering) as file:
        assert is_data(cn.read(file))


def test_buffered_pipe_keeps_what_was_peeked(encoded: bytes) -> None:
    with open(piped(b"header" + encoded), "rb") as file:
        assert file.read(6) == b"header"
        assert is_data(cn.read(file))


def test_named_pipe(tmp_path: Path, encoded: bytes) -> None:
    path = tmp_path / "fifo.npz"
    os.mkfifo(path)
    writer = threading.Thread(target=cn.write, args=(DATA, path), daemon=True)
    writer.start()
    assert is_data(cn.read(path))
    writer.join(10)
    assert stat.S_ISFIFO(os.stat(path).st_mode)  # written into, not replaced


@pytest.mark.parametrize("timeout", [None, 10.0], ids=["blocking", "timeout"])
def test_socket(timeout: float | None) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.settimeout(timeout)
        theirs.settimeout(timeout)

        def send() -> None:
            cn.write(DATA, theirs, format="npz")
            theirs.shutdown(socket.SHUT_WR)

        sender = threading.Thread(target=send, daemon=True)
        sender.start()
        assert is_data(cn.read(ours))
        sender.join(10)


def test_socket_timeout_is_the_builtin() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.settimeout(0.01)
        with pytest.raises(TimeoutError):
            cn.read(ours)


@each("source", [True, None, 3.5, pytest.param(object(), id="object"), {"a.npz"}], ids=repr)
def test_what_is_no_source(source: Any) -> None:
    with pytest.raises(TypeError, match=r"source: expected a path"):
        cn.read(source)


@pytest.mark.parametrize("url", ["ftp://localhost/x.npz", "hf://bucket/y.npz", "ws://localhost:1"])
def test_urls_are_refused_by_name(url: str) -> None:
    with pytest.raises(cn.UnsupportedError, match="not built"):
        cn.read(url)
    with pytest.raises(cn.UnsupportedError, match="not built"):
        cn.write(DATA, url, format="npz")


def test_text_files_are_refused(path: Path, tmp_path: Path) -> None:
    with open(path, encoding="latin-1") as file, pytest.raises(TypeError, match="mode 'rb'"):
        cn.read(file)
    with open(tmp_path / "x.npz", "w") as file, pytest.raises(TypeError, match="mode 'wb'"):
        cn.write(DATA, file)


# ---------------------------------------------------------------------------- targets


def test_open_file_is_written_from_where_it_stands(tmp_path: Path, encoded: bytes) -> None:
    path = tmp_path / "x.npz"
    with open(path, "wb") as file:
        file.write(b"before")
        cn.write(DATA, file)  # the name tells the format
        file.write(b"after")
    assert path.read_bytes() == b"before" + encoded + b"after"


CHUNKED = ("arrow", "arrows", "parquet", "msgpack", "csv", "ndjson")


@each("format", ["npz", "npy", "json", "yaml", *CHUNKED])
def test_fsync_waits_for_an_open_file(format: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[int] = []
    monkeypatch.setattr("colonnade._io.targets.os.fsync", waited.append)
    data: dict[str, Any] = {"a": DATA["a"]}
    whole = DATA["a"] if format == "npy" else data
    with open(tmp_path / "x", "wb") as file:
        cn.write(whole, file, format=format)
        assert not waited
        for target in (file, file.fileno()):
            cn.write(whole, target, format=format, fsync=True)
        assert waited == [file.fileno()] * 2
        cn.convert(cn.encode(data, "npz"), file, write_options={"format": "arrows", "fsync": True})
        assert len(waited) == 3
        if format in CHUNKED:
            with cn.open_writer(file, format=format, fsync=True) as writer:
                writer.write(data)
                assert len(waited) == 3
            assert len(waited) == 4
        if format in ("msgpack", "json", "yaml"):
            cn.write_bundle({"one": data}, file, format=format, fsync=True)
            assert len(waited) == 4 + (format == "msgpack")


def test_fsync_means_nothing_to_pipes(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[int] = []
    monkeypatch.setattr("colonnade._io.targets.os.fsync", waited.append)
    here, there = os.pipe()
    with open(here, "rb") as source:
        with open(there, "wb") as target:
            cn.write(DATA, target, format="arrows", fsync=True)
        assert is_data(cn.read(source))
    cn.write(DATA, cn.BufferSink(), format="npz", fsync=True)
    assert not waited


def test_object_with_write_alone(encoded: bytes) -> None:
    class Slow:
        """Takes at most 100 bytes at once, as a raw file may."""

        taken = b""

        def write(self, data: memoryview) -> int:
            self.taken += bytes(data[:100])
            return min(100, len(data))

    slow = Slow()
    cn.write(DATA, slow, format="npz")
    assert slow.taken == encoded


def test_descriptor(tmp_path: Path, encoded: bytes) -> None:
    path = tmp_path / "x"
    with open(path, "wb") as file:
        cn.write(DATA, file.fileno(), format="npz")
    assert path.read_bytes() == encoded


@each("target", [b"x.npz", bytearray(), None, 3.5, True])
def test_what_is_no_target(target: Any) -> None:
    with pytest.raises(TypeError, match="target: expected a path"):
        cn.write(DATA, target, format="npz")


def test_without_a_name_the_format_must_be_given() -> None:
    with pytest.raises(cn.OptionError, match="Pass format="):
        cn.write(DATA, io.BytesIO())


def test_device_is_written_not_replaced() -> None:
    cn.write(DATA, "/dev/null", format="npz")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_symbolic_link_is_followed(tmp_path: Path, encoded: bytes) -> None:
    real, link = tmp_path / "real.npz", tmp_path / "link.npz"
    real.write_bytes(b"old")
    link.symlink_to(real)
    cn.write(DATA, link)
    assert link.is_symlink()
    assert real.read_bytes() == encoded


def test_write_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    path.write_bytes(b"old")
    mixed = np.array([1, {"a"}, None], dtype=object)
    with pytest.raises(cn.EncodeError, match="mixed"):
        cn.write({"mixed": mixed}, path)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["x.npz"]


def test_own_file_can_be_replaced_while_it_is_read(path: Path) -> None:
    frame = cn.read(path)
    array = frame["a"].to_numpy()
    cn.write({"a": np.zeros(1000)}, path)
    np.testing.assert_array_equal(array, DATA["a"])
    assert is_data(frame)
