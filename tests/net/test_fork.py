"""A connection that a forked child inherits stays the parent's."""

import os
import threading
from collections.abc import Callable
from typing import Any

import pytest

import colonnade as cn

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


def in_child(work: Callable[[], bytes]) -> bytes:
    """What `work` answers in a forked child."""
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(send, work())
        except BaseException as error:
            os.write(send, repr(error).encode())
        os._exit(0)
    os.close(send)
    with os.fdopen(receive, "rb") as file:
        text = file.read()
    os.waitpid(child, 0)
    return text


def test_closing_in_a_child_leaves_the_parents_connection_whole() -> None:
    with cn.listen("tcp://:0") as listener, cn.connect(listener.url) as here:
        there = listener.accept(timeout_s=10)

        def close() -> bytes:
            here.close()
            there.close()
            return b"closed"

        assert in_child(close) == b"closed"
        here.send_bytes(b"still here")
        assert there.receive_bytes(timeout_s=10) == b"still here"
        there.close()


def test_a_session_is_not_used_by_two_processes(certificates: Any) -> None:
    with cn.listen("tls://127.0.0.1:0", **certificates.server.options) as listener:
        made: list[cn.Connection] = []
        waiting = threading.Thread(target=lambda: made.append(listener.accept(timeout_s=10)))
        waiting.start()
        with cn.connect(listener.url, authorities=certificates.authority, timeout_s=10) as here:
            waiting.join()
            said = in_child(lambda: here.send_bytes(b"from the child") or b"sent")
            assert b"before a fork" in said
            assert in_child(lambda: here.close() or b"closed") == b"closed"
            here.send_bytes(b"still here")
            assert made[0].receive_bytes(timeout_s=10) == b"still here"
        made[0].close()
