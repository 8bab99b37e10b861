"""Tags of NumPy's scalars: ``$datetime64``, ``$timedelta64`` and ``$np`` for all others."""

import re
from typing import Any

import numpy as np

from . import tagged_labels

# Allowed dtypes of scalars in a file: never "O", never a structure.
_DESCR = re.compile(r"[<>|=]?[biufcSUV]\d+")
_UNIT = re.compile(r"(\d*)(Y|M|W|D|h|m|s|ms|us|ns|ps|fs|as|generic)")


def to_json(value: Any) -> Any:
    dtype = getattr(value, "dtype", None)
    if not isinstance(value, np.generic) or dtype is None or dtype.hasobject or dtype.names is not None:
        tagged_labels.refuse(f"a {type(value).__module__}.{type(value).__qualname__}")
    kind = dtype.kind
    if kind == "M":  # NumPy writes ISO 8601 text in the unit's own precision: 2020-01 for months
        return {"$datetime64": [str(value), _unit(dtype)]}
    if kind == "m":
        ticks = None if np.isnat(value) else int(value.view(np.int64))
        return {"$timedelta64": [ticks, _unit(dtype)]}
    return {"$np": [dtype.str, _content(value, kind)]}


def _content(value: Any, kind: str) -> Any:
    if kind == "b":
        return bool(value)
    if kind in "iu":
        return int(value)
    if kind == "f" and value.dtype.itemsize <= 8 and value == value:
        return tagged_labels.to_json(float(value))
    if kind == "U":
        return tagged_labels.to_json(str.__str__(value))  # NumPy's own __str__ cuts NUL off
    if kind == "S":
        return tagged_labels.to_json(bytes(value))
    # NaN, complex, longdouble and V are stored as bytes.
    return tagged_labels.to_json(value.tobytes())


def _read_np(content: Any) -> Any:
    descr, item = content
    if not _DESCR.fullmatch(descr):
        raise ValueError(f"expected a scalar dtype, found {descr!r}")
    dtype, item = np.dtype(descr), tagged_labels.from_json(item)
    if isinstance(item, bytes) and dtype.kind in "fcV":
        if len(item) != dtype.itemsize:
            raise ValueError(f"expected {dtype.itemsize} bytes, found {len(item)}")
        return np.frombuffer(item, dtype)[0] if item else dtype.type(item)
    if not isinstance(item, {"b": bool, "i": int, "u": int, "f": float, "U": str, "S": bytes}.get(dtype.kind, ())):
        raise TypeError(f"expected a value of dtype {descr}, found {item!r:.60}")
    return dtype.type(item)


def _unit(dtype: np.dtype) -> str:
    unit, count = np.datetime_data(dtype)
    return unit if count == 1 else f"{count}{unit}"


def _parse_unit(text: str) -> Any:
    match = _UNIT.fullmatch(text)
    if not match:
        raise ValueError(f"expected a unit such as ns or 10ms, found {text!r}")
    return match[2], int(match[1] or 1)


def _read_datetime64(content: Any) -> np.datetime64:
    text, unit = content
    if not isinstance(text, str):
        raise TypeError(f"expected ISO 8601 text, found {text!r:.60}")
    return np.datetime64(text, _parse_unit(unit))


def _read_timedelta64(content: Any) -> np.timedelta64:
    ticks, unit = content
    count: Any = "NaT" if ticks is None else int(ticks)
    return np.timedelta64(count, _parse_unit(unit))


READERS = {"$np": _read_np, "$datetime64": _read_datetime64, "$timedelta64": _read_timedelta64}
