"""Cases of receiving from a live peer, which writes single bytes, stalls, breaks off, or makes the connection wait."""

import time
from typing import ClassVar

import pytest

import colonnade as cn

from ._background import Background
from ._transport_base import LiveTransport, needs
from ._transport_messages import big_frame, bytes_message, samples

SHORT_S = 0.05


class LiveReceiving(LiveTransport):
    """The received messages do not depend on how the peer splits or delays the bytes."""

    each_needs: ClassVar[tuple[str, ...]] = ("receives",)

    def test_one_byte_at_a_time(self) -> None:
        messages = samples()
        with self.open() as (connection, peer):
            taking = None if self.has_timeouts else Background(self.take, connection, *messages)
            for message in messages:
                for i in range(len(message.wire)):
                    peer.send(message.wire[i : i + 1])
                    if taking is None and i + 1 < len(message.wire):
                        assert connection.poll(0.0) is False
                if taking is None:
                    self.take(connection, message)
            if taking is not None:
                taking.result()

    @needs("has_timeouts")
    def test_a_message_cut_anywhere(self) -> None:
        """The connection keeps the received part, and continues with the next bytes."""
        with self.open() as (connection, peer):
            for message in samples():
                for cut in range(1, len(message.wire), 1 if len(message.wire) < 1500 else 7):
                    peer.send(message.wire[:cut])
                    assert connection.poll(0.0) is False
                    peer.send(message.wire[cut:])
                    message.take(connection, self.patience_s)

    def test_several_messages_at_once(self) -> None:
        """The connection keeps later bytes for the next calls, even the start of an incomplete message."""
        *whole, last = samples()
        with self.open() as (connection, peer):
            peer.send(b"".join(message.wire for message in whole) + last.wire[:40])
            self.take(connection, *whole)
            if self.has_timeouts:
                assert connection.poll(0.0) is False
            peer.send(last.wire[40:])
            self.take(connection, last)

    def test_it_does_not_wait_for_more_than_the_message(self) -> None:
        with self.open() as (connection, peer):
            for message in samples():
                taking = Background(self.take, connection, message)
                peer.send(message.wire)
                taking.result()

    @pytest.mark.parametrize("name", ["frame", "bytes", "frame of another writer", "frame in batches"])
    @needs("has_timeouts")
    def test_a_stalled_writer(self, name: str) -> None:
        message = next(one for one in samples() if one.name == name)
        with self.open() as (connection, peer):
            for cut in (2, 12, 120, len(message.wire) - 1):
                with pytest.raises(TimeoutError):
                    connection.receive(timeout_s=SHORT_S)
                assert connection.status() == "ok"
                peer.send(message.wire[:cut])
                with pytest.raises(TimeoutError) as raised:
                    connection.receive(timeout_s=SHORT_S)
                assert connection.peer in str(raised.value)
                assert connection.status() == "waiting"
                assert connection.partial() in message.wire[:cut]
                peer.send(message.wire[cut:])
                message.take(connection, self.patience_s)
                assert connection.status() == "ok"
                assert connection.partial() == b""

    @needs("has_timeouts")
    def test_poll(self) -> None:
        message = bytes_message("message", b"x" * 100)
        with self.open() as (connection, peer):
            assert connection.poll() is False
            assert connection.poll(SHORT_S) is False
            peer.send(message.wire[:50])
            assert connection.poll(SHORT_S) is False
            polling = Background(connection.poll, self.patience_s)
            peer.send(message.wire[50:])
            assert polling.result() is True
            assert connection.poll(0.0) is True
            self.take(connection, message)
            assert connection.poll(0.0) is False
            peer.finish()
            assert connection.poll(self.patience_s) is True
            self.assert_at_end(connection)
            assert connection.poll(0.0) is True

    @needs("has_timeouts", "has_descriptor")
    def test_waiting_for_one_of_several(self) -> None:
        first, second = bytes_message("first", b"first"), bytes_message("second", b"second")
        with self.open() as (connection, peer), self.open() as (silent, silent_peer):
            assert cn.wait([connection, silent], timeout_s=SHORT_S) == []
            waiting = Background(cn.wait, [silent, connection], self.patience_s)
            # The start of a message must not wake a waiter. If two messages come at once, the second must not be
            # missed.
            peer.send(first.wire[:7])
            peer.send(first.wire[7:] + second.wire)
            assert waiting.result() == [connection]
            self.take(connection, first)
            assert cn.wait([silent, connection], timeout_s=self.patience_s) == [connection]
            self.take(connection, second)
            assert cn.wait([silent, connection], timeout_s=SHORT_S) == []
            silent_peer.finish()
            assert cn.wait([silent, connection], timeout_s=self.patience_s) == [silent]

    def test_the_peer_closes_between_messages(self) -> None:
        messages = samples()
        with self.open() as (connection, peer):
            for message in messages:
                peer.send(message.wire)
                self.take(connection, message)
            peer.close()
            self.assert_at_end(connection)

    @pytest.mark.parametrize("name", ["frame", "bytes", "frame of another writer"])
    @pytest.mark.parametrize("cut", [1, 15, 150, -1])
    def test_the_peer_closes_inside_a_message(self, name: str, cut: int) -> None:
        first = bytes_message("first", b"first")
        message = next(one for one in samples() if one.name == name)
        with self.open() as (connection, peer):
            peer.send(first.wire)
            peer.send(message.wire[:cut])
            self.take(connection, first)
            peer.close()
            self.assert_broken(connection, cn.TruncatedError, 2)

    @needs("has_timeouts")
    def test_looked_at_while_another_thread_waits(self) -> None:
        """A waiting thread does not block other threads that query the connection or send."""
        message = bytes_message("message", b"x" * 100)
        with self.open() as (connection, peer):
            peer.send(message.wire[:50])
            waiting = Background(self.take, connection, message)
            looking = Background(lambda: (connection.status(), connection.partial(), repr(connection)))
            status, partial, text = looking.result()
            assert status in ("ok", "waiting")
            assert partial in message.wire
            assert connection.peer in text
            peer.send(message.wire[50:])
            waiting.result()

    @needs("has_timeouts")
    def test_closed_while_another_thread_waits(self) -> None:
        """The waiting thread gets an error, because the closed connection cannot receive any more bytes."""
        with self.open() as (connection, _peer):
            waiting = Background(connection.receive, timeout_s=self.patience_s)
            time.sleep(SHORT_S)
            connection.close()
            error = waiting.error(self.patience_s / 2 if self.patience_s else 15.0)
            assert isinstance(error, (OSError, ValueError)), repr(error)
            assert not isinstance(error, TimeoutError)
            assert connection.closed

    def test_a_slow_writer_of_a_big_frame(self) -> None:
        """The pieces have odd sizes: some end inside a header, most inside a column."""
        message = big_frame(2)
        with self.open() as (connection, peer):
            taking = Background(self.take, connection, message)
            at, size = 0, 1
            while at < len(message.wire):
                peer.send(message.wire[at : at + size])
                at, size = at + size, size * 5 % 70_001 + 1
            taking.result()
