"""Values of JSON, MessagePack and YAML as Python has them, and whether two are the same."""

import json
import struct
from typing import Any, NamedTuple

import msgpack
import pyarrow as pa
import pyarrow.types as pat

from .sql_values import PER_SECOND
from .tables import shown

TAG = b"colonnade"


class Number(float):
    """A float with the text that it was read from."""

    text: str


def number(text: str) -> Number:
    """The nearest float of a text."""
    found = Number(text)
    found.text = text
    return found


class Time(int):
    """Nanoseconds since 1970."""


class Ext(NamedTuple):
    """An extension of MessagePack, which is no timestamp. With `ext="bytes"` it is a struct of both."""

    code: int
    data: bytes


class Pairs(tuple[tuple[Any, Any], ...]):
    """A map whose keys are not all text, or not all integers."""


def mapping(pairs: list[tuple[Any, Any]]) -> Any:
    """A map of MessagePack."""
    keys = [key for key, _ in pairs]
    if all(isinstance(key, str) for key in keys) or all(type(key) is int for key in keys):
        if len(set(keys)) < len(keys):
            raise ValueError("a key is there twice")
        return dict(pairs)
    return Pairs(pairs)


def unpacked(content: bytes) -> Any:
    """A value of MessagePack."""
    found = msgpack.unpackb(
        content,
        raw=False,
        strict_map_key=False,
        timestamp=0,
        object_pairs_hook=mapping,
        ext_hook=Ext,
    )
    return with_times(found)


def with_times(value: Any) -> Any:
    """The value with each timestamp as nanoseconds."""
    if isinstance(value, msgpack.Timestamp):
        return Time(value.seconds * 10**9 + value.nanoseconds)
    if isinstance(value, list):
        return [with_times(part) for part in value]
    if isinstance(value, Pairs):
        return Pairs((with_times(key), with_times(part)) for key, part in value)
    if isinstance(value, dict):
        return {key: with_times(part) for key, part in value.items()}
    return value


def is_mixed(field: pa.Field) -> bool:
    """Whether each cell of the column is the MessagePack of a value."""
    try:
        tag = json.loads((field.metadata or {}).get(TAG, b"{}"))["tag"]
        return bool(tag["cells"] == "msgpack")
    except (KeyError, TypeError, ValueError):
        return False


def value_of(cell: Any, field: pa.Field) -> Any:
    """A cell, as `cells` gives it, as a value: structs as dicts, floats and times as such."""
    kind = field.type
    if cell is None:
        return None
    if is_mixed(field):
        return unpacked(cell)
    if pat.is_struct(kind):
        parts = zip(range(kind.num_fields), cell, strict=True)
        return {kind.field(place).name: value_of(part, kind.field(place)) for place, part in parts}
    if hasattr(kind, "value_field"):
        return [value_of(part, kind.value_field) for part in cell]
    if pat.is_float64(kind):
        return struct.unpack("<d", cell.to_bytes(8, "little"))[0]
    if pat.is_timestamp(kind):
        return Time(cell * (10**9 // PER_SECOND[kind.unit]))
    return cell


def same(ours: Any, theirs: Any) -> bool:
    """Whether two values are the same to the bit. A key that a record lacks is null."""
    if isinstance(ours, bool) or isinstance(theirs, bool) or ours is None or theirs is None:
        return ours is theirs
    if isinstance(ours, Time) or isinstance(theirs, Time):
        return type(ours) is type(theirs) and ours == theirs
    if isinstance(ours, float) and isinstance(theirs, float):
        return struct.pack("<d", ours) == struct.pack("<d", theirs)
    if isinstance(ours, float | int) and isinstance(theirs, float | int):
        return ours == theirs and not isinstance(theirs, float)
    if isinstance(ours, dict) and isinstance(theirs, Ext):
        return ours == theirs._asdict()
    if isinstance(ours, dict) and isinstance(theirs, dict):
        left = {shown(key) if isinstance(key, str) else key: part for key, part in ours.items()}
        right = {shown(key) if isinstance(key, str) else key: part for key, part in theirs.items()}
        return all(same(left.get(key), right.get(key)) for key in {*left, *right})
    if isinstance(ours, list | tuple) and isinstance(theirs, list | tuple):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    return type(ours) is type(theirs) and bool(ours == theirs)
