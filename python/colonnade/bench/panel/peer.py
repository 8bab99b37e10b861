"""A host that answers: the client's side of `colonnade bench serve`, over a connection like any other.

Each request is one message of JSON. ``{"word": "ping"}`` is answered ``{"word": "pong"}``;
``{"word": "echo", "nbytes": n}`` announces a message of n bytes, and is answered ``{"word": "took", "seconds": s}``
when the last of them has come.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from types import TracebackType
from typing import Any

TIMEOUT_S = 60.0


class Peer:
    """One connection to a serving host.

    Raises
    ------
    ConnectionError, TimeoutError
        Nobody listens there, or what listens does not answer.
    """

    def __init__(self, url: str, timeout_s: float = TIMEOUT_S) -> None:
        import colonnade as cn

        self.url, self.connection = url, cn.connect(url, timeout_s=timeout_s)

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

    def _say(self, words: dict[str, Any]) -> None:
        self.connection.send_bytes(json.dumps(words).encode())

    def _hear(self, word: str) -> dict[str, Any]:
        words: Any = json.loads(self.connection.receive_bytes())
        if not isinstance(words, dict) or words.get("word") != word:
            raise ConnectionError(
                f'advise: {self.url} answered {words!r}, not "{word}": is `colonnade bench serve` there?'
            )
        return words
