"""Messages that are not what they claim to be: typed errors that name the peer and the number of the message."""

import dataclasses
import socket
import struct
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import colonnade as cn
from colonnade.testing.transports import PATIENCE_S, Background, bytes_message, envelope, unannounced
from tests.helpers import arrow_bytes as ab
from tests.helpers.announcing import Announcement
from tests.helpers.applies import applies
from tests.helpers.arrow_bad_cases import BAD, Bad
from tests.helpers.arrow_bytes import INT64, Message, as_message, batch, field, schema
from tests.helpers.each import each

FIRST = bytes_message("first", b"first")


def receive(connection: cn.Connection) -> Any:
    return connection.receive(timeout_s=PATIENCE_S)


def receive_bytes(connection: cn.Connection) -> Any:
    return connection.receive_bytes(timeout_s=PATIENCE_S)


def iterate(connection: cn.Connection) -> Any:
    return next(iter(connection))


def read_batches(connection: cn.Connection) -> Any:
    with cn.open_reader(connection) as reader:
        return list(reader)


def read(connection: cn.Connection) -> Any:
    return cn.read(connection).to_numpy()


WAYS: list[Callable[[cn.Connection], Any]] = [receive, receive_bytes, iterate, read_batches, read]


@pytest.fixture
def ends() -> Iterator[tuple[cn.Connection, socket.socket]]:
    """A connection, and the socket of its peer, which is silent once it has sent."""
    near, far = socket.socketpair()
    with near, far:
        far.settimeout(PATIENCE_S)
        with cn.connect(near) as connection:
            yield connection, far


def refused(
    ends: tuple[cn.Connection, socket.socket],
    wire: bytes,
    kinds: type[Exception] | tuple[type[Exception], ...],
    way: Callable[[cn.Connection], Any] = receive,
) -> str:
    """What the error says. It comes from the bytes alone: the peer keeps its end open."""
    connection, peer = ends
    peer.sendall(FIRST.wire + wire)
    FIRST.take(connection, PATIENCE_S)
    with pytest.raises(cn.ColonnadeError) as raised:
        way(connection)
    assert isinstance(raised.value, kinds), repr(raised.value)
    assert not isinstance(raised.value, cn.TruncatedError)
    text = str(raised.value)
    assert text.startswith(f"{connection.peer}: message 2: "), text
    # What comes behind it cannot be told apart from it.
    with pytest.raises(type(raised.value)):
        receive(connection)
    assert isinstance(connection.status(), type(raised.value))
    assert connection.poll(0.0) is True
    return text


# --------------------------------------------------------------------------- the first bytes
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "wire",
    [
        b"GET / HTTP/1.1\r\nHost: here\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(100),  # TLS, to one who does not speak it
        b"ARROW1\x00\x00" + ab.stream(schema(field("a", INT64))),  # the file form
        b"\xc1CNX" + bytes(12),
        b"\xc1CM" + bytes(13),
        bytes(16),
        b"\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00\x94.",  # a pickle
        b"\xff\xff\xff\xfe" + bytes(12),
    ],
    ids=["http", "tls", "arrow file", "unknown kind", "nearly an envelope", "zeros", "pickle", "nearly a frame"],
)
def test_what_begins_like_no_message(
    ends: tuple[cn.Connection, socket.socket], wire: bytes, way: Callable[[cn.Connection], Any]
) -> None:
    refused(ends, wire, cn.DecodeError, way)


def test_the_bytes_are_shown(ends: tuple[cn.Connection, socket.socket]) -> None:
    assert "47, 45, 54" in refused(ends, b"GET / HTTP/1.1\r\n\r\n", cn.DecodeError)


@pytest.mark.parametrize("kind", [b"T", b"A", b"Z", b"\x00", b"b"])
def test_an_envelope_of_another_kind(ends: tuple[cn.Connection, socket.socket], kind: bytes) -> None:
    assert "kind" in refused(ends, envelope(b"0123456789abcdef", kind), cn.DecodeError)


def test_an_envelope_whose_zeros_are_none(ends: tuple[cn.Connection, socket.socket]) -> None:
    wire = b"\xc1CNB" + b"\x00\x01\x00\x00" + struct.pack("<Q", 0)
    assert "zero" in refused(ends, wire, cn.DecodeError)


@pytest.mark.parametrize("nbytes", [2**63, 2**64 - 1, 2**62, 2**63 - 1])
def test_a_length_that_nobody_has(ends: tuple[cn.Connection, socket.socket], nbytes: int) -> None:
    text = refused(ends, b"\xc1CNB" + bytes(4) + struct.pack("<Q", nbytes) + b"a few", cn.LimitError)
    assert str(nbytes) in text.replace(",", "").replace("_", "")


# --------------------------------------------------------------------------- over the limits
@pytest.mark.parametrize("over", [0, 1])
def test_a_message_of_bytes_over_the_limit(over: int) -> None:
    near, far = socket.socketpair()
    with near, far, cn.connect(near, limits=cn.Limits(max_nbytes=10_000)) as connection:
        far.sendall(envelope(bytes(10_000 + over)))
        if over:
            with pytest.raises(cn.LimitError, match=r"message 1: .*10.?001.*10.?000.*max_nbytes"):
                connection.receive_bytes(timeout_s=PATIENCE_S)
        else:
            assert connection.receive_bytes(timeout_s=PATIENCE_S) == bytes(10_000)


