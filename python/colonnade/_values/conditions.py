"""Conditions on rows: lists of (column, comparison, value), or text, as lists of which one must hold."""

from collections.abc import Hashable, Sequence
from typing import Any

from .._io.nearest import nearest_hint
from ..errors import OptionError

COMPARISONS = ("==", "=", "!=", "<", "<=", ">", ">=", "in", "not in", "is", "is not")

Condition = tuple[Hashable, str, Any]


def conjunctions(filters: object) -> list[list[Condition]]:
    """`filters` as lists of conditions: those of one list must all hold, and those of one list must.

    Raises
    ------
    OptionError
        Anything but (column, comparison, value), lists of these, and text of the grammar.
    """
    if isinstance(filters, str):
        from .filter_text import parse

        return parse(filters)
    if isinstance(filters, bytes) or not isinstance(filters, Sequence) or not filters:
        raise OptionError(f"filters: expected conditions {_CONDITION}, lists of these or text, found {filters!r}.")
    # A list of conditions, or a list of lists.
    if all(_may_be_condition(part) for part in filters):
        return [[_condition(part) for part in filters]]
    found = []
    for part in filters:
        if isinstance(part, str | bytes) or not isinstance(part, Sequence) or not part or _may_be_condition(part):
            raise OptionError(f"filters: expected a list of conditions {_CONDITION}, found {part!r}.")
        found.append([_condition(condition) for condition in part])
    return found


_CONDITION = "('column', '==', value)"


def _may_be_condition(part: object) -> bool:
    """Only a condition begins with text, or has text in its middle."""
    if isinstance(part, str | bytes) or not isinstance(part, Sequence) or not part:
        return False
    return isinstance(part[0], str) or (len(part) == 3 and isinstance(part[1], str))


def _condition(part: object) -> Condition:
    if not isinstance(part, Sequence) or len(part) != 3 or not _may_be_condition(part):
        raise OptionError(f"filters: expected a condition {_CONDITION}, found {part!r}.")
    column, comparison, value = part
    if not isinstance(comparison, str) or comparison not in COMPARISONS:
        near = nearest_hint(comparison, COMPARISONS)
        words = " or ".join(map(repr, COMPARISONS))
        raise OptionError(f"filters of {column!r}: expected {words}, found {comparison!r}{near}.")
    many = isinstance(value, Sequence | set | frozenset) and not isinstance(value, str | bytes)
    if comparison in ("in", "not in"):
        if not many and not hasattr(value, "__array__"):
            raise OptionError(f"filters of {column!r}: expected a list of values with {comparison!r}, found {value!r}.")
        return column, comparison, list(value)
    if comparison in ("is", "is not"):
        if value is not None:
            raise OptionError(f"filters of {column!r}: expected None with {comparison!r}, found {value!r}.")
        return column, comparison, None
    if value is None:
        raise OptionError(
            f"filters of {column!r}: expected one value with {comparison!r}, found None. Null is equal to nothing: "
            f"ask for it with ({column!r}, 'is', None)."
        )
    if many:
        raise OptionError(f"filters of {column!r}: expected one value with {comparison!r}, found {value!r}.")
    return column, "==" if comparison == "=" else comparison, value
