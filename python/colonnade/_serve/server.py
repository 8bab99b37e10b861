"""The server of `colonnade serve`: uvicorn, whose connections a `Guard` watches.

uvicorn itself waits without a limit for the head of a request, and for a client that takes no bytes.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from typing import Any

from .app import App
from .guard import Bounds, Guard

_BACKLOG = 2048
"""Clients that wait in the system's queue; the system may allow fewer."""


def make_server(
    app: App, host: str, port: int, context: ssl.SSLContext | None = None, bounds: Bounds | None = None
) -> Any:
    """A ``uvicorn.Server`` that is not yet running.

    Parameters
    ----------
    context
        The server's side of TLS; None for plain HTTP.
    """
    import uvicorn

    class GuardedServer(uvicorn.Server):  # type: ignore[misc]
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            for server in self.servers:
                for listening in server.sockets:
                    with listening.dup() as found:
                        found.listen(_BACKLOG)

    bounds = bounds or _bounds()
    protocol = _guarded_protocol(bounds, context)
    # asyncio takes in as many clients at once as it thinks that the queue has, several times before the guard closes
    # any of them. The descriptors must suffice for these too. The queue itself is longer.
    at_once = max(bounds.connections // 8, 1)
    return GuardedServer(
        uvicorn.Config(app, host, port, log_level="warning", http=protocol, ws="none", backlog=at_once)
    )


def server_context(certificate: str, key: str) -> ssl.SSLContext:
    """TLS 1.2 and newer, with this certificate (PEM)."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(certificate, key)
    return context


def _bounds() -> Bounds:
    """The usual ones, and half of the descriptors that the process may have: answers open files."""
    import resource

    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    usual = Bounds()
    if most == resource.RLIM_INFINITY or most // 2 >= usual.connections:
        return usual
    return Bounds(connections=max(most // 2, 1))


def _guarded_protocol(bounds: Bounds, context: ssl.SSLContext | None) -> type[asyncio.Protocol]:
    """uvicorn's protocol of HTTP with a guard. TLS begins here too, so that the guard knows unfinished handshakes."""
    # The other one, httptools, has no limit on the bytes of a head.
    from uvicorn.protocols.http.h11_impl import H11Protocol

    guard = Guard(bounds)

    class GuardedProtocol(H11Protocol):  # type: ignore[misc]
        _plain: asyncio.Transport | None = None
        _early = b""

        def connection_made(self, transport: asyncio.Transport) -> None:
            self._plain = transport
            if not guard.add(self):
                return
            if context is None:
                super().connection_made(transport)
            else:
                transport.pause_reading()  # the first bytes are those of the handshake
                self._handshake = asyncio.ensure_future(self._secure(transport, context))

        async def _secure(self, plain: asyncio.Transport, context: ssl.SSLContext) -> None:
            loop = asyncio.get_running_loop()
            try:
                secure = await loop.start_tls(
                    plain, self, context, server_side=True, ssl_handshake_timeout=bounds.request_s
                )
            except OSError:  # of ssl too; the connection is closed
                secure = None
            if secure is None or secure.is_closing():
                guard.remove(self)
                return
            super().connection_made(secure)
            early, self._early = self._early, b""
            if early:
                super().data_received(early)

        def data_received(self, data: bytes) -> None:
            if self.transport is None:
                self._early += data  # a client may send its request with the end of the handshake
            else:
                super().data_received(data)

        def connection_lost(self, exc: Exception | None) -> None:
            guard.remove(self)
            if self.transport is not None:
                super().connection_lost(exc)

        def is_answered(self) -> bool:
            return self.cycle is not None and not self.cycle.response_complete

        def waiting_nbytes(self) -> int:
            found = 0 if self._plain is None else self._plain.get_write_buffer_size()
            # Above TLS there is a buffer of its own.
            if context is not None and self.transport is not None:
                found += self.transport.get_write_buffer_size()
            return int(found)

        def abort(self) -> None:
            if self._plain is not None:
                self._plain.abort()

    return GuardedProtocol
