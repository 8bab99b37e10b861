"""Signals that arrive while a connection waits: their handlers run, and the call then continues."""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from ._background import PATIENCE_S, Background
from ._transport_base import LiveTransport, needs
from ._transport_messages import big_bytes, samples
from ._transport_peers import Peer, receive_all

ENOUGH = 5


class Bell(Exception):
    """The exception that a handler raises."""


@contextmanager
def ringing(handler: Callable[[int], None] = lambda _count: None) -> Iterator[list[float]]:
    """A signal every hundredth of a second, and the times at which its handler ran."""
    if threading.current_thread() is not threading.main_thread():
        pytest.skip("signals are handled only in the main thread")
    heard: list[float] = []

    def ring(_number: int, _frame: object) -> None:
        heard.append(time.monotonic())
        handler(len(heard))

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    try:
        yield heard
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def until_heard(heard: list[float], count: int) -> None:
    """Waits until the handler has run `count` times. Raises if the connection does not let handlers run."""
    end = time.monotonic() + PATIENCE_S / 2
    while len(heard) < count:
        if time.monotonic() > end:
            raise AssertionError(f"{len(heard)} signals were handled while the connection waited, expected {count}")
        time.sleep(0.002)


class Signals(LiveTransport):
    """A signal has no effect on a call except for its handler's time."""

    @needs("receives")
    def test_signals_while_it_receives(self) -> None:
        messages = samples()
        with self.open() as (connection, peer), ringing() as heard:
            sending = Background(self._send_between, peer, heard, b"".join(message.wire for message in messages))
            self.take(connection, *messages)
            sending.result()

    @staticmethod
    def _send_between(peer: Peer, heard: list[float], data: bytes) -> None:
        """Sends three pieces, and waits for handled signals before each."""
        third = len(data) // 3
        try:
            for piece in (data[:third], data[third : 2 * third], data[2 * third :]):
                until_heard(heard, len(heard) + ENOUGH)
                peer.send(piece)
        except AssertionError:
            peer.close()  # so that the main thread returns
            raise

    @needs("sends", "has_back_pressure")
    def test_signals_while_it_sends(self) -> None:
        message = big_bytes(8)
        with self.open(receives=False) as (connection, peer), ringing() as heard:
            reading = Background(self._read_between, peer, heard)
            message.send(connection, self.patience_s)
            self.end(connection)
            assert reading.result() == message.wire

    @staticmethod
    def _read_between(peer: Peer, heard: list[float]) -> bytes:
        try:
            until_heard(heard, ENOUGH)
            head = peer.receive(1000)
            until_heard(heard, len(heard) + ENOUGH)
        except AssertionError:
            peer.close()
            raise
        return head + receive_all(peer)

    @needs("receives")
    def test_a_handler_that_raises(self) -> None:
        """The call raises the handler's exception, and the next call continues with the message."""
        message = next(one for one in samples() if one.name == "frame")
        with self.open() as (connection, peer):
            peer.send(message.wire[:100])
            with pytest.raises(Bell), ringing(_raise_once):
                connection.receive(timeout_s=self.patience_s)
            peer.send(message.wire[100:])
            self.take(connection, message)


def _raise_once(count: int) -> None:
    if count == ENOUGH:
        raise Bell
