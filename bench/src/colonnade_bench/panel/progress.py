"""Shows progress on standard error, so that answers and tables can be piped."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from rich.markup import escape

if TYPE_CHECKING:
    from rich.status import Status


class Progress:
    """Progress messages, as a context.

    A terminal has one line that changes. Other outputs get one line for each message, or nothing if `quiet`.

    Attributes
    ----------
    note : callable
        Takes a message.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self.quiet = quiet
        self.note: Callable[[str], None] = lambda text: None
        self.status: Status | None = None

    def __enter__(self) -> Progress:
        if sys.stderr.isatty():
            from rich.console import Console

            status = self.status = Console(stderr=True).status("starting")
            status.start()
            self.note = lambda text: status.update(escape(text))
        elif not self.quiet:
            self.note = lambda text: print(text, file=sys.stderr, flush=True)
        return self

    def __exit__(self, *exc: object) -> None:
        if self.status is not None:
            self.status.stop()
