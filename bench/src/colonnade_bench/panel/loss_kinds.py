"""Tells losses of metadata from those of values, by their texts, so that records of earlier runs have kinds too."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal

MOST = 40
"""The most losses to list for one round trip. The others are counted."""
NOT_PASSED_ON = "not passed on by the benchmark"
"""In the place of a loss that is the benchmark's: it gave the engine no such part of the frame."""
REORDERED = "columns: order of labels"
OF_VALUES = re.compile(
    r"(^|: |\.)([\d,]+ (rows|columns|values) became|names of columns$|integers beyond)"
    r"|(^|: )(number of labels|labels differ)$|: values (changed|of another kind|became NA)|: (NA|NaN) became"
    r"|table .* is gone$|^a \S+ came back$|list of tables became|^and [\d,]+ more$"
)
OF_METADATA = re.compile(
    r"became |categories differ|order of |classes of cells|names of rows$|levels$|time zone$|units$|attrs$"
    rf"|{NOT_PASSED_ON}|more of metadata$"
)


def kind_of(loss: str) -> Literal["metadata", "values"]:
    """Whether a loss changed cells, or only what describes them: types and units, names, categories, zones, attrs.

    A loss of unknown kind counts as a loss of values. Records of earlier runs have the same texts.

    >>> kind_of("when: datetime64[us, UTC] became datetime64[us, Etc/UTC]"), kind_of("n: values changed (1 of 2)")
    ('metadata', 'values')
    """
    return "metadata" if OF_METADATA.search(loss) and not OF_VALUES.search(loss) else "values"


def reordered(labels: Sequence[Any], others: Sequence[Any]) -> bool:
    """Whether the same labels, each there once, have another order."""
    return labels != others and len(set(labels)) == len(labels) == len(others) and set(labels) == set(others)


def listed(found: list[str]) -> list[str]:
    """Returns the losses, at most `MOST`, those of values first if some are left out."""
    if len(found) <= MOST:
        return found
    found = sorted(found, key=lambda loss: kind_of(loss) == "metadata")
    of_values = any(kind_of(loss) == "values" for loss in found[MOST:])
    return [*found[:MOST], f"and {len(found) - MOST} more" + " of metadata" * (not of_values)]
