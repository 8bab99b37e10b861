"""The commands `send` and `recv`: a file sent to a peer, and one received."""

import argparse
import contextlib
import errno
import os
import stat
import sys
import time
from collections.abc import Iterator
from typing import Any

import colonnade as cn

from .._formats.options import make_options
from .._io.detection import for_connection, for_target
from .._io.nearest import nearest_hint
from .._io.redact_url import redact_url
from .reading import read_options, source_of
from .security import security_of
from .work import bar, target_of, write_options

_SCHEMES = ("tcp", "tls", "unix")
_EXPECTED = "tcp://host:port, tls://host:port, unix:/path or the path of a FIFO"
# How long to retry connecting, because a script may start both ends in any order.
_CONNECT_S = 30.0
_PAUSE_S = 0.1
# How often who listens says whom it turned away.
_LOOK_S = 0.5
# How long a receiver that has its message waits to see the sender's end of input.
_END_S = 1.0


def send(options: argparse.Namespace) -> int:
    """``colonnade send FILE URL``."""
    from ..cli import OK, os_error_text

    _check_file("send", options.source)
    reading, writing = read_options(options), write_options(options)
    make_options(for_connection(writing["format"]), "write", _without_format(writing))
    source = source_of(options.source)
    if isinstance(source, str) and _is_stored(source):
        # What is wrong with the file is said before a peer is troubled with it.
        cn.read(source, **reading)
    where = _where(options.url, sends=True)
    try:
        with _peer(options, where, listens=options.listen) as peer:
            with _patience(peer, options), bar(f"sending {options.source}") as progress:
                cn.convert(source, peer, read_options=reading, write_options=writing, progress=progress)
            peer.finish()
            if isinstance(where, str):
                _wait_until_taken(peer)
    except BrokenPipeError as error:
        # A broken pipe of stdout would be ignored; this one is of the peer.
        raise _PeerLost(os_error_text(error)) from error
    return OK


def recv(options: argparse.Namespace) -> int:
    """``colonnade recv URL FILE``."""
    from ..cli import OK, say

    _check_file("recv", options.target)
    target, writing = target_of(options), write_options(options)
    if isinstance(target, str):
        # Check the target before a message is received, which would be lost after an error.
        make_options(for_target(options.target_format, target), "write", _without_format(writing))
        os.stat(os.path.dirname(os.path.abspath(target)))
    where = _where(options.url, sends=False)
    with _peer(options, where, listens=not options.connect) as peer:
        with _patience(peer, options), bar(f"receiving {options.target}") as progress:
            cn.convert(peer, target, write_options=writing, progress=progress)
        # Read to the end, so that a sender that waits for this end to close sees a clean close.
        if peer.poll(_END_S) and peer.status() == "ok":
            say(f"{peer.peer}: more than one message came. The first was taken, the rest was not.")
    return OK


class _PeerLost(ConnectionError):
    """The peer has stopped receiving."""


def _check_file(command: str, file: str) -> None:
    scheme = "unix" if file.startswith("unix:") else file.partition("://")[0] if "://" in file else ""
    # A file may be read from behind http://; nothing is written there.
    if scheme and not (command == "send" and scheme.lower() in ("http", "https")):
        usage = "send FILE URL" if command == "send" else "recv URL FILE"
        raise cn.OptionError(f"FILE: expected a file, found the URL {file!r}. Usage: colonnade {usage}.")


@contextlib.contextmanager
def _patience(peer: cn.Connection, options: argparse.Namespace) -> Iterator[None]:
    """Translates a timeout to a message of the command line."""
    try:
        yield
    except TimeoutError as error:
        if options.timeout is None or error.errno is not None:
            raise  # the system's own
        raise TimeoutError(
            f"{peer.peer}: nothing moved for {options.timeout:g} s, and the message is not whole."
        ) from error


def _without_format(writing: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in writing.items() if name != "format"}


