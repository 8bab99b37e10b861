"""Tagged JSON: labels, names and attrs as text, exactly, without pickle.

Values that JSON represents exactly are unchanged: None, bool, int of 64 bits, finite float, str, list, and dict with
str keys. Everything else is an object of one key that begins with ``$``: ``{"$tuple": [1, 2]}``, ``{"$date":
"2020-01-01"}``. The value of the key holds the data to build the same type again. The lists of tags are `_WRITERS` and
`_READERS`. NumPy's tags are in `numpy_labels` and pandas' in `pandas_labels`; each module is imported at its first tag.
"""

import base64
import datetime as dt
import decimal
import json
import math
import struct
import uuid
from collections.abc import Callable
from typing import Any, NoReturn

from .zones import zone_from_text, zone_to_text

_INT_MIN, _INT_MAX = -(2**63), 2**64 - 1
_dumps = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def encode(value: object) -> str:
    """`value` as tagged JSON text. EncodeError names the type that has no tag."""
    if value is None:
        return "null"
    try:
        return _dumps(to_json(value))
    except RecursionError:
        refuse("a value that contains itself, or is nested too deeply")


def decode(text: str) -> Any:
    """The value of tagged JSON text. DecodeError for text that `encode` does not write."""
    if text == "null":
        return None
    try:
        return from_json(json.loads(text))
    except (ValueError, TypeError, KeyError, IndexError, OverflowError, ArithmeticError, RecursionError) as error:
        from colonnade._core import DecodeError

        if isinstance(error, DecodeError):
            raise
        shown = str(text)  # a damaged file may hold labels that are not text
        shown = shown if len(shown) <= 80 else shown[:77] + "..."
        raise DecodeError(f"labels: expected tagged JSON, found {shown}: {error}") from error


def decode_optional(text: str | None) -> Any:
    """The value of tagged JSON; None if `text` is None."""
    return None if text is None else decode(text)


def to_json(value: object) -> Any:
    """`value` as an object for the json module."""
    kind = type(value)
    writer = _WRITERS.get(kind)
    if writer is not None:
        return writer(value)
    root = kind.__module__.partition(".")[0]
    if root == "numpy":
        from . import numpy_labels

        return numpy_labels.to_json(value)
    # pandas._libs defines all pandas scalars: Interval, Period, Timestamp, Timedelta, NaT and NA.
    if root == "pandas":
        from . import pandas_labels

        return pandas_labels.to_json(value)
    refuse(f"a {kind.__module__}.{kind.__qualname__} (value {value!r:.60})")


def from_json(item: Any) -> Any:
    """The value of an object from the json module."""
    kind = type(item)
    if kind is list:
        return [from_json(part) for part in item]
    if kind is not dict:
        return item
    if len(item) == 1:
        ((tag, content),) = item.items()
        if tag[:1] == "$":
            return _reader(tag)(content)
    return {key: from_json(part) for key, part in item.items()}


def refuse(what: str) -> NoReturn:
    """Raises this module's EncodeError. It imports the core late, because plain labels do not need the core."""
    from colonnade._core import EncodeError

    raise EncodeError(
        "labels: expected None, a bool, a number, text, bytes, a date or time, a tuple, list or dict of these, "
        f"found {what}. Convert it first, for example with str()."
    )


def _identity(value: Any) -> Any:
    return value


def _int(value: int) -> Any:
    if _INT_MIN <= value <= _INT_MAX:
        return value
    # Python refuses to read decimal text of more than 4,300 digits; hexadecimal has no such limit.
    return {"$int": str(value) if value.bit_length() < 14_000 else hex(value)}


def _float(value: float) -> Any:
    if math.isfinite(value):
        return value
    bits = struct.pack(">d", value)
    # A NaN with unusual bits keeps its bits.
    return {"$float": bits.hex() if value != value and bits != _NAN else repr(value)}


_NAN = struct.pack(">d", math.nan)


