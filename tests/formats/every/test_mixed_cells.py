"""Object columns of mixed cells: what any MessagePack library sees of them, random ones, and wrong payloads."""

import contextlib
import datetime as dt
import decimal
import math
import uuid
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import colonnade as cn
from colonnade._core import ArrowColumn
from colonnade.testing.cases_cells import CELLS, object_column, pandas_cells, same_cell
from colonnade.testing.strategies_cells import cells
from tests.helpers.each import each

msgpack = pytest.importorskip("msgpack")

TAG = '{"cells":"msgpack","extensions":1}'
ALL_CELLS = CELLS | pandas_cells()


def raw(values: list[Any]) -> list[bytes | None]:
    """The bytes of each cell, taken through Arrow's layout."""
    column = ArrowColumn.from_cells(object_column(values))
    assert (column.type, column.tag) == ("large_binary", TAG)
    plain: list[bytes | None] = column.objects().tolist()
    return plain


def column_of(payloads: list[bytes | None], tag: str = TAG) -> ArrowColumn:
    return ArrowColumn.from_objects(object_column(payloads), "bytes", tag)


def ext(code: int, payload: bytes) -> bytes:
    packed: bytes = msgpack.packb(msgpack.ExtType(code, payload))
    return packed


# --------------------------------------------------------------------------- what others see

PLAIN = [True, -1, 2**64 - 1, -(2**63), 0.1, "é", b"\0", [1, [None]], {"b": 1, "a": {"c": []}}, {1: 2, None: b"x"}]


def test_plain_values_are_what_any_library_writes() -> None:
    assert raw(PLAIN) == [msgpack.packb(value) for value in PLAIN]
    assert raw([None, 1]) == [None, b"\x01"]


@each(
    ("value", "code", "payload"),
    [
        ((1, "a"), 1, b"\x92\x01\xa1a"),
        (2**64, 2, b"\1" + bytes(8)),
        (-(2**63) - 1, 2, (-(2**63) - 1).to_bytes(9, "big", signed=True)),
        (1 + 2j, 3, bytes.fromhex("3ff00000000000004000000000000000")),
        (dt.date(2020, 2, 29), 4, b"2020-02-29"),
        (dt.time(1, 2, 3), 5, b"01:02:03"),
        (dt.time(1, tzinfo=dt.UTC), 5, b"01:00:00|0|UTC"),
        (dt.datetime(2020, 1, 2, 3), 6, b"2020-01-02T03:00:00"),
        (dt.datetime(2020, 1, 2, 3, fold=1), 6, b"2020-01-02T03:00:00|1|"),
        (dt.timedelta(-1, 2, 3), 7, bytes.fromhex("ffffffff 00000002 00000003")),
        (decimal.Decimal("1.10"), 8, b"1.10"),
        (uuid.UUID(int=258), 9, bytes(14) + b"\1\2"),
        (np.int16(-2), 10, b"<i2\0\xfe\xff"),
        (np.str_("é"), 10, b"<U\0\xc3\xa9"),
        (np.datetime64(5, "D"), 10, b"<M8[D]\0\5" + bytes(7)),
    ],
    ids=lambda value: f"{value!r:.40}",
)
def test_extensions_are_as_documented(value: Any, code: int, payload: bytes) -> None:
    assert [msgpack.unpackb(cell) for cell in raw([value])] == [msgpack.ExtType(code, payload)]


def test_extensions_of_pandas_are_as_documented() -> None:
    pd = pytest.importorskip("pandas")
    one = (1).to_bytes(8, "big")
    values = {
        pd.Timestamp(1, unit="s").as_unit("s"): (11, one + b"s"),
        pd.Timestamp(1, unit="s", tz="UTC").as_unit("s").tz_convert("Europe/Berlin"): (11, one + b"s|0|Europe/Berlin"),
        pd.Timedelta(1, unit="ns"): (12, one + b"ns"),
        pd.NaT: (13, b"\0"),
        pd.NA: (13, b"\1"),
    }
    assert [tuple(msgpack.unpackb(cell)) for cell in raw(list(values))] == list(values.values())


def test_times_in_utc_are_the_timestamps_of_the_specification() -> None:
    moments = [cell for cell in CELLS["datetimes in UTC"]() if not cell.fold]
    assert raw(moments) == [msgpack.packb(moment, datetime=True) for moment in moments]


