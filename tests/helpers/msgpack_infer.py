"""Which column a list of foreign values becomes: the rules of promotion said again, in plain Python."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from tests.helpers.msgpack_bytes import Double, Pairs, Single, Stamp

MIXED = "mixed"

_FAMILIES = (bool, int, float, str, bytes, Stamp, list, dict)


def _family(value: Any) -> type:
    if isinstance(value, Single | Double):
        return float
    if isinstance(value, dict) and not all(isinstance(key, str) for key in value):
        return Pairs
    return next((family for family in _FAMILIES if type(value) is family), object)


def infer(values: list[Any]) -> Any:
    """The pyarrow type, or `MIXED` where cells stay MessagePack, at whatever depth."""
    present = [value for value in values if value is not None]
    families = {_family(value) for value in present}
    if not families:
        return pa.null()
    if families == {int, float}:
        exact = all(_is_double(value) for value in present if isinstance(value, int))
        return pa.float64() if exact else MIXED
    if len(families) > 1:
        return MIXED
    family = families.pop()
    plain = {bool: pa.bool_(), float: pa.float64(), str: pa.large_string(), bytes: pa.large_binary()}
    if family in plain:
        return plain[family]
    rule = {int: _integers, Stamp: _stamps, list: _lists, dict: _structs}.get(family)
    return rule(present) if rule else MIXED


def _is_double(value: int) -> bool:
    try:
        return int(float(value)) == value
    except OverflowError:
        return False


def _integers(values: list[int]) -> Any:
    if max(values) < 1 << 63:
        return pa.int64()
    return pa.uint64() if min(values) >= 0 else MIXED


def _stamps(values: list[Stamp]) -> Any:
    for unit in ("ns", "us", "ms", "s"):
        try:
            if all(-(1 << 63) < value.ticks(unit) < 1 << 63 for value in values):
                return pa.timestamp(unit, "UTC")
        except ValueError:
            continue
    return MIXED


def _lists(values: list[list[Any]]) -> Any:
    inner = infer([item for value in values for item in value])
    return MIXED if inner is MIXED else pa.large_list(inner)


def _structs(values: list[dict[str, Any]]) -> Any:
    names = list(dict.fromkeys(name for value in values for name in value))
    kinds = {name: infer([value.get(name) for value in values]) for name in names}
    return MIXED if MIXED in kinds.values() else pa.struct(list(kinds.items()))


def as_array(values: list[Any], kind: Any) -> Any:
    """The pyarrow array of these values."""
    return pa.array([_plain(value, kind) for value in values], kind)


def _plain(value: Any, kind: Any) -> Any:
    if value is None:
        return None
    if isinstance(value, Stamp):
        return value.ticks(kind.unit)
    if isinstance(value, int) and not isinstance(value, bool) and kind == pa.float64():
        return float(value)
    if isinstance(value, list):
        return [_plain(item, kind.value_type) for item in value]
    if isinstance(value, dict):
        return {name: _plain(item, kind.field(name).type) for name, item in value.items()}
    return value
