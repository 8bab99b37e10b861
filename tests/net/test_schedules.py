"""Random schedules for each transport, a thousand with `make exhaustive`: each message arrives whole and in order."""

import io
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import colonnade as cn
from colonnade.testing.transports import LiveTransportTests
from tests.helpers.schedules import (
    Incoming,
    assert_ended,
    draw_messages,
    draw_size,
    receive_on_schedule,
    send_on_schedule,
)
from tests.net import test_contract_pipes as pipes
from tests.net import test_contract_sockets as sockets

if TYPE_CHECKING:
    from tests.helpers.certificates import Certificates

LIVE: dict[str, Callable[[], LiveTransportTests]] = {
    "pipe": pipes.TestAnonymousPipe,
    "non-blocking pipe": pipes.TestNonBlockingPipe,
    "named pipe": pipes.TestNamedPipe,
    "two pipes": pipes.TestTwoPipes,
    "Unix socket, connecting": sockets.TestUnixConnecting,
    "Unix socket, accepting": sockets.TestUnixAccepting,
    "TCP, connecting": sockets.TestTcpConnecting,
    "TCP, accepting": sockets.TestTcpAccepting,
    "socket object": sockets.TestSocketObject,
}
# `make test` takes the first block. In all, line coverage is no lower without the others (docs/design/tests.md).
BLOCKS = [range(start, start + 250) for start in range(0, 1000, 250)]
in_blocks = pytest.mark.parametrize(
    "seeds",
    [pytest.param(block, marks=[pytest.mark.exhaustive] if block.start else []) for block in BLOCKS],
    ids=[f"{block.start}..{block.stop - 1}" for block in BLOCKS],
)


def draw(transport: LiveTransportTests, seeds: range) -> None:
    """Run the schedules of these seeds; an error tells its seed."""
    for seed in seeds:
        with naming(seed) as rng:
            # Every third one only sends.
            receives = seed % 3 != 0
            with transport.open(receives=receives) as (connection, peer):
                if receives:
                    receive_on_schedule(rng, connection, peer, is_two_way=transport.is_two_way)
                else:
                    send_on_schedule(rng, connection, peer)


@contextmanager
def naming(seed: int) -> Iterator[random.Random]:
    try:
        yield random.Random(seed)
    except BaseException as error:
        error.add_note(f"the schedule of seed {seed}")
        raise


@in_blocks
@pytest.mark.parametrize("name", LIVE)
def test_schedules(name: str, seeds: range, tmp_path: Path) -> None:
    transport: Any = LIVE[name]()
    transport.folder, transport.made = tmp_path, 0
    draw(transport, seeds)


@in_blocks
@pytest.mark.parametrize("accepts", [False, True], ids=["connecting", "accepting"])
def test_schedules_of_tls(accepts: bool, seeds: range, certificates: "Certificates") -> None:
    from tests.net import test_contract_tls as tls

    transport = tls.TestTlsAccepting() if accepts else tls.TestTlsConnecting()
    transport.certificates = certificates
    draw(transport, seeds)


# --------------------------------------------------------------------------- bytes at rest: cuts, but no stalls
class Random(io.RawIOBase):
    """An object that gives as many bytes a call as chance has it."""

    def __init__(self, data: bytes, rng: random.Random) -> None:
        self._data, self._rng = memoryview(data), rng

    def readable(self) -> bool:
        return True

    def readinto(self, view: Any) -> int:
        nbytes = min(draw_size(self._rng), len(view), len(self._data))
        view[:nbytes] = self._data[:nbytes]
        self._data = self._data[nbytes:]
        return nbytes


def over_memory(data: bytes, path: Path, rng: random.Random) -> cn.Connection:
    return cn.connect((data, None))


def over_file(data: bytes, path: Path, rng: random.Random) -> cn.Connection:
    path.write_bytes(data)
    return cn.connect((path, None))


def over_descriptor(data: bytes, path: Path, rng: random.Random) -> cn.Connection:
    path.write_bytes(data)
    with open(path, "rb", buffering=0) as file:
        return cn.connect((file.fileno(), None))


def over_object(data: bytes, path: Path, rng: random.Random) -> cn.Connection:
    return cn.connect((Random(data, rng), None))


@in_blocks
@pytest.mark.parametrize("make", [over_memory, over_file, over_descriptor, over_object])
def test_schedules_at_rest(make: Callable[..., cn.Connection], seeds: range, tmp_path: Path) -> None:
    for seed in seeds:
        with naming(seed) as rng:
            messages = draw_messages(rng)
            nbytes = sum(len(message.wire) for message in messages)
            incoming = Incoming(messages, rng.choice((nbytes, rng.randrange(nbytes + 1))))
            with make(incoming.next_piece(nbytes), tmp_path / "messages", rng) as connection:
                for _ in range(incoming.whole):
                    if rng.randrange(2):
                        assert connection.poll(0.0) is True
                    incoming.take(connection, rng, None)
                assert_ended(connection, incoming, None)


@in_blocks
@pytest.mark.parametrize("kind", ["memory", "file", "object"])
def test_schedules_of_sending_at_rest(kind: str, seeds: range, tmp_path: Path) -> None:
    """What is sent comes back, whoever collects it."""
    for seed in seeds:
        with naming(seed) as rng:
            messages = [message for message in draw_messages(rng) if message.name != "frame of another writer"]
            target: Any = {"memory": cn.BufferSink, "file": lambda: tmp_path / "out", "object": io.BytesIO}[kind]()
            with cn.connect((None, target)) as connection:
                for message in messages:
                    message.send(connection)
            data = {"memory": bytes, "file": Path.read_bytes, "object": io.BytesIO.getvalue}[kind](target)
            assert data == b"".join(message.wire for message in messages)
