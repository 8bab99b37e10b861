"""Cells of types that few columns have: runs, half floats, complex numbers, cells of several kinds."""

import base64
import json
import struct
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import colonnade as cn
from tests.helpers.each import each

RUNS: dict[str, tuple[pa.Array, str]] = {
    "floats": (pa.array([1.5, float("inf"), None], pa.float64()), "1.5 inf "),
    "narrow floats": (pa.array([1.5, -0.0, None], pa.float32()), "1.5 -0.0 "),
    "half floats": (pa.array([np.float16(1.5), np.float16(2), None], pa.float16()), "1.5 2.0 "),
    "unsigned": (pa.array([1, 2**64 - 1, None], pa.uint64()), f"1 {2**64 - 1} "),
    "intervals": (
        pa.array([pa.MonthDayNano([1, 2, 3]), pa.MonthDayNano([0, -1, 0]), None]),
        '"[1,2,3]" "[0,-1,0]" ',
    ),
}


@each("name", list(RUNS))
def test_runs_are_the_cells_of_their_values_and_come_back(name: str) -> None:
    values, cells = RUNS[name]
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([2, 3, 4], pa.int32()), values)
    content = cn.encode(pa.table({"a": runs, "b": [1, 2, 3, 4]}), "csv", schema="header")
    first, second, third = cells.split(" ")
    wanted = "".join(f"{cell},{i}\n" for i, cell in enumerate((first, first, second, third), 1))
    assert content.decode().split("\n", 1)[1] == "a,b\n" + wanted
    found = cn.decode(content, "csv").to_arrow()["a"].combine_chunks()
    assert found.type == runs.type
    assert found.to_pylist() == runs.to_pylist()


def test_nan_of_half_floats_is_empty_in_plain_text_and_infinities_are_not() -> None:
    cells = np.array([1.5, np.nan, np.inf, -np.inf, -np.nan, 65504], "f2")
    content = cn.encode({"a": cells, "b": np.arange(6)}, "csv")
    assert content == b"a,b\n1.5,0\n,1\ninf,2\n-inf,3\n,4\n65504.0,5\n"
    column = pa.array([1.5, float("nan"), None]).cast(pa.float16())
    tells_null_from_nan = pa.table({"a": column, "b": [0, 1, 2]})
    assert cn.encode(tells_null_from_nan, "csv") == b"a,b\n1.5,0\nNaN,1\n,2\n"
    behind_a_header = cn.encode({"a": cells, "b": np.arange(6)}, "csv", schema="header")
    assert cn.decode(behind_a_header, "csv")["a"].to_numpy().tobytes() == cells.tobytes()


@each("dtype", ["complex64", "complex128"])
@each("at", range(6))
def test_a_field_that_is_no_complex_number_may_become_null(dtype: str, at: int) -> None:
    cells = [f"({i}.5-{i}.0j)" for i in range(6)]
    content = cn.encode({"a": np.array([complex(cell) for cell in cells], dtype)}, "csv", schema="header")
    bad = content.replace(cells[at].encode(), b"x")
    with pytest.raises(cn.DecodeError, match=f"line {at + 3}, column 1: expected a complex number"):
        cn.decode(bad, "csv")
    found = cn.decode(bad, "csv", on_error="null").to_arrow()["a"].to_pylist()
    assert found == [None if i == at else [i + 0.5, -float(i)] for i in range(6)]


def foreign(*cells: bytes) -> cn.Frame:
    """A column of cells of several kinds, from literal MessagePack."""
    return cn.decode(b"\x81\xa1a" + bytes([0x90 + len(cells)]) + b"".join(cells), "msgpack")


@each("format", ["csv", "json"])
def test_cells_of_several_kinds_are_plain_values_in_plain_text(format: Any) -> None:
    narrow = b"\xca" + struct.pack(">f", 0.1)
    frame = foreign(b"\x01", b"\xa1x", narrow, b"\x92" + narrow + b"\x02", b"\xc4\x02xy")
    found = cn.encode(frame, format, on_loss="ignore")
    encoded = base64.b64encode(b"xy").decode()
    if format == "json":
        assert [row["a"] for row in json.loads(found)] == [1, "x", 0.1, [0.1, 2], encoded]
    else:
        assert found.decode() == f'a\n1\n"""x"""\n0.1\n"[0.1,2]"\n"""{encoded}"""\n'


@each("format", ["csv", "json"])
@each("cell", [b"\xca\x7f\xc0\x00\x00", b"\xcb\x7f\xf8" + b"\x00" * 6, b"\xca\x7f\x80\x00\x00"])
def test_nan_and_infinities_among_several_kinds_are_no_text(format: Any, cell: bytes) -> None:
    """JSON has no such numbers, and their names would be read as text: they are null, as in lists and structs."""
    found = cn.encode(foreign(b"\x01", b"\xa1x", cell), format, on_loss="ignore")
    if format == "json":
        assert json.loads(found)[2]["a"] is None
    else:
        assert found == b'a\n1\n"""x"""\nnull\n'


def test_a_cell_that_nests_too_deeply_says_which_limit() -> None:
    content = cn.encode(foreign(b"\x01", b"\xa1x", b"\x91\x91\x91\x01"), "csv", schema="header")
    with pytest.raises(cn.LimitError, match=r"line 5, column 1: .*nests deeper than 2\. Raise max_depth"):
        cn.decode(content, "csv", limits=cn.Limits(max_depth=2))
    assert cn.decode(content, "csv", limits=cn.Limits(max_depth=3)).to_pandas()["a"].tolist() == [1, "x", [[[1]]]]


STRICT: dict[str, tuple[pa.Array, bytes, bytes]] = {
    "a truth value": (pa.array([True]), b"true", b'"true"'),
    "a false one": (pa.array([False]), b"false", b'"false"'),
    "an unsigned number": (pa.array([[7654321]], pa.list_(pa.uint64())), b"[7654321]", b'["7654321"]'),
    "an interval": (pa.array([pa.MonthDayNano([1, 2, 3])]), b"[1,2,3]", b'"[1,2,3]"'),
}


@each("name", list(STRICT))
@each("format", ["json", "ndjson"])
def test_text_is_no_other_value_in_json(name: str, format: Any) -> None:
    """In CSV every cell is text. JSON tells them apart."""
    cells, spelled, quoted = STRICT[name]
    content: Any = cn.encode(pa.table({"a": cells}), format, schema="header")
    head, found, rest = content.rpartition(spelled)
    assert found
    assert cn.decode(content, format).to_arrow()["a"].to_pylist() == cells.to_pylist()
    with pytest.raises(cn.DecodeError, match="found the text"):
        cn.decode(head + quoted + rest, format)


@each("format", ["json", "ndjson"])
def test_infinities_of_a_declared_column_come_back(format: Any) -> None:
    cells = np.array([1.5, np.inf, -np.inf, np.nan])
    content = cn.encode({"a": cells}, format, schema="header")
    assert b'"Infinity"' in content
    assert cn.decode(content, format)["a"].to_numpy().tobytes() == cells.tobytes()
