"""Shows the library's warnings on stderr, one line each."""

import logging
from collections.abc import Callable


class StderrHandler(logging.Handler):
    """Prints log records of the library on stderr."""

    def __init__(self, say: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._say = say

    def emit(self, record: logging.LogRecord) -> None:
        self._say(record.getMessage())


def add_handler(say: Callable[[str], None]) -> None:
    """Add the handler, if it is not there yet."""
    logger = logging.getLogger("colonnade")
    if not any(isinstance(handler, StderrHandler) for handler in logger.handlers):
        logger.addHandler(StderrHandler(say))
