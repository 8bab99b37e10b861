"""Plain sockets at the other end of our connections and listeners."""

import socket
import ssl
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import colonnade as cn
from colonnade.testing.transports import PATIENCE_S, Background, Peer, SocketPeer, bytes_message

TOKEN = b"a token of 24 characters"


def plain_socket(url: str) -> socket.socket:
    """Connected to the address of a listener, whatever comes before ``://``."""
    scheme, _, rest = url.partition(":")
    if scheme == "unix":
        made = socket.socket(socket.AF_UNIX)
        made.settimeout(PATIENCE_S)
        made.connect(rest)
        return made
    host, _, port = rest.removeprefix("//").rpartition(":")
    return socket.create_connection((host.strip("[]"), int(port)), timeout=PATIENCE_S)


def server_socket(url: str) -> tuple[socket.socket, str]:
    """A plain server, and the URL to reach it; port 0 is any free one."""
    scheme, _, rest = url.partition(":")
    if scheme == "unix":
        made = socket.socket(socket.AF_UNIX)
        made.bind(rest)
        made.listen()
    else:
        host, _, port = rest.removeprefix("//").rpartition(":")
        made = socket.create_server((host, int(port)))
        url = f"{scheme}://{host}:{made.getsockname()[1]}"
    made.settimeout(PATIENCE_S)
    return made, url


@contextmanager
def accepted(
    url: str, context: ssl.SSLContext | None = None, server_name: str = "localhost", **options: Any
) -> Iterator[tuple[cn.Connection, Peer]]:
    """A connection of our listener, and the plain socket that came to it."""
    with cn.listen(url, **options) as listener:
        accepting = Background(listener.accept, timeout_s=PATIENCE_S)
        made = plain_socket(listener.url)
        if context is not None:
            made = context.wrap_socket(made, server_hostname=server_name)
        with closing(SocketPeer(made)) as peer, accepting.result() as connection:
            yield connection, peer


@contextmanager
def connected(url: str, context: ssl.SSLContext | None = None, **options: Any) -> Iterator[tuple[cn.Connection, Peer]]:
    """A connection of ours to a plain server, and the socket that the server got."""
    server, url = server_socket(url)
    with server:
        connecting = Background(cn.connect, url, **options)
        made, _ = server.accept()
        if context is not None:
            made = context.wrap_socket(made, server_side=True)
        with closing(SocketPeer(made)) as peer, connecting.result() as connection:
            yield connection, peer


def served(listener: cn.Listener, **options: Any) -> None:
    """A peer that does it right is let in and heard."""
    good = bytes_message("good", b"good")
    accepting = Background(listener.accept, timeout_s=PATIENCE_S)
    with cn.connect(listener.url, timeout_s=PATIENCE_S, **options) as client, accepting.result() as connection:
        good.send(client)
        good.take(connection, PATIENCE_S)
        good.send(connection)
        good.take(client, PATIENCE_S)
