"""DataFrames that must be restored unchanged: each row of the fidelity table that pandas can express, in its variants.

``CASES`` maps a name to a function without arguments that makes the DataFrame. ``REFUSED`` does the same for data that
must be refused, each with a piece of the message. ``assert_identical`` compares two DataFrames to the bit. A case that
needs pyarrow exists only if pyarrow is installed.
"""

import datetime as dt
import decimal
import zoneinfo
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ._pandas_identical import assert_identical
from ._pandas_labels import LABELS
from ._pandas_memory_equal import is_identical_in_memory
from .cases_cells import CELLS, object_column, pandas_cells
from .cases_pandas_refused import REFUSED
from .dtypes import sample

__all__ = ["CASES", "REFUSED", "assert_identical", "is_identical_in_memory"]

CASES: dict[str, Callable[[], pd.DataFrame]] = {}

PANDAS3 = int(pd.__version__.partition(".")[0]) >= 3
try:
    import pyarrow as pa
except ImportError:
    pa = None


def _case(make: Callable[[], pd.DataFrame]) -> Callable[[], pd.DataFrame]:
    CASES[make.__name__.replace("_", " ").strip()] = make
    return make


def _columns(**arrays: Any) -> Callable[[], pd.DataFrame]:
    return lambda: pd.DataFrame({name: make() for name, make in arrays.items()})


# --------------------------------------------------------------------------- NumPy blocks
BLOCK_DTYPES = ["|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f2", "<f4", "<f8", "<c8", "<c16"]
BLOCK_DTYPES += [np.dtype("longdouble").str, np.dtype("clongdouble").str, ">i4", ">f8"]
BLOCK_DTYPES += [f"<{letter}8[{unit}]" for letter in "Mm" for unit in ("s", "ms", "us", "ns")]
for _descr in BLOCK_DTYPES:
    CASES[f"block {_descr}"] = partial(
        lambda descr: pd.DataFrame({"a": sample(descr, 7), "b": sample(descr, 7)[::-1]}), _descr
    )


@_case
def three_blocks_interleaved() -> pd.DataFrame:
    dtypes = [np.int64, np.float64, bool] * 4
    return pd.DataFrame({f"c{i}": np.arange(5).astype(dtype) for i, dtype in enumerate(dtypes)})


@_case
def consolidated_c_order() -> pd.DataFrame:
    return pd.DataFrame(np.arange(60.0).reshape(12, 5))


@_case
def strided_and_reversed() -> pd.DataFrame:
    return pd.DataFrame(np.arange(600).reshape(30, 20)[::-3, 1::4])


@_case
def nan_payloads() -> pd.DataFrame:
    bits = np.array(
        [0x7FF8000000000000, 0x7FF8000000000123, 0xFFF8000100000001, 0x8000000000000000, 0x7FF0000000000000], dtype="u8"
    )
    return pd.DataFrame({"f8": bits.view("f8"), "f4": (bits >> 32).astype("u4").view("f4")})


@_case
def one_row_of_many_columns() -> pd.DataFrame:
    return pd.DataFrame(np.arange(3000.0).reshape(1, 3000), columns=[f"col {i}" for i in range(3000)])


for _shape in [(0, 0), (0, 3), (3, 0), (1, 1)]:
    CASES[f"shape {_shape[0]} x {_shape[1]}"] = partial(lambda shape: pd.DataFrame(np.zeros(shape)), _shape)
    CASES[f"object labels, shape {_shape[0]} x {_shape[1]}"] = partial(
        lambda shape: pd.DataFrame(
            np.zeros(shape),
            index=pd.Index([f"r{i}" for i in range(shape[0])], dtype=object),
            columns=pd.Index([f"c{i}" for i in range(shape[1])], dtype=object),
        ),
        _shape,
    )


@_case
def no_rows_of_every_kind() -> pd.DataFrame:
    dtypes: dict[str, Any] = {
        "o": object,
        "i": "i4",
        "t": "M8[us]",
        "z": "datetime64[ns, UTC]",
        "n": "Int16",
        "s": "string[python]",
    }
    dtypes |= {"c": "category", "p": "period[M]", "v": "interval[int64]", "b": "boolean", "str": str}
    return pd.DataFrame({name: pd.array([], dtype=dtype) for name, dtype in dtypes.items()})


