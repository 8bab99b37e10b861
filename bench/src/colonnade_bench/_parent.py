"""The connection from a measuring process to its parent: one JSON record a line on the original standard output."""

from __future__ import annotations

import json
import os
import sys
import traceback
from typing import Any


class Parent:
    """Takes over standard output. Later prints go to standard error."""

    def __init__(self) -> None:
        self._file = os.fdopen(os.dup(1), "w")
        os.dup2(2, 1)

    def task(self) -> dict[str, Any]:
        """Reads the task, the first line of standard input."""
        told: dict[str, Any] = json.loads(sys.stdin.readline())
        return told

    def say(self, **record: Any) -> None:
        """Sends one record. The parent can read it when this returns."""
        self._file.write(json.dumps(record) + "\n")
        self._file.flush()

    def failed(self, error: Exception, **record: Any) -> int:
        """Sends an error as a record, which the parent turns into a row. Returns the exit status."""
        traceback.print_exc()
        self.say(**record, error=f"{type(error).__name__}: {error}"[:400])
        return 1