@pytest.mark.parametrize("way", [receive, read_batches, read])
def test_a_frame_over_the_limit(way: Callable[[cn.Connection], Any]) -> None:
    """Whether or not it says beforehand how large it is: batches add up."""
    data = {"x": np.zeros(100_000)}
    for wire in (unannounced(data), sent(data)):
        near, far = socket.socketpair()
        with far, cn.connect(near, limits=cn.Limits(max_nbytes=300_000)) as connection:
            near.close()
            sending = Background(far.sendall, wire)
            with pytest.raises(cn.LimitError, match=r"message 1: .*300.?000"):
                way(connection)
            connection.close()
            error = sending.error()
            assert error is None or isinstance(error, ConnectionError)


def test_too_many_columns() -> None:
    near, far = socket.socketpair()
    with near, far, cn.connect(near, limits=cn.Limits(max_columns=10)) as connection:
        far.sendall(cn.encode({f"c{i}": np.zeros(1) for i in range(11)}, "arrows"))
        with pytest.raises(cn.LimitError, match=r"message 1: .*11.*10"):
            connection.receive(timeout_s=PATIENCE_S)


def sent(data: Any) -> bytes:
    sink = cn.BufferSink()
    with cn.connect((None, sink)) as connection:
        connection.send(data)
    return bytes(sink)


# --------------------------------------------------------------------------- broken frames
def can_announce(bad: Bad) -> bool:
    """Whether its schema message is sound."""
    head = as_message(bad.head)
    return type(head) is Message and head.kind == 1 and head.body_nbytes is None and head.metadata_nbytes is None


@each("announced", [False, True], ids=["unannounced", "announced"])
@each("name", list(BAD), per=20)
@applies(lambda name, announced: not announced or can_announce(BAD[name]))
def test_a_broken_frame(name: str, announced: bool) -> None:
    """As when a file is read; told the rows beforehand, the receiver takes another way, with the same checks."""
    bad = announcing(BAD[name]) if announced else BAD[name]
    near, far = socket.socketpair()
    with far, near, cn.connect(near) as connection:
        far.settimeout(PATIENCE_S)
        Background(far.sendall, FIRST.wire + bad.stream() + envelope(b"behind it"))
        FIRST.take(connection, PATIENCE_S)
        with pytest.raises(cn.ColonnadeError) as raised:
            # What the headers do not show is found once the columns are looked at.
            connection.receive(timeout_s=PATIENCE_S).to_arrow().validate(full=True)
        assert isinstance(raised.value, bad.errors), repr(raised.value)


def announcing(bad: Bad) -> Bad:
    """The same, and as many rows announced as its batches claim."""
    head = as_message(bad.head)
    nrows = sum(message.header.slots.get(0, ("q", 0))[1] for message in bad.messages if message.kind == 3)
    told = Announcement(1, head.header, version=head.version, nrows=str(max(nrows, 0)))
    return dataclasses.replace(bad, head=told)


# --------------------------------------------------------------------------- rows that were announced
def told(nrows: str) -> Message:
    return Announcement(1, schema(field("x", INT64)), nrows=nrows)


def rows(*values: int) -> Message:
    return batch(
        len(values), [(len(values), 0)], [(0, 0), (0, 8 * len(values))], struct.pack(f"<{len(values)}q", *values)
    )


@pytest.mark.parametrize("way", [receive, read])
@pytest.mark.parametrize("nrows", ["5", "1000000"])
def test_fewer_rows_than_announced(
    ends: tuple[cn.Connection, socket.socket], nrows: str, way: Callable[[cn.Connection], Any]
) -> None:
    """The message is whole and its end is known: it alone is refused, and the next one comes."""
    connection, peer = ends
    peer.sendall(ab.stream(told(nrows), rows(1, 2), rows(3)) + FIRST.wire)
    with pytest.raises(cn.DecodeError) as raised:
        way(connection)
    text = str(raised.value)
    assert text.startswith(f"{connection.peer}: message 1: "), text
    assert nrows in text.replace(",", "")
    FIRST.take(connection, PATIENCE_S)


@pytest.mark.parametrize("way", [receive, read])
@pytest.mark.parametrize("nrows", ["0", "1", "2"])
def test_more_rows_than_announced(
    ends: tuple[cn.Connection, socket.socket], nrows: str, way: Callable[[cn.Connection], Any]
) -> None:
    text = refused(ends, ab.stream(told(nrows), rows(1, 2), rows(3)), cn.DecodeError, way)
    assert nrows in text


@pytest.mark.parametrize("nrows", [2**62, 2**63 - 1, 2**60, 2**63, 2**64 - 1])
def test_more_rows_than_there_can_be(ends: tuple[cn.Connection, socket.socket], nrows: int) -> None:
    """Refused at the latest when the frame ends."""
    refused(ends, ab.stream(told(str(nrows)), rows(1, 2, 3)), (cn.LimitError, cn.DecodeError))


@pytest.mark.parametrize("nrows", ["", "-1", "three", "3.0", " 3", "0x3", "+3", str(2**64), str(10**30)])
def test_an_announcement_that_is_no_number(ends: tuple[cn.Connection, socket.socket], nrows: str) -> None:
    """Nobody announced anything then, or it is an error; never other rows than came."""
    connection, peer = ends
    peer.sendall(ab.stream(told(nrows), rows(1, 2, 3)))
    try:
        frame = connection.receive(timeout_s=PATIENCE_S)
    except cn.DecodeError as error:
        assert "message 1" in str(error)  # noqa: PT017
    else:
        assert frame.to_arrow()["x"].to_pylist() == [1, 2, 3]


def test_the_right_announcement(ends: tuple[cn.Connection, socket.socket]) -> None:
    connection, peer = ends
    peer.sendall(ab.stream(told("3"), rows(1, 2), rows(3)))
    assert connection.receive(timeout_s=PATIENCE_S).to_arrow()["x"].to_pylist() == [1, 2, 3]
