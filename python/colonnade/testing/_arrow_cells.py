"""The cells of an Arrow array as plain Python values. They are equal exactly if the cells are identical.

The module reads pyarrow's buffers, offsets and children, and decodes them itself. So NaN payloads, signs of zero and
ticks below a microsecond count:

| type | cell |
|---|---|
| null slot | None |
| bool, integers | bool, int |
| floats | their bits as an unsigned int |
| dates, times, timestamps, durations | ticks |
| decimals | the unscaled int |
| intervals | (months, days, nanoseconds); pyarrow supports no other intervals |
| text, bytes | str, bytes |
| lists of any layout | list of cells |
| maps | list of (key, value) |
| structs | tuple of cells |
| unions | (type code, cell) |
| dictionaries, run-end encoded | the cell of the value |
"""

import itertools
import struct
import sys
from bisect import bisect_right
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pat

__all__ = ["cells", "columns_of", "same_column"]


def columns_of(table: Any) -> list[list[Any]]:
    """The cells of each column of a Table or RecordBatch, left to right."""
    return [cells(table.column(position)) for position in range(table.num_columns)]


def same_column(left: Any, right: Any) -> bool:
    """Whether two columns of one type have identical cells, as `cells` gives them."""
    if type(left) is type(right) and left.type.equals(right.type):
        kind = left.type
        # pyarrow's own comparison is exact for these; of floats it does not compare the bits of a NaN.
        if pat.is_floating(kind):
            left, right = _as_words(left), _as_words(right)
        if pat.is_primitive(kind) or pat.is_decimal(kind) or pat.is_fixed_size_binary(kind) or _is_text(kind):
            return bool(left.equals(right))
    return cells(_of_one_chunk(left)) == cells(_of_one_chunk(right))


_FEW_CHUNKS = 16


def _of_one_chunk(array: Any) -> Any:
    """Many small chunks joined by pyarrow, for types whose values that keeps: decoding thousands of chunks is slow."""
    if not isinstance(array, pa.ChunkedArray) or array.num_chunks <= _FEW_CHUNKS:
        return array
    kind = array.type
    if pat.is_dictionary(kind) and _is_text(kind.value_type):
        return array.cast(kind.value_type)
    if pat.is_list(kind) or pat.is_large_list(kind) or pat.is_struct(kind):
        return array.combine_chunks()
    return array


def _as_words(array: Any) -> Any:
    """Floats as the unsigned integers of their bits."""
    words = f"uint{array.type.bit_width}"
    if isinstance(array, pa.ChunkedArray):
        return pa.chunked_array([chunk.view(words) for chunk in array.chunks], words)
    return array.view(words)


def _is_text(kind: Any) -> bool:
    return any(test(kind) for test in (pat.is_string, pat.is_large_string, pat.is_binary, pat.is_large_binary))


def cells(array: Any) -> list[Any]:
    """The cells of an Array or ChunkedArray."""
    if isinstance(array, pa.ChunkedArray):
        return [cell for chunk in array.chunks for cell in cells(chunk)]
    if isinstance(array, pa.ExtensionArray):
        return cells(array.storage)
    kind = array.type
    if pat.is_null(kind):
        return [None] * len(array)
    if pat.is_union(kind):
        return _unions(array)
    if pat.is_run_end_encoded(kind):
        return _runs(array)
    values = _values(array)
    validity = array.buffers()[0] if array.null_count else None
    if validity is None:
        return values
    valid = _bits(validity, array.offset, len(values))
    return [value if held else None for value, held in zip(values, valid, strict=True)]


