"""Converts one array of pandas (an extension array or an object array) to an Arrow column, and back.

Any library can read the values by their Arrow type. The tag, ``{"kind": ...}``, describes the pandas array.
`_pandas_foreign` converts a column that has no Colonnade tag.
"""

import contextlib
import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from .._core import ArrowColumn, ColonnadeError, DecodeError, EncodeError, column_with_tag
from .._values import tagged_labels
from .._values.zones import arrow_zone, zone_from_text, zone_to_text
from ._object_columns import level_from_labels, object_array, read_tag
from ._pandas_arrow_table import extension_array, extension_metadata
from ._pandas_foreign import array_from_foreign, categorical_of, pandas_times, times_of, writable, zoned_array
from ._pandas_objects import column_from_pandas_objects, objects_from_tagged, objects_with_nulls
from ._pandas_sparse import dense_parts, sparse_array, sparse_tag
from ._pandas_strings import (
    column_from_strings,
    default_string_dtype,
    one_chunk,
    pyarrow_or_none,
    string_dtype,
    string_tag,
    strings_from_column,
    to_pyarrow,
)
from ._tag_claims import check_tag, numpy_view, same_as_range

# Errors of this module, pandas and pyarrow for a tag that does not fit the data. pyarrow's ArrowNotImplementedError is
# a NotImplementedError, its other errors are a ValueError, TypeError or KeyError.
MISFITS = (
    KeyError,
    IndexError,
    ValueError,
    TypeError,
    AttributeError,
    OverflowError,
    AssertionError,
    NotImplementedError,
)

_MASKED = (pd.arrays.IntegerArray, pd.arrays.FloatingArray, pd.arrays.BooleanArray)
_MASKED_CLASS = {"b": pd.arrays.BooleanArray, "i": _MASKED[0], "u": _MASKED[0], "f": _MASKED[1]}


def column_from_array(
    values: Any, where: str, keep: Callable[[np.ndarray], np.ndarray] = lambda array: array
) -> ArrowColumn:
    """Converts a 1-D pandas or NumPy array to a tagged column. EncodeError, beginning with `where`, if it is inexact.

    `keep` wraps arrays that the column will share with the DataFrame.
    """
    dtype = values.dtype
    try:
        if isinstance(dtype, np.dtype):
            return _from_numpy(values, where)
        if isinstance(dtype, pd.StringDtype):
            return column_from_strings(values, _string_tag(*string_tag(dtype).values()))
        if isinstance(values, _MASKED):
            mask = values._mask
            return ArrowColumn.from_masked(keep(values._data), mask if mask.any() else None, '{"kind":"masked"}')
        if isinstance(dtype, pd.CategoricalDtype):
            return _from_categorical(values, where, keep)
        if isinstance(dtype, pd.DatetimeTZDtype):
            return _from_zoned(values, where, keep)
        if isinstance(dtype, pd.PeriodDtype):
            return _from_period(values, where, keep)
        if isinstance(dtype, pd.IntervalDtype):
            return _from_interval(values, where)
        if isinstance(dtype, pd.ArrowDtype):
            return _from_arrow_dtype(values, where)
        if isinstance(dtype, pd.SparseDtype):
            return _from_sparse(values, where)
    except EncodeError as error:
        raise error if str(error).startswith(where) else EncodeError(f"{where}: {error}") from error
    raise EncodeError(
        f"{where}: expected a dtype of NumPy or pandas, found {dtype!r} of {type(dtype).__module__}. "
        "Convert it with .astype() first."
    )


@functools.cache
def _string_tag(kind: str, storage: str, na: str) -> str:
    return tagged_labels.encode({"kind": kind, "storage": storage, "na": na})


def array_from_column(column: ArrowColumn, where: str, tag: dict[str, Any] | None = None) -> Any:
    """Restores the 1-D array that `column_from_array` converted. NumPy arrays are writable."""
    tag = read_tag(column) if tag is None else tag
    kind = tag.get("kind")
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    if reader is None:
        return array_from_foreign(column, where)
    try:
        check_tag(column, tag)
        return reader(column, tag, where)
    except (ColonnadeError, ImportError):
        raise
    except MISFITS as error:
        raise DecodeError(
            f"pandas: {where}: the tag {column.tag} does not fit the data ({column.type}): {error}"
        ) from error


# --------------------------------------------------------------------------- NumPy and objects
def _from_numpy(values: Any, where: str) -> ArrowColumn:
    values = getattr(values, "_ndarray", values)  # DatetimeArray, TimedeltaArray
    dtype = values.dtype
    if dtype.kind == "O":
        return column_from_pandas_objects(values, where)
    unit = np.datetime_data(dtype) if dtype.kind in "mM" else None
    if not dtype.isnative or dtype.kind not in "biufmM" or dtype.itemsize > 8 or (unit and unit not in _ARROW_UNITS):
        return ArrowColumn.from_fixed(
            np.ascontiguousarray(values), tagged_labels.encode({"kind": "numpy", "descr": dtype.str})
        )
    mask = np.isnat(values) if unit else None
    return ArrowColumn.from_masked(values, mask if mask is not None and mask.any() else None)


