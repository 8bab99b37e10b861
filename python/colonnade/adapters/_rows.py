"""Converts rows to columns, some tens of thousands at a time, so that a row-oriented source streams as columns.

A row is a mapping, a dataclass, a named tuple, or a plain tuple or list (whose columns are numbered). The first batch
determines the columns and their types. A column with cells of several types keeps each cell's type. A key that a row
lacks is null. A later row that does not fit is refused; the error names its number.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from io import IOBase
from itertools import chain, islice
from operator import attrgetter
from typing import Any

from .._core import Axis, CoreFrame, FrameBuilder
from .._values.terminal_text import truncate
from ..errors import EncodeError
from ._row_types import Misfit, RowType, first_column

BATCH_ROWS = 1 << 16
_Transposed = tuple[list[Any] | None, list[list[Any]]]  # labels (None: numbered) and the cells of each column


def is_rows(data: Any) -> bool:
    """Whether `data` can only be rows: an iterable that is not a table, a mapping, bytes or a file object."""
    if not isinstance(data, Iterable) or isinstance(data, str | bytes | bytearray | memoryview | Mapping | IOBase):
        return False
    from ..adapters import find_adapter

    return find_adapter(data) is None


class Rows:
    """Transposes rows. The columns and types of the first batch apply to all later batches, in later calls too."""

    def __init__(self, batch_rows: int | None = None) -> None:
        self._batch_rows = min(batch_rows or BATCH_ROWS, sys.maxsize)  # islice takes no more
        self._has_columns = False
        self._labels: list[Any] | None = None
        self._types: list[RowType] = []
        self._axis = Axis.auto(0, 0, 1)
        self._done = 0

    @property
    def has_columns(self) -> bool:
        """Whether the columns are known, from a row of an earlier batch."""
        return self._has_columns

    def batches(self, rows: Iterable[Any]) -> Iterator[CoreFrame]:
        """Yields a frame for each batch, lazily; at least one.

        Raises
        ------
        TypeError
            A row of another type.
        EncodeError
            A row or a value that does not fit the earlier rows. The message names its number and column.
        """
        ahead = iter(rows)
        empty = True
        while batch := list(islice(ahead, self._batch_rows)):
            empty = False
            yield self._frame(batch)
        if empty:
            yield self._build([[] for _ in self._types], 0)

    def _frame(self, batch: list[Any]) -> CoreFrame:
        labels, columns = self._transposed(batch)
        if not self._has_columns:
            self._labels = labels
            self._axis = _axis(labels, len(columns))
        elif labels != self._labels or len(columns) != len(self._types):
            expected, found = _labels_text(self._labels, len(self._types)), _labels_text(labels, len(columns))
            self._refuse(0, f"expected the columns {expected}, found {found}.")
        frame = self._build(columns, len(batch))
        self._has_columns = True
        self._done += len(batch)
        return frame

    def _build(self, columns: list[list[Any]], nrows: int) -> CoreFrame:
        builder = FrameBuilder(nrows, len(columns))
        types = self._types if self._has_columns else []
        for position, cells in enumerate(columns):
            try:
                if not self._has_columns:
                    kind, column = first_column(cells)
                    types.append(kind)
                else:
                    column = types[position].column(cells)
                builder.add_arrow(position, column)
            except Misfit as misfit:
                self._refuse(misfit.position, misfit.text, position)
        self._types = types
        return builder.finish(Axis.auto(self._done, self._done + nrows, 1), self._axis)

    def _refuse(self, position: int, text: str, column: int | None = None) -> None:
        place = f"rows: row {self._done + position:,}"
        if column is not None:
            place += f", column {column if self._labels is None else self._labels[column]!r}"
        raise EncodeError(f"{place}: {text}")

    def _transposed(self, batch: list[Any]) -> _Transposed:
        first = batch[0]
        kinds = set(map(type, batch))
        if isinstance(first, Mapping):
            self._check_kinds(batch, kinds, lambda kind: issubclass(kind, Mapping), "a mapping")
            return self._from_mappings(batch)
        names = _field_names(first)
        if names is not None:
            self._check_kinds(batch, kinds, _only(type(first)), f"a {type(first).__qualname__}")
            return names, [list(map(attrgetter(name), batch)) for name in names]
        if isinstance(first, tuple | list):
            self._check_kinds(batch, kinds, lambda kind: issubclass(kind, tuple | list), "a tuple")
            width = len(first)
            for position, row in enumerate(batch):
                if len(row) != width:
                    self._refuse(position, f"expected {width} values, as in the rows before, found {len(row)}.")
            return None, list(map(list, zip(*batch, strict=True)))
        if hasattr(first, "keys") and hasattr(first, "__getitem__") and not _is_table(first):  # sqlite3.Row
            self._check_kinds(batch, kinds, _only(type(first)), f"a {type(first).__qualname__}")
            return self._from_keyed(batch)
        raise self._no_row(0, first, "a mapping, a tuple or a dataclass")

    def _from_keyed(self, batch: list[Any]) -> _Transposed:
        """Transposes rows with keys. A row that is also a sequence is read by position, because names may repeat."""
        names = list(batch[0].keys())
        for position, row in enumerate(batch):
            if list(row.keys()) != names:
                self._refuse(
                    position,
                    f"expected the columns {_labels_text(names, 0)}, found {_labels_text(list(row.keys()), 0)}.",
                )
        if not hasattr(batch[0], "__len__") or isinstance(batch[0], Mapping):
            return self._from_mappings([{key: row[key] for key in names} for row in batch])
        return names, [[row[k] for row in batch] for k in range(len(names))]

    def _from_mappings(self, batch: list[Any]) -> _Transposed:
        found = dict.fromkeys(chain.from_iterable(batch))
        if self._has_columns and self._labels is not None:
            names = set(self._labels)
            for key in found:
                if key not in names:
                    position = next(i for i, row in enumerate(batch) if key in row)
                    self._refuse(
                        position,
                        f"expected the columns {_labels_text(self._labels, 0)}, found {key!r} too. "
                        "Have every column in the first batch of rows, or use a larger batch_rows.",
                    )
            labels = self._labels
        else:
            labels = list(found)
        return labels, [[row.get(key) for row in batch] for key in labels]

    def _check_kinds(self, batch: list[Any], kinds: set[type], fits: Callable[[type], bool], expected: str) -> None:
        wrong = {kind for kind in kinds if not fits(kind)}
        if wrong:
            position = next(i for i, row in enumerate(batch) if type(row) in wrong)
            raise self._no_row(position, batch[position], expected)

    def _no_row(self, position: int, row: Any, expected: str) -> TypeError:
        kind = f"{type(row).__module__}.{type(row).__qualname__}"
        advice = " A chunk a table: use cn.open_writer, and write each." if _is_table(row) else ""
        return TypeError(f"data: row {self._done + position:,}: expected {expected}, found {kind}.{advice}")


def _only(expected: type) -> Callable[[type], bool]:
    return lambda kind: kind is expected


def _is_table(row: Any) -> bool:
    from ..adapters import find_adapter

    return find_adapter(row) is not None


def _field_names(row: Any) -> list[str] | None:
    """The field names of a dataclass or a named tuple; None for any other object."""
    if is_dataclass(row) and not isinstance(row, type):
        return [item.name for item in fields(row)]
    names = getattr(type(row), "_fields", None) if isinstance(row, tuple) else None
    return None if names is None else list(names)


def _axis(labels: list[Any] | None, ncols: int) -> Axis:
    if labels is None or not labels:
        return Axis.auto(0, ncols, 1)
    from ._object_columns import level_from_labels

    return Axis.levels([level_from_labels(labels, "rows: column labels")], ["Index"])


def _labels_text(labels: list[Any] | None, ncols: int) -> str:
    return truncate(", ".join(map(repr, range(ncols) if labels is None else labels)) or "(none)", 200)
