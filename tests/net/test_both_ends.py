"""Both ends ours, both ways at once, in threads: what each sends is what the other receives, in its order."""

import random
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import pytest

import colonnade as cn
from colonnade.testing.transports import PATIENCE_S, Background, Message, SocketPeer, Trickle, big_bytes, samples


@contextmanager
def ends(kind: str, folder: Path, request: pytest.FixtureRequest) -> Iterator[tuple[cn.Connection, cn.Connection]]:
    """Two connections that are joined."""
    with ExitStack() as stack:
        if kind == "socket pair":
            for sock in (pair := socket.socketpair()):
                stack.enter_context(sock)
            yield tuple(stack.enter_context(cn.connect(sock)) for sock in pair)  # type: ignore[misc]
            return
        ours: dict[str, str] = {}
        theirs: dict[str, str] = {}
        url = {"unix": f"unix:{folder}/socket", "tcp": "tcp://127.0.0.1:0", "tls": "tls://127.0.0.1:0"}[kind]
        if kind == "tls":
            made = request.getfixturevalue("certificates")
            ours, theirs = made.server.options, {"authorities": made.authority}
        listener = stack.enter_context(cn.listen(url, **ours))
        accepting = Background(listener.accept, timeout_s=PATIENCE_S)
        left = stack.enter_context(cn.connect(listener.url, timeout_s=PATIENCE_S, **theirs))
        yield left, stack.enter_context(accepting.result())


def drawn(rng: random.Random, count: int) -> list[Message]:
    """Small ones for the most part, and some that no buffer holds."""
    return [big_bytes(2) if rng.randrange(12) == 0 else rng.choice(samples()) for _ in range(count)]


def send_all(connection: cn.Connection, messages: list[Message]) -> None:
    for message in messages:
        message.send(connection, PATIENCE_S)
    connection.finish()


def take_all(connection: cn.Connection, messages: list[Message], rng: random.Random) -> None:
    """Impatient every now and then: a timeout costs nothing."""
    for message in messages:
        while rng.randrange(3) == 0:
            if rng.randrange(2):
                connection.poll(0.0)
            else:
                cn.wait([connection], timeout_s=0.001)
        message.take(connection, PATIENCE_S)
    assert list(connection) == []


@pytest.mark.parametrize("kind", ["socket pair", "unix", "tcp", "tls"])
@pytest.mark.parametrize("seed", range(3))
def test_both_ways_at_once(kind: str, seed: int, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    rng = random.Random(seed)
    there, back = drawn(rng, 60), drawn(rng, 60)
    with ends(kind, tmp_path, request) as (left, right):
        works = [
            Background(send_all, left, there),
            Background(send_all, right, back),
            Background(take_all, right, there, random.Random(seed + 1)),
            Background(take_all, left, back, random.Random(seed + 2)),
        ]
        for work in works:
            work.result()


def test_a_relay_of_many_peers() -> None:
    """One thread waits for twenty connections and answers whoever has sent something."""
    with cn.listen("tcp://127.0.0.1:0", max_peers=20) as listener:

        def ask(number: int) -> None:
            rng = random.Random(number)
            with cn.connect(listener.url, timeout_s=PATIENCE_S) as connection:
                for turn in range(20):
                    size = rng.choice((0, 1, 100, 200_000))
                    connection.send({"x": np.full(size, number), "y": np.full(size, turn)})
                    found = connection.receive(timeout_s=PATIENCE_S).to_numpy()
                    np.testing.assert_array_equal(found["x"], np.full(size, number))
                    np.testing.assert_array_equal(found["y"], np.full(size, turn))

        workers = [Background(ask, number) for number in range(20)]
        connections: list[cn.Connection] = []
        answered = ended = 0
        while ended < len(workers):
            for ready in cn.wait([listener, *connections], timeout_s=PATIENCE_S):
                if ready is listener:
                    connections.append(listener.accept(timeout_s=PATIENCE_S))
                    continue
                try:
                    ready.send(ready.receive(timeout_s=PATIENCE_S), timeout_s=PATIENCE_S)
                    answered += 1
                except EOFError:
                    ready.close()
                    connections.remove(ready)
                    ended += 1
        for worker in workers:
            worker.result()
        assert answered == 20 * 20


def test_a_relay_through_a_middleman_in_both_directions() -> None:
    """Pieces of all sizes both ways; the middleman pauses for nobody."""
    rng = random.Random(7)
    there, back = drawn(rng, 30), drawn(rng, 30)
    sockets = [*socket.socketpair(), *socket.socketpair()]
    with ExitStack() as stack:
        for sock in sockets:
            stack.enter_context(sock)
        left, right = (stack.enter_context(cn.connect(sock)) for sock in (sockets[0], sockets[3]))
        near, far = SocketPeer(sockets[1]), SocketPeer(sockets[2])
        middlemen = [
            Trickle(near, far, [rng.randrange(1, 100_000) for _ in range(50)]),
            Trickle(far, near, [rng.randrange(1, 5_000) for _ in range(50)]),
        ]
        works = [
            Background(send_all, left, there),
            Background(send_all, right, back),
            Background(take_all, right, there, random.Random(1)),
            Background(take_all, left, back, random.Random(2)),
        ]
        for work in works:
            work.result()
        for middleman in middlemen:
            assert middleman.result() > 0
