"""Converts columns to pyarrow arrays, with fixes for intervals, NUL in names, and false extension types."""

from collections.abc import Callable
from typing import Any

import numpy as np

from .._core import ArrowColumn, EncodeError, column_parts

# Intervals that pyarrow imports in a table, but for which it has no arrays.
INTERVALS = ("month_interval", "day_time_interval")

_MONTH_DAY_NANO = np.dtype([("months", "<i4"), ("days", "<i4"), ("nanoseconds", "<i8")])
_NANOSECONDS = 1_000_000  # in a millisecond


def import_array(column: ArrowColumn) -> Any:
    """The column as a pyarrow array over the same buffers.

    If a nested extension type does not fit its storage, the array has storage types instead.

    Raises
    ------
    EncodeError
        pyarrow lacks the type.
    """
    import pyarrow as pa

    try:
        array = pa.Array._import_from_c_capsule(*column.__arrow_c_array__())
        # Only nested types can hold extension types. The exported array does not include the column's own extension
        # type.
        if "<" not in column.type or not has_extension(array.type):
            return array
    except MemoryError:
        raise
    except Exception:  # Third-party extension types may raise any error.
        array = None
    try:
        storage = pa.Array._import_from_c_capsule(*column.arrow_storage())
    except MemoryError:
        raise
    except Exception as error:
        raise EncodeError(
            f"a column of type {display_type(column)}, which pyarrow does not take: {error_text(error)}"
        ) from error
    return array if array is not None and is_of_storage(array.type, storage.type) else storage


def has_extension(kind: Any) -> bool:
    """Whether a pyarrow type is an extension type, or holds one."""
    import pyarrow as pa

    if isinstance(kind, pa.BaseExtensionType):
        return True
    return any(map(has_extension, _types_within(kind)))


def is_of_storage(kind: Any, storage: Any) -> bool:
    """Whether a pyarrow type, without its extension types, equals `storage`."""
    import pyarrow as pa

    if isinstance(kind, pa.BaseExtensionType):
        return is_of_storage(kind.storage_type, storage)
    parts, found = _types_within(kind), _types_within(storage)
    if not parts:
        return bool(kind.equals(storage))
    return kind.id == storage.id and len(parts) == len(found) and all(map(is_of_storage, parts, found))


def _types_within(kind: Any) -> list[Any]:
    import pyarrow as pa

    if isinstance(kind, pa.DictionaryType):
        return [kind.index_type, kind.value_type]
    return [kind.field(i).type for i in range(kind.num_fields)]


def month_day_nano(column: ArrowColumn) -> Any:
    """Converts intervals of months, or of days and milliseconds, to months, days and nanoseconds.

    The values are the same. pyarrow has Python values only for this type of intervals.
    """
    import pyarrow as pa

    values = np.ascontiguousarray(column.values())
    parts = np.zeros(len(values), _MONTH_DAY_NANO)
    if column.type == "month_interval":
        parts["months"] = values
    else:
        pairs = values.view(np.int32).reshape(-1, 2)
        parts["days"] = pairs[:, 0]
        parts["nanoseconds"] = pairs[:, 1].astype(np.int64) * _NANOSECONDS
    mask = column.mask()
    validity = None if mask is None else pa.py_buffer(np.packbits(~mask, bitorder="little"))
    return pa.Array.from_buffers(pa.month_day_nano_interval(), len(values), [validity, pa.py_buffer(parts)])


def with_nul_names(cells: list[Any], column: ArrowColumn) -> list[Any]:
    """Restores NUL in the field names of a pyarrow array's cells. The array has U+2400 instead of NUL."""
    rename = _renaming(column)
    return cells if rename is None else [None if cell is None else rename(cell) for cell in cells]


def _renaming(column: ArrowColumn) -> Callable[[Any], Any] | None:
    """A function that restores a cell's names; None if no name changes."""
    kind, _, _, _, children = column_parts(column)
    if kind == "dictionary":
        return _renaming(column.categories())
    within = [_renaming(child) for _, _, _, child in children]
    names = [name for name, _, _, _ in children]
    if kind == "struct":
        if not any(within) and not any("\0" in name for name in names):
            return None
        return lambda cell: {
            name: _applied(rename, value) for name, rename, value in zip(names, within, cell.values(), strict=True)
        }
    if not any(within):
        return None
    if kind == "map":
        key, value = (_renaming(child) for _, _, _, child in column_parts(children[0][3])[4])
        return lambda cell: [(_applied(key, k), _applied(value, v)) for k, v in cell]
    if "list" in kind:
        return lambda cell: [_applied(within[0], part) for part in cell]
    raise ValueError(f"a field name with NUL within {kind}")


def _applied(rename: Callable[[Any], Any] | None, value: Any) -> Any:
    return value if rename is None or value is None else rename(value)


def display_type(column: ArrowColumn) -> str:
    """The type for a message: NUL in a name as its symbol."""
    return column.type.replace("\0", "\u2400")


def error_text(error: BaseException) -> str:
    """Another library's error message in one line. A KeyError, or an error without a message, shows its class too."""
    text = str(error).partition("\n")[0]
    return text if text and not isinstance(error, KeyError) else f"{type(error).__name__} {text}".rstrip()