_ARROW_UNITS = {("s", 1), ("ms", 1), ("us", 1), ("ns", 1)}


def _fixed(column: ArrowColumn, tag: dict[str, Any], where: str) -> np.ndarray:
    values = writable(numpy_view(column, tag))
    return pandas_times(values, where) if values.dtype.kind in "mM" else values


def _labels_column(column: ArrowColumn, tag: dict[str, Any], where: str) -> np.ndarray:
    return object_array([tagged_labels.decode(text) for text in column.objects().tolist()])


# --------------------------------------------------------------------------- masked
def _masked(column: ArrowColumn, tag: dict[str, Any], where: str) -> Any:
    values = column.values()
    mask = column.mask()
    return _MASKED_CLASS[values.dtype.kind](
        writable(values), np.zeros(len(values), dtype=bool) if mask is None else writable(mask)
    )


# --------------------------------------------------------------------------- categorical
def _from_categorical(values: pd.Categorical, where: str, keep: Callable[[np.ndarray], np.ndarray]) -> ArrowColumn:
    tag: dict[str, Any] = {"kind": "categorical"}
    index = values.categories
    where = f"{where}: categories"
    if isinstance(index, pd.RangeIndex):
        tag["range"] = [index.start, index.stop, index.step]
    if getattr(index, "freq", None) is not None and not isinstance(index, pd.PeriodIndex):
        tag["freq"] = freq_to_text(index.freq, where)
    if index.name is not None:
        tag["name"] = index.name
    array = index._values
    categories = level_from_labels(array, where) if array.dtype == object else column_from_array(array, where)
    if isinstance(categories, np.ndarray):
        raise EncodeError(f"{where}: found labels without an Arrow type")
    if categories.tag is not None:
        tag["categories"] = tagged_labels.decode(categories.tag)
    return ArrowColumn.dictionary(keep(values._ndarray), categories, bool(values.ordered), tagged_labels.encode(tag))


def _categorical(column: ArrowColumn, tag: dict[str, Any], where: str) -> pd.Categorical:
    if "range" in tag:
        index: pd.Index = pd.RangeIndex(same_as_range(column.categories(), tag["range"]))
    else:
        array = array_from_column(column.categories(), f"{where}: categories", tag.get("categories", {}))
        index = pd.Index(array, copy=False, tupleize_cols=False, dtype=object if array.dtype == object else None)
        if "freq" in tag:
            freq = pd.tseries.frequencies.to_offset(tag["freq"])
            # The joined categories of several chunks need not follow the frequency.
            with contextlib.suppress(ValueError):
                index.freq = freq
    index.name = tag.get("name")
    return categorical_of(column, index)


# --------------------------------------------------------------------------- time
def _from_zoned(values: Any, where: str, keep: Callable[[np.ndarray], np.ndarray]) -> ArrowColumn:
    zone = zone_text(values.dtype.tz, where)
    ticks = values._ndarray
    mask = np.isnat(ticks)
    tag = tagged_labels.encode({"kind": "datetimetz", "tz": zone})
    return ArrowColumn.from_masked(keep(ticks), mask if mask.any() else None, tag, arrow_zone(zone))


def zone_text(zone: Any, where: str) -> str:
    """The zone's name. EncodeError for a zone that cannot be restored from a name."""
    text = zone_to_text(zone)
    if text is None:
        raise EncodeError(
            f"{where}: expected a time zone with a name that rebuilds it, found {zone!r}. "
            "Call .dt.tz_convert('UTC') first."
        )
    return text


def _zoned(column: ArrowColumn, tag: dict[str, Any], where: str) -> Any:
    return zoned_array(times_of(column), zone_from_text(tag["tz"]))


def _from_period(values: Any, where: str, keep: Callable[[np.ndarray], np.ndarray]) -> ArrowColumn:
    mask = np.asarray(values.isna())
    tag = tagged_labels.encode({"kind": "period", "freq": period_freq(values.dtype, where)})
    return ArrowColumn.from_masked(keep(values._ndarray), mask if mask.any() else None, tag)


def period_freq(dtype: pd.PeriodDtype, where: str) -> str:
    """The text of a period's frequency. EncodeError if the text does not restore the frequency."""
    text = str(dtype)[7:-1]  # period[...]
    if pd.PeriodDtype(text) != dtype:
        raise EncodeError(
            f"{where}: expected a frequency with a name that rebuilds it, found {dtype}. Convert with .asfreq() first."
        )
    return text


def _period(column: ArrowColumn, tag: dict[str, Any], where: str) -> Any:
    ordinals = writable(column.values())
    if column.null_count:
        ordinals[column.mask()] = np.iinfo(np.int64).min  # NaT
    return pd.arrays.PeriodArray(ordinals, dtype=pd.PeriodDtype(tag["freq"]))