def _is_stored(path: str) -> bool:
    """Whether the path can be read again. A missing path counts, so that opening it raises the error."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return True
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode)


def _where(url: str, sends: bool) -> Any:
    """Returns the argument of `cn.connect`: the URL, or a pair of the FIFO and None."""
    scheme, found, _ = url.partition("://")
    if not found:
        scheme = "unix" if url.startswith("unix:") else ""
    if scheme.lower() in _SCHEMES:
        return url
    if scheme:
        raise cn.OptionError(f"URL: expected {_EXPECTED}, found {redact_url(url)!r}{nearest_hint(scheme, _SCHEMES)}.")
    try:
        is_fifo = stat.S_ISFIFO(os.stat(url).st_mode)
    except FileNotFoundError:
        raise cn.OptionError(
            f"URL: expected {_EXPECTED}, found {redact_url(url)!r}, which is not there. mkfifo makes a FIFO."
        ) from None
    if not is_fifo:
        raise cn.OptionError(
            f"URL: expected {_EXPECTED}, found {redact_url(url)!r}, which is no FIFO. For files: colonnade convert."
        )
    return (None, url) if sends else (url, None)


@contextlib.contextmanager
def _peer(options: argparse.Namespace, where: Any, *, listens: bool) -> Iterator[cn.Connection]:
    """Connect or listen, as the options say."""
    keywords: dict[str, Any] = {"threads": options.threads, "timeout_s": options.timeout, **security_of(options)}
    if getattr(options, "limit", None) is not None:
        keywords["limits"] = cn.Limits(max_nbytes=options.limit)
    if isinstance(where, tuple):
        if options.listen if hasattr(options, "listen") else options.connect:
            raise cn.OptionError("--listen, --connect: a FIFO has no listener. Leave the option out.")
        connection = cn.connect(where, **keywords)
    elif listens:
        connection = _accepted(options, where, keywords)
    else:
        connection = _connected(options, where, keywords)
    with connection as peer:
        yield peer


def _accepted(options: argparse.Namespace, url: str, keywords: dict[str, Any]) -> cn.Connection:
    from ..cli import say

    if options.server_name is not None:
        raise cn.OptionError("--server-name: an option of connecting, not of listening. Leave it out.")
    # Other peers are refused: the listener closes as soon as the first peer is accepted.
    with cn.listen(url, **keywords) as listener:
        say(f"listening on {listener.url}")
        sys.stderr.flush()
        end = None if options.timeout is None else time.monotonic() + options.timeout
        while True:
            # Refused peers are reported when a call returns.
            left = _LOOK_S if end is None else min(_LOOK_S, max(end - time.monotonic(), 0.0))
            try:
                return listener.accept(left)
            except TimeoutError:
                if end is not None and time.monotonic() >= end:
                    raise TimeoutError(f"{listener.url}: no peer connected within {options.timeout:g} s.") from None


def _connected(options: argparse.Namespace, url: str, keywords: dict[str, Any]) -> cn.Connection:
    if options.server_name is not None:
        keywords["server_name"] = options.server_name
    # As the connection's option it would limit silence too, but a pipeline behind the peer may pause for longer.
    timeout_s = _CONNECT_S if options.timeout is None else options.timeout
    end = time.monotonic() + timeout_s
    while True:
        try:
            return cn.connect(url, **keywords)
        except OSError as error:
            if not _nobody_there(error, url):
                raise
            if time.monotonic() + _PAUSE_S > end:
                raise TimeoutError(f"{url}: no peer listened there within {timeout_s:g} s.") from error
        time.sleep(_PAUSE_S)


def _nobody_there(error: OSError, url: str) -> bool:
    """Whether it may be a listener that has not started yet."""
    if error.errno == errno.ENOENT:
        return url.startswith("unix:")
    return error.errno == errno.ECONNREFUSED


def _wait_until_taken(peer: cn.Connection) -> None:
    """Wait until the receiver closes. A receiver that fails before it has read the message is an error."""
    for _ in peer:
        pass
