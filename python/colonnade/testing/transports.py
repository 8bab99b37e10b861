"""The contract of every transport, as pytest classes that a transport's own tests subclass.

A *transport* carries the bytes of a `colonnade.Connection`: a pipe, a socket, a file, or a Python object with
`readinto` and `write`. Tests of a transport with stored bytes (a file, memory) subclass `TransportTests`. Tests of a
transport with a live peer subclass `LiveTransportTests`. Each subclass defines how to make a connection and its peer,
and pytest runs all cases: one-byte reads, short writes, a stalled writer, a peer that closes inside a message, signals,
back pressure, a slow reader, several messages in one read, a message cut anywhere.

Examples
--------
A socket pair, in your own test module::

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
    """The cases for stored bytes: received messages equal the sent ones, and broken input raises a typed error.

    Attributes
    ----------
    receives, sends : bool
        Whether a connection over the transport can receive or send. Cases of an unsupported direction are skipped.
    has_timeouts : bool
        Whether a call with `timeout_s` returns in time. A call on a Python file object waits as long as the object's
        methods do.
    """

    receives: ClassVar[bool] = True
    sends: ClassVar[bool] = True
    has_timeouts: ClassVar[bool] = True

    def receiver(self, data: bytes) -> AbstractContextManager["cn.Connection"]:
        """A connection that receives `data` and then the end of input.

        Parameters
        ----------
        data : bytes
            Whole messages, or any other bytes that a case needs, such as broken messages.

        Returns
        -------
        context manager of Connection
            On exit, it closes the connection and removes all resources that `receiver` made.

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
        """A connection that sends, and a `Collected`, which collects its bytes.

        Returns
        -------
        context manager of (Connection, Collected)
            ``Collected.result()`` returns all sent bytes after the connection was finished or closed.
        """
        return super().sender()

    def end(self, connection: "cn.Connection") -> None:
        """Finishes sending, and makes sure that the peer sees the end.

        The default calls ``connection.finish()``. A transport over an object that does not transmit the end overrides
        this method. For example, closing the file that ``socket.makefile`` made does not close the socket.

        Parameters
        ----------
        connection : Connection
            A connection that this class made.
        """
        super().end(connection)


class LiveTransportTests(TwoWays, LiveSending, LiveReceiving, Signals, LiveTransport, Receiving, Sending):
    """All cases of `TransportTests`, and cases with a live peer, which a test controls.

    Attributes
    ----------
    receives, sends, has_timeouts : bool
        As in `TransportTests`.
    is_two_way : bool
        Whether one connection carries both ways.
    has_descriptor : bool
        Whether `colonnade.wait` can wait for a connection.
    has_back_pressure : bool
        Whether a sender waits while the peer does not read.
    sees_peer_close : bool
        Whether sending to a closed peer raises an error.
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
            The direction of a one-way transport: True to the connection, False from it.

        Returns
        -------
        context manager of (Connection, Peer)
            On exit, it closes both.
        """
        return super().open(receives=receives)

    @contextmanager
    def receiver(self, data: bytes) -> Iterator["cn.Connection"]:
        """Built on `open`: the peer sends `data` and finishes."""
        with super().receiver(data) as connection:
            yield connection

    @contextmanager
    def sender(self) -> Iterator[tuple["cn.Connection", Collected]]:
        """Built on `open`: the peer collects all bytes that it receives."""
        with super().sender() as made:
            yield made
