"""What is written, byte for byte: every type of Arrow in the standard's smallest forms, in every orient."""

from typing import Any

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("msgpack")

import msgpack
import numpy as np
import pandas as pd
import pyarrow as pa

import colonnade as cn
from colonnade.testing import cases_pyarrow
from tests.helpers import msgpack_bytes as mp
from tests.helpers.applies import applies
from tests.helpers.each import each
from tests.helpers.msgpack_look import unpacked
from tests.helpers.msgpack_wire import wire_cells, wire_columns, wire_records, wire_split

_ORIENTS = {"columns": wire_columns, "records": wire_records, "split": wire_split}
_NAMES = [
    name
    for name in cases_pyarrow.CASES
    if name not in ("long enough for many batches", "names that stand twice", "as pandas writes it")
]


def _first_difference(found: bytes, wanted: bytes) -> str:
    place = next((i for i, (a, b) in enumerate(zip(found, wanted, strict=False)) if a != b), len(wanted))
    around = slice(max(0, place - 12), place + 24)
    return f"byte {place}: {found[around].hex(' ')} is not {wanted[around].hex(' ')}"


@each("orient", list(_ORIENTS))
@each("name", list(_NAMES), per=20)
def test_without_a_header(name: str, orient: str) -> None:
    table = cases_pyarrow.CASES[name]()
    if name == "rows without columns" and orient == "columns":
        with pytest.raises(cn.EncodeError, match="3 rows without columns"):
            cn.encode(table, "msgpack", header=False)
        return
    found = cn.encode(table, "msgpack", orient=orient, header=False)
    wanted = _ORIENTS[orient](table)
    assert found == wanted, _first_difference(found, wanted)


@each("name", [name for name in _NAMES if "dictionar" not in name and "side by side" not in name], per=50)
@applies(lambda name: not ("many" in name and "types" in name))
def test_with_a_header(name: str) -> None:
    """The header is the first entry; the others are the columns."""
    table = cases_pyarrow.CASES[name]()
    content = cn.encode(table, "msgpack")
    pairs = unpacked(content, pairs=True)
    assert pairs[0][0] == "__colonnade__"
    header = dict(pairs[0][1])
    assert (header["version"], header["orient"], header["nrows"]) == (1, "columns", table.num_rows)
    columns = [mp.array(*wire_cells(table.column(i))) for i in range(table.num_columns)]
    assert header.get("nbytes", []) == [len(column) for column in columns]
    wanted = b"".join(mp.text(pair[0]) + column for pair, column in zip(pairs[1:], columns, strict=True))
    assert content.endswith(wanted), _first_difference(content[len(content) - len(wanted) :], wanted)
    nulls = [sum(cell == mp.NIL for cell in wire_cells(table.column(i))) for i in range(table.num_columns)]
    assert header["nulls"] == nulls


def test_keys_of_columns_are_their_names() -> None:
    table = cases_pyarrow.CASES["names that are odd"]()
    assert list(unpacked(cn.encode(table, "msgpack")))[1:] == table.column_names


def test_a_column_that_is_called_as_the_header() -> None:
    table = pa.table({"__colonnade__": [1], "__colonnade___": [2], "x": [3]})
    content = cn.encode(table, "msgpack")
    pairs = unpacked(content, pairs=True)
    assert [key for key, _ in pairs] == ["__colonnade__", "__colonnade___", "__colonnade____", "x"]
    assert [value for _, value in pairs[1:]] == [[1], [2], [3]]
    cases_pyarrow.assert_identical(table, cn.decode(content).to_native())


@each("orient", list(_ORIENTS))
def test_dictionaries_stand_in_the_header(orient: str) -> None:
    table = cases_pyarrow.CASES["dictionary ordered"]()
    content = unpacked(cn.encode(table, "msgpack", orient=orient))
    assert content["__colonnade__"]["dictionaries"] == [["low", "mid", "high", "never"]]
    codes = {
        "columns": lambda: content["a"],
        "records": lambda: [row["a"] for row in content["records"]],
        "split": lambda: [row[0] for row in content["data"]],
    }[orient]()
    assert codes == [2, 0, 2, None, 1]


@each("orient", list(_ORIENTS))
@each("name", list(cases_pyarrow.CASES), per=20)
def test_every_orient_with_a_header_comes_back(name: str, orient: str) -> None:
    table = cases_pyarrow.CASES[name]()
    for options in ({}, {"numbers": "packed"}, {"compat": "old-spec"}):
        if orient != "columns" and "numbers" in options:
            continue
        content = cn.encode(table, "msgpack", orient=orient, **options)
        # Old readers know bytes and text as one.
        msgpack.unpackb(content, strict_map_key=False, timestamp=0, raw="compat" in options)
        frame = cn.decode(content)
        cases_pyarrow.assert_identical(table if name != "as pandas writes it" else frame.to_arrow(), frame.to_arrow())


def test_packed_numbers_are_bytes() -> None:
    table = {"i": np.arange(3, dtype="i4"), "f": np.array([0.5, np.nan, -0.0]), "s": np.array(["x", "y", "z"])}
    content = unpacked(cn.encode(table, "msgpack", numbers="packed"))
    assert content["__colonnade__"]["numbers"] == "packed"
    assert content["i"] == np.arange(3, dtype="<i4").tobytes()
    assert content["f"] == table["f"].astype("<f8").tobytes()
    assert content["s"] == ["x", "y", "z"]


