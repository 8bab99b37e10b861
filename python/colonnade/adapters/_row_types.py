"""Infers the type of a column of cells from the first batch. Later batches must fit this type.

None is null in every type. An int fits in a column of floats if the float is exactly the same number. No other value
changes its type. If the cells of the first batch have no common type, each cell is stored unchanged as one MessagePack
value. pyarrow builds the columns of dates, times of day, decimals, lists and mappings.
"""

import datetime as dt
import decimal
import re
from typing import Any, NoReturn, Protocol

import numpy as np

from .._core import ArrowColumn
from .._values.cells import object_array
from .._values.zones import arrow_zone, zone_to_text
from ..errors import EncodeError

_INT64 = range(-(2**63), 2**63)
_UINT64 = range(2**64)
_BY_ARROW = (dt.date, dt.time, decimal.Decimal)
_NESTED = {list, tuple, dict, np.ndarray}


class Misfit(Exception):
    """The cell at `position` of the batch is of another type; `text` describes the expected and found types."""

    def __init__(self, position: int, text: str) -> None:
        super().__init__(position, text)
        self.position = position
        self.text = text


class RowType(Protocol):
    """A column's type."""

    def column(self, cells: list[Any]) -> ArrowColumn:
        """Converts cells to a column. Misfit: a cell is of another type."""


def infer(cells: list[Any]) -> RowType:
    """Infers the type of a first batch. A column without values gets the type text, because it needs a type."""
    kinds = kinds_of(cells)
    if kinds - _SUPPORTED:
        cells = to_python(cells)
        kinds = kinds_of(cells)
    if not kinds:
        return Objects("str")
    if kinds == {int}:
        numbers = [cell for cell in cells if cell is not None]
        return Numbers("uint64" if max(numbers) not in _INT64 and min(numbers) >= 0 else "int64")
    if kinds <= {int, float}:
        return Numbers("float64")
    first = next(cell for cell in cells if cell is not None)
    kind = type(first)
    if kind in _NESTED or kind in _BY_ARROW:
        from ._pyarrow_rows import infer_arrow

        return infer_arrow(cells, tuple(_NESTED) if kind in _NESTED else (kind,))
    if kind is dt.datetime:
        return Moments(_zone(first, cells.index(first)))
    if kind not in _SINGLE:
        refuse_kind(cells, (), "None, a bool, a number, text, bytes, a date or time, a list or a mapping")
    return _SINGLE[kind]


def first_column(cells: list[Any]) -> tuple[RowType, ArrowColumn]:
    """The type of a first batch, and its column. Misfit: a cell that mixed cells cannot hold either."""
    try:
        kind = infer(cells)
        return kind, kind.column(cells)
    except Misfit:
        try:
            mixed = Mixed()
            return mixed, mixed.column(cells)
        except Misfit:
            pass
        raise


