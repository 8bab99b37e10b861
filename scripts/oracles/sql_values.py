"""Cells as a database sees them, which has fewer types than Arrow: cells of the same value are equal."""

import math
import struct
import uuid
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pyarrow.types as pat

from colonnade.testing._arrow_cells import cells

from .tables import Exported, difference_of_cells, ordered

PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
DAY_MS = 86_400_000


def difference(ours: Exported, theirs: pa.Table) -> str | None:
    """Where rows, columns or values differ. Names are not compared: a database makes repeated ones different."""
    if ours.table.shape != theirs.shape:
        return f"shape: {ours.table.shape}, theirs {theirs.shape}"
    theirs = ordered(theirs, ours)
    for position, name in enumerate(ours.table.column_names):
        left, right = ours.table.column(position), theirs.column(position)
        found, wanted = values(left, right.type), values(right, left.type)
        if found != wanted:
            place = f"column {position} {name!r} of {left.type}, theirs {right.type}"
            return f"{place}: {difference_of_cells(found, wanted)}"
    return None


def values(column: Any, other: Any) -> list[Any]:
    """The cells of a column in one form. `other` is the type that the other reader has."""
    plain = form(column.type, other)
    return [None if cell is None else plain(cell) for cell in cells(column)]


def form(kind: Any, other: Any) -> Callable[[Any], Any]:
    """The function that brings a cell of a type, as `cells` gives it, into the common form."""
    if isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
    if isinstance(other, pa.BaseExtensionType):
        other = other.storage_type
    if pat.is_dictionary(kind):
        return form(kind.value_type, other)
    if pat.is_dictionary(other):
        return form(kind, other.value_type)
    if pat.is_floating(kind):
        return {16: half, 32: single, 64: double}[kind.bit_width]
    if pat.is_decimal(kind):
        return lambda cell: Fraction(cell) / Fraction(10) ** kind.scale
    if pat.is_timestamp(kind) or pat.is_time(kind):
        return lambda cell: Fraction(cell, PER_SECOND[kind.unit])
    if pat.is_date64(kind):
        return lambda cell: Fraction(cell, DAY_MS)
    if pat.is_fixed_size_binary(kind) and str(other) == "month_day_nano_interval":
        return interval
    if pat.is_string(kind) and pat.is_fixed_size_binary(other):
        return lambda cell: uuid.UUID(cell).bytes
    if is_text(kind) and is_bytes(other):
        return lambda cell: cell.encode()  # ENUM is text to one reader, and LogicalType STRING alone is none to another
    if pat.is_map(kind):
        return map_form(kind, other)
    if pat.is_struct(kind):
        return struct_form(kind, other)
    if hasattr(kind, "value_type"):
        item = form(kind.value_type, getattr(other, "value_type", pa.null()))
        return lambda cell: [None if part is None else item(part) for part in cell]
    return lambda cell: cell


def is_text(kind: Any) -> bool:
    """Whether cells are text."""
    return any(test(kind) for test in (pat.is_string, pat.is_large_string, pat.is_string_view))


def is_bytes(kind: Any) -> bool:
    """Whether cells are bytes."""
    tests = (pat.is_binary, pat.is_large_binary, pat.is_binary_view, pat.is_fixed_size_binary)
    return any(test(kind) for test in tests)


def map_form(kind: Any, other: Any) -> Callable[[Any], Any]:
    """Pairs of keys and values."""
    is_map = pat.is_map(other)
    key = form(kind.key_type, other.key_type if is_map else pa.null())
    item = form(kind.item_type, other.item_type if is_map else pa.null())
    return lambda cell: [(key(left), None if right is None else item(right)) for left, right in cell]


def struct_form(kind: Any, other: Any) -> Callable[[Any], Any]:
    """Fields in their order."""
    is_like = pat.is_struct(other) and other.num_fields == kind.num_fields
    parts = [
        form(kind.field(place).type, other.field(place).type if is_like else pa.null())
        for place in range(kind.num_fields)
    ]
    return lambda cell: [None if x is None else part(x) for part, x in zip(parts, cell, strict=True)]


def half(bits: int) -> Any:
    """A float of two bytes."""
    return number(struct.unpack("<e", bits.to_bytes(2, "little"))[0])


def single(bits: int) -> Any:
    """A float of four bytes."""
    return number(struct.unpack("<f", bits.to_bytes(4, "little"))[0])


def double(bits: int) -> Any:
    """A float of eight bytes."""
    return number(struct.unpack("<d", bits.to_bytes(8, "little"))[0])


def number(value: float) -> Any:
    """The bits of the value; a NaN is one value."""
    return "nan" if math.isnan(value) else struct.pack("<d", value)


def interval(cell: bytes) -> Any:
    """Months, days and nanoseconds: Parquet's twelve bytes have milliseconds, and Colonnade stores sixteen."""
    if len(cell) == 16:
        return struct.unpack("<iiq", cell)
    months, days, millis = struct.unpack("<III", cell)
    return (months, days, millis * 10**6)
