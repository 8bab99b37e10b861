"""The ASGI application: who may ask, and what is answered."""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

from .exchange import Exchange
from .requests import header
from .sources import Source

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
        self._token = None if token is None else token.encode()
        self._hosts = None if allowed_hosts is None else {host.lower() for host in allowed_hosts}
        self._cors = cors

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
        elif scope["type"] == "http":
            await Exchange(self._source, self._refusal(scope), self._common(), scope, receive, send).run()
        else:
            raise NotImplementedError(f"serve: expected HTTP, found {scope['type']}.")

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Why a request is not answered."""
        if self._hosts is not None and (host := _host(header(scope, b"host"))) not in self._hosts:
            return 421, f"expected a request for {', '.join(sorted(self._hosts))}, found {host!r}."
        if scope["method"] == "OPTIONS":
            return None
        if self._token is not None and not self._has_token(scope):
            return 401, "expected the header Authorization: Bearer TOKEN."
        if scope["method"] not in ("GET", "HEAD"):
            return 405, f"expected GET or HEAD, found {scope['method']}."
        return None

    def _has_token(self, scope: Scope) -> bool:
        given = next((value for key, value in scope["headers"] if key.lower() == b"authorization"), b"")
        scheme, _, token = given.partition(b" ")
        return scheme.lower() == b"bearer" and hmac.compare_digest(token.strip(), self._token or b"")

    def _common(self) -> Headers:
        """The headers of every answer."""
        found = [(b"x-content-type-options", b"nosniff"), (b"vary", b"accept, origin")]
        if self._cors is not None:
            found.append((b"access-control-allow-origin", self._cors.encode("latin-1")))
            found.append((b"access-control-allow-headers", b"authorization, range, if-range, if-none-match"))
            found.append((b"access-control-expose-headers", b"content-range, etag, accept-ranges"))
        return found


def _host(text: str) -> str:
    """The name in a ``Host`` header, without the port.

    >>> _host("localhost:8000"), _host("[::1]:8000"), _host("[::1]")
    ('localhost', '::1', '::1')
    """
    found = text[1:].partition("]")[0] if text.startswith("[") else text.partition(":")[0]
    return found.lower()


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message: Mapping[str, Any] = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
