"""Cells of several kinds: those that JSON holds are plain values, any other is its bytes."""

import base64
import datetime as dt
import json
import struct
from typing import Any

import pytest

import colonnade as cn
from tests.helpers.each import each

pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")

NARROW = {name: b"\xca" + struct.pack(">f", float(name)) for name in ("nan", "inf", "-inf", "1.5")}
WIDE = {name: b"\xcb" + struct.pack(">d", float(name)) for name in ("nan", "inf", "-inf", "1.5")}


def mixed(*cells: bytes) -> cn.Frame:
    """A column of cells of several kinds, from literal MessagePack."""
    return cn.decode(b"\x81\xa1a" + bytes([0x90 + len(cells) + 2, 1]) + b"\xa1x" + b"".join(cells), "msgpack")


def cells_of(content: bytes) -> list[object]:
    found = json.loads(content)
    return [row["a"] for row in (found["records"] if isinstance(found, dict) else found)]


def bytes_of(cell: bytes) -> dict[str, str]:
    return {"__colonnade__": base64.b64encode(cell).decode()}


@each("name", ["nan", "inf", "-inf"])
def test_floats_that_are_not_finite_are_their_bytes_behind_a_header(name: str) -> None:
    cells = [NARROW[name], WIDE[name], b"\x91" + NARROW[name], b"\x81\xa1k" + WIDE[name]]
    content = cn.encode(mixed(*cells), "json", orient="records", schema="header")
    assert cells_of(content) == [1, "x", *map(bytes_of, cells)]
    plain = cn.encode(mixed(*cells), "json", orient="records", on_loss="ignore")
    assert cells_of(plain) == [1, "x", None, None, [None], {"k": None}]


def test_narrow_floats_are_numbers_without_a_header_and_bytes_with_one() -> None:
    frame = mixed(NARROW["1.5"], WIDE["1.5"])
    plain = cn.encode(frame, "json", orient="records", on_loss="ignore")
    assert cells_of(plain) == [1, "x", 1.5, 1.5]
    exact = cn.encode(frame, "json", orient="records", schema="header")
    assert cells_of(exact) == [1, "x", bytes_of(NARROW["1.5"]), 1.5]
    assert cn.encode(cn.decode(exact, "json"), "msgpack").count(NARROW["1.5"]) == 1


@pytest.mark.parametrize("key", ["__colonnade__", "__colonnade", "__colonnade__x"])
def test_an_object_whose_key_would_be_read_as_bytes_is_its_bytes(key: str) -> None:
    cell = b"\x81" + bytes([0xA0 + len(key)]) + key.encode() + b"\x07"
    content = cn.encode(mixed(cell), "json", orient="records", schema="header")
    assert cells_of(content) == [1, "x", bytes_of(cell)]
    assert cn.decode(content, "json").to_pandas()["a"].tolist() == [1, "x", {key: 7}]


@each("length", [0, 15, 16, 17, 255, 256, 65_536])
@each("objects", [False, True])
def test_lists_and_objects_of_every_length_are_json_and_come_back_in_smallest_form(length: int, objects: bool) -> None:
    small, wide, widest = (0x80, 0xDE, 0xDF) if objects else (0x90, 0xDC, 0xDD)
    if length < 16:
        head = bytes([small + length])
    else:
        head = struct.pack(">BH", wide, length) if length < 65_536 else struct.pack(">BI", widest, length)
    keys = [f"{i:05d}" for i in range(length)]
    cell = head + b"".join(b"\xa5" + key.encode() + b"\x07" for key in keys) if objects else head + b"\x07" * length
    content = cn.encode(mixed(cell), "json", orient="records", schema="header")
    assert cells_of(content) == [1, "x", dict.fromkeys(keys, 7) if objects else [7] * length]
    assert cell in cn.encode(cn.decode(content, "json"), "msgpack")


def test_keys_that_are_missing_do_not_move_other_columns() -> None:
    rows = [{"m": 1, "c": 0}, {"m": "x", "c": 1}, {"m": 2, "c": 2}, {"m": 3}, {"m": True}, {"c": 5, "m": None}]
    for content in (json.dumps(rows), json.dumps({f"r{i}": row for i, row in enumerate(rows)})):
        options: dict[str, Any] = {"orient": "index"} if content.startswith("{") else {}
        found = cn.decode(content.encode(), "json", **options).to_pandas()
        assert found["m"].tolist() == [1, "x", 2, 3, True, None]
        assert [None if cell is pd.NA else cell for cell in found["c"]] == [0, 1, 2, None, None, 5]


def test_maps_are_objects_if_their_keys_are_text_and_differ() -> None:
    texts = pa.array([[("a", 1), ("b", 2)], [("a", 1), ("a", 2)], [], None], pa.map_(pa.string(), pa.int64()))
    numbers = pa.array([[(1, 1), (2, 2)], [(1, 1), (1, 1)], [], None], pa.map_(pa.int64(), pa.int64()))
    frame = pa.table({"t": texts, "n": numbers})
    plain = json.loads(cn.encode(frame, "json", orient="records", on_loss="ignore"))
    assert [row["t"] for row in plain] == [{"a": 1, "b": 2}, [["a", 1], ["a", 2]], {}, None]
    assert [row["n"] for row in plain] == [[[1, 1], [2, 2]], [[1, 1], [1, 1]], [], None]
    found = cn.decode(cn.encode(frame, "json", schema="header"), "json").to_arrow()
    assert (found["t"].to_pylist(), found["n"].to_pylist()) == (texts.to_pylist(), numbers.to_pylist())


def test_days_inside_other_cells_are_dates() -> None:
    days = [dt.date(2024, 2, 29), dt.date(1, 1, 1), dt.date(9999, 12, 31), None]
    for item in (pa.date32(), pa.date64()):
        cells = pa.array([days], pa.list_(item))
        plain = json.loads(cn.encode(pa.table({"d": cells}), "json", orient="records", on_loss="ignore"))
        written = [None if day is None else day[:10] for day in plain[0]["d"]]
        assert written == ["2024-02-29", "0001-01-01", "9999-12-31", None]
        exact = cn.encode(pa.table({"d": cells}), "json", schema="header")
        assert cn.decode(exact, "json").to_arrow()["d"].to_pylist() == [days]
