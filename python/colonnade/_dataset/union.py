"""The columns of parts some of which lack columns: these are null there."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass

import numpy as np

from .. import _core
from .._core import ArrowColumn
from .._frame.frame import Frame
from ..errors import DecodeError, UnsupportedError
from .keys import core_of


@dataclass(frozen=True)
class _Field:
    """A column: its type, the first part that has it, its column without rows there, and whether a part lacks it."""

    dtype: str
    part: str
    empty: Frame
    is_optional: bool

    def column(self) -> np.ndarray | ArrowColumn:
        """The column without rows."""
        return self.empty._load().column(0)


class Union:
    """The columns of all parts, in the order in which they first appear.

    Parameters
    ----------
    parts
        The name and the columns of each part, without rows.

    Raises
    ------
    DecodeError
        A column has two types.
    UnsupportedError
        A column that a part lacks has a type without nulls, or a label that is not text.
    """

    def __init__(self, parts: Iterable[tuple[str, Frame]]) -> None:
        found = list(parts)
        self._labels = [frozenset(frame) for _, frame in found]
        fields: dict[Hashable, _Field] = {}
        for name, frame in found:
            for label, dtype in frame.dtypes:
                if label not in fields:
                    fields[label] = _Field(dtype, name, frame[label], self._is_optional(label))
                known = fields[label]
                if known.dtype != dtype:
                    raise DecodeError(
                        f"{name}: expected column {label!r} as in {known.part}, {known.dtype}, found {dtype}. "
                        "Convert one of the files."
                    )
        self._fields = fields
        for label, field in fields.items():
            if field.is_optional and (not isinstance(label, str) or not _has_nulls(field.column())):
                raise UnsupportedError(
                    f"dataset: column {label!r} of {field.part}: expected a type with nulls and a label of text, "
                    f"because other parts lack it, found {field.dtype}."
                )
        self.empty = self.completed(found[0][1], None)

    def only(self, part: int) -> Union:
        """The same columns, for one part."""
        made = copy(self)
        made._labels = [self._labels[part]]
        return made

    def is_in(self, label: Hashable, part: int) -> bool:
        """Whether a part has a column."""
        return label in self._labels[part]

    def lacks(self, label: Hashable, part: int) -> bool:
        """Whether a column is null in all rows of a part."""
        return label in self._fields and label not in self._labels[part]

    def completed(self, frame: Frame, wanted: Sequence[Hashable] | None) -> Frame:
        """The frame with all columns, or those of `wanted` that are no keys. Columns that it lacks are null."""
        labels = list(self._fields) if wanted is None else [label for label in wanted if label in self._fields]
        if not any(self._fields[label].is_optional for label in labels):
            return frame if wanted is None else frame.select(labels)
        core = frame._load()
        at = {label: i for i, label in enumerate(frame)}
        columns = []
        for label in labels:
            field = self._fields[label]
            column = core.column(at[label]) if label in at else _nulls(field.column(), core.nrows)
            columns.append(_with_nulls(column) if field.is_optional else column)
        return Frame._make(core_of(columns, [str(label) for label in labels], core))

    def _is_optional(self, label: Hashable) -> bool:
        return not all(label in labels for labels in self._labels)


def _has_nulls(column: np.ndarray | ArrowColumn) -> bool:
    return not isinstance(column, np.ndarray) or column.dtype.kind in "biufUmM"


def _with_nulls(column: np.ndarray | ArrowColumn) -> np.ndarray | ArrowColumn:
    """The column in a type that has nulls."""
    if not isinstance(column, np.ndarray) or column.dtype.kind in "mM":
        return column
    return ArrowColumn.from_unicode(column) if column.dtype.kind == "U" else ArrowColumn.from_masked(column)


def _nulls(empty: np.ndarray | ArrowColumn, nrows: int) -> np.ndarray | ArrowColumn:
    if not isinstance(empty, np.ndarray):
        return _core.null_column(empty, nrows)
    if empty.dtype.kind in "mM":
        return np.full(nrows, "NaT", empty.dtype)
    made = _with_nulls(empty)
    assert isinstance(made, ArrowColumn)
    return _core.null_column(made, nrows)
