"""One end of what goes between two processes: it obeys the words of its parent, one JSON line each way.

It is started afresh, never forked. Data, libraries and a rehearsal come before it says that it is ready;
between `go` and its answer nothing runs but what is measured.
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
    """Says what it has to say to its parent, and does what it is told until ``exit`` or the end of input."""

    def __init__(self, parent: Parent, task: Words) -> None:
        self.say, self.task = parent.say, task

    def words(self) -> Mapping[str, Callable[[Words], None]]:
        """What is done for each word."""
        raise NotImplementedError

    def before(self, told: Words) -> None:
        """Before any word is obeyed."""

    def run(self) -> None:
        """One word after another."""
        words = self.words()
        for line in sys.stdin:
            told = json.loads(line)
            if told["word"] == "exit":
                return
            self.before(told)
            words[told["word"]](told)


def serve(make: Callable[[Parent, Words], Any]) -> int:
    """The process of an end: standard output is taken away from anything a library prints; an error is a record."""
    parent = Parent()
    faulthandler.enable()  # the parent aborts an end that hangs: then it says where
    task = parent.task()
    try:
        make(parent, task).run()
    except Exception as error:  # the parent turns it into a row
        return parent.failed(error)
    sys.stderr.flush()
    # Threads of servers and pools that do not end by themselves shall not keep the process.
    os._exit(0)
