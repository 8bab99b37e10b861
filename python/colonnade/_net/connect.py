"""`cn.connect` and `cn.listen`."""

import os
from typing import Any

from .. import _core
from .._io.connection_io import URLS, check_dialled, url_scheme
from .._io.redact_url import redact_url
from .._io.threads import resolve_threads
from ..errors import OptionError
from .auth_token import read_token
from .connect_arguments import endpoints_of
from .connection import Connection
from .listener import Listener

StrPath = str | os.PathLike[str]


def connect(
    where: Any,
    *,
    timeout_s: float | None = None,
    limits: _core.Limits | None = None,
    certificate: StrPath | None = None,
    key: StrPath | None = None,
    authorities: StrPath | None = None,
    token_file: StrPath | None = None,
    token_env: str | None = None,
    server_name: str | None = None,
    threads: int | None = None,
) -> Connection:
    """Connect to a peer, for any number of messages.

    Parameters
    ----------
    where
        - a URL: ``tcp://host:port`` (this machine only), ``tls://host:port``, ``unix:/path``;
        - a connected `socket.socket` or TLS socket;
        - a pair ``(source, target)``, to receive from and to send to. One of them may be None. Each is the path of a
          FIFO or a file, a descriptor or a binary file object. A source may be bytes, a target a `BufferSink`;
        - a descriptor or a binary file object, whose access mode determines the direction.

        Sockets and descriptors are duplicated. The caller closes its own.
    timeout_s : float, optional
        The maximum seconds for connecting. For each call of the connection without its own limit, the maximum seconds
        in which no byte moves. Default: no limit. Calls of Python file objects take as long as their methods.
    limits : Limits, optional
        Limits on the resources of a message.
    certificate, key : path, optional
        ``tls://``: the client certificate and its key (PEM), if the listener requires a certificate.
    authorities : path, optional
        ``tls://``: the authorities that may sign the peer's certificate (PEM). Default: those of the system.
    token_file, token_env : path, str; optional
        ``tls://``: the file or the environment variable that holds the token of 16 to 4,096 bytes. A newline at its end
        is not part of the token. The token is sent only inside TLS.
    server_name : str, optional
        ``tls://``: the name in the peer's certificate. Default: the host of the URL.
    threads : int, optional
        Default: the cores this process may use; see `read`.

    Returns
    -------
    Connection
        A context manager.

    Raises
    ------
    ConnectionError, TimeoutError, OSError
        There is no listener, the time is over, or the operating system reports another error. The message names the
        address.
    OptionError
        The address, the path or the token is invalid, or ``tcp://`` names another machine (use ``tls://``).
    TypeError
        `where` has another type.

    Examples
    --------
    >>> import colonnade as cn, numpy as np, socket
    >>> here, there = map(cn.connect, socket.socketpair())
    >>> here.send({"a": np.arange(3)})
    >>> there.receive().shape
    (3, 1)
    """
    tls = {"certificate": certificate, "key": key, "authorities": authorities}
    tls |= {"token_file": token_file, "token_env": token_env, "server_name": server_name}
    url = _url_of(where)
    if url is None or not url.lower().startswith("tls:"):
        _refuse_tls(tls)
    count = resolve_threads(threads)
    options = _core.ConnectOptions(
        limits=_checked(limits),
        timeout_s=timeout_s,
        threads=count,
        certificate=_path(certificate),
        key=_path(key),
        authorities=_path(authorities),
        token=read_token(token_file, token_env),
        server_name=server_name,
    )
    core = endpoints_of(where, timeout_s).connected(options) if url is None else _core.Connection.dial(url, options)
    return Connection(core, count, timeout_s)


def listen(
    url: str,
    *,
    timeout_s: float | None = None,
    limits: _core.Limits | None = None,
    certificate: StrPath | None = None,
    key: StrPath | None = None,
    authorities: StrPath | None = None,
    token_file: StrPath | None = None,
    token_env: str | None = None,
    handshake_timeout_s: float = 10.0,
    max_peers: int = 64,
    threads: int | None = None,
) -> Listener:
    """Listen for peers at an address.

    Parameters
    ----------
    url : str
        ``tcp://host:port`` (this machine only), ``tls://host:port``, ``unix:/path``. Port 0 takes a free port, which
        the listener's ``url`` shows. The default host is 127.0.0.1. A Unix socket is created with mode 0600, and
        replaces a stale socket file.
    timeout_s : float, optional
        For each call of the connections without its own limit, the maximum seconds in which no byte moves. Default: no
        limit.
    limits : Limits, optional
        Limits on the resources of a message.
    certificate, key : path
        ``tls://``: the server's certificate and its key (PEM).
    authorities : path, optional
        ``tls://``: the authorities that must have signed a client's certificate (PEM).
    token_file, token_env : path, str; optional
        ``tls://``: the file or the environment variable that holds the token that a peer must know; see `connect`.
        Beyond this machine, `authorities` or a token is required.
    handshake_timeout_s : float
        The maximum seconds of a handshake.
    max_peers : int
        The maximum number of open connections. Further peers are refused.
    threads : int, optional
        Default: the cores this process may use; see `read`.

    Returns
    -------
    Listener
        A context manager.

    Raises
    ------
    OSError
        Errors of the operating system, with the address: the port is in use, or the path is too long for a Unix socket.
    OptionError
        The address is invalid, ``tcp://`` reaches beyond this machine, or ``tls://`` does so without authentication of
        peers.

    Examples
    --------
    >>> import colonnade as cn, numpy as np
    >>> with cn.listen("tcp://:0") as listener, cn.connect(listener.url) as here, listener.accept() as there:
    ...     here.send({"a": np.arange(3)})
    ...     print(there.receive().shape)
    (3, 1)
    """
    if not isinstance(url, str):
        raise TypeError(f"url: expected a str, one of {', '.join(URLS)}, found {type(url).__name__}.")
    _checked_url(url)
    count = resolve_threads(threads)
    options = _core.ConnectOptions(
        limits=_checked(limits),
        timeout_s=timeout_s,
        threads=count,
        certificate=_path(certificate),
        key=_path(key),
        authorities=_path(authorities),
        token=read_token(token_file, token_env),
        handshake_timeout_s=handshake_timeout_s,
        max_peers=max_peers,
    )
    return Listener(_core.Listener.bind(url, options), count, timeout_s)


def _url_of(where: Any) -> str | None:
    """A URL that can be dialled; None if `where` is no text."""
    if not isinstance(where, str) and not hasattr(where, "__fspath__"):
        return None
    text = os.fsdecode(where)
    _checked_url(text)
    return text


def _checked_url(text: str) -> None:
    scheme = url_scheme(text) if "://" in text or text.startswith("unix:") else None
    if scheme is None:
        raise OptionError(
            f"{redact_url(text)!r}: expected a URL ({', '.join(URLS)}), found none. The path of a FIFO or a file does "
            "not tell the direction: pass a pair, (source, target), to cn.connect."
        )
    check_dialled(text, scheme)


def _refuse_tls(options: dict[str, Any]) -> None:
    named = [name for name, value in options.items() if value is not None]
    if named:
        raise OptionError(f"{', '.join(named)}: expected None where the connection is not tls://, found a value.")


def _checked(limits: _core.Limits | None) -> _core.Limits:
    if limits is not None and not isinstance(limits, _core.Limits):
        raise OptionError(f"limits: expected colonnade.Limits or None, found {type(limits).__name__}.")
    return limits or _core.Limits()


def _path(path: StrPath | None) -> str | None:
    return None if path is None else os.fsdecode(path)
