"""Dates, instants and times of day in ISO 8601, as counts of a unit."""

import re

from .outcomes import Refused

DATE = re.compile(r"(-?\d{4,})-(\d\d)-(\d\d)\Z")
INSTANT = re.compile(r"(-?\d{4,}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?))?(Z|[+-]\d\d:?\d\d)?\Z")
CLOCK = re.compile(r"(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?\Z")
LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def date(text: str) -> int:
    """Days since 1970-01-01 in the proleptic Gregorian calendar, of any year."""
    found = DATE.match(text)
    if found is None:
        raise Refused(f"no date: {text:.60}")
    year, month, day = map(int, found.groups())
    is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if not 1 <= month <= 12 or not 1 <= day <= LENGTHS[month - 1] + (month == 2 and is_leap):
        raise Refused(f"no date: {text:.60}")
    before = year - 1
    past = before * 365 + before // 4 - before // 100 + before // 400 + sum(LENGTHS[: month - 1])
    return past + (month > 2 and is_leap) + day - 719_163


def clock(text: str, per_second: int) -> int:
    """A count of the unit since midnight."""
    found = CLOCK.match(text)
    if found is None:
        raise Refused(f"no time of day: {text:.60}")
    hours, minutes, seconds = (int(part or 0) for part in found.groups()[:3])
    if hours > 23 or minutes > 59 or seconds > 59:
        raise Refused(f"no time of day: {text:.60}")
    digits = found[4] or ""
    width = len(str(per_second)) - 1
    if digits[width:].strip("0"):
        raise Refused(f"a fraction of the unit: {text:.60}")
    fraction = int(digits[:width].ljust(width, "0") or 0)
    return ((hours * 60 + minutes) * 60 + seconds) * per_second + fraction


def instant(text: str, per_second: int, is_zoned: bool) -> int:
    """A count of the unit since 1970. Text with an offset needs a type with a zone."""
    found = INSTANT.match(text)
    if found is None:
        raise Refused(f"no instant: {text:.60}")
    day, time, offset = found.groups()
    if offset is not None and not is_zoned:
        raise Refused(f"an offset in a type without zone: {text:.60}")
    count = date(day) * 86_400 * per_second + (clock(time, per_second) if time else 0)
    if offset in (None, "Z"):
        return count
    digits = offset[1:].replace(":", "")
    minutes = int(digits[:2]) * 60 + int(digits[2:])
    return count - (minutes if offset[0] == "+" else -minutes) * 60 * per_second
