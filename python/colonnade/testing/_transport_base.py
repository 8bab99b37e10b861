"""The hooks of a transport under test, and helpers that all cases share."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import ClassVar, TypeVar

import pytest

import colonnade as cn

from ._background import PATIENCE_S, Background
from ._transport_messages import Message
from ._transport_peers import Peer, receive_all

LACKS = {
    "receives": "this end only sends",
    "sends": "this end only receives",
    "has_timeouts": "it waits inside the object's own methods",
    "has_descriptor": "it has no descriptor to wait for",
    "is_two_way": "it carries one way",
    "has_back_pressure": "sending does not wait: it takes whatever comes",
    "sees_peer_close": "nothing tells a sender that the peer is gone",
}
Case = TypeVar("Case", bound=Callable[..., None])


def needs(*marks: str) -> Callable[[Case], Case]:
    """Skips a case if the transport lacks one of these marks."""

    def marked(case: Case) -> Case:
        case.needs = marks  # type: ignore[attr-defined]
        return case

    return marked


class Transport:
    """The hooks and marks; `TransportTests` and `LiveTransportTests` document them."""

    each_needs: ClassVar[tuple[str, ...]] = ()  # applies to every case that a class defines
    receives: ClassVar[bool] = True
    sends: ClassVar[bool] = True
    has_timeouts: ClassVar[bool] = True
    has_descriptor: ClassVar[bool] = True

    @pytest.fixture(autouse=True)
    def _has_what_the_case_needs(self, request: pytest.FixtureRequest) -> None:
        home = next(one for one in type(self).__mro__ if request.function.__name__ in vars(one))
        for mark in (*vars(home).get("each_needs", ()), *getattr(request.function, "needs", ())):
            if not getattr(self, mark):
                pytest.skip(LACKS[mark])

    @property
    def patience_s(self) -> float | None:
        """The time limit of each call that may wait, so that a fault raises an error instead of a hang."""
        return PATIENCE_S if self.has_timeouts else None

    def receiver(self, data: bytes) -> AbstractContextManager["cn.Connection"]:
        """A connection that receives these bytes and then the end of input."""
        raise NotImplementedError

    def sender(self) -> AbstractContextManager[tuple["cn.Connection", "Collected"]]:
        """A connection that sends, and a `Collected`, which returns the sent bytes after the connection is closed."""
        raise NotImplementedError

    def end(self, connection: "cn.Connection") -> None:
        """Finishes, so that the peer sees the end. (Closing a file of a socket does not close the socket.)"""
        connection.finish()

    def take(self, connection: "cn.Connection", *messages: Message) -> None:
        """Receives these messages in this order."""
        for message in messages:
            message.take(connection, self.patience_s)

    def assert_at_end(self, connection: "cn.Connection") -> None:
        """Asserts that the input has ended without an error."""
        with pytest.raises(EOFError) as raised:
            connection.receive(timeout_s=self.patience_s)
        assert not isinstance(raised.value, cn.ColonnadeError), repr(raised.value)
        assert connection.status() == "end of input"
        assert list(connection) == []

    def assert_broken(self, connection: "cn.Connection", kind: type[Exception], number: int) -> None:
        """Asserts that each receive raises an error with the peer and the message's number (counted from 1)."""
        for _ in range(2):
            with pytest.raises(kind) as raised:
                connection.receive(timeout_s=self.patience_s)
            assert type(raised.value) is kind, repr(raised.value)
            assert connection.peer in str(raised.value)
            assert f"message {number}" in str(raised.value)
        assert isinstance(connection.status(), kind)


class Collected:
    """All the bytes that were sent."""

    def result(self) -> bytes:
        """Waits for the bytes and returns them."""
        raise NotImplementedError


class LiveTransport(Transport):
    """A transport with a peer that the test controls while the connection works."""

    is_two_way: ClassVar[bool] = True
    has_back_pressure: ClassVar[bool] = True
    sees_peer_close: ClassVar[bool] = True

    @property
    def gone(self) -> type[OSError]:
        """The error of sending to a closed peer. The connection passes on a Python object's own error unchanged."""
        return ConnectionError if self.has_descriptor else OSError

    def open(self, *, receives: bool = True) -> AbstractContextManager[tuple["cn.Connection", Peer]]:
        """A connection and its peer. If `receives`, a one-way transport carries to the connection, else from it."""
        raise NotImplementedError

    @contextmanager
    def receiver(self, data: bytes) -> Iterator["cn.Connection"]:
        with self.open() as (connection, peer):
            work = Background(_send_and_finish, peer, data)
            yield connection
            if isinstance(connection.status(), str):
                work.result()
            else:
                # The connection has refused its input, so it is closed while the peer may still send. The sending
                # thread must end before the peer is closed.
                connection.close()
                work.error()

    @contextmanager
    def sender(self) -> Iterator[tuple["cn.Connection", Collected]]:
        with self.open(receives=False) as (connection, peer):
            yield connection, _FromPeer(self, connection, peer)


class _FromPeer(Collected):
    def __init__(self, transport: LiveTransport, connection: "cn.Connection", peer: Peer) -> None:
        self._transport, self._connection = transport, connection
        self._work = Background(receive_all, peer)

    def result(self) -> bytes:
        if not self._connection.closed:
            self._transport.end(self._connection)
        data: bytes = self._work.result()
        return data


def _send_and_finish(peer: Peer, data: bytes) -> None:
    peer.send(data)
    peer.finish()
