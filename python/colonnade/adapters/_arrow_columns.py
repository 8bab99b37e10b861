"""Converts a column in Arrow's layout to one NumPy array, for libraries that hold only NumPy arrays.

The array holds exactly the same values: the conversion never rounds a value or drops a time zone. It refuses a column
that needs this.
"""

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from .._core import ArrowColumn, ColonnadeError, DecodeError, EncodeError, Limits
from .._values import tagged_labels
from .._values.cells import cells_of, is_msgpack
from ._object_columns import labels_from_level, object_array, objects_from_column, read_tag
from ._tag_claims import check_tag, numpy_view

# Tags that name a library's class for the same values. Times with a zone are refused by their type.
TRANSPARENT = frozenset(
    {None, "masked", "string", "arrow", "categorical", "string_dtype", "datetimetz", "field", "masked_array", "r"}
)
_NUMERIC = ("int8", "int16", "int32", "int64", "uint", "half", "float", "double")

_TEXT = ("utf8", "utf8_view")

Where = Callable[[], str]


def numpy_from_column(column: ArrowColumn, where: Where) -> np.ndarray:
    """The values as a read-only 1-D array; EncodeError, beginning with ``where()``, if NumPy has no dtype for them.

    Text becomes `<U`, or objects if it has nulls, ends in NUL, or has such uneven lengths that `<U` would exceed
    `Limits`. Bytes become objects. Integers, floats and bools without nulls keep their dtype; with nulls they become
    objects with None. Dates and times without a zone become datetime64 and timedelta64; dictionaries are decoded to
    their values. All other types become the objects that pyarrow's ``to_pylist`` returns: decimals, times of day,
    lists, structs (dict), maps (list of pairs), unions.
    """
    return _frozen(_values(column, read_tag(column), where))


def numpy_from_level(column: ArrowColumn, where: Where) -> np.ndarray:
    """The labels of one level of an axis as a read-only 1-D array."""
    values = labels_from_level(column)
    return numpy_from_column(column, where) if values is None else _frozen(values)


def _values(column: ArrowColumn, tag: dict[str, Any], where: Where) -> np.ndarray:
    kind = column.type
    claimed = tag.get("kind")
    reader = _READERS.get(claimed) if isinstance(claimed, str) else None
    if claimed == "sparse" and not kind.startswith("struct<"):
        held = tag.get("values", {})
        return _values(column, held if isinstance(held, dict) else {}, where)
    if reader is not None:
        try:
            check_tag(column, tag)
            return reader(column, tag)
        except (ColonnadeError, ImportError):
            raise
        except (KeyError, IndexError, ValueError, TypeError, AttributeError, OverflowError) as error:
            raise DecodeError(f"{where()}: the tag {column.tag} does not fit the data ({kind}): {error}") from error
    if not (claimed is None or isinstance(claimed, str)) or claimed not in TRANSPARENT:
        _refuse(where, f"a {claimed} column ({kind})", "Read it with the library that wrote it")
    if kind.startswith("dictionary"):
        return _decoded(column, tag, where)
    if kind.endswith(_TEXT):
        return _text(column)
    if kind.startswith("timestamp") and "," in kind:
        _refuse(where, f"times with a zone ({kind})", "Convert to UTC and drop the zone, or read it with to_pandas()")
    if kind.startswith(("timestamp", "duration", "date")):
        return _with_nat(column)
    if kind.startswith("bool"):
        return column.objects() if column.null_count else column.values()
    if kind.startswith((*_NUMERIC, "fixed_size_binary")):
        return _with_none(column) if column.null_count else column.values()
    try:
        return cells_of(column, where() if is_msgpack(column.tag) else "")
    except EncodeError as error:
        _refuse(where, str(error), "Drop the column, or read it with to_arrow()")


def _text(column: ArrowColumn) -> np.ndarray:
    if column.null_count:
        return cells_of(column)
    if column.type.endswith("view"):
        cells = cells_of(column)
        texts = cells.tolist()
        longest = max(map(len, texts), default=0)
        if any(text.endswith("\0") for text in texts) or not _may_become(column, 4 * longest):
            return cells
        return np.array(texts, dtype=np.str_)
    try:
        return column.unicode()
    except EncodeError:
        # `<U` pads with NUL, so it cannot hold text that ends in NUL.
        return column.objects()


def _may_become(column: ArrowColumn, item_nbytes: int) -> bool:
    """Whether `Limits` allows cells of `item_nbytes` bytes each for a column of this size in Arrow's layout."""
    nrows = len(column)
    return nrows * item_nbytes <= Limits().decoded_nbytes(column.nbytes(), nrows)


def _with_nat(column: ArrowColumn) -> np.ndarray:
    values = column.values()
    if values.dtype.kind not in "mM":  # date64: milliseconds since 1970
        values = values.view("M8[ms]")
    if column.null_count:
        values = values.copy()
        values[column.mask()] = "NaT"
    return values


def _with_none(column: ArrowColumn) -> np.ndarray:
    values: np.ndarray = column.values().astype(object)
    values[column.mask()] = None
    return values


def _decoded(column: ArrowColumn, tag: dict[str, Any], where: Where) -> np.ndarray:
    claimed = tag.get("categories", {})
    categories = _values(column.categories(), claimed if isinstance(claimed, dict) else {}, where)
    codes = column.codes()
    if len(codes) and not -1 <= int(codes.min()) <= int(codes.max()) < len(categories):
        raise DecodeError(
            f"{where()}: expected codes from -1 to {len(categories) - 1}, found {codes.min()} to {codes.max()}. "
            "The file is damaged."
        )
    if categories.dtype.kind in "USV" and not _may_become(column, categories.dtype.itemsize):
        # Rows that share a long value share an object.
        categories = categories.astype(object)
    values: np.ndarray
    if not column.null_count:
        values = categories[codes]
        return values
    missing = codes < 0
    if categories.dtype.kind in "mM":
        values = np.full(len(codes), "NaT", dtype=categories.dtype)
    else:
        values = np.full(len(codes), None, dtype=object)
    values[~missing] = categories[codes[~missing]]
    return values


# --------------------------------------------------------------------------- tags that change what the values mean


def _labels_of(column: ArrowColumn, tag: dict[str, Any]) -> np.ndarray:
    return object_array([tagged_labels.decode(text) for text in column.objects().tolist()])


def _several_nulls(column: ArrowColumn, tag: dict[str, Any]) -> np.ndarray:
    """Objects of pandas with None, NaN and NA in one column. The second child holds the kind of each missing value."""
    values, which = column.child("values").objects(), column.child("nulls").values()
    values[which == 2] = float("nan")
    if (which == 3).any():
        import pandas

        values[which == 3] = pandas.NA
    return values


_READERS: dict[Any, Callable[[ArrowColumn, dict[str, Any]], np.ndarray]] = {
    "object": objects_from_column,
    "object_nulls": _several_nulls,
    "labels": _labels_of,
    "numpy": numpy_view,
}


def _frozen(values: np.ndarray) -> np.ndarray:
    values.flags.writeable = False
    return values


def _refuse(where: Where, found: str, advice: str) -> NoReturn:
    raise EncodeError(f"{where()}: expected values that a NumPy dtype can hold, found {found}. {advice}.")
