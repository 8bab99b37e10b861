"""A host that answers: the client's side of `colonnade bench serve`, over a connection like any other.

Each request is one message of JSON. ``{"word": "ping"}`` is answered ``{"word": "pong"}``;
``{"word": "echo", "nbytes": n}`` announces a message of n bytes, and is answered ``{"word": "took", "seconds": s}``
when the last of them has come; ``{"word": "decode", "cell": {...}, "nbytes": n}`` announces a table, and is answered
``{"word": "decoded", "usable_s": s}`` when every value of it was there, or ``{"word": "failed", "error": "..."}``.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from types import TracebackType
from typing import Any

TIMEOUT_S = 60.0


class Refused(Exception):
    """A host that serves does not do what it was asked for."""


class Peer:
    """One connection to a serving host.

    Raises
    ------
    ConnectionError, TimeoutError
        Nobody listens there, or what listens does not answer.
    """

    def __init__(self, url: str, **options: Any) -> None:
        """`options`: as `connect` takes them, such as `token_file`."""
        import colonnade as cn

        self.url, self.connection = url, cn.connect(url, **{"timeout_s": TIMEOUT_S, **options})

    def __enter__(self) -> Peer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.connection.close()

    def ping(self, clock: Callable[[], float]) -> float:
        """Seconds there and back."""
        start = clock()
        self._say({"word": "ping"})
        self._hear("pong")
        return clock() - start

    def echo(self, data: Any, clock: Callable[[], float]) -> float:
        """Seconds from the first byte of `data` sent to the word that the last has come."""
        self._say({"word": "echo", "nbytes": memoryview(data).nbytes})
        start = clock()
        self.connection.send_bytes(data)
        self._hear("took")
        return clock() - start

    def decode(self, data: Any, cell: dict[str, Any], clock: Callable[[], float]) -> tuple[float, float]:
        """Seconds as `echo` counts them, and those of them that decoding took there.

        Raises
        ------
        Refused
            The host does not decode this format, or failed at it.
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
