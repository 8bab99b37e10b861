"""Any object as data: Python's own, those of all libraries, and hostile ones."""

import functools
import importlib
from collections.abc import Callable
from typing import Any

import awkward as ak
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tests.helpers import hostile_objects as hostile
from tests.helpers.arbitrary_cells import CYCLES, hashable, nested, one_of

# ---------------------------------------------------------------------------- NumPy

_NAMES = ["O", "V3", "V0", "S0", "U0", "M8", "m8", "M8[3D]", "M8[25s]", "m8[as]", ">M8[Y]", "T", ">U2", ">f2", ">c16"]
_FIELDS: list[Any] = [[("a", "i4"), ("b", "O")], [("a", "i4", 2)], [("a", [("b", "u1")])], [("é\ud800", "u1")]]
_FIELDS += [[("", "u1"), ("a", "M8[h]")], [], {"names": [], "formats": [], "itemsize": 4}, "g", "G", "?"]
_DTYPES = hnp.scalar_dtypes() | one_of([*_NAMES, *_FIELDS])
_SHAPES = st.sampled_from([(), (0,), (1,), (3,), (3,), (2, 3), (3, 0), (0, 3), (2, 1, 2), (1 << 9, 0), (0, 1 << 9)])


@st.composite
def arrays(draw: st.DrawFn) -> Any:
    """An array of any dtype, shape, order and class."""
    dtype = np.dtype(draw(_DTYPES))
    shape = draw(_SHAPES)
    values = np.zeros(shape, dtype)
    if dtype.kind == "O":
        for place in np.ndindex(shape):
            values[place] = draw(nested)
    elif values.nbytes and not dtype.hasobject and dtype.kind not in "TSUb" and dtype.char not in "gG":
        # Not every bit pattern is text, a bool or a long double.
        values.reshape(-1).view(np.uint8)[:] = np.resize(
            np.frombuffer(draw(st.binary(min_size=16, max_size=16)), "u1"), values.nbytes
        )
    return draw(st.sampled_from(_VIEWS))(values)


def _locked(values: Any) -> Any:
    values.flags.writeable = False
    return values


class Subclass(np.ndarray):
    pass


def _swapped(values: Any) -> Any:
    """The same bytes of the other order."""
    return values if values.dtype.hasobject or values.dtype.kind == "T" else values.view(values.dtype.newbyteorder())


_VIEWS: list[Callable[[Any], Any]] = [
    *[lambda values: values] * 4,
    lambda values: values[::-1] if values.ndim else values,
    lambda values: values.T,
    lambda values: values[..., ::2] if values.ndim else values[()],
    lambda values: values.view(Subclass),
    lambda values: np.ma.MaskedArray(values, mask=np.ma.make_mask_none(values.shape, values.dtype)),
    lambda values: np.ma.masked_all(values.shape, values.dtype),
    lambda values: np.broadcast_to(values, (2, *values.shape)),
    np.asfortranarray,
    _locked,
    _swapped,
]

# ---------------------------------------------------------------------------- the objects of each library


def _made(make: Callable[[], Any]) -> Any:
    """The object, or None where the library refuses its parts."""
    try:
        return make()
    except hostile.Refused:
        return None
    except Exception:
        return None


_INDEXES: list[Any] = [[1, 1, 2], [np.nan, None, pd.NA], [("a", 1), ("a", 1), ("b", np.nan)], pd.interval_range(0, 3)]
_INDEXES += [
    pd.CategoricalIndex(["a", None, "a"]),
    pd.date_range("2020", periods=3, tz="UTC"),
    pd.RangeIndex(5, -1, -2),
]
_INDEXES += [pd.MultiIndex.from_arrays([[1, 2, 2], pd.period_range("2020", periods=3)], names=[None, ("x", 1)])]
_INDEXES += [pd.array([1, None, 3]), pd.Index(["\ud800", "\0", ""], dtype=object), [b"a", 1, "a"], [1.5, True, 1j]]
_INDEXES += [pd.timedelta_range(0, periods=3), pd.Index([1, 2, 3], name=("a", [1].__len__)), [object, len, Ellipsis]]
_COLUMN = (
    st.lists(nested, min_size=3, max_size=3)
    | arrays()
    | one_of([pd.array([1, None, 3], "Int8"), pd.arrays.SparseArray([0, 0, 1]), pd.Categorical([1, 1, None])])
    | one_of([pd.array(["a", None, "b"], "string"), pd.arrays.IntervalArray.from_breaks(range(4))])
    | one_of(
        [pd.period_range("2020", periods=3, freq="M"), pd.array([[1], None, []], pd.ArrowDtype(pa.list_(pa.int8())))]
    )
)


