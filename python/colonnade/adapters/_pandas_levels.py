"""Converts a flat pandas index to a level: a NumPy array (StaticFrame and `np.load` read it) or an Arrow column.

Text without nulls is `<U` where `_unicode` allows it. Times are datetime64. Periods of a plain unit are datetime64 of
that unit. The meta entry names the pandas dtype to restore. The class names are StaticFrame's.
"""

from typing import Any

import numpy as np
import pandas as pd

from .._core import ArrowColumn, EncodeError
from .._values.zones import arrow_zone, zone_from_text
from ._index_classes import DATED
from ._object_columns import level_from_labels, read_tag
from ._pandas_arrays import array_from_column, column_from_array, freq_to_text, period_freq, zone_text
from ._pandas_foreign import numpy_for_pandas, times_of, writable, zoned_array
from ._pandas_strings import one_chunk, string_dtype, string_tag, strings_from_unicode
from ._unicode import unicode_from_arrow, unicode_from_cells

# A MultiIndex level of ints or bools with missing labels: its dtype has no NaN, so a mask marks them.
MISSING_TAG = '{"kind":"missing"}'

# Periods of these frequencies count what datetime64 of a unit counts: units since 1970. Periods of all other
# frequencies are stored as plain integers.
_PERIOD_UNITS = {"Y-DEC": "Y", "M": "M", "D": "D", "h": "h", "min": "m", "s": "s", "ms": "ms", "us": "us", "ns": "ns"}

Level = tuple[Any, str, dict[str, Any] | None]


def level_from_index(index: pd.Index, where: str) -> Level:
    """Labels, class name and meta of a flat index."""
    values = index._values
    dtype = values.dtype
    if isinstance(dtype, pd.StringDtype):
        return _text_level(values, where)
    if isinstance(dtype, pd.PeriodDtype):
        freq = period_freq(dtype, where)
        unit = _PERIOD_UNITS.get(freq)
        ordinals = values._ndarray
        labels = ordinals if unit is None else ordinals.view(f"M8[{unit}]")
        return labels, DATED.get(unit or "", "Index"), {"kind": "period", "freq": freq}
    if isinstance(dtype, pd.DatetimeTZDtype):
        return _time_level(index, values._ndarray, where, zone_text(dtype.tz, where))
    if not isinstance(dtype, np.dtype):
        return column_from_array(values, where), "Index", None
    if dtype.kind in "mM":
        return _time_level(index, values._ndarray, where, None)
    if dtype.kind == "O":
        return _object_level(values, where)
    return values, "Index", None


def array_from_level(level: np.ndarray | ArrowColumn, meta: dict[str, Any] | None, where: str) -> Any:
    """Restores the array of labels of one level. ValueError if `meta` does not fit them."""
    if isinstance(level, ArrowColumn):
        if meta is None or read_tag(level).get("kind") not in (None, "field"):
            return array_from_column(level, where)
        level = _lent(level, meta)
    kind = None if meta is None else meta["kind"]
    if kind is None or kind == "time":
        if meta is not None and "tz" in meta:
            _expect(level, *_ZONED)
            return zoned_array(writable(level), zone_from_text(meta["tz"]))
        return _numpy_level(level, where)
    assert meta is not None
    if kind in ("string", "object"):
        if level.dtype.kind != "U":
            raise ValueError(f"expected text, found {level.dtype}")
        return strings_from_unicode(level, string_dtype(*_storage(meta))) if kind == "string" else level.astype(object)
    if kind == "period":
        unit = _PERIOD_UNITS.get(meta["freq"])
        _expect(level, np.dtype(np.int64 if unit is None else f"M8[{unit}]"))
        return pd.arrays.PeriodArray(writable(level).view(np.int64), dtype=pd.PeriodDtype(meta["freq"]))
    raise ValueError(f"unknown kind of labels {kind!r}")


_ZONED = [np.dtype(f"M8[{unit}]") for unit in ("s", "ms", "us", "ns")]


def _storage(meta: dict[str, Any]) -> tuple[str, str]:
    return meta["storage"], meta["na"]


def _expect(level: np.ndarray, *dtypes: np.dtype[Any]) -> None:
    if level.dtype not in dtypes:
        raise ValueError(f"expected labels of {' or '.join(map(str, dtypes))}, found {level.dtype}")


