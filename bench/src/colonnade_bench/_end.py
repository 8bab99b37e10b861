"""The base of each measuring process. It obeys its parent's commands, one JSON line each way.

Each process starts afresh, never by a fork (`_worker` says why). It loads data and libraries and rehearses before it
reports that it is ready. Between `go` and the answer only the measured work runs.
"""

from __future__ import annotations

import faulthandler
import json
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any

from colonnade_bench._parent import Parent

Words = dict[str, Any]


class End:
    """A process that answers its parent's commands until ``exit`` or the end of input."""

    def __init__(self, parent: Parent, task: Words) -> None:
        self.say, self.task = parent.say, task

    def words(self) -> Mapping[str, Callable[[Words], None]]:
        """Maps each command to its handler."""
        raise NotImplementedError

    def before(self, told: Words) -> None:
        """Runs before each command."""

    def run(self) -> None:
        """Runs one command after another."""
        words = self.words()
        for line in sys.stdin:
            told = json.loads(line)
            if told["word"] == "exit":
                return
            self.before(told)
            words[told["word"]](told)


def serve(make: Callable[[Parent, Words], Any]) -> int:
    """Runs an end as a process.

    Anything that a library prints goes to standard error. An error becomes a record.
    """
    parent = Parent()
    faulthandler.enable()  # the parent aborts an end that hangs; the traceback then shows where
    task = parent.task()
    try:
        make(parent, task).run()
    except Exception as error:  # the parent turns the error into a row
        return parent.failed(error)
    sys.stderr.flush()
    # Threads of servers and pools may never end. The process exits without them.
    os._exit(0)
