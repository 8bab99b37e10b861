"""Columns and labels of Python objects: a typed column if all cells are of one kind, else a MessagePack value per cell.

A NumPy or pandas array of dtype object has no type of its own. A column whose cells are all str, all bytes or all bool
(with at most one kind of missing value among them) becomes a typed Arrow column. Its tag says that it had dtype object,
and names the missing value. Any other array becomes a binary column with one exact MessagePack value per cell. A cell
that MessagePack cannot hold is refused; the error names row and class. Labels may be any value that tagged JSON holds.

The tags are ``{"kind": "object", "null": "nan" | "na"}``, without ``null`` for None, ``{"cells": "msgpack",
"extensions": 1}`` and ``{"kind": "labels"}``.
"""

import functools
import struct
from typing import Any

import numpy as np

from .._core import ArrowColumn, EncodeError
from .._values import tagged_labels
from .._values.cells import cells_of
from .._values.cells import object_array as object_array
from ._unicode import unicode_from_cells

_KINDS: dict[type, str] = {str: "str", bytes: "bytes", bool: "bool"}
_INT64 = range(-(2**63), 2**63)
LABELS_TAG = '{"kind":"labels"}'


def column_from_objects(values: np.ndarray, where: str) -> ArrowColumn:
    """Converts a 1-D object array to an Arrow column. EncodeError, beginning with `where`, for an unsupported cell."""
    kinds = set(map(type, values.tolist()))
    missing = _missing(kinds, values)
    present = kinds - _null_types(kinds)
    try:
        if missing is None or len(present) > 1 or any(kind not in _KINDS for kind in present):
            return ArrowColumn.from_cells(values)
        # A column that holds only None has no kind. Any type works, because the tag restores the cells; text is used.
        kind = _KINDS[present.pop()] if present else "str"
        return ArrowColumn.from_objects(values, kind, object_tag(missing))
    except EncodeError as error:
        raise EncodeError(f"{where}: {error}") from error


def object_tag(null: str | None) -> str:
    """The tag of an object column whose missing values are of the kind `null`.

    The tag does not name None. So a chunk without missing values and a chunk with None have the same tag, and one file
    can hold both.
    """
    return '{"kind":"object"}' if null in (None, "none") else f'{{"kind":"object","null":"{null}"}}'


def objects_from_column(column: ArrowColumn, tag: dict[str, Any] | None = None) -> np.ndarray:
    """Converts a column to an object array, with the missing value that its tag names (default None)."""
    values = cells_of(column)
    null = (tag or {}).get("null", "none")
    if column.null_count and null != "none":
        values[column.mask()] = _null_value(null)
    return values


def level_from_labels(labels: np.ndarray | list[Any], where: str) -> np.ndarray | ArrowColumn:
    """One level of an axis from Python labels: typed if all str or all bytes, else each label as tagged JSON text.

    The tag of an object array says so, and a reader restores the array. A list becomes plain text, bytes or int64.
    """
    cells = labels.tolist() if isinstance(labels, np.ndarray) else labels
    kinds = set(map(type, cells))
    plain = isinstance(labels, list)
    try:
        if plain and kinds == {str}:
            texts = unicode_from_cells(cells, where)
            if texts is not None:
                return texts
        if kinds == {str} or kinds == {bytes}:
            tag = None if plain else '{"kind":"object"}'
            return ArrowColumn.from_objects(object_array(cells), _KINDS[kinds.pop()], tag)
        if plain and kinds == {int} and min(cells) in _INT64 and max(cells) in _INT64:
            return np.array(cells, dtype=np.int64)
        encoded = object_array([tagged_labels.encode(cell) for cell in cells])
        return ArrowColumn.from_objects(encoded, "str", LABELS_TAG)
    except EncodeError as error:
        raise error if str(error).startswith(where) else EncodeError(f"{where}: {error}") from error


def labels_from_level(column: ArrowColumn) -> np.ndarray | None:
    """The object array of a level that `level_from_labels` tagged; None if the column has no such tag."""
    tag = read_tag(column)
    if tag.get("kind") == "labels":
        return object_array([tagged_labels.decode(text) for text in column.objects().tolist()])
    if tag.get("kind") == "object":
        return objects_from_column(column, tag)
    return None


def read_tag(column: ArrowColumn) -> dict[str, Any]:
    """The tag of a column as a dict; empty if it has none."""
    text = column.tag
    if text is None:
        return {}
    tag = _decoded(text) if len(text) <= _SHORT_TAG else tagged_labels.decode(text)
    return dict(tag) if isinstance(tag, dict) else {"kind": tag}


# Thousands of columns and frames share a few tags, so parsed tags are cached.
_SHORT_TAG = 200
_decoded = functools.lru_cache(maxsize=64)(tagged_labels.decode)


def _null_types(kinds: set[type]) -> set[type]:
    return {kind for kind in kinds if kind in (type(None), float) or kind.__name__ == "NAType"}


def _missing(kinds: set[type], values: np.ndarray) -> str | None:
    """The only kind of missing value ("none" if no value is missing); None if a tag cannot describe them."""
    nulls = _null_types(kinds)
    if not nulls:
        return "none"
    if len(nulls) > 1:
        return None
    kind = nulls.pop()
    if kind is type(None):
        return "none"
    if kind is float:
        return "nan" if all(map(is_plain_nan, filter(_is_float, values.tolist()))) else None
    return "na"


def _is_float(cell: Any) -> bool:
    return type(cell) is float


def is_plain_nan(value: float) -> bool:
    """Whether this NaN has the usual bits. A tag cannot describe other NaN bits."""
    return value is np.nan or struct.pack("<d", value) == _NAN


_NAN = struct.pack("<d", float("nan"))


def _null_value(null: str) -> Any:
    if null == "nan":
        return float("nan")
    if null == "na":
        import pandas

        return pandas.NA
    return None
