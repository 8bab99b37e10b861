"""The keys of a dataset: columns whose value is the same in all rows of a part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from .._core import ArrowColumn, CoreFrame
from .._frame.frame import Frame
from ..errors import UnsupportedError

TEXT = None
"""In the place of a NumPy type: text."""


@dataclass(frozen=True)
class KeyColumn:
    """One key, with its value in each part.

    Attributes
    ----------
    name : str
        The label of its column.
    dtype : numpy.dtype or None
        The type of its values; None for text.
    values : list
        One for each part; None is null.
    has_nulls : bool
        Whether a part has null. Then the columns of all parts have a type with nulls.
    """

    name: str
    dtype: np.dtype | None
    values: Sequence[Any]
    has_nulls: bool

    @classmethod
    def of(cls, name: str, dtype: np.dtype | None, values: Sequence[Any]) -> KeyColumn:
        """The key of these values."""
        return cls(name, dtype, values, any(value is None for value in values))

    def of_part(self, i: int, nrows: int) -> np.ndarray | ArrowColumn:
        """The column of part `i`, which has `nrows` rows."""
        return self._column([self.values[i]], nrows)

    def of_all(self) -> np.ndarray | ArrowColumn:
        """The values as a column, one row a part."""
        return self._column(self.values, 1)

    def without_rows(self) -> np.ndarray | ArrowColumn:
        """The column without rows."""
        return self._column([], 1)

    def _column(self, values: Sequence[Any], times: int) -> np.ndarray | ArrowColumn:
        """Each value `times` times."""
        if self.dtype is TEXT:
            return _texts(values, times)
        if self.dtype.kind == "M":
            filled = np.array(["NaT" if value is None else value for value in values], self.dtype)
            return np.repeat(filled, times)
        if not self.has_nulls:
            return np.repeat(np.array(values, self.dtype), times)
        filled = np.array([0 if value is None else value for value in values], self.dtype)
        mask = np.array([value is None for value in values], bool)
        return ArrowColumn.from_masked(np.repeat(filled, times), np.repeat(mask, times))


def _texts(values: Sequence[str | None], times: int) -> ArrowColumn:
    encoded = [b"" if value is None else value.encode() for value in values]
    lengths = np.repeat(np.array([len(each) for each in encoded], np.int64), times)
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    data = np.frombuffer(b"".join(each * times for each in encoded), np.uint8)
    column = _core.assemble_column("large_utf8", len(lengths), [offsets, data])
    mask = np.repeat(np.array([value is None for value in values], bool), times)
    return column if not mask.any() else _core.column_with_validity(column, np.packbits(~mask, bitorder="little"))


def key_frame(keys: Sequence[KeyColumn]) -> CoreFrame:
    """The keys of all parts: one row for each part."""
    return core_of([key.of_all() for key in keys], [key.name for key in keys])


def with_keys(frame: Frame, keys: Sequence[KeyColumn], part: int) -> Frame:
    """The rows of part `part` with a column for each key. A column of that name in the file is replaced, at its place.

    Raises
    ------
    UnsupportedError
        A column label is not text, so that the name of a key is no label.
    """
    if not keys:
        return frame
    core = frame._load()
    labels = list(frame.columns)
    if any(not isinstance(label, str) for label in labels):
        names = ", ".join(key.name for key in keys)
        raise UnsupportedError(
            f"dataset: expected column labels of text next to the keys {names}, found {labels[0]!r}. "
            "Pass partitioning=None."
        )
    columns: dict[str, np.ndarray | ArrowColumn] = {}
    for label, column in zip(labels, _single(core), strict=True):
        columns[label] = column
    for key in keys:
        columns[key.name] = key.of_part(part, core.nrows)
    return Frame._make(core_of(list(columns.values()), list(columns), core))


def _single(core: CoreFrame) -> list[np.ndarray | ArrowColumn]:
    """The columns one by one."""
    return [core.column(i) for i in range(core.ncols)]


def core_of(columns: Sequence[Any], names: Sequence[str], like: CoreFrame | None = None) -> CoreFrame:
    """A frame of these columns. `like`: row labels, name, attributes and the class of column labels are those of it."""
    nrows = like.nrows if like is not None else len(columns[0]) if columns else 0
    builder = _core.FrameBuilder(nrows, len(columns))
    for i, column in enumerate(columns):
        if isinstance(column, np.ndarray):
            builder.add_arrays([column], i)
        else:
            builder.add_arrow(i, column)
    labels = Frame(dict.fromkeys(names, np.zeros(0)))._load().columns
    if like is None:
        return builder.finish(_core.Axis.auto(0, nrows, 1), labels)
    old = like.columns
    if not old.is_auto:  # the name of the labels, and their class
        labels = _core.Axis.levels([labels.level(0)], old.classes, old.cls, old.name, old.meta)
    return builder.finish(like.index, labels, like.name, like.attrs, like.origin)
