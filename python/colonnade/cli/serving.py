"""``colonnade serve``: a quick share of a folder over HTTP."""

from __future__ import annotations

import argparse
import contextlib

import colonnade as cn

from .standard_streams import standard  # noqa: F401 - opens closed descriptors before the server uses their numbers
from .table import print_line

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def serve(options: argparse.Namespace) -> int:
    """``colonnade serve``: serves until Ctrl-C."""
    try:
        import uvicorn  # noqa: F401
    except ImportError:
        raise cn.UnsupportedError(
            "serve: uvicorn runs the server, and is not installed. Install it with: pip install 'colonnade[serve]'"
        ) from None
    from .._serve.server import make_server, server_context
    from ..serve import asgi

    is_local = options.host in _LOOPBACK
    token = _token(options)
    if not is_local and token is None:
        raise cn.OptionError(
            f"--host: expected --token-file with {options.host}, which other machines reach, found none. Without a "
            "token, serve on 127.0.0.1."
        )
    if (options.cert is None) != (options.key is None):
        raise cn.OptionError("--cert: expected --key with it, found one of the two.")
    # Without a token, only requests for this machine's own names are answered: a web page cannot send others.
    app = asgi(
        options.folder, token=token, allowed_hosts=_LOOPBACK if is_local and token is None else None, cors=options.cors
    )
    context = None if options.cert is None else server_context(options.cert, options.key)
    server = make_server(app, options.host, options.port, context)
    scheme = "http" if options.cert is None else "https"
    print_line(f"Serving {options.folder} on {scheme}://{options.host}:{options.port}/ until Ctrl-C.")
    with contextlib.suppress(KeyboardInterrupt):
        server.run()
    return 0


def _token(options: argparse.Namespace) -> str | None:
    if options.token_file is None:
        return None
    with open(options.token_file, encoding="utf-8") as file:
        token = file.read().strip()
    if not token:
        raise cn.OptionError(f"--token-file: expected a token in {options.token_file}, found an empty file.")
    return token
