"""Extensions of mixed cells for pandas' classes: Timestamp, Timedelta, NaT, NA, Period, Interval."""

import struct
from typing import Any

import pandas as pd

from ..errors import ColonnadeError
from . import tagged_labels
from .cell_kinds import (
    INTERVAL,
    PANDAS_MISSING,
    PANDAS_TIMEDELTA,
    PERIOD,
    TIMESTAMP,
    _zone,
    _zone_text,
    refuse,
    ticks_of,
)

_UNITS = ("s", "ms", "us", "ns")


def encode(value: Any) -> tuple[int, bytes] | None:
    """Code and payload of a value; None for a class without a code."""
    kind = type(value)
    if value is pd.NaT or value is pd.NA:
        return PANDAS_MISSING, b"\x00" if value is pd.NaT else b"\x01"
    if kind is pd.Timestamp:
        return TIMESTAMP, _timestamp(value)
    if kind is pd.Timedelta:
        return PANDAS_TIMEDELTA, _ticks(value) + value.unit.encode()
    if kind is pd.Period or kind is pd.Interval:
        code = PERIOD if kind is pd.Period else INTERVAL
        try:
            text = tagged_labels.encode(value)
            if repr(tagged_labels.decode(text)) == repr(value):
                return code, text.encode()
        except ColonnadeError:
            pass
        refuse(value, f" {value!r:.60}, which no text rebuilds")
    return None


def decode(code: int, payload: bytes) -> Any:
    """The value of a payload. ValueError for a malformed payload."""
    if code == PANDAS_MISSING:
        if payload not in (b"\x00", b"\x01"):
            raise ValueError("expected 0 (NaT) or 1 (NA)")
        return pd.NA if payload[0] else pd.NaT
    if code in (PERIOD, INTERVAL):
        try:
            value = tagged_labels.decode(payload.decode())
        except ColonnadeError as error:
            raise ValueError(str(error)) from error
        if type(value) is not (pd.Period if code == PERIOD else pd.Interval):
            raise ValueError(f"expected a period or an interval, found {payload!r:.60}")
        return value
    ticks, rest = ticks_of(payload)
    unit, _, fold_and_zone = rest.decode().partition("|")
    if unit not in _UNITS:
        raise ValueError(f"expected a unit of s, ms, us or ns, found {unit!r:.20}")
    return _timedelta(ticks, unit) if code == PANDAS_TIMEDELTA else _from_ticks(ticks, unit, fold_and_zone)


def _ticks(value: Any) -> bytes:
    return struct.pack(">q", int(value.asm8.view("i8")))


def _timestamp(value: Any) -> bytes:
    """Ticks since 1970 (in UTC if there is a zone), the unit, and fold and zone if either is set."""
    zone, name = value.tzinfo, ""
    if zone is not None:
        name = _zone_text(zone) or ""
        if not name:
            refuse(value, f" in the zone {zone!r}, which has no name that rebuilds it")
    fold_and_zone = f"|{value.fold}|{name}" if name or value.fold else ""
    payload = _ticks(value) + f"{value.unit}{fold_and_zone}".encode()
    again = decode(TIMESTAMP, payload)
    if (again, again.fold, again.unit, str(again)) != (value, value.fold, value.unit, str(value)):
        refuse(value, f" {value!r}, which comes back as {again!r}")
    return payload


def _from_ticks(ticks: int, unit: str, fold_and_zone: str) -> Any:
    import numpy as np

    naive = pd.Timestamp(np.int64(ticks).view(f"M8[{unit}]"))
    if not fold_and_zone:
        return naive
    fold, _, name = fold_and_zone.partition("|")
    if fold not in ("0", "1"):
        raise ValueError(f"expected a fold of 0 or 1, found {fold!r:.20}")
    if name:
        return naive.tz_localize("UTC").tz_convert(_zone(name))
    return naive.replace(fold=int(fold))


def _timedelta(ticks: int, unit: str) -> Any:
    import numpy as np

    return pd.Timedelta(np.int64(ticks).view(f"m8[{unit}]"))
