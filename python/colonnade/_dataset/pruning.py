"""Leaves out parts whose keys show that no row can match."""

from collections.abc import Iterable

from .._frame.filtering import filtered_core
from .._frame.frame import Frame
from .._values.conditions import Condition
from .hive import Keys

Conjunctions = list[list[Condition]]


def remaining(conditions: Conjunctions | None, keys: Keys) -> Conjunctions | None | bool:
    """The conditions on the columns of a part with these keys: None if all its rows match, False if none does.

    The keys are compared as a frame of one row, so that they compare exactly as columns do.
    """
    if conditions is None:
        return None
    if not keys:
        return conditions
    left: Conjunctions = []
    for conjunction in conditions:
        of_keys = [condition for condition in conjunction if condition[0] in keys]
        others = [condition for condition in conjunction if condition[0] not in keys]
        if of_keys and not _holds(of_keys, keys):
            continue
        if not others:
            return None
        left.append(others)
    return left or False


def _holds(conjunction: Iterable[Condition], keys: Keys) -> bool:
    conditions = list(conjunction)
    for name, comparison, _ in conditions:
        if keys[name] is None and comparison != "is":
            return False
    names = {name for name, _, _ in conditions if keys[name] is not None}
    nulls = [condition for condition in conditions if condition[0] not in names]
    if any(comparison != "is" for _, comparison, _ in nulls):
        return False
    there = [condition for condition in conditions if condition[0] in names]
    if not there:
        return True
    row = Frame({str(name): [keys[name]] for name in names})
    return bool(filtered_core(row._load(), [there], (0, 0)).nrows)
