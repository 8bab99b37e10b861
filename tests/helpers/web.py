"""A server of files for the tests of HTTP: right by default, and wrong in the way that a test asks for.

with Site() as site:
    site.put("/x.npz", data)                      # ranges, ETag
    site.answer("/y.npz", lambda request: ...)    # anything else
    cn.read(site.url + "/x.npz")
"""

import contextlib
import http.server
import re
import ssl
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass
class Asked:
    """One request."""

    path: str
    range: tuple[int, int] | None  # first and last byte
    headers: dict[str, str]
    nbytes: int = 0  # of the body that was answered


class Request(http.server.BaseHTTPRequestHandler):
    """A request, and the ways to answer it."""

    protocol_version = "HTTP/1.1"
    server: "_Server"

    def do_GET(self) -> None:
        found = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        self.range = (int(found[1]), int(found[2])) if found else None
        # Noted before the answer: who has the answer may look at once.
        self.asked = Asked(self.path, self.range, {k.lower(): v for k, v in self.headers.items()})
        self.server.site.asked.append(self.asked)
        self.server.site.answers.get(self.path, _missing)(self)

    def reply(self, status: int, body: bytes = b"", **headers: Any) -> None:
        """Status, headers (`content_range=` is Content-Range; None leaves one out) and body."""
        told = {"content_length": len(body), **headers}
        self.send_response(status)
        for name, value in told.items():
            if value is not None:
                self.send_header(name.replace("_", "-").title(), str(value))
        self.end_headers()
        self.send(body)

    def send(self, body: bytes) -> None:
        """Bytes of the body; who asked may be gone."""
        self.asked.nbytes += len(body)
        with contextlib.suppress(ConnectionError, ssl.SSLError):
            self.wfile.write(body)

    def whole(self, data: bytes, **headers: Any) -> None:
        """All of it, whatever was asked for."""
        self.reply(200, data, **headers)

    def ranged(self, data: bytes, *, etag: str | None = '"1"', **headers: Any) -> None:
        """The range that was asked for, as RFC 9110 says."""
        if self.range is None or self.headers.get("If-Range", etag) != etag:
            return self.whole(data, etag=etag, **headers)
        first, last = self.range[0], min(self.range[1], len(data) - 1)
        if first >= len(data):
            return self.reply(416, content_range=f"bytes */{len(data)}")
        told = {"content_range": f"bytes {first}-{last}/{len(data)}", "etag": etag, **headers}
        return self.reply(206, data[first : last + 1], **told)

    def log_message(self, *_: Any) -> None:
        """Nobody reads it."""


Answer = Callable[[Request], object]


def _missing(request: Request) -> None:
    request.reply(404)


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    site: "Site"

    def get_request(self) -> tuple[Any, Any]:
        found = super().get_request()
        self.site.connections += 1
        return found

    def finish_request(self, request: Any, client_address: Any) -> None:
        # A handshake happens in the connection's own thread: one that fails or stalls holds nobody up.
        context = self.site.context
        if context is not None:
            request = context.wrap_socket(request, server_side=True)
        super().finish_request(request, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A peer that goes away in the middle is what some tests are about."""


class Site:
    """The server, in threads of its own."""

    def __init__(self, context: ssl.SSLContext | None = None) -> None:
        self.context = context
        self.answers: dict[str, Answer] = {}
        self.asked: list[Asked] = []
        self.connections = 0
        self._server = _Server(("127.0.0.1", 0), Request)
        self._server.site = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        return f"{'https' if self.context else 'http'}://{self.authority}"

    @property
    def authority(self) -> str:
        return f"127.0.0.1:{self._server.server_port}"

    def put(self, path: str, data: bytes, *, ranges: bool = True) -> str:
        """A file; its address."""
        return self.answer(path, lambda request: request.ranged(data) if ranges else request.whole(data))

    def answer(self, path: str, answer: Answer) -> str:
        """An address that is answered so."""
        self.answers[path] = answer
        return self.url + path

    @property
    def nbytes(self) -> int:
        """Bytes of all bodies so far."""
        return sum(asked.nbytes for asked in self.asked)

    def renewed(self) -> "Site":
        """Another server of the same kind, without files and requests."""
        return Site(self.context)

    def __enter__(self) -> "Site":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
