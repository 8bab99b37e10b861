"""Instants in a format of `strptime`, against the `strptime` of Python."""

import datetime as dt

import pytest

import colonnade as cn
from tests.helpers.each import each

CASES = [
    ("%B %d %Y", "March 05 2020"),
    ("%d %B %Y", "31 december 1999"),
    ("%b %d %Y", "May 05 2020"),
    ("%Y %H:%M:%S.%f", "2020 12:13:14.25"),
    ("%Y-%m-%d %H:%M:%S", "2020-02-29 23:59:59"),
    ("%Y-%m-%d %H:%M %z", "2020-01-01 10:00 +0230"),
    ("%Y-%m-%dT%H:%M:%S.%f%z", "2020-01-01T00:00:07.000001-0800"),
    ("%Y %j", "2020 366"),
    ("%Y %j", "2021 365"),
    ("%Y %j", "2021 001"),
    ("%Y %I %p", "2020 12 AM"),
    ("%Y %I %p", "2020 12 PM"),
    ("%Y %I:%M %p", "2020 01:30 AM"),
    ("%Y %I:%M %p", "2020 11:59 pm"),
    ("%d.%m.%y", "31.12.00"),
    ("%d.%m.%y", "31.12.68"),
    ("%d.%m.%y", "01.01.69"),
    ("%d.%m.%y", "29.02.96"),
    ("%Y %j %H", "2020 060 05"),
    ("%H:%M:%S", "01:02:03"),
    ("100%% %Y-%m", "100% 2020-02"),
]
REFUSED = [
    ("%Y %j", "2021 366"),
    ("%Y %j", "1900 366"),
    ("%Y %j", "2020 367"),
    ("%Y %j", "2021 000"),
    ("%Y %H:%M", "2020 24:00"),
    ("%Y %H:%M", "2020 23:60"),
    ("%Y %H:%M", "2020 25:00"),
    ("%Y %M:%S", "2020 59:62"),
    ("%Y %M", "2020 61"),
    ("%B %Y", "Mar 2020"),
    ("%Y %I %p", "2020 13 PM"),
    ("%Y %I %p", "2020 00 AM"),
    ("%Y %I %p", "2020 11 XM"),
    ("%Y-%m-%d", "2021-02-29"),
    ("%Y-%m-%d", "2021-02-28 "),
    ("%Y-%m-%d", "2021-13-01"),
    ("%d.%m.%y", "1.1.2000"),
]


@each(("format", "text"), CASES)
def test_an_instant_is_that_of_python(format: str, text: str) -> None:
    frame = cn.decode(f"a,b\n{text},1\n".encode(), "csv", parse_dates=["a"], date_format=format)
    (found,) = frame.to_arrow()["a"].to_pylist()
    assert found == dt.datetime.strptime(text, format)


@each(("format", "text"), REFUSED)
def test_an_instant_that_no_clock_or_calendar_shows_is_refused(format: str, text: str) -> None:
    with pytest.raises(cn.DecodeError, match=f'line 2, column 1: expected an instant as date_format.*"{text}"'):
        cn.decode(f"a,b\n{text},1\n".encode(), "csv", parse_dates=["a"], date_format=format)


def test_a_minute_has_60_seconds() -> None:
    """Python takes 60 and 61 for leap seconds; NumPy and Arrow have none."""
    for text in ("2020 00:00:60", "2020 00:00:61"):
        with pytest.raises(cn.DecodeError, match="expected an instant"):
            cn.decode(f"a\n{text}\n".encode(), "csv", parse_dates=["a"], date_format="%Y %H:%M:%S")
