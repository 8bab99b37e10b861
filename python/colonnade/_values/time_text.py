"""Times of day and durations as text, from counts of a unit."""

from __future__ import annotations

_SECOND = {"s": 1, "ms": 1000, "us": 10**6, "ns": 10**9, "ps": 10**12, "fs": 10**15, "as": 10**18}
_SECONDS = {"W": 604_800, "D": 86_400, "h": 3600, "m": 60}


def clock_text(ticks: int, unit: str) -> str:
    """A time of day.

    >>> clock_text(3_720_500, "ms"), clock_text(3_720_000, "ms")
    ('01:02:00.5', '01:02:00')
    """
    second = _SECOND[unit]
    seconds, rest = divmod(ticks, second)
    text = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{text}.{rest:0{len(str(second)) - 1}}".rstrip("0").rstrip(".") if rest else text


def duration_text(ticks: int, unit: str) -> str | None:
    """A duration in days and time. None for months and years, which are no fixed number of days.

    >>> duration_text(68_400_000_000, "us"), duration_text(-90_061, "s"), duration_text(2, "D")
    ('19:00:00', '-1 days 01:01:01', '2 days')
    """
    if unit in _SECONDS:
        ticks, unit = ticks * _SECONDS[unit], "s"
    if unit not in _SECOND:
        return None
    sign = "-" if ticks < 0 else ""
    days, rest = divmod(abs(ticks), 86_400 * _SECOND[unit])
    parts = [f"{days:,} days"] if days else []
    return sign + " ".join([*parts, *([clock_text(rest, unit)] if rest or not days else [])])
