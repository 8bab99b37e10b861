"""Object cells of every kind that a mixed column holds, cells that it refuses, and a comparison to the bit.

``CELLS`` maps a name to a function that makes a list of cells. ``pandas_cells`` returns the same for cells of pandas'
own types. ``REFUSED`` maps a name to a cell and a piece of the message. ``same_cell`` compares two cells.
``object_column`` makes an array of cells.
"""

import collections
import datetime as dt
import decimal
import enum
import math
import operator
import struct
import uuid
import zoneinfo
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")


def same_cell(a: Any, b: Any) -> bool:
    """Whether two cells are of one class and the same: bits of floats, order of dicts, zone and fold of times."""
    if type(a) is not type(b):
        return False
    if isinstance(a, list | tuple):
        return same_cells(a, b)
    if isinstance(a, dict):
        return same_cell(list(a.items()), list(b.items()))
    if isinstance(a, np.generic | np.ndarray):
        return _same_memory(a, b)
    if isinstance(a, float):
        return struct.pack("<d", a) == struct.pack("<d", b)
    if isinstance(a, complex):
        return same_cell([a.real, a.imag], [b.real, b.imag])
    if isinstance(a, int | str | bytes):
        return bool(a == b)
    if isinstance(a, dt.datetime | dt.time) and a.tzinfo is not None and type(a.tzinfo) is not type(b.tzinfo):
        return False
    attributes = ("unit", "fold", "is_safe", "freq")
    return repr(a) == repr(b) and all(getattr(a, name, None) == getattr(b, name, None) for name in attributes)


def same_cells(left: Sequence[Any], right: Sequence[Any]) -> bool:
    """Whether two sequences hold the same cells, each as `same_cell` compares them."""
    if len(left) != len(right):
        return False
    # Equality is enough for these types, but not for their subclasses, so a long list is compared at once.
    kinds = list(map(type, left))
    if _EQUAL_IS_SAME.issuperset(kinds):
        return kinds == list(map(type, right)) and all(map(operator.eq, left, right))
    return all(map(same_cell, left, right))


_EQUAL_IS_SAME = frozenset({str, bytes, bool, int, type(None)})


def _same_memory(a: Any, b: Any) -> bool:
    """Whether two scalars or arrays of NumPy have the same dtype, shape and bits."""
    if a.dtype.str != b.dtype.str or a.shape != b.shape:
        return False
    if a.dtype == object:
        return same_cells(a.ravel().tolist(), b.ravel().tolist())
    if a.dtype.char in "gG":  # long doubles have padding bytes
        return repr(a.tolist()) == repr(b.tolist())
    return bool(a.tobytes() == b.tobytes())


def object_column(cells: list[Any]) -> np.ndarray:
    """A 1-D object array of these cells; lists and tuples stay cells."""
    values = np.empty(len(cells), dtype=object)
    for position, cell in enumerate(cells):
        values[position] = cell
    return values


def _nested(depth: int) -> Any:
    cell: Any = "bottom"
    for level in range(depth):
        cell = [cell] if level % 3 == 0 else (cell,) if level % 3 == 1 else {"k": cell}
    return cell


def _itself(make: Callable[[list[Any]], Any]) -> Any:
    inner: list[Any] = []
    inner.append(make(inner))
    return inner


def _bits(bits: int) -> float:
    value: float = struct.unpack("<d", struct.pack("<Q", bits))[0]
    return value


