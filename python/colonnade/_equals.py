"""Are two frames the same: in value (`equals`), or to the bit (`identical`). Column by column, in chunks of rows."""

from collections.abc import Iterator

import numpy as np

from . import _labels
from ._core import ArrowColumn, Axis, CoreFrame

# Rows compared at once: the temporary arrays stay within the cache.
_CHUNK = 1 << 16


def equal_frames(a: CoreFrame, b: CoreFrame, *, exact: bool) -> bool:
    """Values, dtypes, labels, names, attrs. `exact`: also bits of NaN and zero, and all that rebuilds the axes."""
    return (
        (a.nrows, a.ncols) == (b.nrows, b.ncols)
        and _equal_text(a.name, b.name)
        and _equal_text(a.attrs, b.attrs)
        and a.dtypes() == b.dtypes()
        and _equal_axes(a.columns, b.columns, exact)
        and _equal_axes(a.index, b.index, exact)
        and _equal_data(a, b, exact)
    )


def _equal_data(a: CoreFrame, b: CoreFrame, exact: bool) -> bool:
    # All arrays at once: one by one, columns of a wide frame cost more to find than to compare.
    ours, theirs = a.arrays(), b.arrays()
    if [_width(part) for part in ours] != [_width(part) for part in theirs]:
        ours, theirs = _split(ours), _split(theirs)
    return all(_equal_columns(x, y, exact) for x, y in zip(ours, theirs, strict=True))


def _width(part: np.ndarray | ArrowColumn) -> int:
    return part.shape[1] if isinstance(part, np.ndarray) and part.ndim == 2 else 1


def _split(parts: list[np.ndarray | ArrowColumn]) -> list[np.ndarray | ArrowColumn]:
    columns: list[np.ndarray | ArrowColumn] = []
    for part in parts:
        columns.extend(part.T if isinstance(part, np.ndarray) and part.ndim == 2 else [part])
    return columns


def _equal_text(a: str | None, b: str | None) -> bool:
    """Tagged JSON: the same text, or the same value (the order of keys is not the value's)."""
    if (a or "null") == (b or "null"):
        return True
    if a is None or b is None:
        return False
    try:
        return bool(_labels.decode(a) == _labels.decode(b))
    except ValueError:  # arrays among the values: their text has been compared
        return False


def _equal_axes(a: Axis, b: Axis, exact: bool) -> bool:
    if len(a) != len(b) or a.depth != b.depth or not _equal_text(a.name, b.name):
        return False
    if exact:
        alike = (a.cls, list(a.classes), a.is_auto) == (b.cls, list(b.classes), b.is_auto) and _equal_text(
            a.meta, b.meta
        )
        if not alike:
            return False
    if a.is_auto and b.is_auto:
        return _range(a) == _range(b)
    same = _equal_columns if exact else _equal_labels
    return all(same(_level(a, i), _level(b, i), exact) for i in range(a.depth))


def _equal_labels(a: np.ndarray | ArrowColumn, b: np.ndarray | ArrowColumn, exact: bool) -> bool:
    """As columns, but text is text: `<U3`, `<U5` and Arrow's text are ways to store a label, not what it is."""
    texts = [_texts(level) for level in (a, b)]
    if texts[0] is not None and texts[1] is not None:
        return texts[0] == texts[1]
    return _equal_columns(a, b, exact)


def _texts(level: np.ndarray | ArrowColumn) -> list[object] | None:
    if isinstance(level, np.ndarray):
        return level.tolist() if level.dtype.kind == "U" else None
    return level.objects().tolist() if level.type.endswith("utf8") else None


def _range(axis: Axis) -> range:
    return range(*axis.range)


def _level(axis: Axis, i: int) -> np.ndarray | ArrowColumn:
    return np.arange(*axis.range, dtype=np.int64) if axis.is_auto else axis.level(i)


def _equal_columns(a: np.ndarray | ArrowColumn, b: np.ndarray | ArrowColumn, exact: bool) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return _equal_arrays(a, b, exact)
    if isinstance(a, ArrowColumn) and isinstance(b, ArrowColumn):
        return len(a) == len(b) and a.type == b.type and _equal_text(a.tag, b.tag) and _equal_arrow(a, b, exact)
    return False


def _equal_arrays(a: np.ndarray, b: np.ndarray, exact: bool, used: np.ndarray | None = None) -> bool:
    """`used`: compare only where True (null slots hold whatever stands there)."""
    if a.dtype != b.dtype or len(a) != len(b):
        return False
    if a.ndim != b.ndim:  # one column, once as a vector and once as a matrix
        a, b = a.reshape(len(a), -1), b.reshape(len(b), -1)
    same = _same_bits if exact or a.dtype.kind == "V" else _same_values
    for rows in _chunks(len(a), _CHUNK // max(1, a.size // max(1, len(a)))):
        x, y = a[rows], b[rows]
        if used is not None:
            x, y = x[used[rows]], y[used[rows]]
        if not same(x, y):
            return False
    return True


def _same_values(x: np.ndarray, y: np.ndarray) -> bool:
    equal = x == y
    if equal.all():
        return True
    if x.dtype.kind in "fcmM":
        equal |= (x != x) & (y != y)
        return bool(equal.all())
    return False


def _same_bits(x: np.ndarray, y: np.ndarray) -> bool:
    dtype = x.dtype
    if x.size == 0 or dtype.itemsize == 0:
        return True
    if dtype.hasobject:
        return bool((x == y).all())
    x, y = _bytes(x), _bytes(y)
    used = _used_bytes(dtype)
    return bool((x == y).all()) if used is None else bool((x[:, used] == y[:, used]).all())


def _bytes(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(values).reshape(-1, 1).view(np.uint8)


def _used_bytes(dtype: np.dtype) -> np.ndarray | None:
    """The bytes of a value that count. x87's 80-bit numbers lie in 16 bytes, of which six mean nothing."""
    kind, part = dtype.kind, dtype.itemsize // (2 if dtype.kind == "c" else 1)
    if kind not in "fc" or part <= 8 or np.finfo(dtype).nmant != 63:
        return None
    used = np.zeros(part, dtype=bool)
    used[:10] = True
    if not dtype.isnative:
        used = used[::-1]
    return np.tile(used, dtype.itemsize // part)


def _equal_arrow(a: ArrowColumn, b: ArrowColumn, exact: bool) -> bool:
    if a.null_count != b.null_count:
        return False
    used = None
    if a.null_count:
        mask, other = a.mask(), b.mask()
        if mask is None or other is None or not np.array_equal(mask, other):
            return False
        used = ~mask
    kind = a.type
    if kind.startswith("dictionary"):
        return (
            a.ordered == b.ordered
            and _equal_arrays(a.codes(), b.codes(), exact, used)
            and _equal_columns(a.categories(), b.categories(), exact)
        )
    if kind.startswith("struct"):
        names = a.child_names()
        return names == b.child_names() and all(_equal_columns(a.child(name), b.child(name), exact) for name in names)
    try:
        x, y = a.values(), b.values()
    except TypeError:
        # Text and bytes: objects, a chunk at a time, so that a large column is never a large list.
        return all(
            bool((a.slice(r.start, r.stop).objects() == b.slice(r.start, r.stop).objects()).all())
            for r in _chunks(len(a))
        )
    return _equal_arrays(x, y, exact, used)


def _chunks(nrows: int, step: int = _CHUNK) -> Iterator[slice]:
    for start in range(0, nrows, max(1, step)):
        yield slice(start, min(start + max(1, step), nrows))
