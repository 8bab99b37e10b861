"""Hypothesis strategies for random Awkward Arrays. Needs ``hypothesis`` and ``awkward``.

Layouts are drawn level by level, each longer than its used part. Their indices, masks and offsets are valid but
unusual: lists that overlap, values in any order, offsets with any start.
"""

from typing import Any

import awkward as ak
import numpy as np
from awkward import contents as c
from awkward import index as i
from hypothesis import strategies as st

MAX_ROWS = 5
_PRIMITIVES = (
    "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64",
    "complex64", "complex128", "datetime64[s]", "datetime64[us]", "datetime64[D]", "timedelta64[ns]",
    "timedelta64[15us]",
)  # fmt: skip
_NAMES = st.lists(st.sampled_from(["x", "y", "", "é", "a.b", "$int", "0", "l[]"]), max_size=3, unique=True)
_PARAMETERS = st.none() | st.sampled_from([{"__doc__": "é"}, {"a": [1, {"b": None}]}, {"units": 1.5}])
_OFFSETS = st.sampled_from([np.int32, np.uint32, np.int64])
_SIGNED = st.sampled_from([np.int32, np.int64])


@st.composite
def arrays(draw: st.DrawFn, *, unions: bool = True, depth: int = 3) -> Any:
    """An `ak.Array` of any layout, or a slice of one."""
    nrows = draw(st.integers(0, MAX_ROWS))
    array = ak.Array(draw(contents(nrows, depth, unions)))
    if draw(st.booleans()):
        return array
    start = draw(st.integers(0, nrows))
    return ak.Array(array.layout[start : draw(st.integers(start, nrows))])


def contents(nrows: int, depth: int, unions: bool = True) -> st.SearchStrategy[Any]:
    """Layouts of exactly `nrows` rows."""
    leaves = [_numpy(nrows), _strings(nrows)]
    if not nrows:
        leaves.append(st.builds(c.EmptyArray))
    if depth <= 0:
        return st.one_of(leaves)
    nested = [
        _list_offset(nrows, depth, unions),
        _list(nrows, depth, unions),
        _regular(nrows, depth, unions),
        _record(nrows, depth, unions),
        _options(nrows, depth, unions),
        _categories(nrows),
        _indexed(nrows, depth, unions),
    ]
    if unions:
        nested.append(_union(nrows, depth))
    return st.one_of([*leaves, *nested])


def _bits(draw: st.DrawFn, nbytes: int) -> np.ndarray:
    return np.frombuffer(draw(st.binary(min_size=nbytes, max_size=nbytes)), np.uint8)


def _indices(draw: st.DrawFn, count: int, low: int, high: int, kind: Any = np.int64) -> np.ndarray:
    return np.array(draw(st.lists(st.integers(low, high), min_size=count, max_size=count)), kind)


@st.composite
def _numpy(draw: st.DrawFn, nrows: int) -> Any:
    dtype = np.dtype(draw(st.sampled_from(_PRIMITIVES)))
    shape = (nrows, *draw(st.lists(st.integers(0, 2), max_size=2)))
    count = int(np.prod(shape))
    raw = _bits(draw, count * dtype.itemsize)
    values = (raw & 1).view(bool) if dtype.kind == "b" else raw.view(dtype)
    return c.NumpyArray(values.reshape(shape), parameters=draw(_PARAMETERS))


@st.composite
def _strings(draw: st.DrawFn, nrows: int, unique: bool = False) -> Any:
    text = draw(st.booleans())
    cell = st.text(st.characters(exclude_categories=["Cs"]), max_size=4) if text else st.binary(max_size=4)
    cells: list[Any] = draw(st.lists(cell, min_size=nrows, max_size=nrows, unique=unique))
    values = [cell.encode() if isinstance(cell, str) else cell for cell in cells]
    ends = np.cumsum([0, *map(len, values)]).astype(draw(_OFFSETS))
    kinds = ("string", "char") if text else ("bytestring", "byte")
    data = c.NumpyArray(np.frombuffer(b"".join(values) + b"rest", np.uint8), parameters={"__array__": kinds[1]})
    return c.ListOffsetArray(i.Index(ends), data, parameters={"__array__": kinds[0]})


