"""Races candidates by elimination: each runs a lap or two, and only possible winners run on.

A lap encodes and decodes once, in two processes of the candidate. The first lap is kept apart: its memory is fresh, so
it says nothing about the laps that follow, which are counted. A candidate drops out if its best case loses to the
worst case of the others on every link of the range. The losses of a round trip are checked first. A lossy candidate is
timed too, but ranked separately.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

from colonnade_bench.intervals import FEWEST
from colonnade_bench.panel.model import Candidate, hopeless
from colonnade_bench.panel.names import row_name, sentence_name

LAPS = 7
"""The laps that count."""
BEST_CASE = (0.25, 0.4, 0.6, 0.75)
"""How far a candidate may still improve, as a share of its fastest lap, by counted laps. Later 0.85.

With the first lap only, this is a share of the first lap, which is up to three times as slow as later ones.
"""
LATE_BEST_CASE = 0.85


class OutOfRace(Exception):
    """A candidate cannot be measured. The message gives the reason."""


@dataclass(frozen=True)
class Entrant:
    """One way to store a frame: an engine, its format, a codec."""

    engine: str
    format: str
    codec: str = "none"

    @property
    def name(self) -> str:
        """The name in tables: ``pyarrow parquet snappy``, ``pickle``, ``polars ipc from pandas``."""
        return row_name(self.engine, self.format, self.codec)

    @property
    def spoken(self) -> str:
        """The name in sentences: ``Parquet with snappy (pyarrow)``, ``pickle``."""
        return sentence_name(self.engine, self.format, self.codec)


@dataclass(frozen=True)
class Lap:
    """One encoding and one decoding. Every value is usable at the end."""

    encode_s: float
    decode_s: float
    nbytes: float


@dataclass
class Standing:
    """The results of an entrant so far.

    `losses` is None before the check. `laps` are the counted ones, without the `first`. `out` gives the reason why it
    no longer runs. `columns_s` is the time to read the wanted columns, None if the format must be read whole.
    """

    entrant: Entrant
    losses: list[str] | None = None
    laps: list[Lap] = field(default_factory=list)
    out: str = ""
    columns_s: float | None = None
    first: Lap | None = None

    @property
    def shown(self) -> list[Lap]:
        """The counted laps. Before there are any, the first lap."""
        return self.laps or ([] if self.first is None else [self.first])

    @property
    def measured(self) -> bool:
        return bool(self.shown) and self.losses is not None

    @property
    def certain(self) -> bool:
        """Whether there are enough counted laps for an interval."""
        return len(self.laps) >= FEWEST

    @property
    def count(self) -> str:
        """The number of laps behind its figures.

        >>> Standing(Entrant("a", "a"), laps=[Lap(1.0, 1.0, 1)]).count, Standing(Entrant("a", "a")).count
        ('1 lap', 'no laps')
        """
        if not self.laps:
            return "no laps" if self.first is None else "the first lap"
        return f"{len(self.laps)} laps" if len(self.laps) > 1 else "1 lap"

    @property
    def lossless(self) -> bool:
        return self.losses == []

    def candidate(self, scale: float = 1.0) -> Candidate:
        """Returns the medians, for data `scale` times as large."""
        found = self._of(statistics.median, scale)
        return found if self.columns_s is None else replace(found, column_decode_s=self.columns_s * scale)

    def best(self) -> Candidate:
        """Returns the best case after further laps. A read of some columns might take no time."""
        share = BEST_CASE[len(self.laps)] if len(self.laps) < len(BEST_CASE) else LATE_BEST_CASE
        return replace(self._of(min, 1.0, share), column_decode_s=0.0)

    def worst(self) -> Candidate:
        return self._of(max, 1.0)

    def _of(self, statistic: Callable[[list[float]], float], scale: float, share: float = 1.0) -> Candidate:
        encode_s = statistic([lap.encode_s for lap in self.shown])
        decode_s = statistic([lap.decode_s for lap in self.shown])
        nbytes = statistic([lap.nbytes for lap in self.shown])
        return Candidate(self.entrant.name, encode_s * scale * share, decode_s * scale * share, nbytes * scale)


class Track:
    """Runs entrants. Tests supply their own track, and `advise` supplies one with real processes."""

    def losses(self, entrant: Entrant) -> list[str]:
        """Returns the losses of a round trip. Raises OutOfRace if the round trip fails."""
        raise NotImplementedError

    def laps(self, entrant: Entrant) -> Generator[Lap, None, None]:
        """Yields one lap after another. The race closes the generator when it needs no more."""
        raise NotImplementedError


class Race:
    """All entrants on one track, within a budget of seconds.

    Attributes
    ----------
    standings : list of Standing
        In the order of the entrants. Readable at any time, also after an interruption.
    reason : str
        ``complete``, ``time budget`` or ``interrupted``.
    """

    def __init__(
        self,
        entrants: Sequence[Entrant],
        track: Track,
        *,
        budget_s: float,
        low_bps: float,
        high_bps: float,
        reads: int = 1,
        columns: float = 1.0,
        seed: int = 1,
        clock: Callable[[], float] = time.monotonic,
        note: Callable[[str], None] | None = None,
        together: int = 2,
    ) -> None:
        self.standings = [Standing(entrant) for entrant in entrants]
        self.track, self.clock, self.note = track, clock, note or (lambda text: None)
        self.range = (low_bps, high_bps)
        self.reads, self.columns, self.together = reads, columns, together
        self.order = random.Random(seed)
        self.end = clock() + budget_s
        self.reason = "complete"
        self._running: dict[str, Generator[Lap, None, None]] = {}

    def run(self) -> None:
        """Runs until the end, until the budget is spent, or until an interruption. The results so far stay."""
        try:
            self.check()
            self.heats()
            self.finals()
        except KeyboardInterrupt:
            self.reason = "interrupted"
        finally:
            for standing in self.standings:
                self.stop(standing)

    def over(self) -> bool:
        """Whether the race has ended. Sets the reason if the budget is spent."""
        if self.clock() >= self.end:
            self.reason = "time budget"
        return self.reason != "complete"

    def check(self) -> None:
        """Checks fidelity first. Nothing is timed, so several checks run at once."""

        def one(standing: Standing) -> None:
            if self.clock() >= self.end:
                return
            self.note(f"checking {standing.entrant.name}")
            try:
                standing.losses = self.track.losses(standing.entrant)
            except OutOfRace as error:
                standing.out = str(error)

        pool = ThreadPoolExecutor(self.together)
        try:
            list(pool.map(one, self.standings))
        finally:
            pool.shutdown(cancel_futures=True)

    def heats(self) -> None:
        """Runs the first lap and two counted laps of each entrant."""
        first = [standing for standing in self.standings if not standing.out]
        self.order.shuffle(first)
        for standing in first:
            for _ in range(3):
                if self.over():
                    standing.out = standing.out or ("" if standing.shown else "not measured: the time budget ran out")
                    break
                if standing.out:
                    break
                self.lap(standing)
                self.eliminate()

    def finals(self) -> None:
        """Runs round after round with the remaining entrants."""
        while (left := [s for s in self.standings if not s.out and len(s.laps) < LAPS]) and not self.over():
            self.order.shuffle(left)
            for standing in left:
                if self.over():
                    return
                self.lap(standing)
            self.eliminate()

    def lap(self, standing: Standing) -> None:
        """Runs one more lap, or drops the entrant if it fails."""
        name = standing.entrant.name
        which = "first lap" if standing.first is None else f"lap {len(standing.laps) + 1}"
        self.note(f"{which} of {name}; {max(0.0, self.end - self.clock()):.0f} s left")
        try:
            running = self._running.get(name)
            if running is None:
                running = self._running[name] = self.track.laps(standing.entrant)
            lap = next(running)
            if standing.first is None:
                standing.first = lap
            else:
                standing.laps.append(lap)
        except OutOfRace as error:
            standing.out = str(error)
            self.stop(standing)

    def eliminate(self) -> None:
        """Drops entrants that can no longer win against the lossless ones."""
        for standing in self.standings:
            rivals = [s.worst() for s in self.standings if s is not standing and s.lossless and len(s.laps) > 1]
            if not standing.shown or standing.out:
                continue
            if hopeless(standing.best(), rivals, *self.range, self.reads, self.columns):
                standing.out = f"{standing.count}, then out: it could not win on any link"
                self.stop(standing)

    def stop(self, standing: Standing) -> None:
        """Ends the entrant's processes."""
        running: Any = self._running.pop(standing.entrant.name, None)
        if running is not None:
            running.close()
