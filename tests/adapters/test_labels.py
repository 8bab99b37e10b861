"""Tagged JSON: every value of labels, names and attrs, and values that are refused."""

import datetime as dt
import decimal
import json
import math
import subprocess
import sys
import uuid
import zoneinfo
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from colonnade import DecodeError, EncodeError
from colonnade._values import tagged_labels
from colonnade.testing.cases_cells import CELLS, pandas_cells, same_cell
from tests.helpers.each import each

_BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")

PLAIN = [None, True, False, 0, 2**64 - 1, -(2**63), 1.0, -0.0, 1e300, 5e-324, "", "é\0\n", [1, [None]], {"a": {"b": 1}}]
TAGGED = [
    2**64,
    -(2**63) - 1,
    10**5000,
    math.inf,
    -math.inf,
    b"\0\xff",
    (),
    ("a", (1, None)),
    {"$a": 1},
    {1: 2, None: (3,)},
    1 + 2j,
    complex(math.inf, -0.0),
    dt.date(2020, 2, 29),
    dt.datetime(2020, 1, 1, 2, 3, 4, 5),
    dt.datetime(2020, 1, 1, fold=1),
    dt.datetime(2020, 1, 1, tzinfo=dt.UTC),
    dt.datetime(2020, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=-3, minutes=-30))),
    dt.datetime(2020, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=1), "XYZ")),
    dt.datetime(2020, 10, 25, 2, 30, tzinfo=_BERLIN),
    dt.datetime(2020, 10, 25, 2, 30, tzinfo=_BERLIN, fold=1),
    dt.datetime(2020, 1, 1, tzinfo=zoneinfo.ZoneInfo("UTC")),
    dt.time(1, 2, 3, 4),
    dt.time(1, tzinfo=dt.UTC),
    dt.timedelta(-3, 4, 5),
    decimal.Decimal("1.10"),
    decimal.Decimal("-Infinity"),
    uuid.UUID(int=7),
    np.int64(3),
    np.uint8(255),
    np.bool_(True),
    np.float16(0.1),
    np.float32(0.1),
    np.float64(0.1),
    np.longdouble("0.1"),
    np.complex64(1 + 2j),
    np.str_("abc"),
    np.bytes_(b""),
    np.bytes_(b"a"),
    np.void(b"abc\0"),
    np.datetime64("2020-01"),
    np.datetime64("2020-04", "3M"),
    np.datetime64(2**62, "s"),
    np.datetime64(-5, "as"),
    np.datetime64("NaT", "ns"),
    np.timedelta64(3, "D"),
    np.timedelta64("NaT"),
    np.timedelta64(5),
]


@each("value", list(PLAIN), ids=repr)
def test_what_json_holds_stands_as_it_is(value: Any) -> None:
    text = tagged_labels.encode(value)
    assert json.loads(text) == value
    back = tagged_labels.decode(text)
    assert type(back) is type(value)
    assert repr(back) == repr(value)


@each(
    "value",
    list(TAGGED),
    ids=lambda value: f"{type(value).__name__} {value!r:.40}" if not isinstance(value, int) else "int",
)
def test_what_json_cannot_hold_is_tagged(value: Any) -> None:
    text = tagged_labels.encode(value)
    ((tag, _),) = json.loads(text).items()
    assert tag.startswith("$")
    back = tagged_labels.decode(text)
    assert type(back) is type(value)
    if isinstance(value, int):
        assert back == value
    else:
        assert repr(back) == repr(value)


def test_nan_is_a_float() -> None:
    assert json.loads(tagged_labels.encode(math.nan)) == {"$float": "nan"}
    assert math.isnan(tagged_labels.decode(tagged_labels.encode(math.nan)))


LABELS = [(name, make) for name, make in (CELLS | pandas_cells()).items()]


@each("make", [pytest.param(make, id=name) for name, make in LABELS])
def test_what_a_cell_may_be_a_label_keeps_to_the_bit(make: Any) -> None:
    for value in make():
        try:
            text = tagged_labels.encode(value)
        except EncodeError:  # deeper than JSON goes
            continue
        assert same_cell(value, tagged_labels.decode(text))


def test_times_of_pandas() -> None:
    pd = pytest.importorskip("pandas")
    values = [
        pd.Timestamp("2020-01-01").as_unit("s"),
        pd.Timestamp("2020-10-25 01:30", tz="UTC").tz_convert("Europe/Berlin"),
        pd.Timedelta("1ns"),
        pd.Period("2020-03", "Q-FEB"),
        pd.Interval(0, 1.5, "left"),
        pd.Interval(pd.Timestamp("2020"), pd.Timestamp("2021")),
    ]
    for value in values:
        back = tagged_labels.decode(tagged_labels.encode(value))
        assert type(back) is type(value)
        assert repr(back) == repr(value)
        assert getattr(back, "unit", None) == getattr(value, "unit", None)
    assert tagged_labels.decode(tagged_labels.encode(pd.NA)) is pd.NA
    assert tagged_labels.decode(tagged_labels.encode(pd.NaT)) is pd.NaT


