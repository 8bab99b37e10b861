"""Real processes for the tests: started, waited for until they do what a test is about, and always ended."""

import os
import select
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

PATIENCE_S = 60.0

PRELUDE = """
import os, signal, socket, sys, threading, time
import numpy as np
import colonnade as cn

# Imported now, not where a signal is expected: Python 3.11 makes a RuntimeError of one inside of a class statement.
cn.read, cn.write, cn.open_writer, cn.connect, cn.wait

def say(*words):
    print(*words, flush=True)

def hears_signals(read):
    # Does it answer signals while it runs? The handler raises on its second call. Signals heard only at the end
    # call it once together, however many they are, and the timer is off before its next tick.
    read()  # imports what it needs
    calls = []

    def handler(number, frame):
        calls.append(number)
        if len(calls) == 2:
            signal.setitimer(signal.ITIMER_REAL, 0)
            raise KeyboardInterrupt

    signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
    try:
        result = read()  # freed after the timer is off
    except KeyboardInterrupt:
        return True
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return False

"""


class Child:
    """A process of ours, with its lines."""

    def __init__(self, script: str, *arguments: object, **options: Any) -> None:
        code = PRELUDE + textwrap.dedent(script)
        self.process = subprocess.Popen(
            [sys.executable, "-c", code, *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **options,
        )
        self._said = b""

    def line(self) -> str:
        """The next line it says."""
        stdout = self.process.stdout
        assert stdout is not None
        end = time.monotonic() + PATIENCE_S
        while b"\n" not in self._said:
            left = end - time.monotonic()
            if left <= 0 or not select.select([stdout], [], [], left)[0]:
                pytest.fail("the child says nothing")
            piece = os.read(stdout.fileno(), 4096)
            if not piece:
                _, errors = self.process.communicate(timeout=PATIENCE_S)
                pytest.fail(f"the child is gone: {errors.decode()[-2000:]}")
            self._said += piece
        line, _, self._said = self._said.partition(b"\n")
        return line.decode()

    def until_asleep(self) -> None:
        """Until its main thread waits for something in the system: after `line` it is inside the call that follows."""
        end = time.monotonic() + PATIENCE_S
        asleep = 0
        while asleep < 10:
            state = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()[0]
            asleep = asleep + 1 if state == "S" else 0
            if time.monotonic() > end:
                pytest.fail("the child does not come to rest")
            time.sleep(0.005)

    def end(self, patience_s: float = PATIENCE_S) -> tuple[int, str, str]:
        """Wait for its end: status, output, errors."""
        try:
            output, errors = self.process.communicate(timeout=patience_s)
        except subprocess.TimeoutExpired:
            self.process.kill()
            _, errors = self.process.communicate()
            pytest.fail(f"the child goes on and on: {errors.decode()[-2000:]}")
        return self.process.returncode, (self._said + output).decode(), errors.decode()


@contextmanager
def child(script: str, *arguments: object, **options: Any) -> Iterator[Child]:
    """A process that is gone when the block is."""
    made = Child(script, *arguments, **options)
    try:
        yield made
    finally:
        made.process.kill()
        made.process.wait()
        for stream in (made.process.stdin, made.process.stdout, made.process.stderr):
            if stream is not None:
                stream.close()