# --------------------------------------------------------------------------- text and objects
TEXTS = ["", "a", "é\0ü", "\U0001f600", "x" * 300, "trailing\0"]
_STRING_DTYPES: list[tuple[str, Callable[[], Any]]] = [("string python NA", lambda: pd.StringDtype("python"))]
if PANDAS3:
    _STRING_DTYPES.append(("string python NaN", lambda: pd.StringDtype("python", na_value=np.nan)))
if pa is not None:
    _STRING_DTYPES.append(("string pyarrow NA", lambda: pd.StringDtype("pyarrow")))
    nan_storage: Callable[[], Any] = (
        (lambda: pd.StringDtype("pyarrow", na_value=np.nan)) if PANDAS3 else (lambda: pd.StringDtype("pyarrow_numpy"))
    )
    _STRING_DTYPES.append(("string pyarrow NaN", nan_storage))
for _name, _make in _STRING_DTYPES:
    CASES[_name] = partial(
        lambda make: pd.DataFrame(
            {"full": pd.array(TEXTS, dtype=make()), "null": pd.array([None, *TEXTS[1:-1], None], dtype=make())}
        ),
        _make,
    )
    CASES[f"{_name} labels"] = partial(
        lambda make: pd.DataFrame({"x": range(3)}, index=pd.Index(["a", "bb", "ccc"], dtype=make(), name="i")), _make
    )
    CASES[f"{_name} labels with nulls"] = partial(
        lambda make: pd.DataFrame({"x": range(3)}, index=pd.Index(["a", None, "c"], dtype=make())), _make
    )


@_case
def default_strings() -> pd.DataFrame:
    return pd.DataFrame({"s": ["a", "b", None], "t": ["x", "y", "z"]}, index=["r1", "r2", "r3"])


@_case
def objects_all_str() -> pd.DataFrame:
    return pd.DataFrame({"a": pd.Series(TEXTS, dtype=object), "b": pd.Series(["k"] * 6, dtype=object)})


for _name, _null in [("None", None), ("NaN", float("nan")), ("NA", pd.NA)]:
    CASES[f"objects with {_name}"] = partial(
        lambda null: pd.DataFrame(
            {
                "s": pd.Series(["a", null, ""], dtype=object),
                "b": pd.Series([b"a\0", null, b""], dtype=object),
                "t": pd.Series([True, null, False], dtype=object),
                "all": pd.Series([null] * 3, dtype=object),
            }
        ),
        _null,
    )


@_case
def objects_with_all_nulls_side_by_side() -> pd.DataFrame:
    cells = ["a", None, float("nan"), pd.NA, "", None]
    return pd.DataFrame(
        {"s": pd.Series(cells, dtype=object), "all": pd.Series([None, pd.NA, np.nan] * 2, dtype=object)}
    )


@_case
def objects_lists_and_dicts_of_one_type() -> pd.DataFrame:
    """Cells that become list and struct columns, and are restored as Python's own lists and dicts."""
    cells: dict[str, list[Any]] = {
        "ints": [[1, 2], [], None, [-3]],
        "floats": [[0.5, None], [float("nan"), -0.0], [], None],
        "texts": [["a", "é"], [""], None, ["b" * 40]],
        "bytes": [[b"a\0"], [], [b""], [None]],
        "bools": [[True], [False, None], [], []],
        "dates": [[dt.date(2020, 1, 2)], None, [], [dt.date(1900, 1, 1)]],
        "decimals": [[decimal.Decimal("1.25")], None, [], [decimal.Decimal("-9.50")]],
        "lists": [[[1], []], [], None, [[2, 3], None]],
        "dicts": [{"b": 1, "a": "x"}, {"b": None, "a": "y"}, None, {"b": 3, "a": None}],
        "deep": [[{"k": [{"x": 1.5}]}], [], None, [{"k": []}, None]],
        "empty": [[], [], None, []],
    }
    return pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in cells.items()})