def test_zones_keep_their_library() -> None:
    pytz = pytest.importorskip("pytz")
    tz = pytest.importorskip("dateutil.tz")
    values = [
        pytz.timezone("Europe/Berlin").localize(dt.datetime(2020, 7, 1)),
        pytz.timezone("Europe/Berlin").localize(dt.datetime(2020, 10, 25, 2, 30), is_dst=False),
        dt.datetime(2020, 1, 1, tzinfo=pytz.FixedOffset(-90)),
        dt.datetime(2020, 1, 1, tzinfo=pytz.UTC),
        dt.datetime(2020, 1, 1, tzinfo=tz.gettz("Europe/Berlin")),
        dt.datetime(2020, 1, 1, tzinfo=tz.tzutc()),
    ]
    for value in values:
        assert repr(tagged_labels.decode(tagged_labels.encode(value))) == repr(value)
    with pytest.raises(EncodeError, match="localize"):
        tagged_labels.encode(dt.datetime(2020, 1, 1, tzinfo=pytz.timezone("Europe/Berlin")))
    with pytest.raises(EncodeError, match="zone"):
        tagged_labels.encode(dt.datetime(2020, 1, 1, tzinfo=tz.tzlocal()))


class _Odd:
    pass


class _Text(str):
    pass


@each(
    "value",
    [
        _Odd(),
        _Text("a"),
        frozenset(),
        {1},
        range(3),
        np.arange(3),
        [_Odd()],
        {"a": {"b": _Odd()}},
        "\ud800",
        {"\udfff": 1},
    ],
)
def test_what_has_no_tag_is_refused(value: Any) -> None:
    with pytest.raises(EncodeError, match="labels: expected"):
        tagged_labels.encode(value)


def test_a_value_that_contains_itself_is_refused() -> None:
    value: list[Any] = []
    value.append(value)
    with pytest.raises(EncodeError, match="itself"):
        tagged_labels.encode(value)


@each(
    "text",
    [
        "",
        "{",
        "[" * 100_000,
        '{"$no": 1}',
        '{"$np": ["O", 1]}',
        '{"$np": ["<i1", 1000]}',
        '{"$np": ["<f16", {"$bytes": "AA=="}]}',
        '{"$np": ["|V99999999999", {"$bytes": ""}]}',
        '{"$np": [["a"], 1]}',
        '{"$date": 3}',
        '{"$date": "tomorrow"}',
        '{"$datetime": ["2020-01-01", "dateutil:/etc/passwd", 0]}',
        '{"$datetime": ["2020-01-01", "../../etc/passwd", 0]}',
        '{"$datetime": ["2020-01-01", "Europe/Nowhere", 0]}',
        '{"$timedelta": [1, 2, 3, 4, 5, 6, 7, 8]}',
        '{"$datetime64": ["2020", "X"]}',
        '{"$datetime64": [2020, "Y"]}',
        '{"$dict": [[[1], 2]]}',
        '{"$int": "ten"}',
        '{"$bytes": "?"}',
        '{"$decimal": "x"}',
        '{"$period": [1, "no such"]}',
        '{"$timestamp": [1, "D", null]}',
    ],
)  # fmt: skip
def test_bad_text_is_a_decode_error(text: str) -> None:
    with pytest.raises(DecodeError):
        tagged_labels.decode(text)


_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary()
    | st.dates()
    | st.datetimes()
    | st.times()
    | st.timedeltas()
    | st.decimals(allow_nan=False)
    | st.uuids()
    | st.complex_numbers(allow_nan=False)
)
_HASHABLE = st.recursive(_SCALARS, lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=5)
_VALUES = st.recursive(
    _HASHABLE, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_HASHABLE, inner, max_size=3), max_leaves=10
)


@given(_VALUES)
def test_every_value_comes_back(value: Any) -> None:
    text = tagged_labels.encode(value)
    assert "NaN" not in json.dumps(json.loads(text))
    assert repr(tagged_labels.decode(text)) == repr(value)


def test_pandas_is_not_imported_for_plain_labels() -> None:
    code = (
        "import sys; from colonnade._values import tagged_labels as x; x.decode(x.encode([1, ('a', 2)])); "
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pandas" not in done.stdout.split()
