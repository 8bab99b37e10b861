"""An S3 server with objects in memory that answers wrongly when it is told to."""

import hashlib
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Fault = Callable[["_Handler"], bool]
"""Answers a request instead of the server; False: it does not."""

_CODES = {403: "AccessDenied", 404: "NoSuchKey", 412: "PreconditionFailed", 429: "SlowDown", 500: "InternalError"}


@dataclass
class S3:
    """The server: `objects` by key, `faults` that answer first, what was asked, and over how many connections."""

    url: str = ""
    objects: dict[str, bytes] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    asked: list[tuple[str, str, str | None]] = field(default_factory=list)
    nconnections: int = 0

    @property
    def options(self) -> dict[str, str]:
        """The options of a store at this server."""
        return {
            "endpoint": self.url,
            "access_key_id": "AKIDVERYSECRET",
            "secret_access_key": "very-secret",
            "region": "us-east-1",
        }

    def nbytes(self) -> int:
        """The bytes of all ranges that were asked for."""
        spans = [span.removeprefix("bytes=").split("-") for _, _, span in self.asked if span]
        return sum(int(last) + 1 - int(first) for first, last in spans)


@contextmanager
def serving() -> Iterator[S3]:
    """A server on loopback, which ends with the block."""
    state = S3()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"state": state}))
    server.daemon_threads = True
    state.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()


def status(code: int, times: int = 1_000_000) -> Fault:
    """The first `times` requests get this status."""
    left = [times]

    def answer(handler: "_Handler") -> bool:
        left[0] -= 1
        if left[0] < 0:
            return False
        body = f"<Error><Code>{_CODES[code]}</Code><Message>m</Message></Error>".encode()
        handler.reply(code, body, {"Content-Type": "application/xml"})
        return True

    return answer


def other_range(handler: "_Handler") -> bool:
    """Answers each range but the first with the one after it."""
    span = handler.span()
    if span is None or span[0] == 0:
        return False
    handler.send_object(span[0] + 1, span[1] + 1)
    return True


def cut(handler: "_Handler") -> bool:
    """Sends half of each range but the first, and closes."""
    span = handler.span()
    if span is None or span[0] == 0:
        return False
    handler.send_object(*span, sent=(span[1] - span[0]) // 2)
    handler.close_connection = True
    return True


class _Handler(BaseHTTPRequestHandler):
    state: S3
    protocol_version = "HTTP/1.1"

    def setup(self) -> None:
        self.state.nconnections += 1
        super().setup()

    def do_GET(self) -> None:
        self._answer()

    def do_HEAD(self) -> None:
        self._answer()

    def do_PUT(self) -> None:
        data = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self._is_at_fault():
            return
        if self.headers.get("If-None-Match") == "*" and self._key() in self.state.objects:
            self.reply(412, b"<Error><Code>PreconditionFailed</Code></Error>", {})
            return
        self.state.objects[self._key()] = data
        self.reply(200, b"", {"ETag": _tag(data)})

    def _answer(self) -> None:
        if self._is_at_fault():
            return
        if self._key() not in self.state.objects:
            self.reply(404, b"<Error><Code>NoSuchKey</Code></Error>", {})
            return
        span = self.span()
        nbytes = len(self.state.objects[self._key()])
        self.send_object(*(span or (0, nbytes)))

    def _is_at_fault(self) -> bool:
        self.state.asked.append((self.command, self._key(), self.headers.get("Range")))
        return any(fault(self) for fault in self.state.faults)

    def span(self) -> tuple[int, int] | None:
        """The asked range."""
        text = self.headers.get("Range")
        if text is None:
            return None
        first, _, last = text.removeprefix("bytes=").partition("-")
        return int(first), min(int(last) + 1, len(self.state.objects.get(self._key(), b"")))

    def send_object(self, start: int, stop: int, sent: int | None = None) -> None:
        """Answers with a range of the object, of which `sent` bytes are sent."""
        data = self.state.objects[self._key()]
        condition = self.headers.get("If-Match")
        if condition not in (None, _tag(data)):
            self.reply(412, b"<Error><Code>PreconditionFailed</Code></Error>", {})
            return
        headers = {"ETag": _tag(data), "Last-Modified": "Wed, 01 Jan 2025 00:00:00 GMT", "Accept-Ranges": "bytes"}
        if self.headers.get("Range"):
            headers["Content-Range"] = f"bytes {start}-{stop - 1}/{len(data)}"
        part = data[start:stop]
        self.reply(206 if self.headers.get("Range") else 200, part, headers, sent)

    def reply(self, code: int, body: bytes, headers: dict[str, str], sent: int | None = None) -> None:
        """Answers."""
        self.send_response(code)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body[: len(body) if sent is None else sent])

    def _key(self) -> str:
        return self.path.partition("?")[0].lstrip("/").partition("/")[2]

    def log_message(self, *_: object) -> None:
        pass


def _tag(data: bytes) -> str:
    return f'"{hashlib.md5(data, usedforsecurity=False).hexdigest()}"'