@st.composite
def _list_offset(draw: st.DrawFn, nrows: int, depth: int, unions: bool) -> Any:
    offsets = np.sort(_indices(draw, nrows + 1, 0, 5)).astype(draw(_OFFSETS))
    content = draw(contents(int(offsets[-1]) + draw(st.integers(0, 2)), depth - 1, unions))
    return c.ListOffsetArray(i.Index(offsets), content, parameters=draw(_PARAMETERS))


@st.composite
def _list(draw: st.DrawFn, nrows: int, depth: int, unions: bool) -> Any:
    kind = draw(_OFFSETS)
    ends = np.sort(_indices(draw, 2 * nrows, 0, 4).reshape(nrows, 2), axis=1).astype(kind)
    starts, stops = ends[:, 0].copy(), ends[:, 1].copy()
    content = draw(contents(4, depth - 1, unions))
    return c.ListArray(i.Index(starts), i.Index(stops), content, parameters=draw(_PARAMETERS))


@st.composite
def _regular(draw: st.DrawFn, nrows: int, depth: int, unions: bool) -> Any:
    size = draw(st.integers(0, 3))
    content = draw(contents(nrows * size + (draw(st.integers(0, size - 1)) if size else 0), depth - 1, unions))
    return c.RegularArray(content, size, nrows, parameters=draw(_PARAMETERS))


@st.composite
def _record(draw: st.DrawFn, nrows: int, depth: int, unions: bool) -> Any:
    names = draw(_NAMES)
    parts = [draw(contents(nrows + draw(st.integers(0, 1)), depth - 1, unions)) for _ in names]
    fields = None if draw(st.booleans()) else names
    return c.RecordArray(parts, fields, nrows, parameters=draw(_PARAMETERS))


@st.composite
def _options(draw: st.DrawFn, nrows: int, depth: int, unions: bool) -> Any:
    content = draw(contents(nrows, depth - 1, unions).filter(_may_be_missing))
    parameters = draw(_PARAMETERS)
    way = draw(st.integers(0, 3))
    if way == 0:
        index = _indices(draw, nrows, -1, max(nrows, 1) - 1 if nrows and content.length else -1, draw(_SIGNED))
        return c.IndexedOptionArray(i.Index(index), content, parameters=parameters)
    if way == 1:
        mask = _indices(draw, nrows, 0, 1, np.int8)
        return c.ByteMaskedArray(i.Index8(mask), content, draw(st.booleans()), parameters=parameters)
    if way == 2:
        mask, (when, lsb) = _bits(draw, -(-nrows // 8)), draw(st.tuples(st.booleans(), st.booleans()))
        return c.BitMaskedArray(i.IndexU8(mask), content, when, nrows, lsb, parameters=parameters)
    return c.UnmaskedArray(content, parameters=parameters)


def _may_be_missing(content: Any) -> bool:
    return not (content.is_option or content.is_union or content.is_indexed)


@st.composite
def _categories(draw: st.DrawFn, nrows: int) -> Any:
    content = draw(_strings(3, unique=True) | st.just(c.NumpyArray(np.array([7, 5, 9]))))
    option = draw(st.booleans())
    index = _indices(draw, nrows, -1 if option else 0, 2, draw(_SIGNED if option else _OFFSETS))
    make = c.IndexedOptionArray if option else c.IndexedArray
    return make(i.Index(index), content, parameters={"__array__": "categorical"})


@st.composite
def _indexed(draw: st.DrawFn, nrows: int, depth: int, unions: bool) -> Any:
    content = draw(contents(3, depth - 1, unions).filter(_may_be_missing))
    return c.IndexedArray(i.Index(_indices(draw, nrows, 0, 2, draw(_OFFSETS))), content, parameters=draw(_PARAMETERS))


@st.composite
def _union(draw: st.DrawFn, nrows: int, depth: int) -> Any:
    # Parts that Awkward cannot merge, so that it accepts them in one union.
    lengths = [draw(st.integers(1, 4)) for _ in range(2)]
    parts = [draw(_strings(lengths[0])), draw(_list_offset(lengths[1], depth - 1, False))]
    tags = _indices(draw, nrows, 0, 1, np.int8)
    places = [draw(st.integers(0, lengths[tag] - 1)) for tag in tags]
    if draw(st.booleans()):
        parts = [c.UnmaskedArray(parts[0]), c.ByteMaskedArray(i.Index8(np.ones(lengths[1], np.int8)), parts[1], True)]
    index = i.Index(np.array(places, draw(_OFFSETS)))
    return c.UnionArray(i.Index8(tags), index, parts, parameters=draw(_PARAMETERS))
