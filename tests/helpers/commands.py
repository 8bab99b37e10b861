"""Commands that run in the background of a test, and the bare sockets that they connect to."""

import contextlib
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

RUN = [sys.executable, "-m", "colonnade"]
PATIENCE_S = 60


class Started:
    """A running command, with its stderr line by line. It is killed instead of waiting for it forever."""

    def __init__(self, *arguments: object, stdin: Any = subprocess.DEVNULL) -> None:
        # Unbuffered: `communicate` does not return bytes that a read of one line has buffered.
        self.process = subprocess.Popen(
            [*RUN, *map(str, arguments)], stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
        )
        self.guard = threading.Timer(PATIENCE_S, self.process.kill)
        self.guard.start()

    def line(self) -> str:
        assert self.process.stderr is not None
        return self.process.stderr.readline().decode()

    def url(self) -> str:
        """The URL on which it listens."""
        line = self.line()
        found = re.fullmatch(r"colonnade: listening on (\S+)\n", line)
        assert found, line
        return found[1]

    def ended(self) -> tuple[int, str]:
        """Wait for its end. Return its status and the rest of its stderr."""
        out, err = self.process.communicate()
        self.out = out
        return self.process.returncode, err.decode()

    def interrupted(self) -> tuple[int, str]:
        self.process.send_signal(signal.SIGINT)
        return self.ended()

    def __enter__(self) -> "Started":
        return self

    def __exit__(self, *_: object) -> None:
        self.guard.cancel()
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()


def finished(*arguments: object, **options: Any) -> subprocess.CompletedProcess[Any]:
    """Run a command to its end and capture its output."""
    return subprocess.run([*RUN, *map(str, arguments)], capture_output=True, timeout=PATIENCE_S, check=False, **options)


def run(*arguments: object, **options: Any) -> tuple[int, str]:
    """Run a command that prints nothing to stdout. Return its status and its stderr."""
    done = finished(*arguments, text=True, **options)
    assert done.stdout == ""
    return done.returncode, done.stderr


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def connected(url: str) -> socket.socket:
    """Connect a bare socket to a command's listener."""
    if url.startswith("unix:"):
        peer = socket.socket(socket.AF_UNIX)
        peer.connect(url.removeprefix("unix:"))
        return peer
    host, port = url.removeprefix("tcp://").rsplit(":", 1)
    return socket.create_connection((host, int(port)))


@contextlib.contextmanager
def bare_listener(folder: Path) -> Iterator[tuple[socket.socket, str]]:
    """A socket that listens, and its URL."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "bare"))
        listener.listen()
        yield listener, f"unix:{folder / 'bare'}"


def wait_until_idle(started: Started) -> None:
    """Wait until the process has imported its modules and used no CPU time for a while."""
    stat = Path(f"/proc/{started.process.pid}/stat")
    before, same = -1, 0
    while same < 5:
        assert started.process.poll() is None
        fields = stat.read_text().rsplit(")", 1)[1].split()
        now = int(fields[11]) + int(fields[12])
        same = same + 1 if now == before and now > 10 else 0
        before = now
        time.sleep(0.1)
