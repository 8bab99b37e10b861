"""Computes the ratios of a target from measured figures: the time of the fastest peer divided by Colonnade's time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from colonnade_bench.spec_fields import listed
from colonnade_bench.summary import Figure, Place, Summary
from colonnade_bench.targets import Comparison, Target


def figures(target: Target, summary: Summary, state: str) -> dict[str, Figure]:
    """Returns the ratio of each comparison, by its label."""
    if target.sum_datasets:
        figure = total_ratio(target, summary, state)
        return {} if figure is None else {"": figure}
    out = {}
    for each in target.comparisons(state):
        figure = ratio(target, summary, each, state)
        if figure is not None:
            out[each.label] = figure
    return out


def ratio(target: Target, summary: Summary, each: Comparison, state: str) -> Figure | None:
    for operation in listed(target.operation):
        fixed = {"dataset": each.dataset, "operation": operation, "state": state}
        for place in summary.places(library=target.library, **fixed):
            if place.size < 1.0 or too_few(target, summary, place, each.ours):
                continue
            there = Place(**{**vars(place), "library": target.peer_library or target.library})
            peer = peer_of(target, summary, there, each)
            if peer is None:
                continue
            base, other = (place, each.ours), (there, peer)
            if target.inverse:
                base, other = other, base
            found = summary.ratio_between(base, other, target.metric)
            if found is not None:
                return found
    return None


def peer_of(target: Target, summary: Summary, place: Place, each: Comparison) -> str | None:
    """Returns the fastest peer. If `slowest_of` gives groups, returns the slowest of their fastest members."""
    if not each.slowest_of:
        return fastest(summary, [place], each.peers, target.metric)
    parts = [fastest(summary, [place], group, target.metric) for group in each.slowest_of]
    if None in parts:
        return None
    return max((part for part in parts if part), key=lambda name: median(summary, place, name, target.metric))


def too_few(target: Target, summary: Summary, place: Place, ours: str) -> bool:
    """Whether a timing had fewer messages than the target requires."""
    return target.count > 1 and median(summary, place, ours, "count") < target.count


def total_ratio(target: Target, summary: Summary, state: str) -> Figure | None:
    """Returns the ratio over all datasets together, round by round, from one run that has all of them."""
    for run in dict.fromkeys(place.run for place in summary.places(state=state)):
        fixed = {"run": run, "library": target.library, "operation": listed(target.operation)[0], "state": state}
        places = [p for p in summary.places(size=1.0, **fixed) if p.dataset in target.datasets()]
        peer = fastest(summary, places, tuple(listed(target.peer)), target.metric)
        if len(places) == len(target.datasets()) and peer is not None:
            ours, theirs = (
                totals(summary, places, name, target.metric) for name in (listed(target.candidate)[0], peer)
            )
            ratios = [theirs[k] / ours[k] for k in sorted(ours.keys() & theirs.keys()) if ours[k]]
            if ratios:
                return Figure.of(ratios)
    return None


def median(summary: Summary, place: Place, contestant: str, metric: str) -> float:
    figure = summary.figure(place, contestant, metric)
    return figure.median if figure is not None else 0.0


def totals(summary: Summary, places: Iterable[Place], contestant: str, metric: str) -> dict[int, float]:
    """Returns the seconds for all places together, by round. Empty if one of the places has no figures."""
    each = [summary.samples(place, contestant, metric) for place in places]
    rounds = set.intersection(*(set(samples) for samples in each)) if each else set()
    return {number: sum(samples[number] for samples in each) for number in sorted(rounds)}


def fastest(summary: Summary, places: Sequence[Place], patterns: Sequence[str], metric: str) -> str | None:
    """Returns the matching contestant with the least time for all places together."""
    names = dict.fromkeys(name for place in places for name in summary.contestants(place))
    medians = {}
    for name in names:
        if any(fnmatchcase(name, pattern) for pattern in patterns):
            found = totals(summary, places, name, metric)
            if found:
                medians[name] = Figure.of(list(found.values())).median
    return min(medians, key=lambda name: medians[name]) if medians else None


def sizes(summary: Summary, dataset: str) -> dict[tuple[str, str], int]:
    """Returns the bytes of each contestant's file, by library and name. Only whole datasets count."""
    return {
        (cell.library, cell.contestant): record["wire_nbytes"]
        for cell, record in summary.checks()
        if cell.dataset == dataset and cell.size >= 1.0 and record["ok"] and record.get("wire_nbytes")
    }