def test_text_of_a_decimal_does_not_depend_on_the_context() -> None:
    value = decimal.Decimal("1E+400")
    with decimal.localcontext(decimal.Context(capitals=0, prec=3, traps=[])):
        assert raw([value]) == [ext(8, b"1E+400")]
        assert column_of([ext(8, b"1E+400"), ext(8, b"1.23456789")]).cells().tolist() == [
            value,
            decimal.Decimal("1.23456789"),
        ]
        with pytest.raises(cn.DecodeError, match="the text of a decimal"):
            column_of([ext(8, b"x")]).cells()


def test_other_libraries_find_bytes_and_pandas_metadata_says_objects(tmp_path: Any) -> None:
    feather = pytest.importorskip("pyarrow.feather")
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"m": pd.Series([1, "a", None], dtype=object)})
    cn.write(frame, tmp_path / "m.arrow")
    assert feather.read_table(tmp_path / "m.arrow")["m"].to_pylist() == [b"\1", b"\xa1a", None]
    assert msgpack.unpackb(cn.encode(frame, "msgpack"))["m"] == [1, "a", None]
    assert msgpack.unpackb(cn.encode(frame, "msgpack", header=False, orient="records")) == [
        {"m": 1},
        {"m": "a"},
        {"m": None},
    ]


# --------------------------------------------------------------------------- random cells


@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(values=st.lists(cells(), max_size=4))
def test_random_cells_come_back(values: list[Any]) -> None:
    column = ArrowColumn.from_cells(object_column(values))
    assert all(map(same_cell, values, column.cells().tolist()))
    for row in range(len(values)):
        assert same_cell(values[row], column.slice(row, row + 1).cells()[0])


@pytest.mark.parametrize("format", ["npz", "arrow", "arrows", "parquet", "msgpack"])
@settings(deadline=None, max_examples=25, suppress_health_check=list(HealthCheck))
@given(values=st.lists(cells(), max_size=4))
def test_random_columns_come_back_through_every_format(format: str, values: list[Any]) -> None:
    frame = {"n": np.arange(len(values)), "m": object_column(values)}
    back = cn.decode(cn.encode(frame, format)).to_numpy()
    assert all(map(same_cell, values, back["m"].tolist()))
    assert cn.encode(frame, format) == cn.encode(back, format)


def test_two_frames_of_the_same_cells_are_equal() -> None:
    for make in ALL_CELLS.values():
        a, b = (cn.Frame({"m": object_column(make())}) for _ in range(2))
        assert a.equals(b)
        assert a.identical(b)
    a, b = (cn.Frame({"m": object_column(["x", value])}) for value in (1, 1.0))
    assert not a.equals(b)


def test_deep_cells_pass_every_orient_and_bundles(tmp_path: Any) -> None:
    frame = {"m": object_column(CELLS["as deep as may be"]())}
    deep: Any = "x"
    for _ in range(60):
        deep = [deep]
    frame["l"] = object_column([deep, 1, None])
    for orient in ("columns", "records", "split"):
        back = cn.decode(cn.encode(frame, "msgpack", orient=orient)).to_numpy()
        assert all(same_cell(a, b) for key in frame for a, b in zip(frame[key], back[key], strict=True))
        cn.write_bundle({"a": frame}, tmp_path / f"{orient}.msgpack", orient=orient)
        assert cn.read_bundle(tmp_path / f"{orient}.msgpack")["a"].to_numpy()["l"].tolist() == frame["l"].tolist()


# --------------------------------------------------------------------------- wrong payloads

