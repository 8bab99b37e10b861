"""Hypothesis strategies for random NumPy data and StaticFrame frames, small in size and wide in kind.

Numbers are made of random bits, so that NaN payloads, subnormals and extremes all occur. The module needs
``hypothesis``. The StaticFrame strategies import that library when they are drawn.
"""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from .dtypes import DTYPES

MAX_ROWS = 6
MAX_COLUMNS = 5

_DATED = {
    "IndexYear": "Y",
    "IndexYearMonth": "M",
    "IndexDate": "D",
    "IndexHour": "h",
    "IndexMinute": "m",
    "IndexSecond": "s",
    "IndexMillisecond": "ms",
    "IndexMicrosecond": "us",
    "IndexNanosecond": "ns",
}
_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
# `<U` and `S` pad with NUL, so NumPy cannot hold text that ends in NUL. The case files list such text.
_PADDED = _TEXT.map(lambda text: text.rstrip("\0"))


def dtypes() -> st.SearchStrategy[str]:
    """Any NumPy dtype without objects, as `dtype.str`."""
    return st.sampled_from(DTYPES)


@st.composite
def arrays(draw: st.DrawFn, dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    """An array of this dtype and shape, in C order, of random bits (random text for `<U`)."""
    wanted = np.dtype(dtype)
    size = int(np.prod(shape))
    if wanted.kind == "U":
        cells = draw(st.lists(_PADDED, min_size=size, max_size=size))
        return np.array(cells, dtype=wanted).reshape(shape)
    if wanted.newbyteorder("=") in (np.dtype(np.longdouble), np.dtype(np.clongdouble)):
        return _of_floats(draw, wanted, size).reshape(shape)
    raw = draw(st.binary(min_size=size * wanted.itemsize, max_size=size * wanted.itemsize))
    if wanted.kind == "b":
        return (np.frombuffer(raw, np.uint8) & 1).astype(bool).reshape(shape)
    return np.frombuffer(bytearray(raw), wanted).reshape(shape)


def _of_floats(draw: st.DrawFn, dtype: np.dtype, size: int) -> np.ndarray:
    # Not every bit pattern is a long double, and some of its bytes are padding: start from zeros, native order.
    values = np.zeros(size, dtype.newbyteorder("="))
    values.real = draw(st.lists(st.floats(), min_size=size, max_size=size))
    return values if dtype.isnative else values.byteswap().view(dtype)


@st.composite
def matrices(draw: st.DrawFn, nrows: int | None = None) -> np.ndarray:
    """A 2-D array in either order, possibly a strided view of a larger one."""
    rows = draw(st.integers(0, MAX_ROWS)) if nrows is None else nrows
    columns = draw(st.integers(1, 3))
    row_step, column_step = draw(st.sampled_from(((1, 1), (2, 1), (1, 2), (-1, 1), (1, -1))))
    whole = draw(arrays(draw(dtypes()), (rows * abs(row_step), columns * abs(column_step))))
    view = whole[::row_step, ::column_step]
    return np.asfortranarray(view) if draw(st.booleans()) else view


@st.composite
def numpy_data(draw: st.DrawFn) -> Any:
    """Data for the NumPy adapter: a 2-D, 1-D or structured array, or a mapping of 1-D arrays."""
    kind = draw(st.sampled_from(("2-D", "1-D", "structured", "mapping")))
    nrows = draw(st.integers(0, MAX_ROWS))
    if kind == "2-D":
        return draw(matrices(nrows))
    if kind == "1-D":
        return draw(arrays(draw(dtypes()), (nrows,)))
    if kind == "mapping":
        keys = draw(st.lists(labels(), max_size=MAX_COLUMNS, unique=True))
        return {key: draw(arrays(draw(dtypes()), (nrows,))) for key in keys}
    names = draw(st.lists(_TEXT.filter(bool), min_size=1, max_size=MAX_COLUMNS, unique=True))
    fields = [(name, draw(dtypes())) for name in names]
    values = np.zeros(nrows, np.dtype(fields, align=draw(st.booleans())))
    for name, dtype in fields:
        values[name] = draw(arrays(dtype, (nrows,)))
    return values


def labels() -> st.SearchStrategy[Hashable]:
    """One label of any kind that tagged JSON holds, except NaN, which does not equal itself."""
    return st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False),
        _TEXT,
        st.binary(max_size=4),
        st.dates(),
        st.datetimes(),
        st.tuples(_TEXT, st.integers()),
    )


def names() -> st.SearchStrategy[Hashable]:
    """A name of a frame or an axis: a label, or a tuple of names."""
    return st.recursive(labels(), lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=4)


