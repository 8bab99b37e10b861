"""The contract of pipes: anonymous, named, with non-blocking descriptors."""

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

import colonnade as cn
from colonnade.testing.transports import DescriptorPeer, LiveTransportTests, Peer


class TestAnonymousPipe(LiveTransportTests):
    is_two_way = False
    is_blocking = True

    @contextmanager
    def open(self, *, receives: bool = True) -> Iterator[tuple[cn.Connection, Peer]]:
        source, target = os.pipe()
        ours, theirs = (source, target) if receives else (target, source)
        os.set_blocking(ours, self.is_blocking)
        try:
            connection = cn.connect((ours, None) if receives else (None, ours))
        finally:
            os.close(ours)  # it is duplicated, and the peer is to see its end when the connection goes
        peer = DescriptorPeer(None, theirs) if receives else DescriptorPeer(theirs, None)
        with closing(peer), connection:
            yield connection, peer


class TestNonBlockingPipe(TestAnonymousPipe):
    is_blocking = False


class TestTwoPipes(LiveTransportTests):
    @contextmanager
    def open(self, *, receives: bool = True) -> Iterator[tuple[cn.Connection, Peer]]:
        (our_source, their_target), (their_source, our_target) = os.pipe(), os.pipe()
        try:
            connection = cn.connect((our_source, our_target))
        finally:
            os.close(our_source)
            os.close(our_target)
        peer = DescriptorPeer(their_source, their_target)
        with closing(peer), connection:
            yield connection, peer


class TestNamedPipe(LiveTransportTests):
    is_two_way = False

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self.folder = tmp_path

    @contextmanager
    def open(self, *, receives: bool = True) -> Iterator[tuple[cn.Connection, Peer]]:
        path = self.folder / f"pipe {len(os.listdir(self.folder))}"
        os.mkfifo(path, 0o600)
        if receives:
            # Whoever opens a named pipe waits for the other side; one that is open both ways waits for nobody.
            held = os.open(path, os.O_RDWR)
            connection = cn.connect((path, None))
            peer = DescriptorPeer(None, os.open(path, os.O_WRONLY))
            os.close(held)
        else:
            source = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
            connection = cn.connect((None, path))
            os.set_blocking(source, True)
            peer = DescriptorPeer(source, None)
        with closing(peer), connection:
            yield connection, peer


@pytest.mark.parametrize("is_blocking", [True, False])
def test_the_callers_descriptors_stay_as_they_were(is_blocking: bool) -> None:
    """Open, and blocking or not as before: others may use them."""
    source, target = os.pipe()
    try:
        os.set_blocking(source, is_blocking)
        os.set_blocking(target, is_blocking)
        with cn.connect((source, None)) as receiving, cn.connect((None, target)) as sending:
            sending.send_bytes(b"through")
            assert receiving.receive_bytes(timeout_s=30) == b"through"
        assert os.get_blocking(source) is is_blocking
        assert os.get_blocking(target) is is_blocking
        os.write(target, b"still open")
        assert os.read(source, 100) == b"still open"
    finally:
        os.close(source)
        os.close(target)


def test_pipes_hold_enough_for_throughput() -> None:
    """64 KiB is what a pipe holds by itself."""
    import fcntl

    source, target = os.pipe()
    try:
        with cn.connect((source, None)), cn.connect((None, target)):
            assert fcntl.fcntl(target, fcntl.F_GETPIPE_SZ) > 65_536
    finally:
        os.close(source)
        os.close(target)
