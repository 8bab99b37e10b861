"""Peers that are silent, too many, or break off: typed errors, and the others go on."""

import gc
import socket
import weakref
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import colonnade as cn
from colonnade.testing.transports import PATIENCE_S, Background, bytes_message, envelope, receive_exactly, samples
from colonnade.testing.transports import SocketPeer as Peer
from tests.helpers.sockets import plain_socket

SHORT_S = 0.05
GOOD = bytes_message("good", b"good")


@pytest.fixture(params=["unix", "tcp"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return f"unix:{tmp_path}/socket" if request.param == "unix" else "tcp://127.0.0.1:0"


# --------------------------------------------------------------------------- the others go on
def test_half_a_message_and_silence(url: str) -> None:
    """A timeout, as often as it is asked for, while another peer of the same listener is served."""
    with cn.listen(url) as listener, plain_socket(listener.url) as silent:
        waiting = listener.accept(timeout_s=PATIENCE_S)
        silent.sendall(samples()[2].wire[:100])
        with waiting, plain_socket(listener.url) as lively, listener.accept(timeout_s=PATIENCE_S) as served:
            for _ in range(3):
                with pytest.raises(TimeoutError, match="message 1"):
                    waiting.receive(timeout_s=SHORT_S)
                assert waiting.status() == "waiting"
                lively.sendall(GOOD.wire)
                assert cn.wait([waiting, served], timeout_s=PATIENCE_S) == [served]
                GOOD.take(served, PATIENCE_S)
            silent.sendall(samples()[2].wire[100:])
            samples()[2].take(waiting, PATIENCE_S)


@pytest.mark.parametrize("wire", [b"garbage, no message", envelope(b"")[:8] + b"\xff" * 8, GOOD.wire[:10]])
def test_one_bad_peer_among_good_ones(url: str, wire: bytes) -> None:
    with cn.listen(url) as listener:
        peers = [plain_socket(listener.url) for _ in range(5)]
        connections = [listener.accept(timeout_s=PATIENCE_S) for _ in peers]
        peers[2].sendall(wire)
        peers[2].close()
        for turn in range(2):
            for i, (peer, connection) in enumerate(zip(peers, connections, strict=True)):
                if i == 2:
                    with pytest.raises(cn.ColonnadeError, match="message 1"):
                        connection.receive(timeout_s=PATIENCE_S)
                else:
                    peer.sendall(GOOD.wire)
                    GOOD.take(connection, PATIENCE_S)
                    connection.send_bytes(f"answer {turn}".encode())
                    assert receive_exactly(Peer(peer), 24) == envelope(f"answer {turn}".encode())
        for connection, peer in zip(connections, peers, strict=True):
            connection.close()
            peer.close()


@pytest.mark.parametrize("wire", [b"garbage, no message", GOOD.wire[:10]])
def test_what_broke_is_not_kept(wire: bytes) -> None:
    """Nothing stays of a connection that ended in an error once nobody holds it: thousands of bad peers may come."""
    near, far = socket.socketpair()
    with near, far:
        connection = cn.connect(near)
        far.sendall(wire)
        far.shutdown(socket.SHUT_WR)
        with pytest.raises(cn.DecodeError) as raised:
            connection.receive(timeout_s=PATIENCE_S)
        assert isinstance(connection.status(), cn.DecodeError)
        reference = weakref.ref(connection)
        del connection, raised
        gc.collect()
        assert reference() is None


def test_a_thousand_connections(url: str) -> None:
    """Those beyond `max_peers` are turned away; those taken in, and those who come later, are served."""
    with cn.listen(url, max_peers=5) as listener:
        first = plain_socket(listener.url)
        served = listener.accept(timeout_s=PATIENCE_S)
        accepted: list[cn.Connection] = []
        crowd: list[socket.socket] = []
        for _ in range(1000):
            peer = plain_socket(listener.url)
            crowd.append(peer)
            with suppress(TimeoutError):
                accepted.append(listener.accept(timeout_s=0.0))
            if len(crowd) > 100:
                crowd.pop(0).close()
        assert len(accepted) <= 4
        first.sendall(GOOD.wire)
        GOOD.take(served, PATIENCE_S)
        for peer in crowd:
            peer.close()
        for connection in accepted:
            connection.close()
        served.close()
        first.close()
        # Somebody of the crowd may be let in, dead as he is; whoever knocks now is let in all the same.
        with plain_socket(listener.url) as late:
            late.sendall(GOOD.wire)
            for _ in range(200):
                with listener.accept(timeout_s=PATIENCE_S) as connection:
                    try:
                        GOOD.take(connection, PATIENCE_S)
                        return
                    except (EOFError, ConnectionError):
                        pass
        pytest.fail("nobody was let in any more")


def test_who_is_turned_away_sees_the_end(url: str) -> None:
    with cn.listen(url, max_peers=1) as listener:
        with plain_socket(listener.url) as first, listener.accept(timeout_s=PATIENCE_S) as served:
            with plain_socket(listener.url) as second:
                with pytest.raises(TimeoutError):
                    listener.accept(timeout_s=SHORT_S)
                with suppress(ConnectionError):
                    assert second.recv(100) == b""
            first.sendall(GOOD.wire)
            GOOD.take(served, PATIENCE_S)
        with plain_socket(listener.url), listener.accept(timeout_s=PATIENCE_S):
            pass


def test_a_listener_that_is_closed(url: str) -> None:
    listener = cn.listen(url)
    accepting = Background(listener.accept, timeout_s=PATIENCE_S)
    listener.close()
    listener.close()
    error = accepting.error()
    assert isinstance(error, (OSError, ValueError)), repr(error)
    assert not isinstance(error, TimeoutError)
    with pytest.raises(OSError):
        plain_socket(listener.url)


def test_connections_outlive_their_listener(url: str) -> None:
    with cn.listen(url) as listener:
        peer = plain_socket(listener.url)
        connection = listener.accept(timeout_s=PATIENCE_S)
    with peer, connection:
        peer.sendall(GOOD.wire)
        GOOD.take(connection, PATIENCE_S)


def test_a_reset_is_told_from_the_end_of_input() -> None:
    """TCP's reset: the peer is gone, and what it had not yet said is lost."""
    with cn.listen("tcp://127.0.0.1:0") as listener:
        peer = plain_socket(listener.url)
        with listener.accept(timeout_s=PATIENCE_S) as connection:
            peer.sendall(GOOD.wire)
            GOOD.take(connection, PATIENCE_S)
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
            peer.close()
            with pytest.raises(ConnectionResetError, match="message 2") as raised:
                connection.receive(timeout_s=PATIENCE_S)
            assert connection.peer in str(raised.value)
            assert isinstance(connection.status(), ConnectionResetError)


def test_what_was_sent_by_many_at_once_is_nobody_elses() -> None:
    """Ten peers in threads, each with its own frames, to one listener."""
    with cn.listen("tcp://127.0.0.1:0") as listener:

        def work(number: int) -> None:
            with cn.connect(listener.url, timeout_s=PATIENCE_S) as connection:
                for turn in range(20):
                    connection.send({"x": np.full(1000, number), "turn": np.full(1000, turn)})

        workers = [Background(work, number) for number in range(10)]
        seen = {}
        for _ in workers:
            with listener.accept(timeout_s=PATIENCE_S) as connection:
                frames = [frame.to_numpy() for frame in connection if isinstance(frame, cn.Frame)]
            (number,) = {int(x) for frame in frames for x in frame["x"]}
            seen[number] = [int(frame["turn"][0]) for frame in frames]
        for worker in workers:
            worker.result()
        assert seen == {number: list(range(20)) for number in range(10)}