def freq_to_text(freq: Any, where: str) -> str:
    """The alias of a DatetimeIndex' or TimedeltaIndex' frequency. EncodeError if it does not restore the frequency."""
    text = str(freq.freqstr)
    try:
        same = pd.tseries.frequencies.to_offset(text) == freq
    except ValueError:
        same = False
    if not same:
        raise EncodeError(
            f"{where}: expected a frequency with an alias that rebuilds it, found {freq!r}. "
            "Set index.freq = None first."
        )
    return text


# --------------------------------------------------------------------------- interval
def _from_interval(values: Any, where: str) -> ArrowColumn:
    sides = [
        ("left", column_from_array(values.left._values, where)),
        ("right", column_from_array(values.right._values, where)),
    ]
    tag = {"kind": "interval", "closed": values.closed}
    for name, side in sides:
        if side.tag is not None:
            tag[name] = tagged_labels.decode(side.tag)
    return ArrowColumn.struct(sides, tagged_labels.encode(tag))


def _interval(column: ArrowColumn, tag: dict[str, Any], where: str) -> Any:
    left, right = (array_from_column(column.child(side), where, tag.get(side, {})) for side in ("left", "right"))
    dtype = pd.IntervalDtype(left.dtype, tag["closed"])
    return pd.arrays.IntervalArray.from_arrays(left, right, tag["closed"], dtype=dtype)


# --------------------------------------------------------------------------- sparse
def _from_sparse(values: Any, where: str) -> ArrowColumn:
    dense, stored = dense_parts(values)
    column = _from_numpy(dense, where)
    tag = sparse_tag(values, column, where)
    if stored is None:
        return column_with_tag(column, tag)
    return ArrowColumn.struct([("values", column), ("stored", ArrowColumn.from_masked(stored))], tag)


def _sparse(column: ArrowColumn, tag: dict[str, Any], where: str) -> Any:
    is_struct = column.type.startswith("struct<")
    held = column.child("values") if is_struct else column
    dense = array_from_column(held, where, tag.get("values", {}))
    return sparse_array(dense, column.child("stored").values() if is_struct else None, tag)


# --------------------------------------------------------------------------- ArrowDtype
def _from_arrow_dtype(values: Any, where: str) -> ArrowColumn:
    pa = pyarrow_or_none()
    kind = values.dtype.pyarrow_dtype
    chunks = values._pa_array
    tag: dict[str, Any] = {"kind": "arrow", "type": str(kind)}
    if isinstance(kind, pa.BaseExtensionType):
        tag["metadata"] = [list(pair) for pair in extension_metadata(chunks).items()]
        chunks = pa.chunked_array([chunk.storage for chunk in chunks.chunks], kind.storage_type)
    column = ArrowColumn.from_arrow(one_chunk(chunks), tagged_labels.encode(tag))
    # The core or pyarrow may drop details of children and extension types. Such a column is refused.
    composed = kind.num_fields or "metadata" in tag
    if composed and array_from_column(column.slice(0, 0), where).dtype != values.dtype:
        raise EncodeError(
            f"{where}: expected a type that comes back as it was, found {kind}. Convert it with .astype() first."
        )
    return column


def _arrow(column: ArrowColumn, tag: dict[str, Any], where: str) -> Any:
    array = extension_array(to_pyarrow(column), dict(tag.get("metadata", ())))
    name = tag["type"]
    if str(array.type) != name:
        array = _narrowed(array, name)
    return pd.arrays.ArrowExtensionArray(array)


_TEXT_TYPES = ("string", "large_string", "string_view")
_BYTES_TYPES = ("binary", "large_binary", "binary_view")


def _narrowed(array: Any, name: str) -> Any:
    """Casts text or bytes to the Arrow type that the tag names: a file may store another text or bytes type."""
    pa = pyarrow_or_none()
    if pa.types.is_dictionary(array.type):
        values = _narrowed(array.dictionary, name.partition("values=")[2].partition(",")[0])
        return pa.DictionaryArray.from_arrays(array.indices, values, ordered=array.type.ordered)
    if str(array.type) == name:
        return array
    for forms in (_TEXT_TYPES, _BYTES_TYPES):
        if str(array.type) in forms and name in forms:
            return array.cast(getattr(pa, name)())
    raise ValueError(f"expected the type {name}, found {array.type}")


_READERS: dict[Any, Callable[[ArrowColumn, dict[str, Any], str], Any]] = {
    "object": objects_from_tagged,
    "object_nulls": objects_with_nulls,
    "labels": _labels_column,
    "numpy": _fixed,
    "string": lambda column, tag, where: strings_from_column(column, string_dtype(tag["storage"], tag["na"])),
    "string_dtype": lambda column, tag, where: strings_from_column(column, default_string_dtype()),
    "masked": _masked,
    "categorical": _categorical,
    "datetimetz": _zoned,
    "period": _period,
    "interval": _interval,
    "arrow": _arrow,
    "sparse": _sparse,
}
