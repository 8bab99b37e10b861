"""The ASGI application: answers one request at a time for each client, and works in threads."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import json
import os
from collections.abc import Awaitable, Callable, Iterator, Mapping, MutableMapping
from html import escape
from typing import Any
from urllib.parse import quote
from zlib import crc32

from ..errors import ColonnadeError, ColumnNotFound, OptionError
from .encoding import CHUNK_NBYTES, asked_rows, chunks
from .requests import MEDIA_TYPES, Query, byte_range, header, query_of
from .sources import Found, Source

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]


class App:
    """An ASGI 3 application. `colonnade.serve.asgi` makes it."""

    def __init__(
        self, source: Source, token: str | None, allowed_hosts: tuple[str, ...] | None, cors: str | None
    ) -> None:
        self._source = source
        self._token = token
        self._hosts = None if allowed_hosts is None else {host.lower() for host in allowed_hosts}
        self._cors = cors

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
        elif scope["type"] == "http":
            await _Exchange(self, scope, receive, send).run()
        else:
            raise NotImplementedError(f"serve: expected HTTP, found {scope['type']}.")

    def refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Why a request is not answered."""
        if self._hosts is not None:
            host = header(scope, b"host").rsplit(":", 1)[0].strip("[]").lower()
            if host not in self._hosts:
                return 421, f"expected a request for {', '.join(sorted(self._hosts))}, found {host!r}."
        if scope["method"] == "OPTIONS":
            return None
        if self._token is not None:
            given = header(scope, b"authorization")
            if not hmac.compare_digest(given.encode(), f"Bearer {self._token}".encode()):
                return 401, "expected the header Authorization: Bearer TOKEN."
        if scope["method"] not in ("GET", "HEAD"):
            return 405, f"expected GET or HEAD, found {scope['method']}."
        return None

    @property
    def source(self) -> Source:
        """Where paths lead."""
        return self._source

    def common_headers(self) -> Headers:
        """The headers of every answer."""
        found = [(b"x-content-type-options", b"nosniff"), (b"vary", b"accept, origin")]
        if self._cors is not None:
            found.append((b"access-control-allow-origin", self._cors.encode("latin-1")))
            found.append((b"access-control-allow-headers", b"authorization, range"))
            found.append((b"access-control-expose-headers", b"content-range, etag, accept-ranges"))
        return found


class _Gone(Exception):
    """The client has gone away."""


