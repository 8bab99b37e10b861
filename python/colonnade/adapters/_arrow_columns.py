"""A column in Arrow's layout as one NumPy array, for the libraries that know nothing but NumPy.

The array holds exactly the same values, or the column is refused: nothing is rounded, and no zone is dropped.
"""

from collections.abc import Callable

import numpy as np

from .._core import ArrowColumn, EncodeError
from ._object_columns import labels_from_level, objects_from_column, read_tag

# Tags of other libraries that only say which class of theirs held the very same values.
_TRANSPARENT = frozenset(
    {None, "object", "str", "string", "masked", "nullable", "arrow", "category", "categorical", "string_dtype"}
)
_NUMERIC = ("int", "uint", "half", "float", "double", "halffloat")


def numpy_from_column(column: ArrowColumn, where: Callable[[], str]) -> np.ndarray:
    """The values as a read-only 1-D array; EncodeError, beginning with ``where()``, if NumPy has no dtype for them.

    Text becomes `<U` (objects where it has nulls, or ends in NUL), bytes become objects; integers, floats and bools
    keep their dtype without nulls and become objects with None where they have some; dictionaries are decoded.
    """
    values = _values(column, where)
    values.flags.writeable = False
    return values


def numpy_from_level(column: ArrowColumn, where: Callable[[], str]) -> np.ndarray:
    """The labels of a level as a read-only 1-D array."""
    values = labels_from_level(column)
    return numpy_from_column(column, where) if values is None else _frozen(values)


def _values(column: ArrowColumn, where: Callable[[], str]) -> np.ndarray:
    kind = column.type
    tag = read_tag(column)
    if tag.get("kind") not in _TRANSPARENT:
        _refuse(where, f"a {tag.get('kind')} column ({kind})", "Read it with the library that wrote it")
    if tag.get("kind") == "object":
        return objects_from_column(column, tag)
    if kind.startswith("dictionary"):
        return _decoded(column, where)
    if kind.endswith(("utf8", "utf8_view")):
        return _text(column)
    if kind.startswith("timestamp") and "," in kind:
        _refuse(where, f"times with a zone ({kind})", "Convert to UTC and drop the zone, or read it with to_pandas()")
    if kind.startswith(("timestamp", "duration", "date32")):
        return _filled(column, "NaT")
    if kind.endswith(("binary", "binary_view")):
        return column.objects()
    if kind.startswith("bool"):
        return column.objects() if column.null_count else column.values()
    if kind.startswith((*_NUMERIC, "fixed_size_binary")):
        return _with_none(column) if column.null_count else column.values()
    _refuse(where, f"a column of type {kind}", "Drop the column, or read it with to_pandas() or to_arrow()")
    raise AssertionError("unreachable")


def _text(column: ArrowColumn) -> np.ndarray:
    if column.null_count:
        return column.objects()
    try:
        return column.unicode()
    except EncodeError:
        # `<U` pads with NUL and so cannot hold a text that ends in one.
        return column.objects()


def _filled(column: ArrowColumn, missing: str) -> np.ndarray:
    values = column.values()
    if column.null_count:
        values = values.copy()
        values[column.mask()] = missing
    return values


def _with_none(column: ArrowColumn) -> np.ndarray:
    values = column.values().astype(object)
    values[column.mask()] = None
    return values


def _decoded(column: ArrowColumn, where: Callable[[], str]) -> np.ndarray:
    categories = _values(column.categories(), where)
    codes = column.codes()
    if not column.null_count:
        return categories.take(codes) if len(categories) else categories[:0]
    missing = codes < 0
    if categories.dtype.kind in "mM":
        values = np.full(len(codes), "NaT", dtype=categories.dtype)
    else:
        values = np.full(len(codes), None, dtype=object)
    values[~missing] = categories[codes[~missing]]
    return values


def _frozen(values: np.ndarray) -> np.ndarray:
    values.flags.writeable = False
    return values


def _refuse(where: Callable[[], str], found: str, advice: str) -> None:
    raise EncodeError(f"{where()}: expected values that a NumPy dtype can hold, found {found}. {advice}.")
