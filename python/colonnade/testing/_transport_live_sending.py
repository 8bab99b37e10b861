"""Cases of sending to a peer that reads slowly, does not read, or closes; and of both ends working at once."""

import time
from typing import ClassVar

import pytest

import colonnade as cn

from ._background import Background
from ._transport_base import LiveTransport, needs
from ._transport_live_receiving import SHORT_S
from ._transport_messages import Message, big_bytes, big_frame, bytes_message, samples, sent_as_is
from ._transport_peers import Peer, Trickle, receive_all, receive_exactly


class LiveSending(LiveTransport):
    """The peer reads the messages whole and in order, or both sides detect the failure."""

    each_needs: ClassVar[tuple[str, ...]] = ("sends",)

    def test_what_was_sent_is_on_its_way(self) -> None:
        """A sent message reaches the peer without waiting for later messages."""
        with self.open(receives=False) as (connection, peer):
            for message in sent_as_is():
                message.send(connection, self.patience_s)
                assert Background(receive_exactly, peer, len(message.wire)).result() == message.wire

    def test_a_slow_reader(self) -> None:
        frame, opaque = big_frame(4), big_bytes()
        with self.open(receives=False) as (connection, peer):
            reading = Background(receive_all, peer, (1, 4097, 3, 60_000, 2))
            frame.send(connection, self.patience_s)
            opaque.send(connection, self.patience_s)
            self.end(connection)
            assert reading.result() == frame.wire + opaque.wire

    @needs("has_back_pressure")
    def test_back_pressure(self) -> None:
        """The sender waits while the peer does not read. It then continues without a loss of bytes."""
        message = big_bytes(24)
        with self.open(receives=False) as (connection, peer):
            sending = Background(message.send, connection, self.patience_s)
            head = receive_exactly(peer, 16)
            time.sleep(SHORT_S)
            assert not sending.is_done
            rest = Background(receive_exactly, peer, len(message.wire) - 16)
            sending.result()
            assert head + rest.result() == message.wire

    @needs("has_timeouts", "has_back_pressure")
    def test_a_timeout_inside_a_message_ends_sending(self) -> None:
        message = big_bytes(24)
        with self.open(receives=False) as (connection, peer):
            with pytest.raises(TimeoutError) as raised:
                message.send(connection, SHORT_S)
            assert connection.peer in str(raised.value)
            assert "message 1" in str(raised.value)
            # Half a message was sent. The peer would take later bytes for the other half.
            with pytest.raises((OSError, ValueError)):
                connection.send_bytes(b"more", timeout_s=self.patience_s)
            connection.close()
            found = receive_all(peer)
            assert found == message.wire[: len(found)]
            assert len(found) < len(message.wire)

    @needs("has_timeouts", "has_back_pressure")
    def test_a_full_pipe(self) -> None:
        """Sends small messages until the pipe is full. All sent messages arrive, each exactly once."""
        with self.open(receives=False) as (connection, peer):
            sent = _send_until_full(connection)
            reading = Background(receive_all, peer)
            try:
                connection.send_bytes(b"room again", timeout_s=self.patience_s)
                went_on = True
            except (OSError, ValueError):
                went_on = False
            connection.close()
            data = reading.result()
        messages = [bytes_message(f"{i}", f"{i:07}".encode() * 500) for i in range(sent)]
        whole = b"".join(message.wire for message in messages)
        assert data.startswith(whole)
        if went_on:
            assert data[len(whole) :] == bytes_message("last", b"room again").wire
        else:
            assert (
                data[len(whole) :] == bytes_message("cut", f"{sent:07}".encode() * 500).wire[: len(data) - len(whole)]
            )

    @needs("sees_peer_close")
    def test_the_peer_goes_away(self) -> None:
        """The sender gets a ConnectionError. No signal ends the process."""
        message = big_bytes()
        with self.open(receives=False) as (connection, peer):
            peer.close()
            with pytest.raises(self.gone) as raised:
                _send_all(connection, (message,) * 50, self.patience_s)
            assert connection.peer in str(raised.value) or self.gone is OSError

    @needs("sees_peer_close")
    def test_the_peer_goes_away_inside_a_message(self) -> None:
        message = big_bytes(24)
        with self.open(receives=False) as (connection, peer):
            sending = Background(message.send, connection, self.patience_s)
            assert receive_exactly(peer, 1000) == message.wire[:1000]
            peer.close()
            assert isinstance(sending.error(), self.gone)

    def test_through_a_middleman_that_cuts_and_merges(self) -> None:
        messages = (*samples(), big_frame(2), *samples())
        with self.open(receives=False) as (left, near), self.open() as (right, far):
            carrying = Trickle(near, far, [1, 2, 700, 3, 65_536, 5, 100_003])
            sending = Background(_send_all, left, messages, self.patience_s)
            for message in messages:
                message.take(right, self.patience_s)
            sending.result()
            self.end(left)
            self.assert_at_end(right)
            carrying.result()

    def test_through_a_middleman_that_breaks_off(self) -> None:
        first, *_ = samples()
        message = big_frame(2)
        with self.open(receives=False) as (left, near), self.open() as (right, far):
            carrying = Trickle(near, far, [4096], nbytes=len(first.wire) + len(message.wire) // 2)
            sending = Background(_send_all, left, (first, message), self.patience_s)
            first.take(right, self.patience_s)
            self.assert_broken(right, cn.TruncatedError, 2)
            carrying.result()
            error = sending.error()
            assert error is None or isinstance(error, self.gone)


class TwoWays(LiveTransport):
    """Cases of a transport that carries both ways."""

    @needs("is_two_way")
    def test_both_ways_at_once(self) -> None:
        """Two ends that send at once do not wait for each other forever."""
        message = big_frame(4)
        with self.open() as (connection, peer):
            sending = Background(message.send, connection, self.patience_s)
            echoing = Background(_echo, peer, len(message.wire))
            self.take(connection, message)
            sending.result()
            echoing.result()

    @needs("is_two_way", "has_back_pressure")
    def test_closing_with_unread_input(self) -> None:
        """Sent bytes still arrive. A plain socket that is closed with unread input would discard them."""
        message = big_bytes()
        with self.open() as (connection, peer):
            peer.send(bytes_message("unread", bytes(3000)).wire)
            sending = Background(_send_and_close, connection, message, self.patience_s)
            head = receive_exactly(peer, 1000)
            time.sleep(SHORT_S)
            assert head + Background(receive_exactly, peer, len(message.wire) - 1000).result() == message.wire
            sending.result()

    @needs("is_two_way")
    def test_receiving_goes_on_after_the_last_was_sent(self) -> None:
        messages = samples()
        with self.open() as (connection, peer):
            connection.send_bytes(b"a question")
            self.end(connection)
            assert receive_all(peer) == bytes_message("", b"a question").wire
            peer.send(b"".join(message.wire for message in messages))
            peer.finish()
            self.take(connection, *messages)
            self.assert_at_end(connection)


def _send_until_full(connection: "cn.Connection") -> int:
    """Returns the number of sent messages. Each has the largest size that a pipe takes in one write."""
    for sent in range(100_000):
        try:
            connection.send_bytes(f"{sent:07}".encode() * 500, timeout_s=SHORT_S)
        except TimeoutError:
            return sent
    raise AssertionError("it never was full")


def _send_all(connection: "cn.Connection", messages: tuple[Message, ...], patience_s: float | None) -> None:
    for message in messages:
        message.send(connection, patience_s)


def _send_and_close(connection: "cn.Connection", message: Message, patience_s: float | None) -> None:
    message.send(connection, patience_s)
    connection.close()


def _echo(peer: Peer, nbytes: int) -> None:
    carried = 0
    while carried < nbytes and (piece := peer.receive(70_000)):
        peer.send(piece)
        carried += len(piece)
