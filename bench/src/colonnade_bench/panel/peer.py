"""The client of `colonnade bench serve`: talks to another host over an ordinary connection.

Each request is one JSON message. The answer to ``{"word": "ping"}`` is ``{"word": "pong"}``. ``{"word": "echo",
"nbytes": n}`` announces a message of n bytes. The answer is ``{"word": "took", "seconds": s}`` when the last byte has
arrived. ``{"word": "decode", "cell": {...}, "nbytes": n}`` announces a table. The answer is ``{"word": "decoded",
"usable_s": s}`` when every value is usable, or ``{"word": "failed", "error": "..."}``.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from types import TracebackType
from typing import Any

TIMEOUT_S = 60.0


class Refused(Exception):
    """A serving host refuses a request."""


class Peer:
    """One connection to a serving host.

    Raises
    ------
    ConnectionError, TimeoutError
        No server listens there, or the server does not answer.
    """

    def __init__(self, url: str, **options: Any) -> None:
        """`options` are arguments of `connect`, such as `token_file`."""
        import colonnade as cn

        self.url, self.connection = url, cn.connect(url, **{"timeout_s": TIMEOUT_S, **options})

    def __enter__(self) -> Peer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.connection.close()

    def ping(self, clock: Callable[[], float]) -> float:
        """Returns seconds there and back."""
        start = clock()
        self._say({"word": "ping"})
        self._hear("pong")
        return clock() - start

    def echo(self, data: Any, clock: Callable[[], float]) -> float:
        """Returns seconds from the first byte of `data` sent to the answer that the last byte has arrived."""
        self._say({"word": "echo", "nbytes": memoryview(data).nbytes})
        start = clock()
        self.connection.send_bytes(data)
        self._hear("took")
        return clock() - start

    def decode(self, data: Any, cell: dict[str, Any], clock: Callable[[], float]) -> tuple[float, float]:
        """Returns seconds as `echo` does, and the seconds of decoding on the other host.

        Raises
        ------
        Refused
            The host does not decode this format, or decoding failed.
        """
        self._say({"word": "decode", "cell": cell, "nbytes": memoryview(data).nbytes})
        start = clock()
        self.connection.send_bytes(data)
        words = self._hear("decoded", "failed")
        if words["word"] == "failed":
            raise Refused(str(words.get("error")))
        return clock() - start, float(words["usable_s"])

    def _say(self, words: dict[str, Any]) -> None:
        self.connection.send_bytes(json.dumps(words).encode())

    def _hear(self, *expected: str) -> dict[str, Any]:
        words: Any = json.loads(self.connection.receive_bytes())
        if not isinstance(words, dict) or words.get("word") not in expected:
            raise ConnectionError(
                f'advise: {self.url} answered {words!r}, not "{expected[0]}": is `colonnade bench serve` there?'
            )
        return words
