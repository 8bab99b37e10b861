"""A signal whose handler returns ends no call: the call goes on where it was."""

import os
import socket
from contextlib import ExitStack, nullcontext, suppress

import numpy as np
import pytest

import colonnade as cn
from tests.helpers.alarms import alarms
from tests.helpers.each import each


@pytest.mark.parametrize("is_blocking", [True, False])
def test_a_write_to_a_full_pipe_goes_on_after_a_handler(is_blocking: bool) -> None:
    source, target = os.pipe()
    data = np.arange(40_000)
    found, calls = bytearray(), 0

    def drain() -> None:
        nonlocal calls
        calls += 1
        # Between two of these calls the pipe stays full.
        if calls % 3 == 0:
            with suppress(BlockingIOError):
                found.extend(os.read(source, 1 << 20))

    try:
        os.set_blocking(source, False)
        os.set_blocking(target, is_blocking)
        with alarms(drain):
            cn.write(data, target, format="arrows")
        os.close(target)
        while part := os.read(source, 1 << 20):
            found.extend(part)
    finally:
        os.close(source)
    assert bytes(found) == bytes(cn.encode(data, "arrows"))


@each("is_interrupted", [True, False])
def test_a_server_whose_queue_is_full_gives_no_answer_in_time(is_interrupted: bool) -> None:
    """Handlers that run meanwhile change nothing; the error names the address."""
    with ExitStack() as stack:
        server = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        name = server.getsockname()
        for _ in range(4):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(name)
        stack.enter_context(alarms(lambda: None) if is_interrupted else nullcontext())
        with pytest.raises(TimeoutError, match=rf"tcp://127\.0\.0\.1:{name[1]}: no answer in time"):
            cn.connect(f"tcp://127.0.0.1:{name[1]}", timeout_s=0.15)
