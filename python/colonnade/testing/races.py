"""Writers of one dataset at once, some of them killed: what they wrote is there once, as a whole, or not at all.

>>> import os, tempfile
>>> from colonnade.testing.races import Race
>>> race = Race(os.path.join(tempfile.mkdtemp(), "d"), writers=1, attempts=2)
>>> race.run().lost
0
"""

from __future__ import annotations

import itertools
import multiprocessing
import os
import random
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import colonnade as cn

__all__ = ["Outcome", "Race"]

_STOP = "stop"
_PARTS = 2
"""Parts of an attempt. A reader that sees only one of them has seen half of it."""


@dataclass
class Outcome:
    """What became of the attempts.

    Attributes
    ----------
    done : int
        Attempts that ended without an error.
    lost, doubled, half : int
        Of these, those that are not there, there twice, or in part. Half also counts attempts of killed writers, and
        what a reader saw in between.
    killed : int
        Writers that were killed.
    kept : int
        Attempts of killed writers that are there as a whole: they had committed.
    reads : int
        How often a reader looked in between.
    """

    done: int = 0
    lost: int = 0
    doubled: int = 0
    half: int = 0
    killed: int = 0
    kept: int = 0
    reads: int = 0


@dataclass(frozen=True)
class Race:
    """Writers that append to one dataset.

    Parameters
    ----------
    target
        The folder or URL.
    writers, attempts : int
        The number of processes, and the appends of each.
    kills : int
        How many writers are killed at a random moment, and replaced by another one. After the last one all end.
    options : mapping
        ``storage_options`` for a store.
    seed : int
        Of the moments.
    """

    target: str
    writers: int = 4
    attempts: int = 25
    kills: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0

    def run(self) -> Outcome:
        """Run the writers and a reader. Returns what became of the attempts."""
        context = multiprocessing.get_context("spawn")
        outcome = Outcome()
        chance = random.Random(self.seed)
        with tempfile.TemporaryDirectory() as log:
            # A killed process may hold the lock of a queue for ever, so each one has a file.
            names = (f"{log}/{i}" for i in itertools.count())
            running = [self._start(context, next(names)) for _ in range(self.writers)]
            next_kill = time.monotonic() + chance.random()
            while any(process.is_alive() for process in running):
                if self.kills and time.monotonic() >= next_kill:
                    i = chance.randrange(self.writers)
                    running[i].kill()
                    running[i].join()
                    outcome.killed += 1
                    running[i] = self._start(context, next(names))
                    next_kill = time.monotonic() + 0.3 + chance.random()
                if self.kills and outcome.killed == self.kills:
                    Path(log, _STOP).touch()  # the others end with their attempt
                    next_kill = float("inf")
                begun = time.monotonic()
                outcome.half += self._look(outcome)
                # A look reads all parts. The writers need the machine too.
                time.sleep(0.01 + 3 * (time.monotonic() - begun))
            Path(log, _STOP).unlink(missing_ok=True)
            finished = [line for path in Path(log).iterdir() for line in path.read_text("utf-8").split()]
        self._settle(outcome, finished)
        return outcome

    def _start(self, context: Any, log: str) -> Any:
        process = context.Process(target=_write, args=(self.target, log, self.attempts, dict(self.options)))
        process.start()
        return process

    def _counts(self) -> Counter[str]:
        """How many rows each attempt has in the newest version."""
        try:
            found = cn.dataset(self.target, **self.options)
        except FileNotFoundError:
            return Counter()
        return Counter(found.read()["attempt"].to_arrow()["attempt"].to_pylist())

    def _look(self, outcome: Outcome) -> int:
        outcome.reads += 1
        return sum(count % _PARTS != 0 for count in self._counts().values())

    def _settle(self, outcome: Outcome, finished: list[str]) -> None:
        counts = self._counts()
        outcome.done = len(finished)
        outcome.lost = sum(counts[attempt] == 0 for attempt in finished)
        outcome.doubled = sum(count > _PARTS for count in counts.values())
        outcome.half += sum(count % _PARTS != 0 for count in counts.values())
        outcome.kept = len(set(counts) - set(finished))


def _write(target: str, log: str, attempts: int, options: dict[str, Any]) -> None:
    with open(log, "a", encoding="utf-8") as done:
        for i in range(attempts):
            if os.path.exists(os.path.join(os.path.dirname(log), _STOP)):
                return
            attempt = f"{os.path.basename(log)}-{i}"
            cn.write_dataset({"attempt": [attempt] * _PARTS}, target, rows_per_part=1, mode="append", **options)
            print(attempt, file=done, flush=True)