@each(
    "options",
    [
        {"numbers": "packed", "header": False},
        {"numbers": "packed", "orient": "records"},
        {"numbers": "packed", "compat": "old-spec"},
        {"orient": "rows"},
        {"numbers": "plane"},
    ],
)
def test_options_that_do_not_go_together(options: dict[str, Any]) -> None:
    with pytest.raises(cn.OptionError):
        cn.encode({"a": np.arange(3)}, "msgpack", **options)


# --------------------------------------------------------------------------- pandas as the oracle
_FRAMES: dict[str, Any] = {
    "automatic labels": lambda: pd.DataFrame({"a": [1, 2], "b": ["x", None], "c": [1.5, -0.0]}),
    "labels": lambda: pd.DataFrame({"a": [1, 2]}, index=pd.Index(["r", "s"], name="key")),
    "labels without a name": lambda: pd.DataFrame({"a": [1, 2]}, index=["r", "s"]),
    "two levels": lambda: pd.DataFrame(
        {"a": [1, 2]}, index=pd.MultiIndex.from_tuples([("r", 1), ("s", 2)], names=["k", "l"])
    ),
    "a range from ten": lambda: pd.DataFrame({"a": [True, False]}, index=pd.RangeIndex(10, 12)),
    "no rows": lambda: pd.DataFrame({"a": np.array([], "i8"), "b": np.array([], "f8")}),
    "categories": lambda: pd.DataFrame({"a": pd.Categorical(["x", None, "y"])}),
    "nullable": lambda: pd.DataFrame({"a": pd.array([1, None], "Int16"), "b": pd.array([True, None], "boolean")}),
}


def _plain(value: Any) -> Any:
    """A value of pandas as MessagePack has it."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if value is pd.NA or (isinstance(value, float) and value != value):
        return None
    return value.item() if isinstance(value, np.generic) else value


@each("name", list(_FRAMES))
def test_as_pandas_lays_it_out(name: str) -> None:
    frame = _FRAMES[name]()
    automatic = isinstance(frame.index, pd.RangeIndex) and frame.index.start == 0
    with_labels = frame if automatic else frame.reset_index()
    wanted = {
        "columns": with_labels.to_dict("list"),
        "records": with_labels.to_dict("records"),
        "split": frame.to_dict("split"),
    }
    for orient, expected in wanted.items():
        found = unpacked(cn.encode(frame, "msgpack", orient=orient, header=False))
        assert found == _plain(expected), orient
        assert list(found) == list(_plain(expected))


@pytest.mark.parametrize("descr", ["<M8[ns]", "<M8[us]", "<M8[ms]", "<M8[s]"])
def test_times_are_timestamps(descr: str) -> None:
    ticks = np.array([0, -1, 10**9, np.iinfo("i8").min], "i8")
    content = unpacked(cn.encode(pd.DataFrame({"t": ticks.view(descr)}), "msgpack"))
    unit = descr[4:-1]
    stamps = [mp.Stamp.of(int(tick), unit) for tick in ticks[:3]]
    assert content["t"] == [msgpack.Timestamp(stamp.seconds, stamp.nanoseconds) for stamp in stamps] + [None]


def test_payloads_of_nan_are_kept() -> None:
    bits = np.array([0x7FF8000000000123, 0xFFF8000100000001, 0x8000000000000000, 0x7FF0000000000001], dtype="u8")
    values = bits.view("f8")
    content = cn.encode({"f": values}, "msgpack", header=False)
    assert content == mp.mapping({"f": mp.array(*[b"\xcb" + int(each).to_bytes(8, "big") for each in bits])})
    assert cn.decode(content, "msgpack")["f"].to_numpy().view("u8").tolist() == bits.tolist()


def test_every_integer_around_a_change_of_form() -> None:
    edges = [0, 1 << 5, 1 << 7, 1 << 8, 1 << 15, 1 << 16, 1 << 31, 1 << 32, 1 << 63]
    around = sorted({sign * edge + step for edge in edges for sign in (1, -1) for step in range(-2, 3)})
    for descr in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"):
        limits = np.iinfo(descr)
        values = [value for value in around if limits.min <= value <= limits.max] * 9
        content = cn.encode({"a": np.array(values, descr)}, "msgpack", header=False)
        assert content == msgpack.packb({"a": values}), descr
        whole = cn.encode({"a": np.array(values, descr)}, "msgpack")
        assert cn.decode(whole)["a"].to_numpy().tolist() == values


@each("n", [0, 1, 15, 16, 65_535, 65_536])
def test_lengths_around_a_change_of_form(n: int) -> None:
    for values in (np.arange(n), np.full(n, "x"), np.zeros(n, bool)):
        content = cn.encode({"a": values}, "msgpack", header=False)
        assert content == msgpack.packb({"a": values.tolist()})
        assert cn.decode(content, "msgpack").to_arrow().column("a").to_pylist() == values.tolist()
    for length in (31, 32, 255, 256):
        content = cn.encode(pa.table({"s": ["é" * length], "b": [b"x" * length]}), "msgpack", header=False)
        assert content == msgpack.packb({"s": ["é" * length], "b": [b"x" * length]})
    many = {f"c{i}": [i] for i in range(min(n, 1000))}
    assert cn.encode(pa.table(many), "msgpack", header=False) == msgpack.packb(many)
