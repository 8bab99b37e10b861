"""Random schedules of cuts, stalls and closes, and the model that says what must come of each.

A schedule is drawn from a seed while it runs, step by step. Nothing in it depends on time: a step that must not find a
message looks without waiting, and one that must find one waits as long as it takes.
"""

import random
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np
import pytest

import colonnade as cn
from colonnade.testing.transports import PATIENCE_S, Message, Peer, bytes_message, samples


def draw_messages(rng: random.Random) -> list[Message]:
    """A few small ones: together less than a pipe holds."""
    own = [bytes_message(f"{n} random bytes", rng.randbytes(n)) for n in (0, rng.randrange(40), rng.randrange(3000))]
    return rng.choices([*samples(), *own], k=rng.randrange(1, 7))


def draw_size(rng: random.Random) -> int:
    return rng.choice((1, 2, 3, 7, 16, rng.randrange(1, 40), rng.randrange(1, 500), rng.randrange(1, 4000)))


@dataclass
class Incoming:
    """The model of what a peer sends: the stream, how much of it is under way, how many messages were taken."""

    messages: list[Message]
    limit: int  # the peer closes after so many bytes
    at: int = 0
    taken: int = 0
    stream: bytes = field(init=False)
    ends: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.stream = b"".join(message.wire for message in self.messages)
        self.ends = list(accumulate(len(message.wire) for message in self.messages))

    @property
    def whole(self) -> int:
        """Messages all of whose bytes were sent."""
        return sum(end <= self.at for end in self.ends)

    @property
    def is_cut(self) -> bool:
        """Whether what was sent ends inside a message."""
        return self.at not in (0, *self.ends)

    def next_piece(self, nbytes: int) -> bytes:
        piece = self.stream[self.at : min(self.at + nbytes, self.limit)]
        self.at += len(piece)
        return piece

    def take(self, connection: cn.Connection, rng: random.Random, patience_s: float | None) -> None:
        """The next whole message, asked for in one way or another."""
        message = self.messages[self.taken]
        way = rng.randrange(4)
        if way == 0:
            message.check(next(iter(connection)))
        elif way == 1 and message.is_frame:
            with cn.open_reader(connection) as reader:
                batches = [batch.to_numpy() for batch in reader]
            for name, values in message.content.to_numpy().items():
                found = np.concatenate([batch[name] for batch in batches]) if batches else values[:0]
                np.testing.assert_array_equal(found, values)
        else:
            message.take(connection, patience_s)
        self.taken += 1


@dataclass
class Outgoing:
    """The model of what a connection sends: all its bytes, and how many of them the peer has read."""

    sent: bytearray = field(default_factory=bytearray)
    read: int = 0

    def send(self, connection: cn.Connection, message: Message, patience_s: float | None) -> None:
        if message.name == "frame of another writer":
            return  # another program's bytes: we would send others
        message.send(connection, patience_s)
        self.sent += message.wire

    def let_read(self, peer: Peer, nbytes: int) -> None:
        if self.read < len(self.sent):
            piece = peer.receive(nbytes)
            assert piece == self.sent[self.read : self.read + len(piece)]
            assert piece
            self.read += len(piece)


def receive_on_schedule(rng: random.Random, connection: cn.Connection, peer: Peer, *, is_two_way: bool) -> None:
    """The peer sends in pieces, stalls, breaks off; where it can, the connection sends all the while."""
    messages = draw_messages(rng)
    nbytes = sum(len(message.wire) for message in messages)
    incoming = Incoming(messages, rng.choice((nbytes, rng.randrange(nbytes + 1))))
    outgoing = Outgoing()
    while incoming.at < incoming.limit:
        step(rng, connection, peer, incoming, outgoing if is_two_way else None)
    while outgoing.read < len(outgoing.sent):
        outgoing.let_read(peer, draw_size(rng))
    peer.close()
    while incoming.taken < incoming.whole:
        incoming.take(connection, rng, PATIENCE_S)
    assert_ended(connection, incoming)


def step(
    rng: random.Random, connection: cn.Connection, peer: Peer, incoming: Incoming, outgoing: Outgoing | None
) -> None:
    is_there = incoming.whole > incoming.taken
    match rng.randrange(8):
        case 0 | 1 | 2:
            peer.send(incoming.next_piece(draw_size(rng)))
        case 3:
            assert connection.poll(PATIENCE_S if is_there else 0.0) is is_there
        case 4:
            found = cn.wait([connection], timeout_s=PATIENCE_S if is_there else 0.0)
            assert found == ([connection] if is_there else [])
        case 5 if is_there:
            incoming.take(connection, rng, PATIENCE_S)
        case 5:
            with pytest.raises(TimeoutError):
                connection.receive(timeout_s=rng.choice((0.0, 0.0005)))
        case 6 if outgoing is not None:
            outgoing.send(connection, rng.choice(incoming.messages), PATIENCE_S)
        case 7 if outgoing is not None:
            outgoing.let_read(peer, draw_size(rng))
        case _:
            assert connection.status() in ("ok", "waiting")
            assert connection.partial() in incoming.stream


def assert_ended(connection: cn.Connection, incoming: Incoming, patience_s: float | None = PATIENCE_S) -> None:
    """Exactly what was whole has come; behind it is the end of input, or the error of a message that was not."""
    if incoming.is_cut:
        with pytest.raises(cn.TruncatedError, match=rf"message {incoming.taken + 1}\b"):
            connection.receive(timeout_s=patience_s)
    else:
        with pytest.raises(EOFError) as raised:
            connection.receive(timeout_s=patience_s)
        assert not isinstance(raised.value, cn.TruncatedError)


def send_on_schedule(rng: random.Random, connection: cn.Connection, peer: Peer) -> None:
    """The connection sends while the peer reads pieces, or stalls; then it closes, and the peer reads the rest."""
    outgoing = Outgoing()
    for message in draw_messages(rng):
        outgoing.send(connection, message, PATIENCE_S)
        for _ in range(rng.randrange(4)):
            outgoing.let_read(peer, draw_size(rng))
    if rng.randrange(2):
        connection.finish()
    connection.close()
    while outgoing.read < len(outgoing.sent):
        outgoing.let_read(peer, draw_size(rng))
    assert peer.receive(1) == b""