@st.composite
def pandas_objects(draw: st.DrawFn) -> Any:
    """A DataFrame, Series or Index."""
    columns = draw(st.lists(_COLUMN, max_size=3))
    frame = pd.DataFrame(index=range(3))
    for position, column in enumerate(columns):
        name = f"c{position}"
        _made(lambda position=position, name=name, column=column: frame.insert(position, name, pd.Series(column)))
    if draw(st.booleans()):
        index = draw(one_of(_INDEXES))
        _made(lambda: setattr(frame, "index", index))
    if draw(st.booleans()):
        labels = draw(one_of(_INDEXES) | st.lists(hashable, min_size=3, max_size=3))
        _made(lambda: setattr(frame, "columns", list(labels)[: frame.shape[1]]))
    if draw(st.integers(0, 3)) == 0:
        frame.attrs[draw(hashable)] = draw(nested)
    ways = [
        lambda: frame,
        lambda: frame,
        lambda: frame.iloc[:, 0],
        lambda: frame.index,
        lambda: frame.T,
        lambda: frame[::2],
    ]
    return _made(draw(st.sampled_from(ways)))


@functools.cache
def cases() -> list[Callable[[], Any]]:
    """The small cases of all libraries, accepted and refused."""
    found: list[Callable[[], Any]] = list(CYCLES)
    for name in ("numpy", "pandas", "polars", "pyarrow", "awkward", "static_frame"):
        module = importlib.import_module(f"colonnade.testing.cases_{name}")
        found += [make for title, make in module.CASES.items() if not any(word in title for word in _LARGE)]
        found += [case[0] if isinstance(case, tuple) else case for case in getattr(module, "REFUSED", {}).values()]
    return found


_LARGE = ("thousand", "long", "many", "deep", "everything", "everywhere", "every_kind", "every dtype")

_foreign = one_of(
    [
        pa.table({"a": pa.chunked_array([[1], [2, 3]])}),
        pa.array([{"a": 1}, None]),
        pa.array([1, 2]),
        pa.chunked_array([[1]]),
        pa.schema([("a", "i4")]),
        pa.RecordBatchReader.from_batches(pa.schema([("a", "i4")]), []),
        pa.table([[1], [2]], ["a", "a"]),
        pa.table({"": pa.nulls(2)}),
        pl.Series("a", [1, None]),
        pl.DataFrame({"a": [object()]}, schema={"a": pl.Object}),
        pl.LazyFrame({"a": [1]}),
        pl.Series([[1], None]),
        pl.col("a"),
        ak.Array([1, [2], "a"]),
        ak.Record({"a": 1}),
        ak.Array([]),
        ak.contents.EmptyArray(),
    ]
)


def mappings() -> st.SearchStrategy[Any]:
    column = (
        _COLUMN
        | nested
        | _foreign
        | st.builds(hostile.raising, st.just([1, 2]))
        | st.builds(hostile.Short, st.just([1]))
    )
    return st.dictionaries(hashable, column, max_size=3)


def rows() -> st.SearchStrategy[Any]:
    row = nested | st.dictionaries(st.sampled_from("ab"), nested, max_size=2) | st.tuples(nested, nested)
    return st.lists(row, max_size=3)


_hostile = (
    hostile.objects()
    | rows().map(hostile.raising)
    | mappings().map(hostile.Growing)
    | st.builds(hostile.Changing, mappings(), mappings())
    | rows().map(hostile.Short)
    | hostile.files(b"a,b\n1,2\n")
)

_cases = st.deferred(lambda: st.sampled_from(cases()).map(_made))
data = st.one_of(nested, arrays(), pandas_objects(), _foreign, mappings(), rows(), _cases, _hostile)
