"""Frames that StaticFrame makes. It is imported when one is asked for: most cases can be checked without it."""

from __future__ import annotations

from typing import Any

import numpy as np

_NAN_BITS = [0x7FF8000000000000, 0x7FF8000000000123, 0xFFF8000100000001, 0x7FF0000000000001]
_FLOAT_BITS = [*_NAN_BITS, 0x8000000000000000, 0x0000000000000001, 0x7FF0000000000000, 0xFFEFFFFFFFFFFFFF]


def _blocks(arrays: list[np.ndarray], **labels: Any) -> Any:
    import static_frame as sf

    return sf.Frame(sf.TypeBlocks.from_blocks(arrays), own_data=True, **labels)


def article() -> Any:
    """The frame of the article "Faster DataFrame Serialization": hierarchical on both sides, three names."""
    import static_frame as sf

    rows = (("2012-03", "x"), ("2012-03", "y"), ("2012-04", "x"))
    columns = (("data", "A"), ("data", "B"), ("data", "C"), ("valid", "*"))
    index = sf.IndexHierarchy.from_labels(rows, index_constructors=(sf.IndexYearMonth, sf.Index), name="r")
    data = [np.array([[5, 4, 7], [9, 1, 8], [3, 6, 2]]), np.array([False, True, True])]
    return _blocks(data, index=index, columns=sf.IndexHierarchy.from_labels(columns, name="q"), name="p")


def _kinds(order: str) -> list[np.ndarray]:
    out = [np.array([-2, 0, 100]).astype(f"{order}i{width}") for width in (2, 4, 8)]
    out += [np.array([0, 1, 2**16 - 1]).astype(f"{order}u{width}") for width in (2, 4, 8)]
    out += [np.array([-0.0, 1.5, -np.inf]).astype(f"{order}f{width}") for width in (2, 4, 8)]
    out += [np.array([1.5 - 2j, 0, np.inf]).astype(f"{order}c{width}") for width in (8, 16)]
    out += [_long_doubles(order, 1), _long_doubles(order, 2)]
    out += [np.array(["", "é", "a\0b\U0001f600"], f"{order}U5")]
    return out


def _long_doubles(order: str, parts: int) -> np.ndarray:
    """1.5, -0.0 and a value that needs all 64 bits, from their bytes: NumPy would leave the padding to chance."""
    words = [(16383 << 64) | 3 << 62, 1 << 79, (16400 << 64) | 0xFEDCBA9876543211]
    byteorder = "little" if order == "<" else "big"
    raw = b"".join(word.to_bytes(16, byteorder) for word in words for _ in range(parts))
    return np.frombuffer(raw, dtype=f"{order}{'f' if parts == 1 else 'c'}{16 * parts}")


def little_endian() -> Any:
    """Every kind but times, little-endian or without an order."""
    bare = [np.array([True, False, True]), np.array([-128, 0, 127], "i1"), np.array([0, 1, 255], "u1")]
    raw = np.array([b"", b"a\0b", b"\xff\x00\xfe\x01\x02"], "S5")
    return _blocks([*bare, *_kinds("<"), raw, raw.view("V5")], name="little")


def big_endian() -> Any:
    """The same where an order makes a difference, and times."""
    times = [np.array([0, -1, -(2**63)], "<i8").view("<M8[ns]").astype(">M8[ns]")]
    times += [np.array([0, -1, -(2**63)], "<i8").view("<m8[D]").astype(">m8[D]")]
    return _blocks([*_kinds(">"), *times], name="big")


def times() -> Any:
    """Every unit, one multiple, and no unit at all; the lowest tick is NaT."""
    units = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"]
    dtypes = [f"<M8[{unit}]" for unit in units] + ["<m8[W]", "<m8[ns]", "<m8[25s]", "<M8", "<m8"]
    ticks = np.array([0, -(2**63), 1_000_003], "<i8")
    return _blocks([ticks.view(dtype) for dtype in dtypes], columns=dtypes)


def float_bits() -> Any:
    """NaNs with payloads, both zeros, a subnormal, infinity, the largest."""
    bits = np.array(_FLOAT_BITS, dtype="<u8")
    return _blocks([bits.view("<f8"), (bits >> np.uint64(32)).astype("<u4").view("<f4")], columns=("f8", "f4"))


def alternating() -> Any:
    """No two neighbours of one dtype: three groups of columns, each at a constant distance."""
    dtypes = (np.int64, np.bool_, np.float64)
    arrays = [(np.arange(5) * (k + 1) % 3).astype(dtypes[k % 3]) for k in range(24)]
    return _blocks(arrays, columns=[f"c{k}" for k in range(24)])


def blocks_of_both_orders() -> Any:
    """2-D members, row-major and column-major, beside a 1-D one."""
    rows = np.arange(12, dtype="<i2").reshape(4, 3)
    return _blocks(
        [rows, np.asfortranarray(rows * 2.5), np.array([True, False, True, False])], columns=tuple("abcdefg")
    )


def index_classes() -> Any:
    """A FrameGO, labels that are dates, a tuple and a date as names."""
    import static_frame as sf

    days = sf.IndexDate(("2020-01-01", "2020-02-29", "1969-12-31"), name=np.datetime64("2020-01"))
    columns = sf.IndexSecondGO(("2020-01-01T00:00:01", "2020-01-01T00:00:02"), name=("a", ("b", None), 1))
    return sf.FrameGO(np.arange(6).reshape(3, 2), index=days, columns=columns, name=7)


def no_rows() -> Any:
    """0 x 3."""
    return _blocks([np.empty(0, "<U3"), np.empty((0, 2), "<f8")], columns=tuple("abc"), name="no rows")


def no_columns() -> Any:
    """3 x 0."""
    import static_frame as sf

    return sf.Frame(index=sf.Index(("x", "y", "z"), name="i"), name="no columns")


def automatic_labels() -> Any:
    """Neither side's labels are stored."""
    import static_frame as sf

    return sf.Frame(np.arange(6, dtype="<i4").reshape(3, 2))


def bundle() -> dict[str, Any]:
    """Two frames in one file."""
    return {"article": article(), "sub/automatic": automatic_labels()}
