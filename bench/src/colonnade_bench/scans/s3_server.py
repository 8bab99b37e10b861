"""An S3 server over a folder: s3s-fs, a server in Rust (``cargo install s3s-fs --features binary``)."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

KEY = "measured"
"""Access key and secret."""


def program() -> str | None:
    """The path of the server, where it is installed."""
    return shutil.which("s3s-fs") or shutil.which("s3s-fs", path=Path.home() / ".cargo" / "bin")


@contextmanager
def serving(folder: Path) -> Iterator[tuple[str, int]]:
    """Serves the folders below `folder` as buckets. Yields host and port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        host, port = free.getsockname()
    command = [str(program()), "--host", host, "--port", str(port), "--access-key", KEY, "--secret-key", KEY]
    with subprocess.Popen([*command, str(folder)], env={**os.environ, "RUST_LOG": "error"}) as server:
        try:
            _wait(host, port)
            yield host, port
        finally:
            server.kill()


def _wait(host: str, port: int) -> None:
    for _ in range(200):
        try:
            socket.create_connection((host, port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise RuntimeError(f"s3s-fs: no server at {host}:{port} within 10 s")
