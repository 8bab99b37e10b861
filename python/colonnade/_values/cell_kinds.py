"""Extensions of mixed cells that Python encodes for the core: aware times, and the scalars of NumPy and pandas.

The core calls `encode` for a value of an unknown class, `decode` for a code that it does not handle, and the other two
functions for times with a zone. A payload is data: the module never evaluates it, and this file lists all classes. A
malformed payload raises a ValueError, to which the core adds the position.
"""

import datetime as dt
import functools
import re
import struct
import sys
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from .zones import zone_from_text, zone_to_text

# The codes, one per class, as in docs/formats/msgpack.md. The meaning of a code never changes.
NUMPY, TIMESTAMP, PANDAS_TIMEDELTA, PANDAS_MISSING, PERIOD, INTERVAL = range(10, 16)

_EXPECTED = (
    "expected None, bool, int, float, complex, str, bytes, date, time, datetime, timedelta, Decimal, UUID, a scalar of "
    "NumPy or pandas, or a tuple, list or dict of these"
)


def encode(value: Any) -> tuple[int, bytes]:
    """Code and payload of a value. TypeError with the expected and found types if there is none."""
    kind = type(value)
    prefix = _FIXED.get(kind)
    if prefix is not None:
        return NUMPY, prefix + value.tobytes()
    root = kind.__module__.partition(".")[0]
    if isinstance(value, np.generic) and root == "numpy":
        return NUMPY, _numpy_payload(value)
    # Cells can be objects of pandas only if pandas is imported.
    if root == "pandas" and "pandas" in sys.modules:
        from . import pandas_cell_kinds

        found = pandas_cell_kinds.encode(value)
        if found is not None:
            return found
    refuse(value)


def refuse(value: Any, why: str = "") -> NoReturn:
    """Raises the TypeError of a value that has no code."""
    kind = type(value)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    base = next((base for base in kind.__mro__[1:-1] if base.__module__ in _PLAIN), None)
    if not why and base is not None:
        why = f", which would come back as a plain {base.__qualname__}"
    raise TypeError(f"{_EXPECTED}, found a {name}{why}. Convert it first, or leave the column out.")


_PLAIN = ("builtins", "datetime", "decimal", "uuid", "numpy")


def decode(code: int, payload: bytes) -> Any:
    """The value of a payload. ValueError for an unknown code or a malformed payload."""
    if code == NUMPY:
        return _from_numpy_payload(payload)
    if code in range(TIMESTAMP, INTERVAL + 1):
        try:
            import pandas  # noqa: F401
        except ModuleNotFoundError as error:
            raise ImportError(
                "pandas is not installed, and the column has cells that are pandas' own. "
                "Install it with: pip install 'colonnade[pandas]'",
                name="pandas",
            ) from error
        from . import pandas_cell_kinds

        return pandas_cell_kinds.decode(code, payload)
    raise ValueError(f"no extension {code} is known; the file may come from a newer version")


# --------------------------------------------------------------------------- times with a zone
def zoned_text(value: Any) -> str:
    """An aware datetime or time as ``ISO 8601|fold|zone``: the clock of that zone; for pytz the instant in UTC."""
    zone = value.tzinfo
    name = _zone_text(zone)
    if name is None:
        refuse(value, f" in the zone {zone!r}, which has no name that rebuilds it")
    clock = value.replace(tzinfo=None)
    if name.startswith("pytz:") and isinstance(value, dt.datetime):
        # pytz keeps the offset in the zone object, so the payload stores the instant, and the zone computes the clock.
        instant = value.astimezone(dt.UTC)
        if instant.astimezone(zone_from_text(name)).replace(tzinfo=None) != clock:
            refuse(value, f" whose pytz zone {zone!r} was not set by localize()")
        return f"{instant.isoformat()}|{value.fold}|{name}"
    return f"{clock.isoformat()}|{value.fold}|{name}"


def read_zoned(kind: Any, text: str) -> Any:
    """The value of ``ISO 8601|fold|zone``, of class `kind`. An empty zone means no zone."""
    clock, fold, name = text.split("|", 2)
    if fold not in ("0", "1"):
        raise ValueError(f"expected a fold of 0 or 1, found {fold!r:.20}")
    value, zone = kind.fromisoformat(clock), _zone(name) if name else None
    if value.tzinfo is not None:
        if kind is not dt.datetime or zone is None:
            raise ValueError(f"expected a clock without an offset, found {clock!r}")
        return value.astimezone(zone).replace(fold=int(fold))
    return value.replace(tzinfo=zone, fold=int(fold))