@st.composite
def static_indices(draw: st.DrawFn, size: int, *, mutable: bool = False) -> Any:
    """A StaticFrame index of `size` labels: automatic, plain, dated or hierarchical; its GO twin if `mutable`."""
    import static_frame as sf

    suffix = "GO" if mutable else ""
    name = draw(names())
    kind = draw(st.sampled_from(("automatic", "int", "text", "float", "object", "dated", "hierarchy")))
    if kind == "automatic":
        return sf.Frame(np.zeros((size, 1))).index.rename(name) if not mutable else None
    if kind == "hierarchy":
        return draw(_hierarchies(size, name, suffix))
    cls, cells = draw(_level(kind, size))
    return getattr(sf, cls + suffix)(cells, name=name)


@st.composite
def _level(draw: st.DrawFn, kind: str, size: int) -> tuple[str, np.ndarray]:
    def unique(cells: st.SearchStrategy[Any]) -> list[Any]:
        return draw(st.lists(cells, min_size=size, max_size=size, unique=True))

    if kind == "int":
        dtype = draw(st.sampled_from(("<i8", "<i2", ">u4")))
        limits = np.iinfo(dtype)
        return "Index", np.array(unique(st.integers(int(limits.min), int(limits.max))), dtype)
    if kind == "text":
        return "Index", np.array(unique(_PADDED), np.str_)
    if kind == "float":
        return "Index", np.array(unique(st.floats(allow_nan=False)), np.float64)
    if kind == "dated":
        cls, unit = draw(st.sampled_from(list(_DATED.items())))
        return cls, np.array(unique(st.integers(-(2**31), 2**31)), np.int64).astype(f"M8[{unit}]")
    cells = np.empty(size, dtype=object)
    for position, cell in enumerate(unique(labels())):
        cells[position] = cell
    return "Index", cells


@st.composite
def _hierarchies(draw: st.DrawFn, size: int, name: Any, suffix: str) -> Any:
    import static_frame as sf

    depth = draw(st.integers(2, 3))
    kinds = [draw(st.sampled_from(("int", "text", "dated"))) for _ in range(depth - 1)]
    levels = [draw(_level(kind, size)) for kind in kinds]
    # The innermost level is unique, so the hierarchy is unique. The other levels repeat labels.
    repeated: list[tuple[str, np.ndarray]] = [
        (cls, cells[np.array(draw(_positions(size)), np.intp)] if size else cells) for cls, cells in levels
    ]
    rows = [*repeated, ("Index", np.arange(size) * 3)]
    return getattr(sf, "IndexHierarchy" + suffix)._from_type_blocks(
        sf.TypeBlocks.from_blocks([_frozen(cells) for _, cells in rows]),
        name=name,
        index_constructors=[getattr(sf, cls + suffix) for cls, _ in rows],
    )


def _positions(size: int) -> st.SearchStrategy[Sequence[int]]:
    return st.lists(st.integers(0, max(size - 1, 0)), min_size=size, max_size=size)


@st.composite
def static_frames(draw: st.DrawFn) -> Any:
    """A StaticFrame Frame, FrameGO or FrameHE of random blocks, indices, names."""
    import static_frame as sf

    cls = draw(st.sampled_from((sf.Frame, sf.FrameGO, sf.FrameHE)))
    nrows = draw(st.integers(0, MAX_ROWS))
    blocks = draw(st.lists(st.one_of(matrices(nrows), _object_columns(nrows), _vectors(nrows)), max_size=4))
    type_blocks = sf.TypeBlocks.from_blocks(map(_frozen, blocks), shape_reference=(nrows, 0))
    ncols = type_blocks.shape[1]
    index = draw(static_indices(nrows))
    columns = draw(static_indices(ncols, mutable=not cls.STATIC))
    return cls(
        type_blocks,
        index=index,
        own_index=True,
        columns=columns,
        own_columns=columns is not None,
        own_data=True,
        name=draw(names()),
    )


@st.composite
def _vectors(draw: st.DrawFn, nrows: int) -> np.ndarray:
    return draw(arrays(draw(dtypes()), (nrows,)))


@st.composite
def _object_columns(draw: st.DrawFn, nrows: int) -> np.ndarray:
    cells = draw(st.sampled_from((_TEXT, st.binary(max_size=4), st.booleans())))
    if draw(st.booleans()):
        cells = st.none() | cells
    values = np.empty(nrows, dtype=object)
    for position in range(nrows):
        values[position] = draw(cells)
    return values


def _frozen(values: np.ndarray) -> np.ndarray:
    values = values.view()
    values.flags.writeable = False
    return values