@_case
def objects_lists_and_dicts_of_several_types() -> pd.DataFrame:
    """Cells without a common type: mixed cells."""
    cells: dict[str, list[Any]] = {
        "numbers": [[1, 2.5], [3]],
        "kinds": [[1], ["a"]],
        "keys": [{"a": 1}, {"b": 2}],
        "orders": [{"a": 1, "b": 2}, {"b": 2, "a": 1}],
        "no keys": [{}, {}],
        "tuples": [[(1, 2)], [(3, 4)]],
        "large": [[2**70], [1]],
        "scales": [[decimal.Decimal("1.2")], [decimal.Decimal("1.20")]],
        "both": [[1], {"a": 1}],
        "other missing": [[1], float("nan")],
        "keys of ints": [{1: 2}, {1: 3}],
    }
    return pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in cells.items()})


@_case
def objects_bytes_and_bool() -> pd.DataFrame:
    return pd.DataFrame(
        {"b": pd.Series([b"", b"\0\xff", b"x" * 100], dtype=object), "t": pd.Series([True, False, True], dtype=object)}
    )


# --------------------------------------------------------------------------- nullable
for _dtype in [
    "Int8",
    "Int16",
    "Int32",
    "Int64",
    "UInt8",
    "UInt16",
    "UInt32",
    "UInt64",
    "Float32",
    "Float64",
    "boolean",
]:
    CASES[f"nullable {_dtype}"] = partial(
        lambda dtype: pd.DataFrame(
            {"null": pd.array([1, None, 0, 1], dtype=dtype), "full": pd.array([0, 1, 1, 0], dtype=dtype)}
        ),
        _dtype,
    )


@_case
def nullable_float_with_nan_and_null() -> pd.DataFrame:
    values = pd.arrays.FloatingArray(np.array([np.nan, 1.0, -0.0, np.nan]), np.array([False, False, False, True]))
    return pd.DataFrame({"f": values})


for _name, _mixed in (CELLS | pandas_cells()).items():
    CASES[f"mixed objects, {_name}"] = partial(
        lambda cells: pd.DataFrame({"fine": range(len(cells())), "o": pd.Series(object_column(cells()), dtype=object)}),
        _mixed,
    )


# --------------------------------------------------------------------------- categorical
_CATEGORIES: dict[str, Callable[[], pd.Index]] = {
    "str": lambda: pd.Index(["b", "a", "unused"]),
    "object str": lambda: pd.Index(["b", "a", "unused"], dtype=object),
    "object mixed": lambda: pd.Index(["b", 1, ("t", 2)], dtype=object, tupleize_cols=False),
    "int": lambda: pd.Index([30, 10, 20]),
    "int8": lambda: pd.Index([3, 1, 2], dtype="int8"),
    "float": lambda: pd.Index([1.5, -0.0, np.inf]),
    "complex": lambda: pd.Index([1j, 2.0, 3 + 1j]),
    "bool": lambda: pd.Index([True, False]),
    "datetime": lambda: pd.DatetimeIndex(["2020-01-02", "2020-01-01", "1999-01-01"]).as_unit("s"),
    "datetime freq": lambda: pd.date_range("2020-01-01", periods=3, freq="D"),
    "datetime tz": lambda: pd.DatetimeIndex(["2020-01-02", "2020-01-01", "1999-01-01"], tz="Europe/Berlin"),
    "timedelta": lambda: pd.TimedeltaIndex(["2h", "1h", "3h"]),
    "period": lambda: pd.PeriodIndex(["2020-01", "2021-01", "2020-07"], freq="M"),
    "interval": lambda: pd.IntervalIndex.from_breaks([0, 1, 2, 3], closed="left"),
    "Int64": lambda: pd.Index([3, 1, 2], dtype="Int64"),
    "range": lambda: pd.RangeIndex(5, 14, 3),
    "named": lambda: pd.Index(["b", "a", "c"], name=("the", "name")),
}
for _name, _make in _CATEGORIES.items():
    for _ordered in (False, True):
        CASES[f"categorical {_name}{', ordered' if _ordered else ''}"] = partial(
            lambda make, ordered: pd.DataFrame(
                {"c": pd.Categorical.from_codes([0, -1, 1, 1, 0], dtype=pd.CategoricalDtype(make(), ordered=ordered))}
            ),
            _make,
            _ordered,
        )