CELLS: dict[str, Callable[[], list[Any]]] = {
    "of every plain kind": lambda: [None, True, False, 1, 1.0, "1", b"1", -0.0, 0, "", b"", math.inf],
    "ints of every width": lambda: [
        n
        for bits in (0, 5, 7, 8, 15, 16, 31, 32, 63, 64, 65, 127, 128, 4000)
        for n in (2**bits - 1, 2**bits, -(2**bits))
    ],
    "an int of many digits": lambda: [10**10000, -(10**10000), "x"],
    "floats by their bits": lambda: (
        [_bits(b) for b in (0x7FF8000000000000, 0xFFF8000000000000, 0x7FF8000000000001, 1, 1 << 63)] + ["x"]
    ),
    "text and NaN of other bits": lambda: ["x", _bits(0xFFF8000000000001)],
    "text and bytes": lambda: ["a\0", b"a\0", "é😀", b"\xff\x00", "l" * 300, b"l" * 70000],
    "text, None and NaN": lambda: ["a", None, math.nan],
    "None and NaN": lambda: [None, math.nan],
    "NaN and numbers": lambda: [math.nan, 1.5, None],
    "ints": lambda: [1, 2, None],
    "complex": lambda: [1 + 2j, complex(-0.0, math.nan), complex(math.inf, -0.0), None],
    "dates": lambda: [dt.date(2020, 2, 29), dt.date.min, dt.date.max, None],
    "times of day": lambda: [
        dt.time(1, 2, 3, 4),
        dt.time.min,
        dt.time.max,
        dt.time(2, fold=1),
        dt.time(2, tzinfo=dt.UTC),
        dt.time(2, 3, tzinfo=BERLIN, fold=1),
        dt.time(2, 3, tzinfo=dt.timezone(dt.timedelta(hours=1), "a|b c")),
    ],
    "datetimes": lambda: [
        dt.datetime(2020, 1, 1, 2, 3, 4, 5),
        dt.datetime.min,
        dt.datetime.max,
        dt.datetime(2020, 1, 1, fold=1),
        None,
    ],
    "datetimes in UTC": lambda: [
        dt.datetime(1970, 1, 1, tzinfo=dt.UTC),
        dt.datetime(2106, 2, 7, 6, 28, 15, tzinfo=dt.UTC),
        dt.datetime(2106, 2, 7, 6, 28, 16, tzinfo=dt.UTC),
        dt.datetime(2514, 5, 30, 1, 53, 3, 999999, tzinfo=dt.UTC),
        dt.datetime(2514, 5, 30, 1, 53, 4, tzinfo=dt.UTC),
        dt.datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=dt.UTC),
        dt.datetime.min.replace(tzinfo=dt.UTC),
        dt.datetime.max.replace(tzinfo=dt.UTC),
        dt.datetime(2020, 1, 1, tzinfo=dt.UTC, fold=1),
    ],
    "datetimes in zones": lambda: [
        dt.datetime(2020, 10, 25, 2, 30, tzinfo=BERLIN),
        dt.datetime(2020, 10, 25, 2, 30, tzinfo=BERLIN, fold=1),
        dt.datetime(2020, 3, 29, 2, 30, tzinfo=BERLIN),
        dt.datetime(2020, 1, 1, tzinfo=zoneinfo.ZoneInfo("UTC")),
        dt.datetime(2020, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=-3, minutes=-30))),
        dt.datetime(2020, 1, 1, tzinfo=dt.timezone(dt.timedelta(seconds=3599, microseconds=1))),
        dt.datetime(2020, 1, 1, tzinfo=dt.timezone(dt.timedelta(0), "zero")),
        dt.datetime(2020, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=1), "X|Y Z")),
        dt.datetime(2020, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=1))),
    ],
    "timedeltas": lambda: [dt.timedelta(-3, 4, 5), dt.timedelta.min, dt.timedelta.max, dt.timedelta(), None],
    "decimals": lambda: [
        decimal.Decimal(text)
        for text in ("1.10", "-0", "1E+400", "-Infinity", "NaN", "-NaN12", "sNaN7", "0E-7", "9" * 5000 + ".1")
    ],
    "UUIDs": lambda: [
        uuid.UUID(int=7),
        uuid.UUID(int=2**128 - 1, is_safe=uuid.SafeUUID.safe),
        uuid.UUID(int=0, is_safe=uuid.SafeUUID.unsafe),
    ],
    "lists, tuples and dicts": lambda: [
        [],
        (),
        {},
        [[]],
        [1, (2, [3, {"a": (None,)}])],
        {"b": 1, "a": 2},
        {"a": 1, "b": 2},
        (1, 2),
        [1, 2],
    ],
    "dicts with any keys": lambda: [
        {1: "a", "1": "b", 1.5: "c", None: "d", b"1": "e", (1, (2,)): "f"},
        {dt.date(2020, 1, 1): [dt.timedelta(1)], decimal.Decimal("1.0"): 2, -1: {True: False}},
        {2: 1, 1: 2},
        {2**70: 1, uuid.UUID(int=1): ()},
        {math.nan: 1},
    ],
    "as deep as may be": lambda: [_nested(60), _nested(59), "x"],
    "one long list": lambda: [list(range(100_000)), tuple("ab" * 40_000)],
    "long in long": lambda: [("x" * 300, ("y" * 70_000, [b"z" * 70_000]))],
    "one list in many places": lambda: (lambda inner: [[inner, inner], (inner,), inner])([1]),
    "scalars of NumPy": lambda: [
        np.bool_(True),
        np.int8(-1),
        np.uint8(255),
        np.int64(3),
        np.uint64(2**64 - 1),
        np.float16(0.1),
        np.float32(0.1),
        np.float64(0.1),
        np.uint64(0xFFF8000000000001).view(np.float64),
        np.uint32(0x7FC00001).view(np.float32),
        np.longdouble("0.1"),
        np.complex64(1 + 2j),
        np.complex128(1 + 2j),
        np.clongdouble(1 + 2j),
        np.str_("abc"),
        np.str_(""),
        np.str_("é\0"),
        np.bytes_(b"a\xff"),
        np.bytes_(b""),
        np.void(b"abc\0"),
        np.datetime64("2020-01"),
        np.datetime64("2020-04", ("M", 3)),
        np.datetime64(2**62, "s"),
        np.datetime64(-5, "as"),
        np.datetime64("NaT", "ns"),
        np.datetime64("NaT"),
        np.timedelta64(3, "D"),
        np.timedelta64("NaT"),
        np.timedelta64(5),
        [np.int32(1), {"a": np.float64(1)}, (np.int16(2), 2)],
        1,
        1.0,
    ],
}


