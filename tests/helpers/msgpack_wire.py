"""What each cell of an Arrow column is in MessagePack, as bytes: the table of types said again, from pyarrow's view.

Without a header a dictionary's cell is its value, with one it is its code. Where a header stands, its dictionaries are
those of the column, depth first.
"""

from __future__ import annotations

import itertools
import struct
from decimal import Context, Decimal
from typing import Any

import pyarrow as pa
import pyarrow.types as pat

from colonnade.testing._arrow_cells import cells
from tests.helpers import msgpack_bytes as mp
from tests.helpers.msgpack_bytes import Double, Pairs, Single, Stamp

_DAY = 86_400


def wire_cells(array: Any, header: bool = False) -> list[bytes]:
    """One entry a cell."""
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
        if isinstance(array, pa.ChunkedArray):  # no chunks at all
            return []
    return [mp.pack(value) for value in _values(array, header)]


def _values(array: Any, header: bool) -> list[Any]:
    if isinstance(array, pa.ExtensionArray):
        return _values(array.storage, header)
    kind = array.type
    if pat.is_dictionary(kind):
        codes = cells(array.indices)
        if header:
            return codes
        known = _values(array.dictionary, header)
        return [None if code is None else known[code] for code in codes]
    shaped = _nested(array, header)
    if shaped is not None:
        return shaped
    return [None if cell is None else _leaf(cell, kind) for cell in cells(array)]


def _nested(array: Any, header: bool) -> list[Any] | None:
    """The values of a type with children; None where there are none."""
    kind = array.type
    if not pat.is_nested(kind) or pat.is_run_end_encoded(kind):
        return None
    present = [not missing for missing in array.is_null().to_pylist()] if not pat.is_union(kind) else []
    if pat.is_struct(kind):
        fields = [_values(array.field(position), header) for position in range(kind.num_fields)]
        names = [kind.field(position).name for position in range(kind.num_fields)]
        rows = list(zip(*fields, strict=True)) if fields else [()] * len(array)
        if len(set(names)) < len(names):
            return _masked([list(row) for row in rows], present)
        return _masked([Pairs(tuple(zip(names, row, strict=True))) for row in rows], present)
    if pat.is_union(kind):
        return _unions(array, header)
    if pat.is_map(kind):
        keys, items = _values(array.keys, header), _values(array.items, header)
        return _masked([Pairs(tuple(zip(keys[a:b], items[a:b], strict=True))) for a, b in _spans(array)], present)
    child = _values(array.values, header)
    return _masked([child[a:b] for a, b in _spans(array)], present)


def _masked(values: list[Any], present: list[bool]) -> list[Any]:
    return [value if there else None for value, there in zip(values, present, strict=True)]


def _spans(array: Any) -> list[tuple[int, int]]:
    kind, n = array.type, len(array)
    if pat.is_fixed_size_list(kind):
        size = kind.list_size
        return [((array.offset + i) * size, (array.offset + i + 1) * size) for i in range(n)]
    if pat.is_list_view(kind) or pat.is_large_list_view(kind):
        return [(a, a + m) for a, m in zip(array.offsets.to_pylist(), array.sizes.to_pylist(), strict=True)]
    offsets = array.offsets.to_pylist() if n else [0]
    return list(itertools.pairwise(offsets))


def _unions(array: Any, header: bool) -> list[Any]:
    kind = array.type
    place_of = {code: position for position, code in enumerate(kind.type_codes)}
    children = [_values(array.field(position), header) for position in range(kind.num_fields)]
    codes = array.type_codes.to_pylist()
    places = array.offsets.to_pylist() if kind.mode == "dense" else range(len(codes))
    return [[code, children[place_of[code]][place]] for code, place in zip(codes, places, strict=True)]


def _leaf(cell: Any, kind: Any) -> Any:
    """`cell` as `colonnade.testing._arrow_cells` has it: bits, ticks, unscaled ints."""
    if pat.is_run_end_encoded(kind):
        return _leaf(cell, kind.value_type)
    if pat.is_float16(kind):
        return Single(int.from_bytes(struct.pack("<I", _half(cell)), "little"))
    if pat.is_float32(kind):
        return Single(cell)
    if pat.is_float64(kind):
        return Double(cell)
    if pat.is_timestamp(kind):
        return Stamp.of(cell, kind.unit)
    if pat.is_date32(kind):
        return Stamp(cell * _DAY)
    if pat.is_date64(kind):
        return Stamp.of(cell, "ms")
    if pat.is_decimal(kind):
        return f"{Decimal(cell).scaleb(-kind.scale, Context(prec=100)):f}"
    if isinstance(cell, tuple):
        return list(cell)
    return cell


def _half(bits: int) -> int:
    """The bits of the 32-bit float with the same sign, number and payload."""
    sign, exponent, fraction = bits >> 15 << 31, bits >> 10 & 31, bits & 1023
    if exponent == 31:
        return sign | 0xFF << 23 | fraction << 13
    if exponent == 0:
        (number,) = struct.unpack("<I", struct.pack("<f", fraction * 2.0**-24))
        return sign | int(number)
    return sign | (exponent + 112) << 23 | fraction << 13


def wire_columns(table: Any) -> bytes:
    """A table without a header, column by column."""
    return mp.mapping(
        [(mp.text(name), mp.array(*wire_cells(table.column(i)))) for i, name in enumerate(table.column_names)]
    )


def wire_records(table: Any) -> bytes:
    keys = [mp.text(name) for name in table.column_names]
    columns = [wire_cells(table.column(i)) for i in range(table.num_columns)]
    rows = zip(*columns, strict=True) if columns else [()] * table.num_rows
    return mp.array(*[mp.mapping(list(zip(keys, row, strict=True))) for row in rows])


def wire_split(table: Any) -> bytes:
    columns = [wire_cells(table.column(i)) for i in range(table.num_columns)]
    rows = zip(*columns, strict=True) if columns else [()] * table.num_rows
    return mp.mapping(
        [
            (mp.text("index"), mp.array(*map(mp.pack, range(table.num_rows)))),
            (mp.text("columns"), mp.array(*map(mp.text, table.column_names))),
            (mp.text("data"), mp.array(*[mp.array(*row) for row in rows])),
        ]
    )
