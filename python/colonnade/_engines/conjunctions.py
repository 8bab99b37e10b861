"""Combines conditions that were taken from an engine's predicate.

A predicate becomes lists of conditions of which one must hold, or None if nothing of it can be translated. What is
left out makes the result wider, never narrower, so an engine that filters again has exact rows.
"""

from __future__ import annotations

from .._values.conditions import Condition

Conjunctions = list[list[Condition]]

_MOST = 64
"""Lists of conditions. A wider predicate is left to the engine."""


def both(one: Conjunctions | None, other: Conjunctions | None) -> Conjunctions | None:
    """What holds where both hold. A side that is not known is left out."""
    if one is None or other is None:
        return one if other is None else other
    if len(one) * len(other) > _MOST:
        return one
    return [[*left, *right] for left in one for right in other]


def either(one: Conjunctions | None, other: Conjunctions | None) -> Conjunctions | None:
    """What holds where one holds. Both must be known."""
    if one is None or other is None or len(one) + len(other) > _MOST:
        return None
    return [*one, *other]


def single(condition: Condition) -> Conjunctions:
    """One condition."""
    return [[condition]]
