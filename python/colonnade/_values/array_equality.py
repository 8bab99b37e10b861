"""Compares two NumPy arrays by value or to the bit, in chunks of rows, so that temporary arrays stay small."""

from collections.abc import Iterator

import numpy as np

# Rows compared at once: the temporary arrays stay within the cache.
_CHUNK = 1 << 16


def same_arrays(a: np.ndarray, b: np.ndarray, exact: bool, used: np.ndarray | None = None) -> bool:
    """Whether dtype and values are the same. `used` marks the values to compare: null slots hold arbitrary values."""
    if a.dtype != b.dtype or len(a) != len(b):
        return False
    if a.ndim != b.ndim:  # one column as a vector, the other as a matrix
        a, b = a.reshape(len(a), -1), b.reshape(len(b), -1)
    same = _same_bits if exact or a.dtype.kind == "V" else _same_values
    for rows in chunks(len(a), _CHUNK // max(1, a.size // max(1, len(a)))):
        x, y = a[rows], b[rows]
        if used is not None:
            x, y = x[used[rows]], y[used[rows]]
        if not same(x, y):
            return False
    return True


def chunks(nrows: int, step: int = _CHUNK) -> Iterator[slice]:
    """Slices that cover `nrows` rows."""
    for start in range(0, nrows, max(1, step)):
        yield slice(start, min(start + max(1, step), nrows))


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
    """A mask of a value's bytes without padding. x87's 80-bit numbers take 16 bytes, six of them padding."""
    kind, part = dtype.kind, dtype.itemsize // (2 if dtype.kind == "c" else 1)
    if kind not in "fc" or part <= 8 or np.finfo(dtype).nmant != 63:
        return None
    used = np.zeros(part, dtype=bool)
    used[:10] = True
    if not dtype.isnative:
        used = used[::-1]
    return np.tile(used, dtype.itemsize // part)