@_case
def categorical_of_int16_codes() -> pd.DataFrame:
    return pd.DataFrame(
        {"c": pd.Categorical.from_codes(np.arange(300) % 299, categories=[f"k{i}" for i in range(300)])}
    )


@_case
def categorical_without_categories() -> pd.DataFrame:
    return pd.DataFrame({"c": pd.Categorical.from_codes([-1, -1], categories=pd.Index([], dtype=object))})


# --------------------------------------------------------------------------- time
TIMES: list[str | None] = ["2020-03-29 00:59", None, "1900-01-01 00:00", "2020-10-25 01:30"]
ZONES: dict[str, Callable[[], dt.tzinfo]] = {
    "UTC": lambda: dt.UTC,
    "zoneinfo UTC": lambda: zoneinfo.ZoneInfo("UTC"),
    "Berlin": lambda: zoneinfo.ZoneInfo("Europe/Berlin"),
    "offset": lambda: dt.timezone(dt.timedelta(hours=-3, minutes=-30)),
    "named offset": lambda: dt.timezone(dt.timedelta(hours=1), "XYZ"),
}
for _name, _zone in ZONES.items():
    CASES[f"datetime in {_name}"] = partial(
        lambda zone: pd.DataFrame(
            {
                unit: pd.DatetimeIndex(TIMES, tz="UTC").as_unit(unit).tz_convert(zone())
                for unit in ("s", "ms", "us", "ns")
            }
        ),
        _zone,
    )
    CASES[f"datetime labels in {_name}"] = partial(
        lambda zone: pd.DataFrame(
            {"x": range(5)}, index=pd.date_range("2020-03-28", periods=5, freq="12h", tz="UTC").tz_convert(zone())
        ),
        _zone,
    )

for _freq in ["Y", "Y-MAR", "Q", "Q-FEB", "M", "W", "W-WED", "D", "h", "min", "s", "ms", "us", "ns", "3M", "15min"]:
    CASES[f"period {_freq}"] = partial(
        lambda freq: pd.DataFrame(
            {"p": pd.period_range("2020-01-01", periods=4, freq=freq).insert(2, pd.NaT)},
            index=pd.period_range("1965-05-05", periods=5, freq=freq, name="when"),
        ),
        _freq,
    )

for _closed in ("left", "right", "both", "neither"):
    CASES[f"interval {_closed}"] = partial(
        lambda closed: pd.DataFrame(
            {
                "i": pd.arrays.IntervalArray.from_tuples([(0, 1), (1, 5)], closed=closed),
                "f": pd.arrays.IntervalArray.from_tuples([(0.5, 1), None], closed=closed),
                "t": pd.arrays.IntervalArray.from_breaks(pd.date_range("2020", periods=3), closed=closed),
                "z": pd.arrays.IntervalArray.from_breaks(
                    pd.date_range("2020", periods=3, tz="Europe/Berlin"), closed=closed
                ),
                "d": pd.arrays.IntervalArray.from_breaks(pd.timedelta_range("1h", periods=3, freq="h"), closed=closed),
            },
            index=pd.IntervalIndex.from_breaks([1, 2, 3], closed=closed, name="iv"),
        ),
        _closed,
    )

# --------------------------------------------------------------------------- ArrowDtype
if pa is not None:
    from ._pandas_arrow_types import TYPES, arrow_frame

    for _name, (_kind, _cells) in TYPES.items():
        CASES[f"arrow {_name}"] = partial(arrow_frame, _kind, _cells)

    @_case
    def arrow_labels() -> pd.DataFrame:
        index = pd.Index(pd.array([1, None, 3], dtype=pd.ArrowDtype(pa.int64())))
        return pd.DataFrame(
            np.eye(3), index=index, columns=pd.Index(pd.array(["a", "b", "c"], dtype=pd.ArrowDtype(pa.string())))
        )


