"""A thread whose result has a time limit, so that a hang fails one test instead of the whole run."""

import threading
from collections.abc import Callable
from typing import Any

PATIENCE_S = 30.0


class Background:
    """``Background(function, *arguments)`` starts at once. `result()` returns or raises the function's outcome."""

    def __init__(self, function: Callable[..., Any], *arguments: Any, **keywords: Any) -> None:
        self._result: Any = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, args=(function, arguments, keywords), daemon=True)
        self._thread.start()

    def _run(self, function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> None:
        try:
            self._result = function(*arguments, **keywords)
        except BaseException as error:
            self._error = error

    def result(self, patience_s: float = PATIENCE_S) -> Any:
        """Waits for the function's result."""
        self._thread.join(patience_s)
        assert not self._thread.is_alive(), f"still at work after {patience_s} s"
        if self._error is not None:
            raise self._error
        return self._result

    def error(self, patience_s: float = PATIENCE_S) -> BaseException | None:
        """Waits, and returns the exception that the function raised, or None."""
        self._thread.join(patience_s)
        assert not self._thread.is_alive(), f"still at work after {patience_s} s"
        return self._error

    @property
    def is_done(self) -> bool:
        """Whether the function has returned or raised."""
        return not self._thread.is_alive()