def pandas_cells() -> dict[str, Callable[[], list[Any]]]:
    """More ``CELLS`` of pandas' own types; empty if pandas is not installed."""
    try:
        import pandas as pd
    except ModuleNotFoundError:
        return {}
    naive = pd.Timestamp("2020-10-25 02:30")
    return {
        "Timestamps": lambda: [
            naive,
            naive.as_unit("s"),
            pd.Timestamp("2020-01-01 00:00:00.123456789"),
            pd.Timestamp("2020-10-25 00:30", tz="UTC").tz_convert(BERLIN),
            pd.Timestamp("2020-10-25 01:30", tz="UTC").tz_convert("Europe/Berlin"),
            pd.Timestamp("2020-01-01", tz="UTC"),
            pd.Timestamp("2020-01-01", tz=dt.timezone(dt.timedelta(hours=1), "X")),
            pd.Timestamp("9999-01-01").as_unit("s"),
            pd.Timestamp("2020-10-25 02:30").replace(fold=1),
        ],
        "Timedeltas": lambda: [pd.Timedelta("1ns"), pd.Timedelta(days=-3).as_unit("s"), dt.timedelta(1), None],
        "missing values": lambda: [pd.NaT, pd.NA, None, math.nan, "a", 1, np.datetime64("NaT", "ns")],
        "text and NaT": lambda: ["a", pd.NaT],
        "periods and intervals": lambda: [
            pd.Period("2020-03", "Q-FEB"),
            pd.Period("2020-03-01", "D"),
            pd.Interval(0, 1.5, "left"),
            pd.Interval(pd.Timestamp("2020"), pd.Timestamp("2021")),
        ],
        "pandas' own in containers": lambda: [[pd.NA, (pd.NaT, {"t": naive})], {naive: pd.Timedelta(1)}, pd.NA],
    }


class _Text(str):
    pass


class _Whole(enum.IntEnum):
    ONE = 1


class _Moment(dt.datetime):
    pass


class _Zone(dt.tzinfo):
    def utcoffset(self, when: dt.datetime | None) -> dt.timedelta:
        return dt.timedelta(hours=1)

    def dst(self, when: dt.datetime | None) -> None:
        return None

    def tzname(self, when: dt.datetime | None) -> str:
        return "own"


_Point = collections.namedtuple("_Point", "x y")

# The test puts each cell at row 1.
REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "a set": (lambda: {1}, "row 1: expected None, bool, "),
    "a frozenset": (lambda: frozenset({1}), "found a frozenset"),
    "a bytearray": (lambda: bytearray(b"x"), "found a bytearray"),
    "an object": (object, "found a object"),
    "a function": (lambda: len, "found a builtin_function_or_method"),
    "a class": (lambda: int, "found a type"),
    "a named tuple": (lambda: _Point(1, 2), "which would come back as a plain tuple"),
    "an ordered dict": (lambda: collections.OrderedDict(a=1), "found a collections.OrderedDict, which would"),
    "a default dict": (lambda: collections.defaultdict(int), "plain dict"),
    "a subclass of str": (lambda: _Text("x"), "plain str"),
    "a member of an IntEnum": (lambda: _Whole.ONE, "plain int"),
    "a subclass of datetime": (lambda: _Moment(2020, 1, 1), "plain datetime"),
    "a zone of one's own": (lambda: dt.datetime(2020, 1, 1, tzinfo=_Zone()), "which has no name that rebuilds it"),
    "a zone without a key": (lambda: dt.datetime(2020, 1, 1, tzinfo=_zone_without_key()), "no name that rebuilds it"),
    "a lone surrogate": (lambda: "\ud800", "lone surrogate"),
    "a lone surrogate inside": (lambda: {"a": ["\ud800"]}, "row 1, at ['a'][0]: a lone surrogate"),
    "NumPy's text with a lone surrogate": (lambda: np.str_("\ud800"), "lone surrogate"),
    "a set inside": (lambda: [1, ({"k": {2}},)], "row 1, at [1][0]['k']: expected None"),
    "a key that is none": (lambda: {frozenset(): 1}, "row 1, at [frozenset()]: expected None"),
    "an array": (lambda: np.arange(2), "found a numpy.ndarray"),
    "a structured scalar": (lambda: np.zeros(1, "i4,f4")[0], "found a numpy.void of dtype"),
    "a list that contains itself": (lambda: _itself(lambda inner: inner), "row 1, at [0]: found a list that contains"),
    "a dict that contains itself": (lambda: _itself(lambda inner: {"a": (inner,)}), "that contains itself"),
    "too deep": (lambda: _nested(61), "expected at most 60 containers in each other"),
    "far too deep": (lambda: _nested(5000), "expected at most 60 containers in each other"),
}


def _zone_without_key() -> dt.tzinfo:
    import importlib.resources
    import pathlib

    for root in zoneinfo.TZPATH:
        path = pathlib.Path(root, "Europe", "Berlin")
        if path.exists():
            with path.open("rb") as file:
                return zoneinfo.ZoneInfo.from_file(file)
    with importlib.resources.files("tzdata").joinpath("zoneinfo/Europe/Berlin").open("rb") as file:
        return zoneinfo.ZoneInfo.from_file(file)
