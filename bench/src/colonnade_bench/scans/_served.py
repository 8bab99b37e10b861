"""The applications that the server is measured with: ours, and one that sends bytes of memory."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

_PIECE_NBYTES = 1 << 20


def ours() -> Any:
    """`colonnade.serve` over a folder."""
    import colonnade.serve

    return colonnade.serve.asgi(os.environ["BENCH_FOLDER"])


def raw() -> Any:
    """Sends the same bytes for each path below ``/raw``, in pieces of 1 MiB."""
    bodies = {path.name: path.read_bytes() for path in Path(os.environ["BENCH_FOLDER"], "raw").iterdir()}

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        body = memoryview(bodies[scope["path"].rpartition("/")[2]])
        headers = [(b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for start in range(0, len(body), _PIECE_NBYTES):
            piece = bytes(body[start : start + _PIECE_NBYTES])
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    return app
