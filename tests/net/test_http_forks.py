"""Reading over HTTP in a process and its forked children: each has connections of its own."""

import os
import threading

import numpy as np
import pytest

import colonnade as cn
from tests.helpers.children import Child, child
from tests.helpers.web import Request, Site

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")

ROWS = 100_000

PRELUDE = """
url = sys.argv[1]

def check(frame, columns):
    for i in columns:
        assert (frame.select([f"c{i}"]).to_numpy()[f"c{i}"] == i).all(), i

def forked(work):
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        work()
        status = 0
    finally:
        os._exit(status)

def fine(pid):
    assert os.waitpid(pid, 0)[1] == 0

"""


def end(script: str, url: str) -> None:
    with child(PRELUDE + script, url) as made:
        status, output, errors = made.end()
        assert (status, output) == (0, "fine\n"), errors


def go(made: Child) -> None:
    """Let it go on."""
    assert made.process.stdin is not None
    made.process.stdin.write(b"go\n")
    made.process.stdin.flush()


@pytest.mark.parametrize("format", ["npz", "arrow"])
def test_parent_and_child_read_one_frame_at_once(site: Site, format: str) -> None:
    data = cn.encode({f"c{i}": np.full(ROWS, i) for i in range(12)}, format)
    script = """
for turn in range(4):
    frame = cn.read(url)
    check(frame, [0])
    pid = forked(lambda: check(frame, range(1, 12)))
    check(frame, range(11, 0, -1))
    fine(pid)
say("fine")
"""
    end(script, site.put("/x." + format, data))


def test_a_child_has_a_connection_of_its_own_and_leaves_its_parents_alone(site: Site) -> None:
    data = cn.encode({f"c{i}": np.full(ROWS, i) for i in range(3)}, "npz")
    ports: list[int] = []

    def answer(request: Request) -> None:
        ports.append(request.client_address[1])
        request.ranged(data)

    script = """
frame = cn.read(url)
say("opened")
sys.stdin.readline()
def work():
    global frame
    check(frame, [1])
    del frame
fine(forked(work))
say("asked")
sys.stdin.readline()
def drop():
    global frame
    del frame
fine(forked(drop))
check(frame, [2])
say("fine")
"""
    with child(PRELUDE + script, site.answer("/x.npz", answer)) as made:
        assert made.line() == "opened"
        opened = set(ports)
        ports.clear()
        go(made)
        assert made.line() == "asked"
        assert ports
        assert not opened & set(ports)
        ports.clear()
        go(made)
        assert made.line() == "fine"
    assert opened & set(ports)


@pytest.mark.parametrize("ranges", [True, False], ids=["ranges", "whole"])
def test_a_child_is_told_that_a_stream_is_its_parents(site: Site, ranges: bool) -> None:
    data = cn.encode({"c7": np.full(20 * ROWS, 7)}, "arrows", batch_nbytes=400_000)
    script = """
with cn.open_reader(url) as reader:
    batches = iter(reader)
    check(next(batches), [7])
    def work():
        try:
            for _ in batches:
                pass
        except OSError as error:
            assert "forked" in str(error), error
            check(cn.read(url), [7])
        else:
            raise AssertionError("all of a stream of another process")
    fine(forked(work))
    rows = 0
    for frame in batches:
        check(frame, [7])
        rows += len(frame)
    say("fine" if 0 < rows < 2_000_000 else rows)
"""
    end(script, site.put("/x.arrows", data, ranges=ranges))


def test_a_child_fetches_though_a_thread_of_its_parent_was_fetching(site: Site) -> None:
    data = cn.encode({f"c{i}": np.full(ROWS, i) for i in range(3)}, "npz")
    armed, stalled, over = threading.Event(), threading.Event(), threading.Event()

    def answer(request: Request) -> None:
        # The first that is asked for then, by the parent's thread, comes when the child is done.
        if armed.is_set() and not stalled.is_set():
            stalled.set()
            over.wait(60)
        request.ranged(data)

    script = """
frame = cn.read(url)
say("opened")
sys.stdin.readline()
thread = threading.Thread(target=check, args=(frame, [1]))
thread.start()
sys.stdin.readline()
fine(forked(lambda: check(frame, [1, 2])))
say("child")
thread.join()
check(frame, [1, 2])
say("fine")
"""
    with child(PRELUDE + script, site.answer("/x.npz", answer)) as made:
        assert made.line() == "opened"
        armed.set()
        go(made)
        assert stalled.wait(60)
        go(made)
        try:
            assert made.line() == "child"
        finally:
            over.set()
        assert made.line() == "fine"
