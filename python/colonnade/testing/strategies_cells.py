"""A Hypothesis strategy for the cells of mixed object columns: values of every kind, in containers of any shape.

Needs ``hypothesis``.
"""

import datetime as dt
import decimal
import struct
import zoneinfo
from typing import Any

import numpy as np
from hypothesis import strategies as st

_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
_ZONES = [
    dt.UTC,
    zoneinfo.ZoneInfo("Europe/Berlin"),
    zoneinfo.ZoneInfo("UTC"),
    dt.timezone(dt.timedelta(hours=-3), "X|"),
]
_SCALARS = ["?", "i1", "<i4", "<i8", "<u8", "<f2", "<f4", "<f8", "<c16", "<M8[ns]", "<M8[3D]", "<m8[us]", "|V3"]


def _float(bits: int) -> float:
    value: float = struct.unpack("<d", struct.pack("<Q", bits))[0]
    return value


@st.composite
def _scalars(draw: st.DrawFn) -> Any:
    dtype = np.dtype(draw(st.sampled_from(_SCALARS)))
    raw = draw(st.binary(min_size=dtype.itemsize, max_size=dtype.itemsize))
    return np.frombuffer(bytes([raw[0] & 1]) if dtype.kind == "b" else raw, dtype)[0]


def _folded(moments: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.builds(lambda moment, fold: moment.replace(fold=fold), moments, st.integers(0, 1))


def leaves() -> st.SearchStrategy[Any]:
    """One value that contains no other."""
    zones = st.sampled_from([None, *_ZONES])
    # Not near the first or last datetime, because a zone's offset would leave the range.
    moments = st.datetimes(dt.datetime(2, 1, 1), dt.datetime(9998, 1, 1))
    return st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.integers(-(2**200), 2**200),
        st.integers(0, 2**64 - 1).map(_float),
        st.complex_numbers(),
        _TEXT,
        st.binary(max_size=40),
        st.dates(),
        _folded(st.builds(lambda moment, zone: moment.replace(tzinfo=zone), moments, zones)),
        _folded(st.builds(lambda clock, zone: clock.replace(tzinfo=zone), st.times(), zones)),
        st.timedeltas(),
        st.decimals() | st.just(decimal.Decimal("sNaN1")),
        st.uuids(),
        _scalars(),
    )


def _is_key(value: Any) -> bool:
    try:
        hash(value)
    except (TypeError, ValueError):  # lists; a signalling NaN; durations without a unit
        return False
    return True


def _containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    lists = st.lists(inner, max_size=4)
    return lists | lists.map(tuple) | st.dictionaries(inner.filter(_is_key), inner, max_size=4)


@st.composite
def cells(draw: st.DrawFn) -> Any:
    """One cell: a value, or lists, tuples and dicts of them."""
    return draw(st.recursive(leaves(), _containers, max_leaves=12))