def _read_float(content: str) -> float:
    if len(content) == 16:
        value: float = struct.unpack(">d", bytes.fromhex(content))[0]
        return value
    return {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[content]


def _str(value: str) -> str:
    if not value.isascii():
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            refuse(f"text with a lone surrogate: {value!a:.60}")
    return value


def _list(value: list[Any]) -> Any:
    return [to_json(part) for part in value]


def _dict(value: dict[Any, Any]) -> Any:
    if all(type(key) is str and key[:1] != "$" for key in value):
        return {_str(key): to_json(part) for key, part in value.items()}
    return {"$dict": [[to_json(key), to_json(part)] for key, part in value.items()]}


def _with_zone(value: Any, zone: dt.tzinfo | None) -> Any:
    """ISO text; a list [naive ISO text, zone, fold] if ISO 8601 cannot express the zone's name or the fold."""
    text = value.replace(tzinfo=None).isoformat()
    if zone is None:
        return [text, None, 1] if value.fold else text
    name = zone_to_text(zone)
    if name is None:
        refuse(f"a time in the zone {zone!r}, which has no name that rebuilds it")
    if type(zone) is dt.timezone and not value.fold and " " not in name:
        return value.isoformat()
    if name.startswith("pytz:") and isinstance(value, dt.datetime):
        # pytz keeps the offset in the zone object, so the tag stores the instant, and the zone computes the clock.
        instant = value.astimezone(dt.UTC)
        if instant.astimezone(zone_from_text(name)).replace(tzinfo=None) != value.replace(tzinfo=None):
            refuse(f"a datetime whose pytz zone {zone!r} was not set by localize()")
        return [instant.isoformat(), name, value.fold]
    return [text, name, value.fold]


def _read_zoned(kind: Any) -> Callable[[Any], Any]:
    def read(content: Any) -> Any:
        if isinstance(content, str):
            return kind.fromisoformat(content)
        text, name, fold = content
        value, zone = kind.fromisoformat(text), None if name is None else zone_from_text(name)
        moved = value.astimezone(zone) if value.tzinfo is not None else value.replace(tzinfo=zone)
        return moved.replace(fold=fold)

    return read


def _complex(value: complex) -> Any:
    return {"$complex": [value.real.hex(), value.imag.hex()]}


_WRITERS: dict[type, Callable[[Any], Any]] = {
    type(None): _identity,
    bool: _identity,
    int: _int,
    float: _float,
    str: _str,
    list: _list,
    dict: _dict,
    tuple: lambda value: {"$tuple": _list(value)},
    bytes: lambda value: {"$bytes": base64.b64encode(value).decode("ascii")},
    complex: _complex,
    dt.datetime: lambda value: {"$datetime": _with_zone(value, value.tzinfo)},
    dt.date: lambda value: {"$date": value.isoformat()},
    dt.time: lambda value: {"$time": _with_zone(value, value.tzinfo)},
    dt.timedelta: lambda value: {"$timedelta": [value.days, value.seconds, value.microseconds]},
    decimal.Decimal: lambda value: {"$decimal": str(value)},
    uuid.UUID: lambda value: {
        "$uuid": str(value) if value.is_safe.value is None else [str(value), value.is_safe.value]
    },
}

_READERS: dict[str, Callable[[Any], Any]] = {
    "$tuple": lambda content: tuple([from_json(part) for part in content]),
    "$int": lambda content: int(content, 0),
    "$float": _read_float,
    "$bytes": lambda content: base64.b64decode(content, validate=True),
    "$date": dt.date.fromisoformat,
    "$datetime": _read_zoned(dt.datetime),
    "$time": _read_zoned(dt.time),
    "$timedelta": lambda content: dt.timedelta(*content),
    "$complex": lambda content: complex(float.fromhex(content[0]), float.fromhex(content[1])),
    "$decimal": decimal.Decimal,
    "$uuid": lambda content: (
        uuid.UUID(content) if isinstance(content, str) else uuid.UUID(content[0], is_safe=uuid.SafeUUID(content[1]))
    ),
    "$dict": lambda content: {from_json(key): from_json(part) for key, part in content},
}


def _reader(tag: str) -> Callable[[Any], Any]:
    reader = _READERS.get(tag)
    if reader is not None:
        return reader
    if tag in ("$np", "$datetime64", "$timedelta64"):
        from . import numpy_labels as module
    elif tag in ("$timestamp", "$pdtimedelta", "$period", "$interval", "$na"):
        from . import pandas_labels as module  # type: ignore[no-redef]
    else:
        raise ValueError(f"unknown tag {tag}; the file may come from a newer version")
    return module.READERS[tag]
