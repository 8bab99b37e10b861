"""Any Python object as a cell, and cells in lists, mappings and tuples of any depth; some hold themselves."""

import collections
import dataclasses
import datetime as dt
import decimal
import fractions
import functools
import uuid
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import strategies as st

from tests.helpers import hostile_objects as hostile

Row = collections.namedtuple("Row", "a b")


@dataclasses.dataclass
class Point:
    x: Any
    y: Any = None


_TEXT = st.text(st.characters(), max_size=4) | st.sampled_from(["\ud800", "\0", "a\0", "", "a", "\udcff", "1", "NaN"])
_TIMES: list[Any] = [dt.date.min, dt.date.max, dt.datetime.max, dt.datetime(2020, 3, 29, 2, 30, fold=1), dt.time.max]
_TIMES += [dt.timedelta.max, dt.datetime(2020, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=5, seconds=7))), pd.NaT]
_NUMBERS: list[Any] = [*map(decimal.Decimal, ("NaN", "-1E+99", "1.50")), fractions.Fraction(1, 3)]
_NUMBERS += [1 << 64, -(1 << 63) - 1, 10**40, 1j, float("nan"), -0.0, np.float16(1), np.longdouble(1), np.int8(-1)]
_NUMBERS += [np.datetime64("NaT"), np.datetime64(3, "as"), np.timedelta64(1), np.timedelta64(3, "Y"), np.bool_(True)]
_OTHERS: list[Any] = [None, True, False, pd.NA, Ellipsis, NotImplemented, object, len, uuid.UUID(int=7), range(3)]
_OTHERS += [b"", b"\xff\0", bytearray(b"ab"), memoryview(b"abc"), memoryview(np.eye(2)), slice(2), pl.Int8]
_OTHERS += [np.void(b"ab"), np.str_("a\0"), np.bytes_(b"a"), pa.scalar(1), pa.scalar([1]), pd.Timestamp.max]
_OTHERS += [pd.Interval(0, 1), pd.Period("2020")]


def one_of(values: list[Any]) -> st.SearchStrategy[Any]:
    """One of the values, of which some cannot be hashed, as `sampled_from` wants."""
    return st.integers(0, len(values) - 1).map(values.__getitem__)


def _ishashable(value: Any) -> bool:
    try:
        hash(value)
    except Exception:
        return False
    return True


cells = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | _TEXT
    | st.binary(max_size=3)
    | one_of(_TIMES + _NUMBERS + _OTHERS)
)
hashable = cells.filter(_ishashable)
nested = st.recursive(
    cells | hostile.objects(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=2).map(tuple)
        | st.dictionaries(hashable, inner, max_size=3)
        | st.frozensets(hashable, max_size=2)
        | st.builds(Point, inner, inner)
        | st.builds(Row, inner, inner)
    ),
    max_leaves=6,
)


def _cyclic(make: Callable[[Any], Any]) -> Any:
    inner: list[Any] = [1]
    inner.append(make(inner))
    return inner


CYCLES: list[Callable[[], Any]] = [
    lambda: _cyclic(lambda inner: inner),
    lambda: _cyclic(lambda inner: {"a": inner}),
    lambda: {"a": _cyclic(lambda inner: (inner,))},
    lambda: [{"a": _cyclic(lambda inner: inner)}],
    lambda: functools.reduce(lambda inner, _: [inner], range(5000), 1),
    lambda: {"a": [functools.reduce(lambda inner, _: {"x": inner}, range(5000), 1)]},
    lambda: np.array([_cyclic(lambda inner: inner), None], dtype=object)[:1],
]
