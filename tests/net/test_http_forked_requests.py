"""A process that a signal handler forks while a request is waited for: the child gets an error, the parent its file."""

import os
import signal
import threading

import numpy as np
import pytest

import colonnade as cn
from tests.helpers.children import child
from tests.helpers.web import Request, Site

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")

DATA = bytes(cn.encode({f"c{i}": np.full(50_000, i) for i in range(3)}, "npz"))
FORK = """
pids = []

def fork(number, frame):
    pids.append(os.fork())
    if pids[-1]:
        say(os.waitpid(pids[-1], 0)[1])
    else:
        signal.alarm(20)

signal.signal(signal.SIGUSR1, fork)
say("ready")
try:
    column = cn.read(sys.argv[1]).to_numpy()["c1"]
except OSError as error:
    os._exit(0 if pids == [0] and "this process was forked" in str(error) else 1)
if pids == [0]:
    os._exit(2)
say("fine" if (column == 1).all() else "wrong")
"""


@pytest.mark.parametrize("waits_for", ["the head", "a column"])
def test_a_child_does_not_wait_for_the_answer_to_its_parent(site: Site, waits_for: str) -> None:
    asked, over = threading.Event(), threading.Event()

    def answer(request: Request) -> None:
        if (request.range == (0, 65535)) == (waits_for == "the head"):
            asked.set()
            over.wait(60)
        request.ranged(DATA)

    with child(FORK, site.answer("/x.npz", answer)) as made:
        try:
            assert made.line() == "ready"
            assert asked.wait(60)
            made.process.send_signal(signal.SIGUSR1)
            assert made.line() == "0"
        finally:
            over.set()
        assert made.line() == "fine"


def test_a_stream_of_the_parent_is_named_to_its_child(site: Site) -> None:
    data = bytes(cn.encode({"a": np.arange(500_000)}, "arrows", batch_nbytes=400_000))
    script = """
with cn.open_reader(sys.argv[1]) as reader:
    batches = iter(reader)
    next(batches)
    pid = os.fork()
    if not pid:
        try:
            for _ in batches:
                pass
        except OSError as error:
            os._exit(0 if f"{sys.argv[1]}: it is being read by the process" in str(error) else 1)
        os._exit(2)
    say(os.waitpid(pid, 0)[1])
"""
    with child(script, site.put("/x.arrows", data, ranges=False)) as made:
        assert made.line() == "0"
