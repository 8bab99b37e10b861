"""One request and its answer. Files and frames are read in threads, which end when the client goes."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import threading
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from html import escape
from typing import Any, TypeVar
from urllib.parse import quote
from zlib import crc32

from ..errors import ColonnadeError, ColumnNotFound, OptionError
from .encoding import CHUNK_NBYTES, asked_rows, chunks
from .requests import MEDIA_TYPES, Query, byte_range, header, query_of
from .sources import Found, Source, tag_of

Headers = list[tuple[bytes, bytes]]
_T = TypeVar("_T")

_WORKERS = ThreadPoolExecutor(max_workers=32, thread_name_prefix="colonnade-serve")
"""Threads of their own: slow requests must not hold up what else uses the event loop's threads."""


class Exchange:
    """One request and its answer.

    Parameters
    ----------
    source
        Where paths lead.
    refusal
        Why it is not answered: a status and a message.
    common
        Headers of every answer.
    scope, receive, send
        As ASGI has them.
    """

    def __init__(
        self,
        source: Source,
        refusal: tuple[int, str] | None,
        common: Headers,
        scope: MutableMapping[str, Any],
        receive: Callable[[], Awaitable[MutableMapping[str, Any]]],
        send: Callable[[MutableMapping[str, Any]], Awaitable[None]],
    ) -> None:
        self._source = source
        self._refusal = refusal
        self._common = common
        self._scope = scope
        self._receive = receive
        self._send = send
        self._has_begun = False
        self._is_gone = threading.Event()

    async def run(self) -> None:
        """Answer, until that is done or the client has gone."""
        if self._refusal is not None:
            await self._fail(*self._refusal)
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
        finally:
            self._is_gone.set()
            gone.cancel()
            if not work.done():  # nobody reads the rest
                work.cancel()
                with contextlib.suppress(asyncio.CancelledError, OSError, ColonnadeError):
                    await work

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
        path = self._scope["path"]
        query = query_of(self._scope)
        if not query.is_of_rows and "text/html" in header(self._scope, b"accept"):
            names = await _in_thread(self._source.names, path)
            if names is not None:
                await self._whole(200, _page(path, names), [(b"content-type", b"text/html; charset=utf-8")])
                return
        found = await _in_thread(self._source.find, path)
        if found.path is not None and not query.is_of_rows:
            await self._file(found.path)
        else:
            await self._rows(found, query)

    async def _rows(self, found: Found, query: Query) -> None:
        tag = f'"{found.tag}-{crc32(repr(query).encode()):x}"' if found.tag else ""
        headers: Headers = [(b"etag", tag.encode())] if tag else []
        if self._is_known(tag):
            await self._whole(304, b"", headers)
            return
        frames = await _in_thread(lambda: asked_rows(found.opened(), query, self._is_gone))
        pieces = chunks(frames, query.format)
        # Errors of the first piece have a status of their own. Those of later ones break the answer off.
        piece = await _in_thread(next, pieces, None)
        await self._begin(200, [(b"content-type", MEDIA_TYPES[query.format].encode()), *headers])
        if self._scope["method"] != "HEAD":
            await self._pieces(piece, pieces)
        await self._end()

    async def _file(self, path: str) -> None:
        # One descriptor gives the size, the tag and the bytes, so a file that is replaced meanwhile is sent as it was.
        fd = await _in_thread(os.open, path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            status = os.fstat(fd)
            tag = f'"{tag_of(status)}"'
            headers: Headers = [(b"etag", tag.encode())]
            if self._is_known(tag):
                await self._whole(304, b"", headers)
                return
            span = None
            asked = header(self._scope, b"range") if self._scope["method"] == "GET" else ""
            if asked and header(self._scope, b"if-range") in ("", tag):
                try:
                    span = byte_range(asked, status.st_size)
                except ValueError:
                    await self._whole(416, b"", [(b"content-range", f"bytes */{status.st_size}".encode())])
                    return
            start, stop = span or (0, status.st_size)
            headers += [
                (b"content-type", b"application/octet-stream"),
                (b"content-length", str(stop - start).encode()),
                (b"accept-ranges", b"bytes"),
            ]
            if span is not None:
                headers.append((b"content-range", f"bytes {start}-{stop - 1}/{status.st_size}".encode()))
            await self._begin(200 if span is None else 206, headers)
            if self._scope["method"] != "HEAD":
                pieces = _read(fd, path, start, stop)
                await self._pieces(await _in_thread(next, pieces, None), pieces)
            await self._end()
        finally:
            os.close(fd)

    def _is_known(self, tag: str) -> bool:
        """Whether the client has this version."""
        known = [each.strip().removeprefix("W/") for each in header(self._scope, b"if-none-match").split(",")]
        return bool(tag) and (tag in known or known == ["*"])

    async def _fail(self, status: int, message: str, error: BaseException | None = None) -> None:
        if self._has_begun:
            assert error is not None
            raise error  # the server breaks the answer off, so the client sees that it is not whole
        headers = [(b"content-type", b"application/json")]
        if status == 401:
            headers.append((b"www-authenticate", b"Bearer"))
        await self._whole(status, json.dumps({"error": message}).encode(), headers)

    async def _whole(self, status: int, body: bytes, headers: Headers) -> None:
        length = [] if status in (204, 304) else [(b"content-length", str(len(body)).encode())]
        await self._begin(status, [*headers, *length])
        if body and self._scope["method"] != "HEAD":
            await self._piece(body)
        await self._end()

    async def _begin(self, status: int, headers: Headers) -> None:
        self._has_begun = True
        await self._send({"type": "http.response.start", "status": status, "headers": [*headers, *self._common]})

    async def _pieces(self, piece: bytes | None, following: Iterator[bytes]) -> None:
        """Send all pieces. The next one is made while one is sent."""
        while piece is not None:
            upcoming = asyncio.ensure_future(_in_thread(next, following, None))
            try:
                await self._piece(piece)
                piece = await upcoming
            finally:
                # The thread uses the file, so it must have ended. What it found is not needed after an error.
                await asyncio.wait((upcoming,))
                upcoming.cancelled() or upcoming.exception()

    async def _piece(self, data: bytes) -> None:
        await self._send({"type": "http.response.body", "body": data, "more_body": True})

    async def _end(self) -> None:
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})


async def _in_thread(call: Callable[..., _T], *arguments: Any) -> _T:
    return await asyncio.get_running_loop().run_in_executor(_WORKERS, call, *arguments)


def _read(fd: int, path: str, start: int, stop: int) -> Iterator[bytes]:
    while start < stop:
        data = os.pread(fd, min(CHUNK_NBYTES, stop - start), start)
        if not data:
            raise OSError(f"{path}: the file became shorter while it was sent.")
        start += len(data)
        yield data


def _page(path: str, names: list[str]) -> bytes:
    """The names of a folder, for a person."""
    rows = "".join(f'<li><a href="{quote(name)}">{escape(name)}</a></li>' for name in names)
    return f"<!doctype html><title>{escape(path)}</title><h1>{escape(path)}</h1><ul>{rows}</ul>".encode()