def _lent(level: ArrowColumn, meta: dict[str, Any]) -> np.ndarray:
    """The labels as NumPy array of a level that was stored in an Arrow type."""
    kind = level.type
    zone = kind[:-1].partition(", ")[2] if kind.startswith("timestamp[") else ""
    if zone and zone != arrow_zone(meta.get("tz", "")):
        raise ValueError(f"expected the zone {zone}, found {meta.get('tz')}")
    if kind.startswith(("timestamp", "duration")):
        return times_of(level)
    if level.null_count:
        raise ValueError(f"expected labels without nulls, found {level.null_count}")
    return level.values()


def pin_freq(index: Any, meta: dict[str, Any]) -> None:
    """Restores the frequency of a time index if its labels follow it. A selection of rows may not follow it."""
    freq = pd.tseries.frequencies.to_offset(meta["freq"])
    if meta.get("ends") == _ends(index._data._ndarray) and _follows(index, freq):
        holder = index if hasattr(type(index), "_freq") else index._data
        holder._freq = freq
        if index.freq == freq:
            return
    try:
        index.freq = freq
    except ValueError:
        index.freq = None


def _follows(index: Any, freq: Any) -> bool:
    """Whether each label is the previous label plus one step. It loops over labels only in pandas' own slow cases."""
    if len(index) < 2:
        return len(index) == 0 or _starts(index, freq)
    step = _fixed_step(index, freq)
    if step is not None:
        ticks = index._data._ndarray
        return bool((ticks[1:] - ticks[:-1] == step).all()) and _starts(index, freq)
    try:
        freq._apply_array(np.zeros(0, "M8[ns]"))
    except (AttributeError, NotImplementedError):
        return False  # pandas then checks label by label.
    return bool((index[:-1] + freq).equals(index[1:])) and _starts(index, freq)


def _starts(index: Any, freq: Any) -> bool:
    return isinstance(index, pd.TimedeltaIndex) or bool(freq.is_on_offset(index[0]))


def _fixed_step(index: Any, freq: Any) -> Any:
    """The step of a frequency with steps of constant length; None for other frequencies."""
    if isinstance(freq, pd.offsets.Tick):
        return pd.Timedelta(freq).to_timedelta64()
    if getattr(index, "tz", None) is None and type(freq) in (pd.offsets.Day, pd.offsets.Week):
        return np.timedelta64(freq.n * (7 if type(freq) is pd.offsets.Week else 1), "D")
    return None


def _time_level(index: Any, ticks: np.ndarray, where: str, zone: str | None) -> Level:
    cls = DATED[np.datetime_data(ticks.dtype)[0]] if ticks.dtype.kind == "M" else "Index"
    meta: dict[str, Any] = {"kind": "time"}
    if zone is not None:
        meta["tz"] = zone
    if index.freq is not None:
        meta["freq"] = freq_to_text(index.freq, where)
        meta["ends"] = _ends(ticks)
    return ticks, cls, meta if len(meta) > 1 else None


def _ends(ticks: np.ndarray) -> list[int]:
    """Count, first and last of the labels."""
    numbers = ticks.view(np.int64)
    return [len(numbers), *(int(numbers[i]) for i in (0, -1) if len(numbers))]


def _text_level(values: Any, where: str) -> Level:
    meta = string_tag(values.dtype)
    if meta["storage"] == "pyarrow":
        labels = unicode_from_arrow(one_chunk(values._pa_array))
    else:
        labels = unicode_from_cells(values._ndarray.tolist(), where)
    return (column_from_array(values, where), "Index", None) if labels is None else (labels, "Index", meta)


def _object_level(values: np.ndarray, where: str) -> Level:
    cells = values.tolist()
    labels = unicode_from_cells(cells, where)
    if labels is not None:
        return labels, "Index", {"kind": "object"}
    try:
        return level_from_labels(values, where), "Index", None
    except EncodeError as error:
        raise error if str(error).startswith(where) else EncodeError(f"{where}: {error}") from error


def _numpy_level(level: np.ndarray, where: str) -> Any:
    if level.dtype == np.float16:  # pandas has no float16 index; float32 holds every value of it
        return level.astype(np.float32)
    array = numpy_for_pandas(level, where)
    return writable(array) if isinstance(array, np.ndarray) and array.dtype.kind != "O" else array
