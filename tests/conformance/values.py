"""Cells as JSON that any language can check: the one spelling used in `conformance/*/cases.json`.

| kind | JSON |
|---|---|
| bool, integers | as they are |
| floats | C99 hexadecimal text; ``nan:`` and the bits of a NaN, most significant byte first |
| complex | [real, imaginary] |
| datetime64, timedelta64 | ticks of their unit as int64; NaT is the lowest |
| S, V | hexadecimal text of the whole width |
| U, text | text; U without its trailing NULs |
| null | null |
"""

from __future__ import annotations

from typing import Any

import numpy as np

# Explicit leading bit, 64 bits of fraction: x87's long double, in the low ten of its sixteen bytes.
_LONG_BIAS = 16383 + 63


def cells(array: np.ndarray) -> list[Any]:
    """The cells of a 1-D array."""
    kind = array.dtype.kind
    if kind in "Mm":
        return array.astype(array.dtype.newbyteorder("<")).view("<i8").tolist()
    if kind in "SV":
        width = array.dtype.itemsize
        raw = np.ascontiguousarray(array).tobytes()
        return [raw[i * width : (i + 1) * width].hex() for i in range(len(array))]
    if kind == "f":
        return _floats(array)
    if kind == "c":
        # Not `.real`: it would have to understand the byte order of long doubles.
        half = np.ascontiguousarray(array).view(f"{array.dtype.byteorder}f{array.dtype.itemsize // 2}")
        parts = _floats(half)
        return [parts[i : i + 2] for i in range(0, len(parts), 2)]
    return array.tolist()


def _floats(array: np.ndarray) -> list[str]:
    width = array.dtype.itemsize
    bits = np.ascontiguousarray(array).tobytes()
    order = "little" if array.dtype.str[0] in "<|" else "big"
    words = [int.from_bytes(bits[i * width : (i + 1) * width], order) for i in range(len(array))]
    if width == 16:
        return [_long_double(word) for word in words]
    values = array.astype("f8").tolist()
    return [
        f"nan:{word:0{2 * width}x}" if value != value else value.hex()
        for word, value in zip(words, values, strict=True)
    ]


def _long_double(word: int) -> str:
    word &= (1 << 80) - 1  # six bytes above mean nothing
    sign, exponent, fraction = "-" if word >> 79 else "", (word >> 64) & 0x7FFF, word & ((1 << 64) - 1)
    if exponent == 0x7FFF:
        return f"{sign}inf" if fraction << 1 & ((1 << 64) - 1) == 0 else f"nan:{word:020x}"
    return f"{sign}0x{fraction:x}p{max(exponent, 1) - _LONG_BIAS:+d}"