class _Exchange:
    """One request and its answer."""

    def __init__(self, app: App, scope: Scope, receive: Receive, send: Send) -> None:
        self._app = app
        self._scope = scope
        self._receive = receive
        self._send = send
        self._has_begun = False

    async def run(self) -> None:
        refusal = self._app.refusal(self._scope)
        if refusal is not None:
            await self._fail(*refusal)
            return
        if self._scope["method"] == "OPTIONS":
            await self._whole(204, b"", [(b"access-control-allow-methods", b"GET, HEAD")])
            return
        gone = asyncio.ensure_future(self._until_gone())
        work = asyncio.ensure_future(self._answer())
        try:
            await asyncio.wait((gone, work), return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                work.result()
            else:  # nobody reads the rest
                work.cancel()
                with contextlib.suppress(asyncio.CancelledError, OSError):
                    await work
        finally:
            gone.cancel()

    async def _until_gone(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass

    async def _answer(self) -> None:
        try:
            await self._found()
        except (ColumnNotFound, OptionError) as error:
            await self._fail(400, str(error), error)
        except (FileNotFoundError, NotADirectoryError) as error:
            await self._fail(404, f"{error.strerror}: {self._scope['path']}", error)
        except PermissionError as error:
            await self._fail(403, f"{error.strerror}: {self._scope['path']}", error)
        except ColonnadeError as error:
            await self._fail(500, str(error), error)

    async def _found(self) -> None:
        path, source = self._scope["path"], self._app.source
        query = query_of(self._scope)
        if not query.is_of_rows and "text/html" in header(self._scope, b"accept"):
            names = await asyncio.to_thread(source.names, path)
            if names is not None:
                await self._whole(200, _page(path, names), [(b"content-type", b"text/html; charset=utf-8")])
                return
        found = await asyncio.to_thread(source.find, path)
        tag = f'"{found.tag}-{crc32(repr(query).encode()):x}"' if query.is_of_rows else f'"{found.tag}"'
        headers: Headers = [(b"etag", tag.encode())] if found.tag else []
        if found.tag and tag in header(self._scope, b"if-none-match"):
            await self._whole(304, b"", headers)
        elif found.path is not None and not query.is_of_rows:
            await self._file(found.path, tag, headers)
        else:
            await self._rows(found, query, headers)

    async def _rows(self, found: Found, query: Query, headers: Headers) -> None:
        frames = await asyncio.to_thread(lambda: asked_rows(found.opened(), query))
        pieces = chunks(frames, query.format)
        # Errors of the first piece have a status of their own. Those of later ones break the answer off.
        first = await asyncio.to_thread(next, pieces, None)
        await self._begin(200, [(b"content-type", MEDIA_TYPES[query.format].encode()), *headers])
        if self._scope["method"] == "HEAD":
            await self._end()
            return
        piece = first
        while piece is not None:
            await self._piece(piece)
            piece = await asyncio.to_thread(next, pieces, None)
        await self._end()

    async def _file(self, path: str, tag: str, headers: Headers) -> None:
        nbytes = os.stat(path).st_size
        span = None
        condition = header(self._scope, b"if-range")
        if (asked := header(self._scope, b"range")) and condition in ("", tag):
            try:
                span = byte_range(asked, nbytes)
            except ValueError:
                await self._whole(416, b"", [(b"content-range", f"bytes */{nbytes}".encode())])
                return
        start, stop = span or (0, nbytes)
        headers = [
            (b"content-type", b"application/octet-stream"),
            (b"content-length", str(stop - start).encode()),
            (b"accept-ranges", b"bytes"),
            *headers,
        ]
        if span is not None:
            headers.append((b"content-range", f"bytes {start}-{stop - 1}/{nbytes}".encode()))
        await self._begin(200 if span is None else 206, headers)
        if self._scope["method"] != "HEAD":
            pieces = _pieces(path, start, stop)
            while (piece := await asyncio.to_thread(next, pieces, None)) is not None:
                await self._piece(piece)
        await self._end()

    async def _fail(self, status: int, message: str, error: BaseException | None = None) -> None:
        if self._has_begun:
            assert error is not None
            raise error  # the server breaks the answer off, so the client sees that it is not whole
        body = json.dumps({"error": message}).encode()
        headers = [(b"content-type", b"application/json")]
        if status == 401:
            headers.append((b"www-authenticate", b"Bearer"))
        await self._whole(status, body, headers)

    async def _whole(self, status: int, body: bytes, headers: Headers) -> None:
        length = [] if status in (204, 304) else [(b"content-length", str(len(body)).encode())]
        await self._begin(status, [*headers, *length])
        if body and self._scope["method"] != "HEAD":
            await self._piece(body)
        await self._end()

    async def _begin(self, status: int, headers: Headers) -> None:
        self._has_begun = True
        await self._send(
            {"type": "http.response.start", "status": status, "headers": [*headers, *self._app.common_headers()]}
        )

    async def _piece(self, data: bytes) -> None:
        await self._send({"type": "http.response.body", "body": data, "more_body": True})

    async def _end(self) -> None:
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})


def _pieces(path: str, start: int, stop: int) -> Iterator[bytes]:
    with open(path, "rb", buffering=0) as file:
        while start < stop:
            data = os.pread(file.fileno(), min(CHUNK_NBYTES, stop - start), start)
            if not data:
                raise OSError(f"{path}: the file became shorter while it was sent.")
            start += len(data)
            yield data


def _page(path: str, names: list[str]) -> bytes:
    """The names of a folder, for a person."""
    rows = "".join(f'<li><a href="{quote(name)}">{escape(name)}</a></li>' for name in names)
    return f"<!doctype html><title>{escape(path)}</title><h1>{escape(path)}</h1><ul>{rows}</ul>".encode()


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message: Mapping[str, Any] = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