WRONG: dict[str, tuple[bytes, str]] = {
    "an unknown extension": (ext(99, b""), "no extension 99 is known"),
    "an extension below zero": (b"\xc7\x00\xfe", "no extension -2 is known"),
    "a tuple of nothing": (ext(1, b""), "a value, found the end"),
    "a tuple that is a map": (ext(1, b"\x80"), "the array of a tuple"),
    "a tuple that ends early": (ext(1, b"\x92\x01"), "a value, found the end"),
    "a tuple that takes what follows it": (b"\x92" + ext(1, b"\x92\x01") + b"\x02", "a value, found the end"),
    "a tuple with more": (ext(1, b"\x91\x01\x02"), "the end of the tuple, found 1 bytes more"),
    "a tuple that claims much": (ext(1, b"\xdd\xff\xff\xff\xff"), "a value, found the end"),
    "a complex number of 15 bytes": (ext(3, bytes(15)), "16 bytes"),
    "no date": (ext(4, b"2020-02-30"), "extension 4, found one that Python refuses"),
    "a date that is no text": (ext(4, b"\xff"), "text of UTF-8"),
    "no time": (ext(5, b"25:00"), "extension 5"),
    "no datetime": (ext(6, b"x"), "extension 6"),
    "a fold of 2": (ext(6, b"2020-01-01T00:00:00|2|"), "a fold of 0 or 1"),
    "no fold": (ext(6, b"2020-01-01T00:00:00|"), "extension 6"),
    "an unknown zone": (ext(6, b"2020-01-01T00:00:00|0|Nowhere/City"), "is not known"),
    "a zone that is a path": (ext(6, b"2020-01-01T00:00:00|0|../../etc/passwd"), "expected a name such as"),
    "a zone of another library": (ext(6, b"2020-01-01T00:00:00|0|os:system"), "expected zoneinfo, pytz or dateutil"),
    "an offset beside a zone": (ext(5, b"01:00:00+01:00|0|UTC"), "a clock without an offset"),
    "an instant outside of time": (ext(6, b"0001-01-01T00:00:00+23:00|0|+00:00"), "extension 6"),
    "a timedelta of 11 bytes": (ext(7, bytes(11)), "12 bytes"),
    "a timedelta that is too long": (ext(7, b"\x7f" * 12), "extension 7"),
    "no decimal": (ext(8, b"1.2.3"), "extension 8"),
    "a decimal of Python's own spelling": (ext(8, b"1_0"), "the text of a decimal"),
    "a decimal that is too large": (ext(8, b"1E+9999999999999999999999"), "decimal"),
    "a UUID of 15 bytes": (ext(9, bytes(15)), "16 or 17 bytes"),
    "a UUID of odd safety": (ext(9, bytes(16) + b"\5"), "extension 9"),
    "a scalar without a dtype": (ext(10, b"abc"), "a dtype, NUL and a value"),
    "a scalar of objects": (ext(10, b"|O\0" + bytes(8)), "the dtype of a scalar"),
    "a structured scalar": (ext(10, b"i4,i4\0" + bytes(8)), "the dtype of a scalar"),
    "a scalar that is too short": (ext(10, b"<i8\0" + bytes(7)), "8 bytes of a value, found 7"),
    "a scalar of an odd size": (ext(10, b"<i3\0" + bytes(3)), "a dtype that NumPy has"),
    "a scalar that claims much": (ext(10, b"|V999999999\0" + bytes(3)), "999999999 bytes of a value, found 3"),
    "NumPy's text that is none": (ext(10, b"<U\0\xff"), "extension 10"),
    "a Timestamp of 7 bytes": (ext(11, bytes(7)), "8 bytes of a count"),
    "a Timestamp of odd units": (ext(11, bytes(8) + b"D"), "a unit of s, ms, us or ns"),
    "a Timestamp of odd fold": (ext(11, bytes(8) + b"s|7|UTC"), "a fold of 0 or 1"),
    "a Timedelta of odd units": (ext(12, bytes(8) + b"W"), "a unit of s, ms, us or ns"),
    "a missing value of 2": (ext(13, b"\2"), "0 (NaT) or 1 (NA)"),
    "a period that is text": (ext(14, b'"x"'), "a period or an interval"),
    "a period of odd frequency": (ext(14, b'{"$period":[1,"__import__"]}'), "extension 14"),
    "an interval that is no JSON": (ext(15, b"{"), "extension 15"),
    "a key that is a list": (b"\x81\x90\x01", "a key that Python can hash"),
    "a key twice": (b"\x82" + ext(1, b"\x90") + b"\x01" + ext(1, b"\x90") + b"\x02", "each key once, found () again"),
    "tuples in each other without end": (b"", "at most 512 values in each other"),
}
_DEEP = b"\x90"
for _ in range(700):
    _DEEP = ext(1, b"\x91" + _DEEP)
WRONG["tuples in each other without end"] = (_DEEP, "at most 512 values in each other")


