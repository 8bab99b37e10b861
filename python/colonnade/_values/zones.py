"""Converts time zones to text, and back to an object of the same class.

``Europe/Berlin`` is a `zoneinfo.ZoneInfo`, ``UTC`` is `datetime.timezone.utc`, ``+01:00`` a fixed offset (with its
name, if any, after a space), ``pytz:Europe/Berlin`` and ``dateutil:Europe/Berlin`` name their library. Zones of two
libraries never compare equal, so the library is part of the value.
"""

import datetime as dt
import importlib
import re
import sys
from typing import Any

_OFFSET = r"[+-]\d\d:\d\d(:\d\d(\.\d{6})?)?"
_ZONE_NAME = r"[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)*"


def zone_to_text(zone: dt.tzinfo) -> str | None:
    """Text that `zone_from_text` converts to an equal object of the same class; None if no such text exists."""
    kind: Any = type(zone)
    if kind is dt.timezone:
        return _timezone_text(zone)
    zoneinfo = sys.modules.get("zoneinfo")  # before its import, no ZoneInfo exists
    if zoneinfo is not None and kind is zoneinfo.ZoneInfo:
        named: Any = zone
        key = named.key
        if key is None:  # ZoneInfo.from_file without a key
            return None
        return key if "/" in key else f"zoneinfo:{key}"
    root = kind.__module__.partition(".")[0]
    if root not in ("pytz", "dateutil"):
        return None
    text = _pytz_text(zone) if root == "pytz" else _dateutil_text(zone)
    if text is None:
        return None
    try:
        same = zone_from_text(text)
    except ValueError:
        return None
    # The pytz zone of a localized datetime is another object than the named zone, but means the same zone.
    return text if same == zone or (root == "pytz" and str(same) == str(zone)) else None


def arrow_zone(text: str) -> str:
    """The zone's name in Arrow, without the library's name and without a fixed offset's own name."""
    root, colon, name = text.partition(":")
    named = name if colon and root in ("zoneinfo", "pytz", "dateutil") else text
    return named.partition(" ")[0] if named[:1] in ("+", "-") else named


def zone_from_text(text: str) -> dt.tzinfo:
    """The zone of a text from `zone_to_text`. ValueError for an unknown text or zone."""
    if text == "UTC":
        return dt.UTC
    if text[:1] in ("+", "-"):
        offset, _, name = text.partition(" ")
        delta = _offset(offset)
        return dt.timezone(delta, name) if name else dt.timezone(delta)
    root, colon, name = text.partition(":")
    if not colon:
        root, name = "zoneinfo", text
    if root == "pytz":
        return _pytz_zone(name)
    # Some zone readers open files by name. The grammar excludes absolute paths and "..".
    if not re.fullmatch(_ZONE_NAME, name):
        raise ValueError(f"time zone {text!r}: expected a name such as Europe/Berlin")
    if root == "zoneinfo":
        import zoneinfo

        try:
            return zoneinfo.ZoneInfo(name)
        except (zoneinfo.ZoneInfoNotFoundError, OSError) as error:
            raise ValueError(f"time zone {name!r} is not known on this machine. Install tzdata.") from error
    if root == "dateutil":
        return _dateutil_zone(name)
    raise ValueError(f"time zone {text!r}: expected zoneinfo, pytz or dateutil before the colon")


def _offset(text: str) -> dt.timedelta:
    if not re.fullmatch(_OFFSET, text):
        raise ValueError(f"time zone {text!r}: expected an offset such as +01:00")
    zone = dt.datetime.fromisoformat(f"2000-01-01T00:00:00{text}").tzinfo
    delta = zone.utcoffset(None) if zone is not None else None
    if delta is None:
        raise ValueError(f"time zone {text!r}: expected an offset such as +01:00")
    return delta


def _offset_text(delta: dt.timedelta) -> str:
    text = dt.datetime(2000, 1, 1, tzinfo=dt.timezone(delta)).isoformat()
    return text[19:]


def _timezone_text(zone: Any) -> str:
    if zone is dt.UTC:
        return "UTC"
    delta, *name = zone.__getinitargs__()
    return " ".join([_offset_text(delta), *name])


def _pytz_text(zone: Any) -> str | None:
    name = getattr(zone, "zone", None)
    if name is not None:
        return f"pytz:{name}"
    delta = zone.utcoffset(None)
    return None if delta is None else f"pytz:{_offset_text(delta)}"


def _pytz_zone(name: str) -> dt.tzinfo:
    pytz: Any = importlib.import_module("pytz")
    if name[:1] in ("+", "-"):
        fixed: dt.tzinfo = pytz.FixedOffset(int(_offset(name).total_seconds()) // 60)
        return fixed
    try:
        zone: dt.tzinfo = pytz.timezone(name)
    except pytz.UnknownTimeZoneError as error:
        raise ValueError(f"time zone {name!r} is not known to pytz") from error
    return zone


def _dateutil_text(zone: Any) -> str | None:
    if type(zone).__name__ == "tzutc":
        return "dateutil:UTC"
    path = getattr(zone, "_filename", None)
    if type(zone).__name__ != "tzfile" or not isinstance(path, str):
        return None
    name = path.rpartition("zoneinfo/")[2]
    return f"dateutil:{name}" if re.fullmatch(_ZONE_NAME, name) else None


def _dateutil_zone(name: str) -> dt.tzinfo:
    tz: Any = importlib.import_module("dateutil.tz")
    zone: dt.tzinfo | None = tz.tzutc() if name == "UTC" else tz.gettz(name)
    if zone is None:
        raise ValueError(f"time zone {name!r} is not known to dateutil on this machine")
    return zone