# Thousands of cells share a few zones, so they are cached by equality. `_zone_text` does not cache a dt.timezone,
# because two of them with one offset are equal even if their names differ.
@functools.lru_cache(maxsize=64)
def _zone(name: str) -> dt.tzinfo:
    return zone_from_text(name)


def _zone_text(zone: dt.tzinfo) -> str | None:
    if type(zone) is dt.timezone:
        return zone_to_text(zone)
    try:
        return _named_zone_text(zone)
    except TypeError:  # an unhashable zone
        return zone_to_text(zone)


@functools.lru_cache(maxsize=64)
def _named_zone_text(zone: dt.tzinfo) -> str | None:
    return zone_to_text(zone)


# --------------------------------------------------------------------------- NumPy
# The allowed dtypes of scalars in a file: never "O", never a structure.
_DESCR = r"[<>|][biufcSUV]\d{1,9}|[<>][mM]8(\[\d{0,9}(Y|M|W|D|h|m|s|ms|us|ns|ps|fs|as)\])?"


# Scalars whose class determines their dtype.
_FIXED = {
    np.dtype(name).type: np.dtype(name).str.encode("ascii") + b"\0"
    for name in ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16")
}


def _numpy_payload(value: Any) -> bytes:
    """The dtype as NumPy's text, a NUL, the bytes. Text and bytes without NumPy's filling."""
    dtype = value.dtype
    kind = dtype.kind
    descr: str = dtype.str
    if not re.fullmatch(_DESCR, descr) or dtype.names is not None or dtype.subdtype is not None:
        refuse(value, f" of dtype {dtype}")
    if type(value) is not dtype.type:
        refuse(value)
    content: bytes = value.tobytes()
    if kind == "U":
        try:
            content = str.__str__(value).encode()  # NumPy's own __str__ cuts NUL off
        except UnicodeEncodeError:
            refuse(value, " with a lone surrogate, which is no Unicode text")
        descr = "<U"
    elif kind == "S":
        content, descr = bytes(value), "|S"
    elif kind in "fc":
        content = _without_filling(content, dtype)
    return descr.encode("ascii") + b"\0" + content


def _without_filling(content: bytes, dtype: Any) -> bytes:
    """Zeroes the six padding bytes of x87's 80-bit numbers, so that equal values have equal bytes."""
    size = dtype.itemsize // (2 if dtype.kind == "c" else 1)
    if size <= 8 or np.finfo(dtype).nmant != 63:
        return content
    parts = [content[at : at + size] for at in range(0, len(content), size)]
    return b"".join(part[:10] + bytes(size - 10) for part in parts)


def _from_numpy_payload(payload: bytes) -> Any:
    descr, found, content = payload.partition(b"\0")
    if not found:
        raise ValueError("expected a dtype, NUL and a value")
    if descr == b"<U":
        return np.str_(content.decode())
    if descr == b"|S":
        return np.bytes_(content)
    make, itemsize = _scalar_of(descr)
    if len(content) != itemsize:
        raise ValueError(f"expected {itemsize} bytes of a value, found {len(content)}")
    return make(content)


@functools.lru_cache(maxsize=64)
def _scalar_of(descr: bytes) -> tuple[Callable[[bytes], Any], int]:
    text = descr.decode("ascii")
    if not re.fullmatch(_DESCR, text) or text[1] in "SU":
        raise ValueError(f"expected the dtype of a scalar, found {text!r:.40}")
    try:
        dtype = np.dtype(text)
    except TypeError as error:
        raise ValueError(f"expected a dtype that NumPy has here, found {text!r}") from error
    if not dtype.itemsize:
        return lambda content: dtype.type(content), 0
    return lambda content: np.frombuffer(content, dtype)[0], dtype.itemsize


def ticks_of(payload: bytes) -> tuple[int, bytes]:
    """A leading int64, and the rest."""
    if len(payload) < 8:
        raise ValueError(f"expected 8 bytes of a count, found {len(payload)}")
    return struct.unpack_from(">q", payload)[0], payload[8:]
