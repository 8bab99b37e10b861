"""What stands behind a C data interface capsule, read by ctypes: the names pyarrow forgets, the types it cannot wrap.

Fields are told as `arrow_json.field_text` tells them.

Source: https://arrow.apache.org/docs/format/CDataInterface.html
"""

from __future__ import annotations

import ctypes
import struct
from typing import Any


class _Schema(ctypes.Structure):
    pass


class _Array(ctypes.Structure):
    pass


_Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_void_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(_Schema))),
    ("dictionary", ctypes.POINTER(_Schema)),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]
_Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(_Array))),
    ("dictionary", ctypes.POINTER(_Array)),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]

_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]

_PLAIN = {
    "n": "null", "b": "bool", "c": "int8", "C": "uint8", "s": "int16", "S": "uint16", "i": "int32", "I": "uint32",
    "l": "int64", "L": "uint64", "e": "halffloat", "f": "float", "g": "double", "z": "binary", "Z": "large_binary",
    "vz": "binary_view", "u": "string", "U": "large_string", "vu": "string_view", "tdD": "date32[day]",
    "tdm": "date64[ms]", "tts": "time32[s]", "ttm": "time32[ms]", "ttu": "time64[us]", "ttn": "time64[ns]",
    "tiM": "month_interval", "tiD": "day_time_interval", "tin": "month_day_nano_interval",
}  # fmt: skip
_NESTED = {"+l": "list", "+L": "large_list", "+vl": "list_view", "+vL": "large_list_view", "+s": "struct"}
_UNITS = {"s": "s", "m": "ms", "u": "us", "n": "ns"}
_ORDERED, _NULLABLE, _SORTED = 1, 2, 4


def schema_texts(holder: Any) -> tuple[list[str], dict[str, str]]:
    """The fields and the metadata of anything with `__arrow_c_schema__` that is a struct or a schema."""
    capsule = holder.__arrow_c_schema__()
    schema = _Schema.from_address(_pointer(capsule, b"arrow_schema"))
    assert schema.format == b"+s"
    return [_field(schema.children[i].contents) for i in range(schema.n_children)], _metadata(schema)


def field_text(holder: Any) -> str:
    """The field behind anything with `__arrow_c_schema__`."""
    capsule = holder.__arrow_c_schema__()
    return _field(_Schema.from_address(_pointer(capsule, b"arrow_schema")))


def type_text(holder: Any) -> str:
    """Its type alone."""
    capsule = holder.__arrow_c_schema__()
    return _type(_Schema.from_address(_pointer(capsule, b"arrow_schema")))


def interval_cells(column: Any) -> list[Any] | None:
    """The cells of a month or day-time interval array, months or (days, milliseconds); None for another type."""
    schema_capsule, array_capsule = column.__arrow_c_array__()
    schema = _Schema.from_address(_pointer(schema_capsule, b"arrow_schema"))
    form = {b"tiM": "<i", b"tiD": "<ii"}.get(schema.format)
    if form is None:
        return None
    array = _Array.from_address(_pointer(array_capsule, b"arrow_array"))
    assert array.n_buffers == 2
    width, start, stop = struct.calcsize(form), array.offset, array.offset + array.length
    raw = ctypes.string_at(array.buffers[1] + start * width, array.length * width) if array.length else b""
    values = [parts[0] if len(parts) == 1 else parts for parts in struct.iter_unpack(form, raw)]
    if array.buffers[0] is None:
        assert array.null_count in (0, -1)
        return values
    bits = ctypes.string_at(array.buffers[0], (stop + 7) // 8)
    return [value if bits[i >> 3] >> (i & 7) & 1 else None for i, value in enumerate(values, start)]


def _field(schema: Any) -> str:
    nullable = bool(schema.flags & _NULLABLE)
    return f"{(schema.name or b'').decode()}: {_type(schema)} nullable={nullable} {_metadata(schema)}"


def _type(schema: Any) -> str:
    form = schema.format.decode()
    if schema.dictionary:
        values = _type(schema.dictionary.contents)
        return f"dictionary<{_PLAIN[form]}, {values}, ordered={bool(schema.flags & _ORDERED)}>"
    children = ", ".join(_field(schema.children[i].contents) for i in range(schema.n_children))
    head, _, rest = form.partition(":")
    if form in _PLAIN:
        return _PLAIN[form]
    if form in _NESTED:
        return f"{_NESTED[form]}<{children}>"
    if head == "+m":
        return f"map[sorted={bool(schema.flags & _SORTED)}]<{children}>"
    if head == "+w":
        return f"fixed_size_list[{rest}]<{children}>"
    if head == "+r":
        return f"run_end_encoded<{children}>"
    if head in ("+ud", "+us"):
        mode = {"+ud": "dense", "+us": "sparse"}[head]
        return f"{mode}_union{[int(code) for code in rest.split(',') if code]}<{children}>"
    if head == "w":
        return f"fixed_size_binary[{rest}]"
    if head == "d":
        precision, scale, *width = rest.split(",")
        return f"decimal{width[0] if width else 128}({precision}, {scale})"
    if head[:2] == "tD":
        return f"duration[{_UNITS[head[2]]}]"
    assert head[:2] == "ts", form
    return f"timestamp[{_UNITS[head[2]]}{f', tz={rest}' if rest else ''}]"


def _metadata(schema: Any) -> dict[str, str]:
    if not schema.metadata:
        return {}
    at = schema.metadata

    def number() -> int:
        nonlocal at
        at += 4
        return ctypes.c_int32.from_address(at - 4).value

    def text() -> str:
        nonlocal at
        size = number()
        at += size
        return ctypes.string_at(at - size, size).decode()

    return dict(sorted((text(), text()) for _ in range(number())))
