"""The contract that every transport keeps, as pytest classes that a transport's own tests subclass.

A *transport* is whatever carries the bytes of a `colonnade.Connection`: a pipe, a socket, a file, a Python object with
`readinto` and `write`. One that is made of bytes at rest (a file, memory) subclasses `TransportTests`; one with a peer
at its other end subclasses `LiveTransportTests`. Each says how a connection and its peer are made, and pytest runs all
cases: one-byte reads, short writes, a stalled writer, a peer that closes inside a message, signals, back pressure, a
slow reader, several messages in one read, a message cut anywhere.

Examples
--------
A socket pair, in a test module of yours::

    class TestMyTransport(LiveTransportTests):
        @contextmanager
        def open(self, *, receives=True):
            near, far = socket.socketpair()
            peer = SocketPeer(far)
            with near, closing(peer), cn.connect(near) as connection:
                yield connection, peer
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import ClassVar

import colonnade as cn

from ._background import PATIENCE_S, Background
from ._transport_base import Collected, LiveTransport
from ._transport_live_receiving import LiveReceiving
from ._transport_live_sending import LiveSending, TwoWays
from ._transport_messages import (
    Message,
    big_bytes,
    big_frame,
    bytes_message,
    columns,
    envelope,
    frame_message,
    samples,
    unannounced,
)
from ._transport_peers import DescriptorPeer, Peer, SocketPeer, Trickle, receive_all, receive_exactly
from ._transport_receiving import Receiving
from ._transport_sending import Sending
from ._transport_signals import Signals

__all__ = [
    "TransportTests",
    "LiveTransportTests",
    "Collected",
    "Peer",
    "SocketPeer",
    "DescriptorPeer",
    "Trickle",
    "receive_all",
    "receive_exactly",
    "Message",
    "samples",
    "big_frame",
    "big_bytes",
    "bytes_message",
    "frame_message",
    "envelope",
    "unannounced",
    "columns",
    "Background",
    "PATIENCE_S",
]


class TransportTests(Receiving, Sending):
    """The cases of bytes at rest: what was sent is what is received, and broken input is a typed error.

    Attributes
    ----------
    receives, sends : bool
        What a connection over it can do; cases of the other direction are skipped.
    has_timeouts : bool
        Whether a call that names `timeout_s` comes back by itself: Python file objects wait as their methods do.
    """

    receives: ClassVar[bool] = True
    sends: ClassVar[bool] = True
    has_timeouts: ClassVar[bool] = True

    def receiver(self, data: bytes) -> AbstractContextManager["cn.Connection"]:
        """A connection whose input is `data`, and then ends.

        Parameters
        ----------
        data : bytes
            Whole messages and whatever else a case wants, broken ones too.

        Returns
        -------
        context manager of Connection
            Leaving it closes the connection and takes away what was made for it.

        Examples
        --------
        >>> import colonnade as cn
        >>> from colonnade.testing.transports import TransportTests, bytes_message
        >>> class InMemory(TransportTests):
        ...     def receiver(self, data):
        ...         return cn.connect((data, None))
        >>> with InMemory().receiver(bytes_message("", b"hello").wire) as connection:
        ...     connection.receive_bytes()
        b'hello'
        """
        return super().receiver(data)

    def sender(self) -> AbstractContextManager[tuple["cn.Connection", Collected]]:
        """A connection that sends, and what collects its bytes.

        Returns
        -------
        context manager of (Connection, Collected)
            ``Collected.result()`` answers all that was sent, once the connection was finished or closed.
        """
        return super().sender()

    def end(self, connection: "cn.Connection") -> None:
        """Finish sending, and see to it that the peer learns of it.

        By itself ``connection.finish()``. A transport over an object that does not carry the end overrides it: closing
        the file that ``socket.makefile`` made does not close the socket.

        Parameters
        ----------
        connection : Connection
            One that this class made.
        """
        super().end(connection)


class LiveTransportTests(TwoWays, LiveSending, LiveReceiving, Signals, LiveTransport, Receiving, Sending):
    """All cases of `TransportTests`, and those of a peer at the other end, which a test moves by hand.

    Attributes
    ----------
    receives, sends, has_timeouts : bool
        As of `TransportTests`.
    is_two_way : bool
        Whether one connection carries both ways.
    has_descriptor : bool
        Whether `colonnade.wait` can wait for it.
    has_back_pressure : bool
        Whether a sender waits while the peer does not read.
    sees_peer_close : bool
        Whether sending to a peer that is gone is an error.
    """

    is_two_way: ClassVar[bool] = True
    has_descriptor: ClassVar[bool] = True
    has_back_pressure: ClassVar[bool] = True
    sees_peer_close: ClassVar[bool] = True

    def open(self, *, receives: bool = True) -> AbstractContextManager[tuple["cn.Connection", Peer]]:
        """A connection, and its peer in plain Python.

        Parameters
        ----------
        receives : bool
            Which way a one-way transport shall carry: to the connection, or away from it.

        Returns
        -------
        context manager of (Connection, Peer)
            Leaving it closes both.
        """
        return super().open(receives=receives)

    @contextmanager
    def receiver(self, data: bytes) -> Iterator["cn.Connection"]:
        """Made of `open`: the peer sends `data` and finishes."""
        with super().receiver(data) as connection:
            yield connection

    @contextmanager
    def sender(self) -> Iterator[tuple["cn.Connection", Collected]]:
        """Made of `open`: the peer collects what comes."""
        with super().sender() as made:
            yield made
