"""Tags of pandas' scalars: Timestamp, Timedelta, Period, Interval, NaT and NA."""

from typing import Any

import pandas as pd

from . import tagged_labels
from .zones import zone_from_text, zone_to_text


def to_json(value: Any) -> Any:
    if value is pd.NA:
        return {"$na": "pandas"}
    if value is pd.NaT:
        return {"$na": "NaT"}
    kind = type(value)
    if kind is pd.Timestamp:
        zone = None
        if value.tzinfo is not None:
            zone = zone_to_text(value.tzinfo)
            if zone is None:
                tagged_labels.refuse(f"a Timestamp in the zone {value.tzinfo!r}, which has no name that rebuilds it")
        fields = [int(value.asm8.view("i8")), value.unit, zone]
        return {"$timestamp": [*fields, 1] if value.fold and zone is None else fields}
    if kind is pd.Timedelta:
        return {"$pdtimedelta": [int(value.asm8.view("i8")), value.unit]}
    if kind is pd.Period:
        return {"$period": [value.ordinal, value.freqstr]}
    if kind is pd.Interval:
        return {"$interval": [tagged_labels.to_json(value.left), tagged_labels.to_json(value.right), value.closed]}
    tagged_labels.refuse(f"a {kind.__module__}.{kind.__qualname__}")


def _read_timestamp(content: Any) -> pd.Timestamp:
    ticks, unit, zone, *fold = content
    naive = pd.Timestamp(_np_datetime(ticks, unit))
    if fold:
        return naive.replace(fold=fold[0])
    return naive if zone is None else naive.tz_localize("UTC").tz_convert(zone_from_text(zone))


def _np_datetime(ticks: Any, unit: Any) -> Any:
    import numpy as np

    return np.datetime64(int(ticks), _known_unit(unit))


def _known_unit(unit: Any) -> Any:
    if unit not in ("s", "ms", "us", "ns"):
        raise ValueError(f"expected a unit of s, ms, us or ns, found {unit!r}")
    return unit


def _read_timedelta(content: Any) -> pd.Timedelta:
    import numpy as np

    ticks, unit = content
    return pd.Timedelta(np.timedelta64(int(ticks), _known_unit(unit)))


def _read_interval(content: Any) -> pd.Interval:
    left, right, closed = content
    return pd.Interval(tagged_labels.from_json(left), tagged_labels.from_json(right), closed)


def _read_na(content: Any) -> Any:
    return {"pandas": pd.NA, "NaT": pd.NaT}[content]


READERS = {
    "$timestamp": _read_timestamp,
    "$pdtimedelta": _read_timedelta,
    "$period": lambda content: pd.Period(ordinal=int(content[0]), freq=content[1]),
    "$interval": _read_interval,
    "$na": _read_na,
}
