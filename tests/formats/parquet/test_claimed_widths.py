"""Decimals and intervals of other widths than the file stores: values are widened, and cut only where none is lost."""

import decimal
import io
import itertools
import struct
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import colonnade as cn
from tests.helpers import arrow_bytes as ab
from tests.helpers import parquet_bytes as pb
from tests.helpers.each import each

DECIMAL = {"converted": 5, "scale": 0}
YEAR_MONTH, DAY_TIME = ((11, ab.Table({0: ("h", unit)})) for unit in (0, 1))


def column(physical: int, pages: list[bytes], nrows: int, claim: Any = None, **more: Any) -> bytes:
    """A column "x"; `claim` is the type that the Arrow schema has in the metadata of our own writer."""
    metadata = {}
    if claim is not None:
        empty = cn.encode(cn.decode(ab.stream(ab.schema(ab.field("x", claim))), "arrows"), "parquet")
        pairs = pq.read_metadata(io.BytesIO(empty)).metadata
        metadata = {key.decode(): text.decode() for key, text in pairs.items()}
    leaf = pb.Column("x", physical, pages, nrows, has_dictionary=len(pages) > 1, **more)
    return pb.file([leaf], nrows, metadata=metadata)


def ours(content: bytes) -> pa.Array:
    found = cn.decode(content, "parquet").to_arrow()["x"].combine_chunks()
    found.validate(full=True)
    return found


def deltas(*values: int) -> bytes:
    """DELTA_BINARY_PACKED: one miniblock of differences of eight bits."""
    steps = [b - a for a, b in itertools.pairwise(values)]
    packed = bytes(step - min(steps) for step in steps)
    return pb.deltas(values[0], len(values), least=min(steps), widths=b"\x08\0\0\0") + packed.ljust(32, b"\0")


def streams(values: bytes, width: int) -> bytes:
    """BYTE_STREAM_SPLIT: the first bytes of all values, then the second ones."""
    return np.frombuffer(values, np.uint8).reshape(-1, width).T.tobytes()


VALUES = [1, -2, 90, -60]


@each("physical, form", [(pb.INT32, "i"), (pb.INT64, "q")])
@each("width", [64, 256])
@each("encoding", [pb.PLAIN, pb.DELTA, pb.SPLIT])
def test_integers_become_wide_decimals(physical: int, form: str, width: int, encoding: int) -> None:
    """The sign fills the bytes that the file does not have."""
    body = pb.plain(form, *VALUES)
    if encoding == pb.DELTA:
        body = deltas(*VALUES)
    elif encoding == pb.SPLIT:
        body = streams(body, struct.calcsize(form))
    content = column(
        physical, [pb.data_page(body, 4, encoding)], 4, ab.decimal_type(9, 0, width), kind=DECIMAL | {"precision": 9}
    )
    assert [int(value) for value in pq.read_table(io.BytesIO(content))["x"].to_pylist()] == VALUES
    found = ours(content)
    assert found.type == (pa.decimal64(9, 0) if width == 64 else pa.decimal256(9, 0))
    assert found.to_pylist() == [decimal.Decimal(value) for value in VALUES]


NUMBERS = [b"\x01", b"\xff\xfe", b"\0\x80", b"\x80", b""]


@each("encoding", [pb.PLAIN, pb.RLE_DICTIONARY, pb.DELTA_LENGTH])
def test_decimals_of_any_length(encoding: int) -> None:
    """Big-endian numbers, each of its own length; keys in a run and in groups."""
    words, expected = NUMBERS[:4], [1, -2, 128, -128]
    keys = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 2, 1, 0, 1, 2, 3, 3]
    if encoding == pb.RLE_DICTIONARY:
        body = b"\2" + pb.run(0, 12, 2) + pb.packed(keys[12:], 2)
        pages = [pb.dictionary_page(pb.plain_bytes(*words), 4), pb.data_page(body, 20, encoding)]
    else:
        cells = [words[key] for key in keys]
        body = pb.plain_bytes(*cells) if encoding == pb.PLAIN else deltas(*map(len, cells)) + b"".join(cells)
        pages = [pb.data_page(body, 20, encoding)]
    content = column(pb.BYTE_ARRAY, pages, 20, kind=DECIMAL | {"precision": 9})
    assert pq.read_table(io.BytesIO(content))["x"].to_pylist() == [decimal.Decimal(expected[key]) for key in keys]
    assert ours(content).to_pylist() == [decimal.Decimal(expected[key]) for key in keys]


