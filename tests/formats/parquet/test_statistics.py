"""Hints that lie: a filter gives the rows of a mask wherever the lie can be noticed."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import colonnade as cn
from tests.helpers import parquet_bytes as pb
from tests.helpers.each import each
from tests.helpers.parquet_bytes import plain, plain_bytes, record
from tests.helpers.parquet_hints import ASCENDING, DESCENDING, TYPE_ORDER, Bloom, Index, bits_of, bounds, written


def q(*values: int) -> bytes:
    return plain("q", *values)


BODIES = [q(*range(10)), q(*range(10, 20)), q(*range(20, 30))]
WANTED = [("v", "==", 15)]
TRUTH = bounds(q(0), q(29))
FAR = (q(100), q(200))
"""Bounds that rule out what is looked for."""


def file(**hints: Any) -> bytes:
    return written(pb.INT64, BODIES, 10, **hints)


def found(content: bytes, filter: Any = WANTED, **options: Any) -> list[Any]:
    return cn.read_arrow(content, filters=filter, **options)["v"].to_pylist()


INDEX = Index([q(0), q(10), q(20)], [q(9), q(19), q(29)], ASCENDING, null_counts=[0, 0, 0], histograms=[10, 10, 10])
LYING = Index([q(0), q(100), q(20)], [q(9), q(109), q(29)], null_counts=[0, 0, 0], histograms=[10, 10, 10])
BLOOM = Bloom(bits_of([q(0), q(29)]), footer_nbytes=0)

SOUND: dict[str, dict[str, Any]] = {
    "none": {},
    "chunk": {"statistics": TRUTH},
    "pages": {"index": INDEX},
    "bloom": {"bloom": Bloom(bits_of([q(v) for v in range(30)]), footer_nbytes=0)},
    "bloom without a length": {"bloom": Bloom(bits_of([q(v) for v in range(30)]))},
    "all": {
        "statistics": TRUTH,
        "index": INDEX,
        "bloom": Bloom(bits_of([q(v) for v in range(30)]), footer_nbytes=0),
        "histograms": {3: [30]},
    },
}


@each("name", list(SOUND))
def test_sound_hints(name: str) -> None:
    content = file(**SOUND[name])
    assert pq.read_table(io.BytesIO(content), filters=WANTED)["v"].to_pylist() == [15]
    for wanted, rows in ((WANTED, [15]), ([("v", ">", 27)], [28, 29]), ([("v", "==", 40)], []), ([("v", "<", 0)], [])):
        assert found(content, wanted) == found(content, wanted, use_statistics=False) == rows


LIES: dict[str, dict[str, Any]] = {
    "chunk": {"statistics": bounds(*FAR)},
    "old chunk": {"statistics": {k: v for k, v in bounds(*FAR, old_min=FAR[0], old_max=FAR[1]).items() if k < 5}},
    "pages": {"index": LYING},
    "bloom": {"bloom": BLOOM},
}


@pytest.mark.parametrize("name", LIES)
def test_a_lie_that_is_consistent_is_believed_unless_hints_are_off(name: str) -> None:
    content = file(**LIES[name])
    assert found(content) == []
    assert found(content, use_statistics=False) == [15]


def chunk(low: bytes = FAR[0], high: bytes = FAR[1], **more: Any) -> dict[str, Any]:
    return {"statistics": bounds(low, high, **more)}


def pages(**more: Any) -> dict[str, Any]:
    return {"index": replace(LYING, **more)}


def bloom(**more: Any) -> dict[str, Any]:
    return {"bloom": replace(BLOOM, **more)}


NOTICED: dict[str, dict[str, Any]] = {
    "minimum over maximum": chunk(FAR[1], FAR[0]),
    "bounds of four bytes": chunk(plain("i", 100), plain("i", 200)),
    "a bound of nine bytes": chunk(FAR[0], FAR[1] + b"\0"),
    "bounds of no byte": chunk(b"", b""),
    "more nulls than rows": chunk(nulls=31),
    "a negative number of nulls": chunk(nulls=-1),
    "nulls in a required column": chunk(nulls=1),
    "nothing but nulls in a required column": {"statistics": {3: pb.i64(30)}},
    "more distinct values than rows": chunk(distinct=31),
    "a negative number of distinct values": chunk(distinct=-1),
    "two pairs that differ": chunk(old_min=q(0), old_max=q(29)),
    "no order": {**chunk(), "orders": None},
    "orders of no column": {**chunk(), "orders": []},
    "orders of two columns": {**chunk(), "orders": [TYPE_ORDER] * 2},
    "another order": {**chunk(), "orders": [record({2: record({})})]},
    "pages outside of the chunk": {**chunk(), "index": INDEX},
    "nulls in the chunk, none in its pages": {
        "statistics": {3: pb.i64(30)},
        "index": INDEX,
        "optional": True,
    },
    "a page outside of the chunk": {**pages(), "statistics": TRUTH},
    "ascending": pages(order=ASCENDING),
    "descending": pages(order=DESCENDING),
    "an unknown order of pages": pages(order=7),
    "no order of pages": pages(order=None),
    "a page's minimum over its maximum": pages(low=[q(0), q(109), q(20)], high=[q(9), q(100), q(29)]),
    "another page's minimum over its maximum": pages(low=[q(9), q(100), q(20)], high=[q(0), q(109), q(29)]),
    "page bounds of four bytes": pages(low=[q(0), b"dddd", q(20)]),
    "a minimum too few": pages(low=LYING.low[:2]),
    "a maximum too many": pages(high=[*LYING.high, q(30)]),
    "a null page too few": pages(null_pages=[2, 2]),
    "null pages that are neither": pages(null_pages=[2, 3, 2]),
    "a null page in a required column": pages(
        null_pages=[2, 1, 2], low=[q(0), b"", q(20)], high=[q(9), b"", q(29)], null_counts=None, histograms=None
    ),
    "null counts of two pages": pages(null_counts=[0, 0]),
    "more nulls than rows in a page": pages(null_counts=[0, 11, 0]),
    "a page of nulls with bounds": pages(null_counts=[0, 10, 0]),
    "a page with a negative number of nulls": pages(null_counts=[0, -1, 0]),
    "histograms of two pages": pages(histograms=[10, 10]),
    "histograms of more rows": pages(histograms=[10, 11, 10]),
    "a location too few": pages(locations=2),
    "no location": pages(locations=0),
    "an offset moved": pages(moved={1: (1, 0, 0)}),
    "a size too large": pages(moved={1: (0, 1, 0)}),
    "a size that ends nowhere": pages(moved={2: (0, -1, 0)}),
    "a first row moved": pages(moved={1: (0, 0, 1)}),
    "a first row that is not the first": pages(moved={0: (0, 0, 1)}),
    "first rows out of order": pages(moved={1: (0, 0, 15)}),
    "a first row beyond the end": pages(moved={2: (0, 0, 100)}),
    "an index that is cut": pages(cut=3),
    "another length in the footer": bloom(footer_nbytes=1),
    "a length in the footer that is too small": bloom(footer_nbytes=-32),
    "bits that are no blocks": bloom(nbytes=255),
    "fewer bits than a block": bloom(nbytes=0),
    "fewer bits than there are": bloom(nbytes=32),
    "a negative number of bits": bloom(nbytes=-32),
    "bits beyond the file": bloom(nbytes=1 << 20, footer_nbytes=None),
    "another algorithm": bloom(kinds=(2, 1, 1)),
    "another hash": bloom(kinds=(1, 2, 1)),
    "compressed bits": bloom(kinds=(1, 1, 2)),
    "no bit": bloom(bits=bytes(256)),
    "bits without the minimum": {**bloom(bits=bits_of([q(29)])), "statistics": TRUTH},
    "a place within the pages": bloom(at=40),
    "a place within the footer": bloom(at=1 << 30),
}


@each("name", list(NOTICED), per=50)
def test_hints_that_contradict_something_rule_nothing_out(name: str) -> None:
    hints = dict(NOTICED[name])
    if hints.pop("optional", False):
        bodies = [pb.levels(pb.run(1, 10, 1)) + body for body in BODIES]
        content = written(pb.INT64, bodies, 10, optional=True, **hints)
    else:
        content = file(**hints)
    assert found(content) == found(content, use_statistics=False) == [15]


UINT8, UINT16, UINT32, INT8 = 11, 12, 13, 15


def sign(value: int) -> bytes:
    """A byte, sign-extended to four."""
    return plain("i", value - 256 if value > 127 else value)


def cut(values: list[bytes], low: bytes, high: bytes, **more: Any) -> tuple[Any, ...]:
    return pb.BYTE_ARRAY, plain_bytes(*values), {"converted": 0}, bounds(low, high, **more)


LONG = [b"x" * 16 + tail for tail in (b"a", b"b", b"c")]
DECIMAL = {"converted": 5, "scale": 0, "precision": 4}
HALF = struct.pack("<3e", 1, 2, 3)
INT96 = b"".join(struct.pack("<QI", k, 2_440_588) for k in range(3))


def ints(code: int, values: Sequence[int], low: bytes, high: bytes) -> tuple[Any, ...]:
    return pb.INT32, plain("i", *values), {"converted": code}, bounds(low, high)


def i(value: int) -> bytes:
    return plain("i", value)


def old(low: bytes, high: bytes) -> dict[int, pb.Value]:
    return {1: pb.binary(high), 2: pb.binary(low)}


NAN = plain("d", float("nan"))
WIDE = {**DECIMAL, "length": 2}
FOUR = b"".join(value[-4:] for value in LONG)

# Physical type, values, schema element, statistics.
KINDS: dict[str, tuple[Any, ...]] = {
    "uint8, sign-extended": ints(UINT8, (10, 100, 200), sign(200), sign(100)),
    "uint8, only sign-extended": ints(UINT8, (180, 190, 200), sign(130), sign(140)),
    "uint8, signed order": ints(UINT8, (10, 100, 200), i(200), i(100)),
    "uint16, too large": ints(UINT16, (1, 2, 3), i(70_000), i(70_001)),
    "int8, zero-extended": ints(INT8, (-3, -2, -1), i(200), i(255)),
    "uint32, old pair": (pb.INT32, plain("I", 1, 2, 1 << 31), {"converted": UINT32}, old(i(8), i(9))),
    "bool": (pb.BOOLEAN, b"\x05", {}, bounds(b"\x02", b"\x02")),
    "bool of two bytes": (pb.BOOLEAN, b"\x07", {}, bounds(b"\0\0", b"\0\0")),
    "decimal over its digits": (pb.INT32, plain("i", 1, 2, 3), DECIMAL, bounds(i(10_000), i(10_001))),
    "decimal of other bytes": (pb.FIXED, b"\0\1\0\2\0\3", WIDE, bounds(b"\x09", b"\x09")),
    "decimal in unsigned order": (pb.FIXED, b"\xff\xff\0\2\0\3", WIDE, bounds(b"\0\2", b"\xff\xff")),
    "decimal of no byte": (pb.BYTE_ARRAY, plain_bytes(b"\1", b"\2", b"\3"), DECIMAL, bounds(b"", b"")),
    "double, NaN": (pb.DOUBLE, plain("d", 1, 2, 3), {}, bounds(NAN, plain("d", 0.5))),
    "double, both NaN": (pb.DOUBLE, plain("d", 1, 2, 3), {}, bounds(NAN, NAN)),
    "float of eight bytes": (pb.FLOAT, plain("f", 1, 2, 3), {}, bounds(plain("d", 8), plain("d", 9))),
    "text, cut and not raised": cut(LONG, b"x" * 16, b"x" * 16),
    "text, cut to a letter": cut(LONG, b"x", b"x"),
    "text, marked as cut": cut(LONG, b"x" * 16, b"x" * 16, exact=False),
    "text, cut within a letter, marked exact": cut([b"\xc3\xa4"] * 3, b"\xc3", b"\xc3", exact=True),
    "text, old pair": (pb.BYTE_ARRAY, plain_bytes(*LONG), {"converted": 0}, old(b"a", b"b")),
    "bytes, cut": (pb.FIXED, FOUR, {"length": 4}, bounds(b"xxx", b"xxx")),
    "bytes, too long": (pb.FIXED, FOUR, {"length": 4}, bounds(b"aaaaa", b"bbbbb")),
    "INT96": (pb.INT96, INT96, {}, bounds(INT96[:12], INT96[:12])),
}


@each("name", list(KINDS))
def test_bounds_that_are_none_of_their_type(name: str) -> None:
    physical, body, kind, statistics = KINDS[name]
    hints_of: list[dict[str, Any]] = [{"statistics": statistics}]
    if 5 in statistics:
        hints_of.append({"index": _index(statistics)})
    for hints in hints_of:
        content = written(physical, [body], 3, kind=kind, **hints)
        everything = cn.read_arrow(content)["v"].to_pylist()
        _compare(content, everything)


def _index(statistics: dict[int, Any]) -> Index:
    low, high = (statistics[k].content[1:] for k in (6, 5))
    return Index([low], [high])


def _compare(content: bytes, everything: list[Any]) -> None:
    for value in everything:
        masks: dict[str, Callable[[Any], bool]] = {
            "==": lambda v, value=value: v == value,
            "!=": lambda v, value=value: v != value,
            ">=": lambda v, value=value: v >= value,
            "<=": lambda v, value=value: v <= value,
            ">": lambda v, value=value: v > value,
            "<": lambda v, value=value: v < value,
        }
        for op, mask in masks.items():
            expected = [v for v in everything if mask(v)]
            assert found(content, [("v", op, value)]) == expected, (op, value)
            assert found(content, [("v", op, value)], use_statistics=False) == expected, (op, value)


def test_half_floats() -> None:
    logical = record({15: record({})})
    for low, high in ((HALF[:2], b"\0"), (struct.pack("<e", float("nan")), HALF[:2]), (HALF[4:], HALF[:2])):
        content = written(pb.FIXED, [HALF], 3, kind={"length": 2}, logical=logical, statistics=bounds(low, high))
        assert cn.read_arrow(content).schema.field("v").type == pa.float16()
        _compare(content, [1.0, 2.0, 3.0])


@pytest.mark.parametrize(("low", "high"), [(0.0, 0.0), (-0.0, -0.0), (0.0, -0.0)])
def test_zeros_of_both_signs(low: float, high: float) -> None:
    content = written(pb.DOUBLE, [plain("d", 0.0, -0.0)], 2, statistics=bounds(plain("d", low), plain("d", high)))
    for value in (0.0, -0.0):
        assert len(found(content, [("v", "==", value)])) == 2
        assert len(found(content, [("v", ">=", value)])) == 2


@pytest.mark.parametrize("number", [16, 17, 18, 40])
def test_types_without_an_order(number: int) -> None:
    """VARIANT, GEOMETRY, GEOGRAPHY, and what comes later."""
    statistics = bounds(b"m", b"n", exact=True)
    body, far = plain_bytes(b"a", b"b", b"c"), [("v", "==", b"a")]
    content = written(pb.BYTE_ARRAY, [body], 3, logical=record({number: record({})}), statistics=statistics)
    assert found(content, far) == [b"a"]
    assert found(written(pb.BYTE_ARRAY, [body], 3, statistics=statistics), far) == []


@pytest.mark.parametrize(("low", "high"), [(b"x" * 16, b"x" * 16), (b"x", b"x" * 10), (b"w", b"x")])
def test_page_bounds_of_text_that_are_cut_and_not_raised(low: bytes, high: bytes) -> None:
    first, second = [b"a", b"b", b"c"], LONG
    index = Index([b"a", low], [b"c", high], ASCENDING)
    content = written(pb.BYTE_ARRAY, [plain_bytes(*first), plain_bytes(*second)], 3, kind={"converted": 0}, index=index)
    _compare(content, [value.decode() for value in first + second])


def test_maxima_that_are_raised_or_exact_rule_rows_out() -> None:
    body, kind = plain_bytes(*LONG), {"converted": 0}
    for high in (b"y", b"xz"):
        lying = written(pb.BYTE_ARRAY, [body], 3, kind=kind, statistics=bounds(b"x", high))
        assert found(lying, [("v", ">", "z")]) == []
    # A consistent lie.
    exact = written(pb.BYTE_ARRAY, [body], 3, kind=kind, statistics=bounds(b"x", b"x" * 16, exact=True))
    assert found(exact, [("v", "==", "x" * 16 + "a")]) == []
    assert found(exact, [("v", "==", "x" * 16 + "a")], use_statistics=False) == ["x" * 16 + "a"]


@pytest.mark.parametrize("counts", [{3: [15, 15]}, {2: [10, 20]}, {3: [1, 2, 3, 4]}], ids=str)
def test_histograms_of_other_levels_are_refused(counts: dict[int, list[int]]) -> None:
    content = file(histograms=counts)
    with pytest.raises(OSError, match="histogram size mismatch"):
        pq.read_table(io.BytesIO(content))
    with pytest.raises(cn.DecodeError, match=r"a histogram of \d levels, expected 1"):
        cn.read_arrow(content)


def test_the_option_is_a_flag(tmp_path: Path) -> None:
    with pytest.raises(cn.OptionError, match="use_statistics"):
        cn.ParquetOptions(use_statistics=1)  # type: ignore[arg-type]
    where = tmp_path / "t.parquet"
    where.write_bytes(file(statistics=bounds(*FAR)))
    assert cn.read(where, filters=WANTED, use_statistics=False).to_arrow()["v"].to_pylist() == [15]
    with cn.open_reader(where, filters=WANTED, use_statistics=False) as reader:
        assert sum(part.shape[0] for part in reader) == 1


def test_statistics_alone_keep_the_rows_of_pages_that_may_match() -> None:
    table = pa.table({"v": pa.array(range(10_000), pa.int64())})
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, row_group_size=1000)
    found = cn.read(sink.getvalue(), filters=[("v", "==", 4321)], use_statistics="only")
    assert found["v"].to_numpy().tolist() == list(range(4000, 5000))
    assert len(cn.read(sink.getvalue(), filters=[("v", ">", 10_000)], use_statistics="only")) == 0
    with pytest.raises(cn.OptionError, match="use_statistics"):
        cn.ParquetOptions(use_statistics="all")  # type: ignore[arg-type]
