"""One process of a contest. It prepares a contestant, and times a call whenever the parent asks for one."""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from typing import Any

from colonnade_bench.memory import status
from colonnade_bench.scans.timed import Timed


def main() -> None:
    """Reads the task and the commands as lines of JSON, and answers each with a line."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what libraries print is no answer
    task = json.loads(sys.stdin.readline())
    module = importlib.import_module(task["module"])
    call, answer_of = module.CONTESTANTS[task["contestant"]](task["arguments"])
    say(out, word="ready")
    for _ in sys.stdin:
        start = time.perf_counter()
        result = call()
        seconds = time.perf_counter() - start
        peak = status(os.getpid())["VmHWM"]  # not ru_maxrss, which begins with that of the parent
        told = result if isinstance(result, Timed) else Timed(result)
        seconds, peak = told.seconds or seconds, told.peak_nbytes or peak
        say(out, seconds=seconds, peak_nbytes=peak, answer=answer_of(told.result))
        del result, told


def say(out: Any, **words: Any) -> None:
    out.write(json.dumps(words) + "\n")
    out.flush()


if __name__ == "__main__":
    main()