@each("name", list(WRONG))
def test_a_wrong_payload_is_named_with_row_and_byte(name: str) -> None:
    cell, told = WRONG[name]
    with pytest.raises(cn.DecodeError, match=r"^msgpack: row 1: at byte \d+ of the cell: ") as caught:
        column_of([b"\x01", cell]).cells()
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("library", "place"), [("pandas", "'odd one'"), ("numpy", "at position 1"), ("static_frame", "'odd one'")]
)
def test_the_column_of_a_wrong_cell_is_named(library: str, place: str) -> None:
    data = cn.encode({"fine": np.arange(2), "odd one": object_column([1, (2,)])}, "arrow")
    broken = data.replace(b"\xd5\x01\x91\x02", b"\xd5\x63\x91\x02")
    assert broken != data
    with pytest.raises(cn.DecodeError, match=rf"column {place}: msgpack: row 1: .*no extension 99"):
        getattr(cn.decode(broken), f"to_{library}")()


def test_damage_of_any_byte_is_an_error_of_ours_or_another_value() -> None:
    values = [value for make in ALL_CELLS.values() for value in make()]
    for cell in sorted({cell for cell in raw(values) if cell is not None and len(cell) < 100}):
        for at in range(len(cell)):
            for flip in (0x01, 0x80, 0xFF):
                damaged = cell[:at] + bytes([cell[at] ^ flip]) + cell[at + 1 :]
                with contextlib.suppress(cn.DecodeError):
                    column_of([damaged]).cells()
        for end in range(len(cell)):
            with pytest.raises(cn.DecodeError, match="row 0"):
                column_of([cell[:end]]).cells()


def test_extensions_of_a_later_version_are_refused() -> None:
    with pytest.raises(cn.UnsupportedError, match=r"version 1 or less, found the tag .*later version of Colonnade"):
        column_of([b"\x01"], '{"cells":"msgpack","extensions":2}').cells()


def test_codes_mean_nothing_in_a_column_that_others_wrote() -> None:
    assert column_of([ext(1, b"\x90")], '{"cells":"msgpack"}').cells().tolist() == [{"code": 1, "data": b"\x90"}]


def test_a_tag_on_another_column_is_refused_by_name() -> None:
    from colonnade._values.cells import cells_of

    with pytest.raises(cn.DecodeError, match=r"the tag .*msgpack.* does not fit the data"):
        cells_of(ArrowColumn.from_masked(np.arange(2), None, TAG))


# --------------------------------------------------------------------------- what others wrote


def test_foreign_mixed_columns_are_objects_and_can_be_written_again() -> None:
    stamp = msgpack.Timestamp
    cells = [1, stamp(1, 1), stamp(1, 1000), "x", None, [stamp(5, 7), {"k": 2**64 - 1}], math.inf, b"\0", {1: [None]}]
    frame = cn.decode(msgpack.packb({"a": cells}), "msgpack")
    wanted = [
        1,
        np.datetime64(1_000_000_001, "ns"),
        dt.datetime(1970, 1, 1, 0, 0, 1, 1, tzinfo=dt.UTC),
        "x",
        None,
        [np.datetime64(5_000_000_007, "ns"), {"k": 2**64 - 1}],
        math.inf,
        b"\0",
        {1: [None]},
    ]
    found = frame.to_pandas()
    assert all(map(same_cell, wanted, found["a"].tolist()))
    for format in ("npz", "arrow", "arrows", "parquet", "msgpack"):
        assert all(map(same_cell, wanted, cn.decode(cn.encode(found, format)).to_pandas()["a"].tolist()))
        assert all(map(same_cell, wanted, cn.decode(cn.encode(frame, format)).to_pandas()["a"].tolist()))


def test_foreign_extensions_are_refused_or_kept_as_bytes() -> None:
    data = msgpack.packb({"a": [1, "x", msgpack.ExtType(1, b"\x90")]})
    with pytest.raises(cn.UnsupportedError, match=r"\$\.a\[2\].*extension type 1"):
        cn.decode(data, "msgpack").to_pandas()
    kept = cn.decode(data, "msgpack", ext="bytes").to_pandas()
    assert kept["a"].tolist() == [1, "x", {"code": 1, "data": b"\x90"}]


@each("format", ["yaml", "json", "ndjson", "csv"])
@each("mark", ["\x7f", "\x80", "\x84", "\x85", "\x86", "\x9f", "\u2028", "\ufeff", "\ufffe", "\uffff"])
def test_characters_that_yaml_does_not_print_come_back(mark: str, format: str) -> None:
    pd = pytest.importorskip("pandas")
    df = pd.DataFrame({"x": [1, f"a{mark}", {f"k{mark}": [f"{mark}z"]}, None]}, dtype=object)
    found = cn.decode(cn.encode(df, format, schema="header"), format).to_pandas()
    assert found["x"].tolist() == df["x"].tolist()
