"""Builds columns of rows with pyarrow's builder: dates, times of day, decimals, lists and mappings of any depth."""

import datetime as dt
import decimal
from collections.abc import Callable
from typing import Any

from .._core import ArrowColumn
from ._nested_cells import MOST_DEPTH, are_arrays, first_changed, is_too_deep
from ._nul_names import fields_of, nul_name
from ._row_types import Misfit, RowType, checked, kinds_of


def infer_arrow(cells: list[Any], kinds: tuple[type, ...]) -> RowType:
    """Infers the type of a first batch whose first value is of `kinds`."""
    cells = checked(cells, kinds, _names(kinds))
    pa = _pyarrow()
    if kinds == (dt.date,):
        return Built(pa.date32(), kinds)
    if kinds == (dt.time,):
        return Built(pa.time64("us"), kinds)
    if kinds == (decimal.Decimal,):
        return Built(_decimal(pa, cells), kinds)
    _check_ends(cells)
    try:
        found = pa.infer_type(cells)
    except _refusals(pa) as error:
        position = _first(cells, lambda part: pa.infer_type(part))
        raise Misfit(
            position, f"expected values of one type at every depth, found {cells[position]!r:.60}: {error}."
        ) from None
    try:
        has_nul = nul_name(fields_of(found)) is not None
    except UnicodeDecodeError:  # keys of bytes, which pyarrow takes for text
        raise Misfit(0, f"expected keys that are text, found {cells[0]!r:.60}.") from None
    if has_nul:
        raise Misfit(0, f"expected keys without NUL, found {found}.")
    return Built(found, kinds)


class Built:
    """A column type that pyarrow builds."""

    def __init__(self, type: Any, kinds: tuple[type, ...]) -> None:
        self._type = type
        self._kinds = kinds
        self._nested = list in kinds

    def column(self, cells: list[Any]) -> ArrowColumn:
        pa = _pyarrow()
        cells = checked(cells, self._kinds, str(self._type))
        if self._nested:
            _check_ends(cells)
        if dt.time in self._kinds:
            _check_clocks(cells)
        try:
            if self._nested and kinds_of(cells):
                self._check_depths(pa, cells)
            array = pa.array(cells, self._type)
        except _refusals(pa) as error:
            position = _first(cells, self._make(pa))
            raise Misfit(position, f"expected {self._type}, found {cells[position]!r:.60}: {error}.") from None
        if isinstance(array, pa.ChunkedArray):
            raise Misfit(0, "expected at most 2 GiB of nested text a batch, found more. Use a smaller batch_rows.")
        if self._nested:
            self._check_array(cells, array)
        return ArrowColumn.from_arrow(array)

    def _check_array(self, cells: list[Any], array: Any) -> None:
        """Refuses cells that the builder changed: datetimes that became dates, bytes that became text."""
        changed = None if are_arrays(cells, array.type) else first_changed(cells, array)
        if changed is not None:
            raise Misfit(changed, f"expected {self._type}, found {cells[changed]!r:.60}, which is not held exactly.")

    def _check_depths(self, pa: Any, cells: list[Any]) -> None:
        """Refuses cells that the builder would silently drop or change: keys for which the type has no field."""
        if not self._holds(pa, pa.infer_type(cells)):
            for position, cell in enumerate(cells):
                found = pa.infer_type([cell])
                if not self._holds(pa, found):
                    raise Misfit(position, f"expected {self._type}, found {found} ({cell!r:.60}).")

    def _holds(self, pa: Any, found: Any) -> bool:
        if found.equals(self._type):
            return True
        schemas = [pa.schema([("cell", type)]) for type in (self._type, found)]
        return bool(pa.unify_schemas(schemas, promote_options="permissive").equals(schemas[0]))

    def _make(self, pa: Any) -> Callable[[list[Any]], object]:
        def make(part: list[Any]) -> object:
            if self._nested and kinds_of(part):
                self._check_depths(pa, part)
            return pa.array(part, self._type)

        return make


def _check_ends(cells: list[Any]) -> None:
    """Refuses cells that nest too deeply for the builder, such as a list that holds itself."""
    if is_too_deep(cells):
        position = next(i for i, cell in enumerate(cells) if is_too_deep([cell]))
        raise Misfit(position, f"expected at most {MOST_DEPTH} containers within each other, found more.")


def _check_clocks(cells: list[Any]) -> None:
    for position, cell in enumerate(cells):
        if cell is not None and (cell.tzinfo is not None or cell.fold):
            raise Misfit(position, f"expected a time of day without a zone, found {cell!r:.60}.")


def _decimal(pa: Any, cells: list[Any]) -> Any:
    """The widest decimal type of the scale that was found. Later rows may have larger values, but not a finer scale."""
    try:
        found = pa.infer_type(cells)
    except _refusals(pa):
        position = next((i for i, cell in enumerate(cells) if cell is not None and not cell.is_finite()), None)
        if position is None:
            position = _first(cells, lambda part: pa.infer_type(part))
            text = f"expected a decimal of 76 digits at most, found {cells[position]!s:.60}."
            raise Misfit(position, text) from None
        raise Misfit(position, f"expected a finite decimal, found {cells[position]}.") from None
    if found.precision <= 38:
        return pa.decimal128(38, found.scale)
    return pa.decimal256(76, found.scale)


def _first(cells: list[Any], make: Callable[[list[Any]], object]) -> int:
    """The position of the first cell that cannot follow the cells before it."""
    import pyarrow as pa

    refusals: tuple[type[Exception], ...] = (Misfit, *_refusals(pa))
    low, high = 0, len(cells)  # `low` cells can be converted, `high` cells cannot
    while high - low > 1:
        middle = (low + high) // 2
        try:
            make(cells[:middle])
            low = middle
        except refusals:
            high = middle
    return low


def _refusals(pa: Any) -> tuple[type[Exception], ...]:
    return (pa.ArrowException, TypeError, ValueError, OverflowError)


def _names(kinds: tuple[type, ...]) -> str:
    return "a list or a mapping" if list in kinds else f"a {kinds[0].__qualname__}"


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ModuleNotFoundError as error:
        raise ImportError(
            "pyarrow is not installed, which rows with dates, times of day, decimals, lists or mappings need. "
            "Install it with: pip install 'colonnade[pyarrow]'",
            name="pyarrow",
        ) from error
    return pyarrow
