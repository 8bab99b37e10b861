"""cn.wait: which connections and listeners are ready."""

import contextlib
import io
import os
import signal
import socket
import threading
from contextlib import ExitStack
from typing import Any

import numpy as np
import pytest

import colonnade as cn
from tests.helpers.connected import FRAME, facing_socket, pair


def test_those_with_a_whole_message() -> None:
    with ExitStack() as stack:
        pairs = [stack.enter_context(pair()) for _ in range(4)]
        theirs = [there for _, there in pairs]
        assert cn.wait(theirs, timeout_s=0) == []
        pairs[2][0].send(FRAME)
        pairs[0][0].send_bytes(b"")
        assert cn.wait(theirs) == [theirs[0], theirs[2]]
        assert cn.wait(theirs) == [theirs[0], theirs[2]]  # a wait changes nothing
        assert theirs[0].receive_bytes() == b""
        assert cn.wait(theirs, timeout_s=5) == [theirs[2]]
        assert theirs[2].receive().equals(FRAME)
        assert cn.wait(theirs, timeout_s=0.01) == []
        pairs[3][0].close()
        assert cn.wait(theirs) == [theirs[3]]
        assert cn.wait([]) == []


def test_several_messages_at_once() -> None:
    """Messages that were received together no longer make the descriptor ready."""
    with pair() as (here, there):
        for number in range(50):
            here.send_bytes(bytes([number]))
        for number in range(50):
            assert cn.wait([there], timeout_s=10) == [there]
            assert there.receive_bytes() == bytes([number])
        assert cn.wait([there], timeout_s=0) == []


def test_half_a_message_is_none() -> None:
    data = cn.encode(FRAME, "arrows")
    with facing_socket() as (here, theirs):
        for start, stop in ((0, 5), (5, 100), (100, len(data) - 1)):
            theirs.sendall(data[start:stop])
            assert cn.wait([here], timeout_s=0.02) == []
        threading.Timer(0.05, theirs.sendall, [data[-1:]]).start()
        assert cn.wait([here], timeout_s=30) == [here]
        assert here.receive().equals(FRAME)


def test_an_error_is_something_to_receive() -> None:
    with facing_socket() as (here, theirs):
        theirs.sendall(b"garbage garbage garbage garbage")
        assert cn.wait([here], timeout_s=30) == [here]
        for _ in range(2):
            with pytest.raises(cn.DecodeError):
                here.receive()
        assert cn.wait([here], timeout_s=0) == [here]


def test_a_message_larger_than_the_sockets_buffers() -> None:
    with pair() as (here, there):
        sender = threading.Thread(target=here.send_bytes, args=(bytes(40 << 20),))
        sender.start()
        assert cn.wait([there], timeout_s=60) == [there]
        assert there.receive_bytes() == bytes(40 << 20)
        sender.join()


def test_a_message_of_the_other_kind_is_still_there() -> None:
    with pair() as (here, there):
        here.send_bytes(b"...")
        with pytest.raises(cn.DecodeError):
            there.receive()
        assert cn.wait([there], timeout_s=0) == [there]


def test_listeners_too(tmp_path: Any) -> None:
    with cn.listen("tcp://:0") as tcp, cn.listen(f"unix:{tmp_path}/s") as unix:
        assert cn.wait([tcp, unix], timeout_s=0) == []
        with cn.connect(unix.url) as here:
            assert cn.wait([tcp, unix], timeout_s=30) == [unix]
            assert cn.wait([tcp, unix], timeout_s=30) == [unix]
            with unix.accept(timeout_s=0) as there:
                assert cn.wait([tcp, unix, here, there], timeout_s=0) == []
                here.send({"a": np.arange(3)})
                assert cn.wait([tcp, unix, here, there], timeout_s=30) == [there]


def test_what_has_no_descriptor_is_ready() -> None:
    with pair() as (_, there), cn.connect((io.BytesIO(), None)) as from_object:
        assert cn.wait([there, from_object]) == [from_object]


def test_pipes() -> None:
    ours, theirs = os.pipe()
    with (
        open(ours, "rb", buffering=0) as source,
        open(theirs, "wb", buffering=0) as target,
        cn.connect(source) as here,
        cn.connect(target) as there,
    ):
        assert cn.wait([here], timeout_s=0) == []
        there.send(FRAME)
        assert cn.wait([here]) == [here]
        assert here.receive().equals(FRAME)


def test_what_cannot_be_waited_for() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs, cn.connect(ours) as here:
        for what in (ours, 3, None):
            with pytest.raises(TypeError, match="connections"):
                cn.wait([here, what])  # type: ignore[list-item]
        for timeout_s in (-1, float("nan")):
            with pytest.raises(ValueError, match="timeout_s"):
                cn.wait([here], timeout_s=timeout_s)
    with pytest.raises(ValueError, match="closed"):
        cn.wait([here])


def test_ctrl_c_ends_it() -> None:
    # A shell starts background commands with Ctrl-C ignored, and Python keeps that.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with contextlib.ExitStack() as stack:
        stack.callback(signal.signal, signal.SIGINT, before)
        _, there = stack.enter_context(pair())
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            cn.wait([there], timeout_s=30)
