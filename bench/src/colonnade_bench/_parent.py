"""What a measuring process tells its parent: one JSON record a line on what was its standard output."""

from __future__ import annotations

import json
import os
import sys
import traceback
from typing import Any


class Parent:
    """Takes standard output away from anything that prints: from here on, prints go to standard error."""

    def __init__(self) -> None:
        self._file = os.fdopen(os.dup(1), "w")
        os.dup2(2, 1)

    def task(self) -> dict[str, Any]:
        """The first line of standard input: what is to be done."""
        told: dict[str, Any] = json.loads(sys.stdin.readline())
        return told

    def say(self, **record: Any) -> None:
        """One record; the parent has it when this returns."""
        self._file.write(json.dumps(record) + "\n")
        self._file.flush()

    def failed(self, error: Exception, **record: Any) -> int:
        """The record of an error, of which the parent makes a row, and the status to end with."""
        traceback.print_exc()
        self.say(**record, error=f"{type(error).__name__}: {error}"[:400])
        return 1
