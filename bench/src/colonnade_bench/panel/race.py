"""A race by elimination: every candidate runs a lap or two, and only those that may still win somewhere run on.

A lap encodes and decodes once, in two processes of the candidate's own. Out is who could not win on any link of the
wanted range even at its best against the others at their worst. What is lost in a round trip is found first; a
candidate that loses something is timed as well, and ranked apart.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

from colonnade_bench.panel.model import Candidate, hopeless

LAPS = 7
BEST_CASE = (0.0, 0.4, 0.6, 0.75)
"""Share of the fastest lap so far that a candidate may still come down to, by laps run; later 0.85."""
LATE_BEST_CASE = 0.85


class OutOfRace(Exception):
    """A candidate cannot be measured; the text says why."""


@dataclass(frozen=True)
class Entrant:
    """One way of keeping a frame: an engine, its format, a codec."""

    engine: str
    format: str
    codec: str = "none"

    @property
    def name(self) -> str:
        """As people call it: ``pyarrow parquet snappy``, ``pickle``."""
        first = self.engine if self.engine == self.format else f"{self.engine} {self.format}"
        return first if self.codec in ("none", "auto") else f"{first} {self.codec}"


@dataclass(frozen=True)
class Lap:
    """One encoding and one decoding, every value usable at the end."""

    encode_s: float
    decode_s: float
    nbytes: float


@dataclass
class Standing:
    """What is known of an entrant.

    `losses` is None until it was checked; `out` says why it runs no more; `columns_s` is a read of the columns that
    were asked for, None where the format is read whole.
    """

    entrant: Entrant
    losses: list[str] | None = None
    laps: list[Lap] = field(default_factory=list)
    out: str = ""
    columns_s: float | None = None

    @property
    def measured(self) -> bool:
        return bool(self.laps) and self.losses is not None

    @property
    def lossless(self) -> bool:
        return self.losses == []

    def candidate(self, scale: float = 1.0) -> Candidate:
        """Medians, for data `scale` times as large."""
        found = self._of(statistics.median, scale)
        return found if self.columns_s is None else replace(found, column_decode_s=self.columns_s * scale)

    def best(self) -> Candidate:
        """What further laps might still bring it down to; some columns alone might cost nothing."""
        share = BEST_CASE[len(self.laps)] if len(self.laps) < len(BEST_CASE) else LATE_BEST_CASE
        return replace(self._of(min, 1.0, share), column_decode_s=0.0)

    def worst(self) -> Candidate:
        return self._of(max, 1.0)

    def _of(self, statistic: Callable[[list[float]], float], scale: float, share: float = 1.0) -> Candidate:
        encode_s = statistic([lap.encode_s for lap in self.laps])
        decode_s = statistic([lap.decode_s for lap in self.laps])
        nbytes = statistic([lap.nbytes for lap in self.laps])
        return Candidate(self.entrant.name, encode_s * scale * share, decode_s * scale * share, nbytes * scale)


class Track:
    """Where entrants run. Tests bring one of their own; `advise` one with real processes."""

    def losses(self, entrant: Entrant) -> list[str]:
        """What a round trip loses. Raises OutOfRace where there is none."""
        raise NotImplementedError

    def laps(self, entrant: Entrant) -> Generator[Lap, None, None]:
        """One lap after another for as long as they are asked for; closed when they are not."""
        raise NotImplementedError


class Race:
    """All entrants on one track, within a budget of seconds.

    Attributes
    ----------
    standings : list of Standing
        In the order of the entrants; readable at any time, also after an interruption.
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
        """To the end, to the budget's end, or to an interruption: what is known by then stays."""
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
        """Whether the budget is spent; then that is the reason of the end."""
        if self.clock() >= self.end:
            self.reason = "time budget"
        return self.reason != "complete"

    def check(self) -> None:
        """Fidelity first. Nothing is timed here, so that several are checked at once."""

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
        """Two laps of each."""
        first = [standing for standing in self.standings if not standing.out]
        self.order.shuffle(first)
        for standing in first:
            for _ in range(2):
                if self.over():
                    standing.out = standing.out or ("" if standing.laps else "not measured: the time budget ran out")
                    break
                if standing.out:
                    break
                self.lap(standing)
                self.eliminate()

    def finals(self) -> None:
        """Round after round among those that are left."""
        while (left := [s for s in self.standings if not s.out and len(s.laps) < LAPS]) and not self.over():
            self.order.shuffle(left)
            for standing in left:
                if self.over():
                    return
                self.lap(standing)
            self.eliminate()

    def lap(self, standing: Standing) -> None:
        """One more, or out."""
        name = standing.entrant.name
        self.note(f"lap {len(standing.laps) + 1} of {name}; {max(0.0, self.end - self.clock()):.0f} s left")
        try:
            running = self._running.get(name)
            if running is None:
                running = self._running[name] = self.track.laps(standing.entrant)
            standing.laps.append(next(running))
        except OutOfRace as error:
            standing.out = str(error)
            self.stop(standing)

    def eliminate(self) -> None:
        """Out with whoever cannot win any more, against those that lose nothing."""
        for standing in self.standings:
            rivals = [s.worst() for s in self.standings if s is not standing and s.lossless and len(s.laps) > 1]
            if not standing.laps or standing.out:
                continue
            if hopeless(standing.best(), rivals, *self.range, self.reads, self.columns):
                laps = f"{len(standing.laps)} laps" if len(standing.laps) > 1 else "1 lap"
                standing.out = f"after {laps} it could not win on any link"
                self.stop(standing)

    def stop(self, standing: Standing) -> None:
        """End its processes."""
        running: Any = self._running.pop(standing.entrant.name, None)
        if running is not None:
            running.close()
