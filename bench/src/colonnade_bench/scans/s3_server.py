"""A server of a folder that speaks as much S3 as readers need, adds a delay to each request, and counts bytes.

s3s-fs and moto compute a hash of the object for each range, which takes longer than everything that is measured here.
"""

from __future__ import annotations

import multiprocessing
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

KEY = "measured"
"""Access key and secret. The server does not look at them."""
_RANGE = re.compile(r"bytes=(\d*)-(\d*)")


@dataclass(frozen=True)
class Served:
    """A running server."""

    address: str
    _sent: Any

    def moved_nbytes(self) -> int:
        """The bytes of all bodies so far."""
        return int(self._sent.value)


@contextmanager
def serving(folder: Path, delay_s: float) -> Iterator[Served]:
    """Serves the folders below `folder` as buckets, in a process of its own."""
    context = multiprocessing.get_context("spawn")
    sent, port = context.Value("q", 0), context.SimpleQueue()
    process = context.Process(target=_serve, args=(str(folder), delay_s, sent, port), daemon=True)
    process.start()
    try:
        yield Served(f"127.0.0.1:{port.get()}", sent)
    finally:
        process.kill()


def _serve(folder: str, delay_s: float, sent: Any, port: Any) -> None:
    names = {"folder": folder, "delay_s": delay_s, "sent": sent}
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), names))
    server.daemon_threads = True
    port.put(server.server_port)
    server.serve_forever()


class _Handler(BaseHTTPRequestHandler):
    folder: str
    delay_s: float
    sent: Any
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16  # a response's head is one packet
    disable_nagle_algorithm = True

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        time.sleep(self.delay_s)
        path = os.path.join(self.folder, self.path.partition("?")[0].lstrip("/"))
        if not os.path.isfile(path):
            self._head(404, {"Content-Length": "0"})
            return
        nbytes = os.path.getsize(path)
        start, stop = self._span(nbytes)
        headers = {
            "Content-Length": str(stop - start),
            "Content-Range": f"bytes {start}-{stop - 1}/{nbytes}",
            "ETag": f'"{os.stat(path).st_mtime_ns:x}"',
            "Last-Modified": self.date_time_string(int(os.path.getmtime(path))),
            "Accept-Ranges": "bytes",
        }
        if "Range" not in self.headers:
            del headers["Content-Range"]
        self._head(206 if "Range" in self.headers else 200, headers)
        if self.command == "GET":
            with open(path, "rb") as file:
                self.connection.sendfile(file, start, stop - start)
            with self.sent.get_lock():
                self.sent.value += stop - start

    def _head(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.flush()

    def _span(self, nbytes: int) -> tuple[int, int]:
        found = _RANGE.fullmatch(self.headers.get("Range", ""))
        if found is None:
            return 0, nbytes
        first, last = found.groups()
        if not first:  # the last bytes
            return max(0, nbytes - int(last)), nbytes
        return int(first), min(int(last) + 1 if last else nbytes, nbytes)

    def log_message(self, *_: object) -> None:
        pass
