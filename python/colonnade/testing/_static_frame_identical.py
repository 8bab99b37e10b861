"""Compares two StaticFrame frames to the bit, which `Frame.equals` does not do."""

from typing import Any

import numpy as np

from .cases_cells import same_cells


def assert_identical(left: Any, right: Any) -> None:
    """Asserts the same class, labels, index classes, names, dtypes and bits. The error names the difference."""
    _assert_same_bits(left, right)
    if _can_be_compared(left):
        assert left.equals(right, compare_name=True, compare_dtype=True, compare_class=True)


def is_identical_in_memory(left: Any, right: Any) -> bool:
    """Whether two frames are identical in memory, without StaticFrame's own comparison.

    For later results, after `assert_identical` has accepted the first one.
    """
    try:
        _assert_same_bits(left, right)
    except AssertionError:
        return False
    return True


def _assert_same_bits(left: Any, right: Any) -> None:
    assert type(left) is type(right), (type(left), type(right))
    assert left.shape == right.shape, (left.shape, right.shape)
    assert _same_name(left.name, right.name), (left.name, right.name)
    for side in ("index", "columns"):
        _assert_same_index(getattr(left, side), getattr(right, side), side)
    kinds = {dtype.str for dtype in left.dtypes.values}
    if len(kinds) == 1 and not left.dtypes.values[0].hasobject and kinds == {d.str for d in right.dtypes.values}:
        _assert_same_array(left.values, right.values, "columns")
        return
    for position, (a, b) in enumerate(zip(left.iter_array(axis=0), right.iter_array(axis=0), strict=True)):
        _assert_same_array(a, b, f"column {position}")


def _can_be_compared(frame: Any) -> bool:
    """`Frame.equals` fails on void columns and some objects.

    It also fails on a hierarchy whose name is a tuple that holds bytes or repeats an item.
    """
    names = [index.name for index in (frame.index, frame.columns) if index.depth > 1 and isinstance(index.name, tuple)]
    arrays = list(frame.iter_array(axis=0))
    kinds = {array.dtype.kind for array in arrays}
    cells = {type(cell) for array in arrays if array.dtype.kind == "O" for cell in array.tolist()}
    # A comparison with a signalling NaN raises, and a NaN in a dict is not equal to itself.
    plain = cells <= {str, bytes, bool, type(None)}
    named = all(len(set(name)) == len(name) and not any(isinstance(part, bytes) for part in name) for name in names)
    return "V" not in kinds and plain and named


def _assert_same_index(left: Any, right: Any, side: str) -> None:
    assert type(left) is type(right), (side, type(left), type(right))
    assert _same_name(left.name, right.name), (side, left.name, right.name)
    assert left.depth == right.depth, (side, left.depth, right.depth)
    if left.depth == 1:
        _assert_same_array(left.values, right.values, side)
        return
    for level in range(left.depth):
        _assert_same_array(left.values_at_depth(level), right.values_at_depth(level), f"{side}, level {level}")
        inner, other = left.index_at_depth(level), right.index_at_depth(level)
        assert type(inner) is type(other), (side, level, type(inner), type(other))
        assert _same_name(inner.name, other.name), (side, level)


def _assert_same_array(left: np.ndarray, right: np.ndarray, where: str) -> None:
    assert left.dtype.str == right.dtype.str, (where, left.dtype, right.dtype)
    assert left.shape == right.shape, (where, left.shape, right.shape)
    if left.dtype.kind == "O":
        assert same_cells(left.tolist(), right.tolist()), (where, left, right)
    else:
        assert left.tobytes() == right.tobytes(), (where, left, right)


def _same_name(left: Any, right: Any) -> bool:
    """Whether two names are equal and of one type, also within tuples. NaN and NaT equal themselves."""
    if type(left) is not type(right):
        return False
    if isinstance(left, tuple):
        return len(left) == len(right) and all(map(_same_name, left, right))
    return bool(left == right) or (left != left and right != right)
