"""Cells that another program wrote under a header: each is the nearest value of the declared type to its text."""

from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import colonnade as cn
from tests.helpers.each import each

pa = pytest.importorskip("pyarrow")

ORIENTS = ["columns", "index", "records", "split", "table", "values"]
EXACT = Context(prec=200)
# The half of the least float of 32 bits, and an amount too little for any double to tell it apart.
HALF, LITTLE = EXACT.power(2, -150), Decimal("1e-150")
# Most of these texts are nearest to another float of 32 bits than their doubles are.
TEXTS = {
    "above a half": "16777217.0000000001",
    "below a half": "16777218.9999999999",
    "a half": "16777217.0",
    "half the least float": str(HALF),
    "above half the least float": str(EXACT.add(HALF, LITTLE)),
    "below one and a half of the least float": str(EXACT.fma(HALF, 3, -LITTLE)),
    "above two and a half of the least float": str(EXACT.fma(HALF, 5, LITTLE)),
}


def nearest_float32(text: str) -> float:
    """The float of 32 bits whose distance to the text is least; of two, the one with an even last bit."""
    exact = Fraction(text)
    start = np.float32(float(text))
    near = [np.nextafter(start, np.float32(-np.inf)), start, np.nextafter(start, np.float32(np.inf))]
    return float(min(near, key=lambda one: (abs(Fraction(float(one)) - exact), int(one.view("u4")) & 1)))


@each("orient", ORIENTS)
@each("name", list(TEXTS))
def test_a_float_of_32_bits_is_the_nearest_to_its_text(name: str, orient: Any) -> None:
    text = TEXTS[name]
    content = cn.encode(pa.table({"x": pa.array([1.5, 0.0], pa.float32())}), "json", orient=orient, schema="header")
    assert content.count(b"1.5") == 1
    found = cn.decode(content.replace(b"1.5", text.encode()), "json").to_arrow()
    assert found.schema.field("x").type == pa.float32()
    assert found["x"].to_pylist() == [nearest_float32(text), 0.0]


@each("orient", ORIENTS)
@each("written", ['{"b":2,"a":1}', '{"b": 2, "a": 1}'])
def test_keys_of_a_declared_object_may_have_any_order(written: str, orient: Any) -> None:
    cells = [{"a": 1, "b": 2}, {"a": 3, "b": 4}]
    frame = pa.table({"s": pa.array(cells)})
    content = cn.encode(frame, "json", orient=orient, schema="header")
    every = content.replace(b'{"a":1,"b":2}', written.encode()).replace(b'{"a":3,"b":4}', b'{"b":4,"a":3}')
    assert every != content
    found = cn.decode(every, "json").to_arrow()
    assert found.schema.field("s").type == frame.schema.field("s").type
    assert found["s"].to_pylist() == cells


@each("key", ["c", "A", ""])
def test_an_object_with_another_key_than_declared_is_refused(key: str) -> None:
    frame = pa.table({"s": pa.array([{"a": 1, "b": 2}])})
    content = cn.encode(frame, "json", orient="records", schema="header")
    with pytest.raises(cn.DecodeError):
        cn.decode(content.replace(b'{"a":1,"b":2}', f'{{"a":1,"{key}":2}}'.encode()), "json")


TEXT_CELLS: dict[str, tuple[Any, str, str]] = {
    "a truth value": (pa.array([True]), "true", "bool"),
    "another truth value": (pa.array([False]), "false", "bool"),
    "a number without a sign": (pa.array([[7]], pa.list_(pa.uint64())), "7", "uint64"),
    "a number with a sign": (pa.array([[-7]], pa.list_(pa.int64())), "-7", "int64"),
    "an interval": (pa.array([pa.MonthDayNano([1, 2, 3])]), "[1,2,3]", "interval"),
}


@each("name", list(TEXT_CELLS))
def test_text_that_spells_another_type_is_not_of_that_type(name: str) -> None:
    cells, literal, type_name = TEXT_CELLS[name]
    content = cn.encode(pa.table({"x": cells}), "json", orient="records", schema="header")
    before, after = content.rsplit(literal.encode(), 1)
    assert cn.decode(content, "json").to_arrow()["x"].to_pylist() == cells.to_pylist()
    with pytest.raises(cn.DecodeError, match=f'"x".*expected .*{type_name}.*, found the text "'):
        cn.decode(before + f'"{literal}"'.encode() + after, "json")


def test_numbers_and_words_in_capitals_are_no_truth_values() -> None:
    content = cn.encode(pa.table({"x": [True]}), "json", orient="records", schema="header")
    before, after = content.rsplit(b"true", 1)
    for cell in (b'"True"', b'"TRUE"', b'"FALSE"', b'"False"', b'"false"', b"1", b"0", b'"1"'):
        with pytest.raises(cn.DecodeError, match="bool"):
            cn.decode(before + cell + after, "json")


# Longer than a part of the input that one thread scans, with text that looks like the ends and starts of rows.
LONG = '},{"a":"",' * 40_000


@each("lacking", [["z"], ["x", "y", "z"]])
def test_missing_cells_are_counted_behind_text_that_looks_like_rows(lacking: list[str]) -> None:
    texts = [LONG, LONG, LONG, LONG, "x", "y", "z"]
    content = cn.encode(pa.table({"a": texts, "b": [7] * 7}), "json", orient="records", schema="header")
    assert cn.decode(content, "json").to_arrow()["a"].to_pylist() == texts
    for text in lacking:
        content = content.replace(f'"{text}","b":7'.encode(), f'"{text}"'.encode())
    with pytest.raises(cn.DecodeError, match=f"found {len(lacking)} cells missing"):
        cn.decode(content, "json")