class Numbers:
    """bool, int64, uint64 or float64."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._dtype = np.dtype(name)
        self._kinds = {"b": (bool,), "f": (float, int)}.get(self._dtype.kind, (int,))

    def column(self, cells: list[Any]) -> ArrowColumn:
        cells = checked(cells, self._kinds, self._name)
        filled, mask = _fill(cells, False if self._dtype.kind == "b" else 0)
        if self._dtype.kind == "f":
            self._check_exact(filled)
        elif self._dtype.kind in "iu":
            self._check_range(filled)
        return ArrowColumn.from_masked(np.array(filled, self._dtype), mask)

    def _check_range(self, cells: list[Any]) -> None:
        allowed = _INT64 if self._name == "int64" else _UINT64
        if cells and not (min(cells) in allowed and max(cells) in allowed):
            position = next(i for i, cell in enumerate(cells) if cell not in allowed)
            raise Misfit(position, f"expected {self._name}, found {cells[position]}, which is outside its range.")

    def _check_exact(self, cells: list[Any]) -> None:
        if int not in set(map(type, cells)):
            return
        for position, cell in enumerate(cells):
            # Every int up to 2**53 is exact as a float. Larger ints are not all exact.
            if type(cell) is int and not -(2**53) <= cell <= 2**53 and not _is_float(cell):
                raise Misfit(position, f"expected float64, found the int {cell}, which no float64 is equal to.")


class Objects:
    """Text or bytes."""

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def column(self, cells: list[Any]) -> ArrowColumn:
        cells = checked(cells, (str if self._kind == "str" else bytes,), self._kind)
        values = np.empty(len(cells), dtype=object)
        values[:] = cells
        try:
            return ArrowColumn.from_objects(values, self._kind)
        except EncodeError as error:
            position = _lone_surrogate(cells)
            raise Misfit(position, str(error).removeprefix(f"row {position}: ")) from error


class Moments:
    """Timestamps of microseconds, all in one zone or all without a zone."""

    def __init__(self, zone: str | None) -> None:
        self._zone = zone
        self._name = "a datetime without a zone" if zone is None else f"a datetime in {zone}"

    def column(self, cells: list[Any]) -> ArrowColumn:
        cells = checked(cells, (dt.datetime,), self._name)
        self._check_zones(cells)
        if self._zone is not None:
            cells = [cell if cell is None else _in_utc(cell, k) for k, cell in enumerate(cells)]
        filled, mask = _fill(cells, dt.datetime(1970, 1, 1))
        return ArrowColumn.from_masked(np.array(filled, "M8[us]"), mask, None, self._zone)

    def _check_zones(self, cells: list[Any]) -> None:
        good: Any = self  # The last accepted zone. Most cells share one zone object.
        for position, cell in enumerate(cells):
            if cell is None or cell.tzinfo is good:
                continue
            found = _zone(cell, position)
            if found != self._zone:
                raise Misfit(position, f"expected {self._name}, found one {f'in {found}' if found else 'without'}.")
            good = cell.tzinfo


class Spans:
    """Durations of microseconds."""

    def column(self, cells: list[Any]) -> ArrowColumn:
        filled, mask = _fill(checked(cells, (dt.timedelta,), "a timedelta"), dt.timedelta())
        for position, cell in enumerate(filled):
            if abs(cell) > _LONGEST:
                raise Misfit(position, f"expected at most 2^63 microseconds, found {cell}.")
        return ArrowColumn.from_masked(np.array(filled, "m8[us]"), mask)


class Mixed:
    """Cells of several types, each stored unchanged."""

    def column(self, cells: list[Any]) -> ArrowColumn:
        try:
            return ArrowColumn.from_cells(object_array(cells))
        except EncodeError as error:
            found = re.match(r"row (\d+)(?:: |, )(.*)", str(error), re.DOTALL)
            if found is None:
                raise
            raise Misfit(int(found[1]), found[2]) from error


_SINGLE: dict[type, RowType] = {
    bool: Numbers("bool"),
    int: Numbers("int64"),
    float: Numbers("float64"),
    str: Objects("str"),
    bytes: Objects("bytes"),
    dt.timedelta: Spans(),
    dt.datetime: Moments(None),
}
_SUPPORTED = {*_SINGLE, *_BY_ARROW, *_NESTED}


def checked(cells: list[Any], kinds: tuple[type, ...], expected: str) -> list[Any]:
    """The cells, with NumPy's scalars as Python's. Raises unless each cell is None or of `kinds`."""
    found = kinds_of(cells)
    if found <= set(kinds):
        return cells
    cells = to_python(cells)
    if kinds_of(cells) - set(kinds):
        refuse_kind(cells, kinds, expected)
    return cells


def refuse_kind(cells: list[Any], kinds: tuple[type, ...], expected: str) -> NoReturn:
    """Raise for the first cell that is not of `kinds`."""
    position = next(i for i, cell in enumerate(cells) if cell is not None and type(cell) not in kinds)
    cell = cells[position]
    raise Misfit(position, f"expected {expected}, found {type(cell).__qualname__} ({cell!r:.60}).")


def to_python(cells: list[Any]) -> list[Any]:
    """NumPy's scalars as Python's, pandas' NA and NaT as None."""
    return [_to_python(cell) if type(cell) not in _SUPPORTED else cell for cell in cells]


def _to_python(cell: Any) -> Any:
    if isinstance(cell, np.generic) and cell.dtype.kind in "biufSU":
        return cell.item()
    return None if type(cell).__name__ in ("NAType", "NaTType") else cell


def kinds_of(cells: list[Any]) -> set[type]:
    """The types of all cells but None."""
    return set(map(type, cells)) - {type(None)}


def _fill(cells: list[Any], filler: Any) -> tuple[list[Any], np.ndarray | None]:
    """The cells with `filler` for None, and a mask of the nulls (None if there are no nulls)."""
    if type(None) not in set(map(type, cells)):
        return cells, None
    mask = np.fromiter((cell is None for cell in cells), bool, len(cells))
    return [filler if cell is None else cell for cell in cells], mask


# NumPy would begin again at the other end.
_LONGEST = dt.timedelta(microseconds=2**63 - 1)


def _in_utc(moment: dt.datetime, position: int) -> dt.datetime:
    try:
        return moment.astimezone(dt.timezone.utc).replace(tzinfo=None)  # noqa: UP017
    except OverflowError:
        text = f"expected a datetime that is of the years 1 to 9999 in UTC too, found {moment.isoformat()}."
        raise Misfit(position, text) from None


def _is_float(number: int) -> bool:
    try:
        return float(number) == number
    except OverflowError:
        return False


def _zone(moment: dt.datetime, position: int) -> str | None:
    """The zone's name as Arrow writes it; None without a zone."""
    if moment.tzinfo is None:
        return None
    text = zone_to_text(moment.tzinfo)
    if text is None:
        raise Misfit(position, f"expected a zone that has a name, found {moment.tzinfo!r}. Convert to UTC first.")
    return arrow_zone(text)


def _lone_surrogate(cells: list[Any]) -> int:
    for position, cell in enumerate(cells):
        try:
            if cell is not None:
                cell.encode()
        except UnicodeEncodeError:
            return position
    return 0
