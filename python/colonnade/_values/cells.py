"""Converts columns in Arrow's layout to Python values, one for each cell: nested values, decimals and others.

The values are those of pyarrow's ``to_pylist``: list, dict (of a struct), list of pairs (of a map), Decimal, date,
time, datetime, timedelta, and None for null. ``ArrowColumn.cells`` decodes cells of several kinds, which are stored as
MessagePack.
"""

import json
from typing import Any

import numpy as np

from .._core import ArrowColumn, ColonnadeError, DecodeError, EncodeError
from .pyarrow_values import INTERVALS, display_type, error_text, import_array, month_day_nano, with_nul_names


def cells_of(column: ArrowColumn, where: str = "") -> np.ndarray:
    """A 1-D object array of the cells; `where` begins the message of cells that are not MessagePack.

    Raises
    ------
    EncodeError
        A value that Python's types cannot represent exactly (a time with nanoseconds), or a type without Python values.
    DecodeError
        A cell that is declared as MessagePack, but is not.
    ImportError
        The type is nested, and pyarrow is not installed.
    LimitError
        Rows share long values, and a copy for each row would exceed the limit.
    """
    if column.type == "null":
        return np.full(len(column), None, dtype=object)
    if is_msgpack(column.tag):
        return _mixed(column, where)
    try:
        return column.objects()
    except TypeError:
        # Each row gets a copy of a shared value.
        column.check_cost()
        array = to_pyarrow(column)
    try:
        cells = array.to_pylist()
        if any(name in str(array.type) for name in _CUT_OFF) and not _round_trips(cells, array):
            raise ValueError("a datetime.time or date would lose its end")
        return object_array(with_nul_names(cells, column) if "\0" in column.type else cells)
    except MemoryError:
        raise
    except Exception as error:  # extension types registered with pyarrow may raise any error
        raise EncodeError(
            f"values of type {display_type(column)} that Python's own types cannot hold: {error_text(error)}"
        ) from error


def _mixed(column: ArrowColumn, where: str) -> np.ndarray:
    try:
        return column.cells()
    except ColonnadeError as error:
        raise type(error)(f"{where}: {error}" if where else str(error)) from error
    except TypeError as error:  # the tag of another column
        raise DecodeError(f"{where or 'msgpack'}: the tag {column.tag} does not fit the data: {error}") from error


def is_msgpack(tag: str | None) -> bool:
    """Whether a column's tag says that its cells are MessagePack values: cells of several kinds, stored unchanged."""
    if tag is None or "msgpack" not in tag:
        return False
    claims = json.loads(tag)
    return isinstance(claims, dict) and claims.get("cells") == "msgpack"


# pyarrow silently drops nanoseconds of times of day, and the time of date64.
_CUT_OFF = ("time64[ns]", "date64")


def _round_trips(cells: list[Any], array: Any) -> bool:
    import pyarrow as pa

    return bool(pa.array(cells, array.type).equals(array))


def display_cells(column: ArrowColumn) -> np.ndarray:
    """The values for display. A value without an exact Python equivalent is text."""
    try:
        return cells_of(column)
    except EncodeError:
        try:
            return object_array([_display_value(scalar) for scalar in to_pyarrow(column)])
        except MemoryError:
            raise
        except Exception:  # A type without scalars: only the type is shown.
            return _only_type(column)
    except ImportError:
        return _only_type(column)


def _only_type(column: ArrowColumn) -> np.ndarray:
    mask = column.mask()
    known = np.full(len(column), f"<{column.type}>", dtype=object)
    if mask is not None:
        known[mask] = None
    return known


def to_pyarrow(column: ArrowColumn) -> Any:
    """The column as a pyarrow array over the same buffers.

    Raises
    ------
    ImportError
        pyarrow is not installed. The message has the command that installs it.
    EncodeError
        pyarrow lacks the type.
    """
    try:
        import pyarrow  # noqa: F401
    except ModuleNotFoundError as error:
        raise ImportError(
            f"pyarrow is not installed, and the values of a column of type {column.type} are had through it. "
            "Install it with: pip install 'colonnade[pyarrow]'",
            name="pyarrow",
        ) from error
    if column.type in INTERVALS:
        return month_day_nano(column)
    return import_array(column)


def _display_value(scalar: Any) -> Any:
    if not scalar.is_valid:
        return None
    try:
        return str(scalar) if any(name in str(scalar.type) for name in _CUT_OFF) else scalar.as_py()
    except MemoryError:
        raise
    except Exception:  # as in `cells_of`
        return "?"


def object_array(cells: list[Any]) -> np.ndarray:
    """A 1-D object array of these cells. (Assigning the list at once would unpack tuples of one length.)"""
    values = np.empty(len(cells), dtype=object)
    for position, cell in enumerate(cells):
        values[position] = cell
    return values