def test_a_key_beyond_the_decimals() -> None:
    pages = [pb.dictionary_page(pb.plain_bytes(b"\1", b"\2"), 2), pb.data_page(b"\2" + pb.run(3, 1, 2), 1, 8)]
    content = column(pb.BYTE_ARRAY, pages, 1, kind=DECIMAL | {"precision": 20})
    with pytest.raises(cn.DecodeError, match=r"column x.*key 3.*\b2 values"):
        ours(content)


def parts(*intervals: tuple[int, int, int]) -> bytes:
    """Months, days and milliseconds."""
    return b"".join(struct.pack("<III", *interval) for interval in intervals)


INTERVAL = {"length": 12, "converted": 21}


@each("encoding", [pb.PLAIN, pb.SPLIT, pb.RLE_DICTIONARY])
@each(
    "claim, intervals, expected",
    [
        (YEAR_MONTH, [(1, 0, 0), (300, 0, 0)], struct.pack("<ii", 1, 300)),
        (DAY_TIME, [(0, 1, 2), (0, 300, 70_000)], struct.pack("<iiii", 1, 2, 300, 70_000)),
    ],
)
def test_intervals_of_fewer_parts(
    claim: Any, intervals: list[tuple[int, int, int]], expected: bytes, encoding: int
) -> None:
    content = column(pb.FIXED, pages_of(parts(*intervals), encoding), 2, claim, kind=INTERVAL)
    [batch] = cn.decode(content, "parquet").to_arrow().to_batches()
    assert [str(kind) for kind in batch.schema.types] == [
        "month_interval" if claim is YEAR_MONTH else "day_time_interval"
    ]
    # Python has no class for these arrays: their bytes are the body of a message.
    assert pa.ipc.read_message(batch.serialize()).body.to_pybytes().rstrip(b"\0") == expected.rstrip(b"\0")


def pages_of(body: bytes, encoding: int) -> list[bytes]:
    if encoding == pb.RLE_DICTIONARY:
        return [pb.dictionary_page(body, 2), pb.data_page(b"\1" + pb.packed([0, 1], 1), 2, encoding)]
    return [pb.data_page(body if encoding == pb.PLAIN else streams(body, 12), 2, encoding)]


@each("encoding", [pb.PLAIN, pb.SPLIT])
@each(
    "claim, interval, words",
    [
        (YEAR_MONTH, (1, 1, 0), "an interval of months"),
        (YEAR_MONTH, (1, 0, 1 << 24), "an interval of months"),
        (DAY_TIME, (1, 1, 1), "an interval of days and milliseconds"),
        (DAY_TIME, (1 << 24, 1, 1), "an interval of days and milliseconds"),
    ],
)
def test_no_part_of_an_interval_is_lost(claim: Any, interval: tuple[int, int, int], words: str, encoding: int) -> None:
    content = column(pb.FIXED, pages_of(parts((0, 0, 0), interval), encoding), 2, claim, kind=INTERVAL)
    with pytest.raises(cn.DecodeError, match=rf"column x.*{words} alone, it has other parts too"):
        ours(content)


def test_a_dictionary_of_bools_is_refused() -> None:
    pages = [pb.dictionary_page(b"\3", 2), pb.data_page(b"\3", 2)]
    content = column(pb.BOOLEAN, pages, 2)
    with pytest.raises(cn.DecodeError, match=r"column x.*RleDictionary"):
        cn.decode(content, "parquet").to_arrow()
    with pytest.raises(cn.DecodeError, match=r"column x.*RleDictionary"):
        cn.decode(content, "parquet").to_numpy()