def _values(array: Any) -> list[Any]:
    """Decodes cells without their validity, which the caller applies. The value of a null slot is arbitrary."""
    kind = array.type
    if pat.is_dictionary(kind):
        codes = cells(array.indices)
        # Each chunk of a few rows may hold all dictionary values.
        used = sorted({code for code in codes if code is not None})
        if len(used) < len(array.dictionary) // 2:
            known = {code: (cells(array.dictionary.slice(code, 1)) or [None])[0] for code in used}
            return [None if code is None else known[code] for code in codes]
        # A code under a null parent may point at no value.
        values = dict(enumerate(cells(array.dictionary)))
        return [None if code is None else values.get(code) for code in codes]
    if pat.is_struct(kind):
        fields = [cells(array.field(position)) for position in range(kind.num_fields)]
        return list(zip(*fields, strict=True)) if fields else [()] * len(array)
    if pat.is_map(kind):
        spans, start, n = _spans(array)
        keys, items = cells(array.keys.slice(start, n)), cells(array.items.slice(start, n))
        return [list(zip(keys[a:b], items[a:b], strict=True)) for a, b in spans]
    if pat.is_fixed_size_list(kind):
        size, start = kind.list_size, array.offset
        # `values` is the whole child, whatever the parent's offset, so only the part of this chunk is decoded.
        child = cells(array.values.slice(start * size, len(array) * size))
        return [child[i * size : (i + 1) * size] for i in range(len(array))]
    if pat.is_list_view(kind) or pat.is_large_list_view(kind):
        child = cells(array.values)
        pairs = zip(array.offsets.to_pylist(), array.sizes.to_pylist(), strict=True)
        return [child[a : a + n] for a, n in pairs]
    if pat.is_list(kind) or pat.is_large_list(kind):
        spans, start, n = _spans(array)
        child = cells(array.values.slice(start, n))
        return [child[a:b] for a, b in spans]
    if any(test(kind) for test in (pat.is_string, pat.is_large_string, pat.is_string_view)):
        return list(array.to_pylist())
    if any(test(kind) for test in (pat.is_binary, pat.is_large_binary, pat.is_binary_view)):
        return list(array.to_pylist())
    return _fixed(array)


def _fixed(array: Any) -> list[Any]:
    """Cells of a constant width."""
    kind = array.type
    data = array.buffers()[1]
    if len(array) == 0:
        return []
    if pat.is_boolean(kind):
        return _bits(data, array.offset, len(array))
    width = kind.bit_width // 8
    raw = memoryview(data)[array.offset * width : (array.offset + len(array)) * width].tobytes()
    if pat.is_fixed_size_binary(kind):
        return [raw[i * width : (i + 1) * width] for i in range(len(array))]
    if str(kind) == "month_day_nano_interval":
        return list(struct.iter_unpack("<iiq", raw))
    signed = not (pat.is_unsigned_integer(kind) or pat.is_floating(kind))
    if width in _INTEGERS and sys.byteorder == "little":
        return list(np.frombuffer(raw, f"{'i' if signed else 'u'}{width}").tolist())
    return [int.from_bytes(raw[i : i + width], "little", signed=signed) for i in range(0, len(raw), width)]


_INTEGERS = {1, 2, 4, 8}  # item sizes of NumPy's integers


def _spans(array: Any) -> tuple[list[tuple[int, int]], int, int]:
    """Start and end of each list relative to the first item, the position of that item, and the number of items."""
    if len(array) == 0:
        return [], 0, 0
    offsets = array.offsets.to_pylist()
    # A null list may have any ascending offsets.
    start = offsets[0]
    return list(itertools.pairwise([at - start for at in offsets])), start, offsets[-1] - start


def _unions(array: Any) -> list[Any]:
    kind = array.type
    start, stop = array.offset, array.offset + len(array)
    codes = memoryview(array.buffers()[1])[start:stop].tolist() if len(array) else []
    codes = [code - 256 if code > 127 else code for code in codes]
    child_of = {code: position for position, code in enumerate(kind.type_codes)}
    children = [cells(array.field(position)) for position in range(kind.num_fields)]
    if kind.mode == "dense":
        raw = memoryview(array.buffers()[2])[4 * start : 4 * stop] if len(array) else b""
        places = [place for (place,) in struct.iter_unpack("<i", raw)]
    else:
        places = list(range(len(array)))
    return [(code, children[child_of[code]][place]) for code, place in zip(codes, places, strict=True)]


def _runs(array: Any) -> list[Any]:
    ends, values = array.run_ends.to_pylist(), cells(array.values)
    return [values[bisect_right(ends, array.offset + i)] for i in range(len(array))]


def _bits(buffer: Any, start: int, n: int) -> list[bool]:
    """`n` bits from bit `start`, the lowest bit of each byte first."""
    held = memoryview(buffer)[start >> 3 : (start + n + 7) >> 3].tobytes()
    # One int of all bits, printed from the highest bit. A guard bit keeps the leading zeros.
    spelled = bin(int.from_bytes(held, "little") | 1 << 8 * len(held))[:2:-1]
    assert len(spelled) >= (start & 7) + n, "a bitmap that ends too early"
    return [bit == "1" for bit in spelled[start & 7 : (start & 7) + n]]
