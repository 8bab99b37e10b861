"""Converts columns of other libraries to pandas: the same values, in the dtype that pandas users expect.

Text becomes pandas' own string dtype, a dictionary becomes a categorical, and a zoned timestamp becomes a
DatetimeTZDtype. Numbers with nulls become nullable (`Int64`), because a null is not a NaN. Times of a unit that pandas
lacks are converted to the nearest unit that holds them exactly (days, months and years to seconds), or are refused. `S`
and `V` arrays become objects.
"""

from typing import Any

import numpy as np
import pandas as pd

from .._core import ArrowColumn, EncodeError, UnsupportedError
from .._values.cells import cells_of
from .._values.zones import zone_from_text
from ._pandas_strings import default_string_dtype, strings_from_column, strings_from_unicode, to_pyarrow

_UNITS = ("s", "ms", "us", "ns")
_COARSE = ("Y", "M", "W", "D", "h", "m")


def array_from_foreign(column: ArrowColumn, where: str) -> Any:
    """Converts a column without a pandas tag to a 1-D array. NumPy arrays are writable."""
    kind = column.type
    if kind.startswith("dictionary"):
        categories = array_from_foreign(column.categories(), f"{where}: categories")
        return categorical_of(column, pd.Index(categories, copy=False, tupleize_cols=False))
    if kind.endswith(("utf8", "utf8_view", "string")):
        return strings_from_column(column, default_string_dtype())
    if kind.startswith("fixed_size_binary"):
        return _bytes_objects(column)
    if kind.endswith(("binary", "binary_view")):
        return cells_of(column, f"pandas: {where}")
    if kind.startswith("timestamp") and "," in kind:
        zone = kind[:-1].partition(",")[2].strip().removeprefix("tz=")
        try:
            known = zone_from_text(zone)
        except ValueError as error:
            raise UnsupportedError(f"pandas: {where}: {error} Read it with to_arrow() or to_numpy().") from error
        return zoned_array(times_of(column), known)
    if kind.startswith(("timestamp", "duration", "date32")):
        return pandas_times(times_of(column), where)
    if kind.startswith(("int", "uint", "float", "half", "double", "bool")) and not kind.startswith("interval"):
        return _numbers(column)
    if "\0" in kind:  # The C data interface would cut this field name; Python's dicts hold it.
        return cells_of(column, f"pandas: {where}")
    return pd.arrays.ArrowExtensionArray(to_pyarrow(column))


def numpy_for_pandas(values: np.ndarray, where: str) -> Any:
    """Converts a NumPy array (text: 1-D) of any dtype except object to an array that pandas can hold."""
    kind = values.dtype.kind
    if kind in "biufc":
        return values
    if kind in "mM":
        return pandas_times(values, where)
    if kind == "U":
        return strings_from_unicode(values, default_string_dtype())
    if kind == "S" or (kind == "V" and values.dtype.names is None):
        return values.astype(object)
    raise UnsupportedError(f"pandas: {where}: pandas has no dtype for {values.dtype}. Read it with to_numpy().")


def pandas_times(values: np.ndarray, where: str) -> np.ndarray:
    """Converts datetime64 or timedelta64 exactly to one of pandas' units. UnsupportedError if no unit fits."""
    unit, count = np.datetime_data(values.dtype)
    if unit in _UNITS and count == 1 and values.dtype.isnative:
        return values
    if unit == "generic" and np.isnat(values).all():
        return np.full(values.shape, "NaT", dtype=f"{values.dtype.kind}8[s]")  # NaT is the same in every unit
    letter, native = values.dtype.kind, values.dtype.newbyteorder("=")
    target = unit if unit in _UNITS else "s" if unit in _COARSE else "ns"
    if unit == "generic":
        raise UnsupportedError(
            f"pandas: {where}: pandas has no dtype for {values.dtype} without a unit, whose values are counts of "
            "nothing. Read it with to_numpy()."
        )
    if letter == "m" and unit in ("Y", "M"):
        raise UnsupportedError(f"pandas: {where}: pandas has no dtype for {values.dtype}. Read it with to_numpy().")
    try:
        out = values.astype(f"{letter}8[{target}]")
    except OverflowError:
        out = None
    # Older NumPy wraps around on overflow and truncates finer units, so the values are converted back and compared.
    if out is None or not np.array_equal(out.astype(native).view("i8"), values.astype(native).view("i8")):
        raise UnsupportedError(
            f"pandas: {where}: {values.dtype} values that {letter}8[{target}] cannot hold exactly. "
            "Read it with to_numpy()."
        )
    return out


def writable(values: np.ndarray) -> np.ndarray:
    """The array if it is writable, else a copy."""
    return values if values.flags.writeable else values.copy()


def times_of(column: ArrowColumn) -> np.ndarray:
    """Times or durations with NaT for null."""
    values = column.values()
    if not column.null_count:
        return writable(values)
    if column.type.startswith("date32"):  # NumPy's 64-bit days are already a copy of Arrow's 32-bit days.
        values[column.mask()] = "NaT"
        return values
    times: np.ndarray = ArrowColumn.block([column], values.dtype)[0]
    return times


def zoned_array(ticks: np.ndarray, zone: Any) -> Any:
    """UTC times as a DatetimeArray with a zone, over the same memory."""
    return pd.arrays.DatetimeArray._simple_new(ticks, dtype=pd.DatetimeTZDtype(np.datetime_data(ticks.dtype)[0], zone))


def categorical_of(column: ArrowColumn, categories: pd.Index) -> pd.Categorical:
    """The codes of a dictionary column over these categories. Each code is checked here, because pandas does not."""
    codes = writable(column.codes())
    if len(codes) and (int(codes.max()) >= len(categories) or int(codes.min()) < -1):
        raise ValueError(f"expected codes from -1 to {len(categories) - 1}, found {codes.min()} to {codes.max()}")
    return pd.Categorical._simple_new(codes, pd.CategoricalDtype(categories, ordered=column.ordered))


def _numbers(column: ArrowColumn) -> Any:
    values = writable(column.values())
    if not column.null_count:
        return values
    mask = column.mask()
    if values.dtype.kind == "b":
        return pd.arrays.BooleanArray(values, mask)
    if values.dtype.kind in "iu":
        return pd.arrays.IntegerArray(values, mask)
    if values.dtype.kind == "f":
        # pandas has no nullable float16; float32 holds every value of it.
        return pd.arrays.FloatingArray(values.astype(np.float32) if values.dtype.itemsize == 2 else values, mask)
    raise EncodeError(f"pandas has no nullable dtype for {values.dtype}")


def _bytes_objects(column: ArrowColumn) -> np.ndarray:
    cells = column.values().astype(object)
    if column.null_count:
        cells[column.mask()] = None
    return cells