# --------------------------------------------------------------------------- sparse
_SPARSE: dict[str, tuple[Any, Any]] = {
    "floats": ([np.nan, 1.5, np.nan, -0.0, 2.0], np.nan),
    "ints": (np.array([0, 0, 7, 0, -1], "i1"), 0),
    "bools": ([True, False, False, True, False], True),
    "text": (np.array(["a", "", "", None, "b"], object), ""),
    "times": (np.array(["NaT", "2020", "NaT", "NaT", "1900"], "M8[us]"), np.datetime64("NaT", "us")),
    "complex": ([0j, 1j, 0j, 0j, 2.5], 0j),
    "ints with gaps of NaN": ([0, 2**60 + 1, 7], np.nan),
    "a fill value that float32 lacks": (np.array([0.1, 1, 2], "f4"), 0.1),
}
for _name, (_cells, _fill) in _SPARSE.items():
    CASES[f"sparse {_name}"] = partial(
        lambda cells, fill: pd.DataFrame(
            {kind: pd.arrays.SparseArray(cells, fill_value=fill, kind=kind) for kind in ("integer", "block")}
        ),
        _cells,
        _fill,
    )


@_case
def sparse_with_stored_fill_values_and_labels() -> pd.DataFrame:
    index = pd.arrays.SparseArray([1, 1, 0, 1, 0]).sp_index
    stored = pd.arrays.SparseArray._simple_new(np.array([0.0, 1.0, 0.0]), index, pd.SparseDtype(float, 0.0))
    return pd.DataFrame({"s": stored}, index=pd.Index(pd.arrays.SparseArray([0, 0, 3, 0, 4]), name="i"))


# --------------------------------------------------------------------------- labels
for _name, _make in LABELS.items():
    CASES[f"index {_name}"] = partial(
        lambda make: pd.DataFrame({"x": np.arange(4.0), "y": list("abcd")}, index=make()), _make
    )
    CASES[f"columns {_name}"] = partial(lambda make: pd.DataFrame(np.arange(8).reshape(2, 4), columns=make()), _make)

for _name in [
    "plain",
    0,
    None,
    ("a", 1),
    dt.date(2020, 1, 1),
    1.5,
    True,
    b"bytes",
    np.datetime64("2020-01"),
    pd.Timestamp("2020", tz="UTC"),
]:
    CASES[f"names {_name!r}"] = partial(
        lambda name: pd.DataFrame(
            {"a": [1, 2]}, index=pd.Index([3, 4], name=name), columns=None
        ).rename_axis(columns=name if not isinstance(name, tuple) else None), _name,
    )  # fmt: skip


@_case
def names_of_automatic_labels() -> pd.DataFrame:
    return pd.DataFrame(
        np.eye(2), index=pd.RangeIndex(2, name="rows"), columns=pd.RangeIndex(2, name=("the", "columns"))
    )


@_case
def duplicate_column_labels() -> pd.DataFrame:
    frame = pd.DataFrame([[1, 2.0, "x", True], [3, 4.0, "y", False]])
    frame.columns = ["a", "a", "b", "a"]
    return frame


# --------------------------------------------------------------------------- attrs and flags
@_case
def attrs() -> pd.DataFrame:
    frame = pd.DataFrame({"a": [1]})
    frame.attrs = {
        "unit": "m",
        "nested": {"list": [1, 2.5, None], 3: ("t", dt.date(2020, 1, 1))},
        ("key",): np.float32(0.5),
    }
    return frame


@_case
def no_duplicate_labels_flag() -> pd.DataFrame:
    return pd.DataFrame({"a": [1]}).set_flags(allows_duplicate_labels=False)


@_case
def everything_at_once() -> pd.DataFrame:
    frame = pd.DataFrame(
        {
            "i": np.arange(4),
            "s": ["a", None, "c", "d"],
            "z": pd.date_range("2020", periods=4, tz="Europe/Berlin"),
            "f": np.linspace(0, 1, 4),
            "c": pd.Categorical(["x", "y", None, "x"]),
            "n": pd.array([1, None, 3, 4], dtype="Int64"),
            "j": np.arange(4)[::-1],
            "o": pd.Series([b"x", None, b"", b"y"], dtype=object),
            "p": pd.period_range("2020", periods=4, freq="Q"),
        },
        index=pd.date_range("2020-01-01", periods=4, freq="h", name="when"),
    )
    frame.columns = pd.MultiIndex.from_tuples(
        [(letter, i) for i, letter in enumerate(frame.columns)], names=["letter", None]
    )
    frame.attrs["source"] = "made up"
    return frame
