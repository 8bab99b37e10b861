"""Every NumPy dtype without objects, and sample values of each, including its extremes."""

from typing import Any, Literal

import numpy as np

_PLAIN = [
    *("|b1", "|i1", "|u1", "<i2", ">i2", "<u2", ">u2", "<i4", ">i4", "<u4", ">u4", "<i8", ">i8", "<u8", ">u8"),
    *("<f2", ">f2", "<f4", ">f4", "<f8", ">f8", "<c8", ">c8", "<c16", ">c16"),
    *("|S1", "|S7", "<U1", ">U1", "<U5", "|V1", "|V6"),
]
_ORDERS: tuple[Literal["<"], Literal[">"]] = ("<", ">")
_LONG = [np.dtype(kind).newbyteorder(order).str for kind in ("longdouble", "clongdouble") for order in _ORDERS]
_UNITS = ("Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as", "25s", "2M")
_TIMES = [f"<{kind}8[{unit}]" for kind in "Mm" for unit in _UNITS] + [">M8[D]", ">M8[ns]", ">m8[s]", "<M8", "<m8"]

DTYPES: list[str] = list(dict.fromkeys(_PLAIN + _LONG + _TIMES))
"""`dtype.str` of each: both byte orders, all units."""


def sample(dtype: str, nrows: int) -> np.ndarray:
    """A read-only 1-D array, shape (nrows,): extremes, NaN or NaT, infinities and -0.0 if the dtype has them."""
    wanted: np.dtype = np.dtype(dtype)
    values = np.resize(_extremes(wanted), nrows) if nrows else np.empty(0, wanted)
    values = values.astype(wanted, copy=False)
    values.flags.writeable = False
    return values


def _extremes(dtype: np.dtype) -> Any:
    kind = dtype.kind
    if kind == "b":
        return np.array([True, False, False])
    if kind in "iu":
        limits = np.iinfo(dtype)
        return np.array([limits.min, limits.max, 0, 1, 100], dtype)
    if kind in "fc":
        floats: Any = np.finfo(dtype)
        parts = np.array([-0.0, floats.max, np.nan, -np.inf, floats.smallest_subnormal, 1.5], floats.dtype)
        # Zeros first: long doubles have padding bytes, which must be equal in two samples too.
        values: Any = np.zeros(len(parts), dtype.newbyteorder("="))
        values.real = parts
        if kind == "c":
            values.imag = parts[::-1]
        return values if dtype.isnative else values.byteswap().view(dtype)
    if kind in "mM":
        ticks: Any = np.array([0, -(2**63), 2**63 - 1, -1, 1_000_003], "<i8")
        return ticks.view(dtype.newbyteorder("<")).astype(dtype)
    width = max(dtype.itemsize, 1)
    if kind == "U":
        return np.array(["", "é", "\U0010ffff", "a\0b", "xyz"], dtype)
    raw = bytes(range(256, 0, -1)[i] % 256 for i in range(width))
    cells = [b"", raw, b"\xff" * width, b"a\0b"[:width], b"\0" * (width - 1) + b"z"]
    values = np.array([cell.ljust(width, b"\0") for cell in cells], f"S{width}")
    return values.view(dtype) if kind == "V" else values
