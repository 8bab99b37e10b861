"""Values below more levels than our own decoders take: every encoding comes back, and damage within is named."""

import io
import itertools
import struct
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import colonnade as cn
from tests.helpers import parquet_bytes as pb
from tests.helpers.each import each

DEPTH = 63
"""Lists around each value; they and the values may be null, which makes 127 levels."""


def column(physical: int, pages: list[bytes], nrows: int, depth: int = DEPTH, **kind: Any) -> bytes:
    """A file of one column: each row is a value in lists. The first page is a dictionary if there are several."""
    nodes = [pb.element("schema", children=1)]
    for name in ("a", *["element"] * (depth - 1)):
        nodes.append(pb.element(name, None, pb.OPTIONAL, children=1, converted=3))
        nodes.append(pb.element("list", None, pb.REPEATED, children=1))
    nodes.append(pb.element("element", physical, pb.OPTIONAL, **kind))
    path = ("a", *["list", "element"] * depth)
    leaf = pb.Column("a", physical, pages, nrows, path=path, has_dictionary=len(pages) > 1)
    return pb.file([leaf], nrows, schema=pb.items(12, nodes))


def page(values: bytes, n: int, encoding: int, depth: int = DEPTH, *, null: bool = False) -> bytes:
    """A page of `n` rows of a value, or of a null."""
    level = 2 * depth + (not null)
    repetition, definition = pb.run(0, n, depth.bit_length()), pb.run(level, n, (2 * depth + 1).bit_length())
    return pb.data_page(pb.levels(repetition) + pb.levels(definition) + values, n, encoding)


def values_of(rows: Any, depth: int) -> list[Any]:
    """The values in the lists."""
    for _ in range(depth):
        rows = [row[0] for row in rows]
    return list(rows)


def ours(content: bytes, **options: Any) -> list[Any]:
    """Our values; pyarrow does not take so many levels from another library."""
    return values_of(cn.decode(content, "parquet", **options).to_numpy()[:, 0], DEPTH)


def comes_back(physical: int, encoding: int, body: bytes, expected: list[Any], **kind: Any) -> None:
    """We read the values; pyarrow, which takes fewer levels, reads the same bytes in one list."""
    n = len(expected)
    shallow = column(physical, [page(body, n, encoding, 1)], n, 1, **kind)
    assert values_of(pq.read_table(io.BytesIO(shallow))["a"].to_pylist(), 1) == expected
    assert ours(column(physical, [page(body, n, encoding)], n, **kind)) == expected


def refused(physical: int, encoding: int, body: bytes, n: int, words: str, **kind: Any) -> None:
    with pytest.raises(cn.DecodeError, match=rf"column a.*{words}"):
        ours(column(physical, [page(body, n, encoding)], n, **kind))


def streams(values: bytes, width: int) -> bytes:
    """BYTE_STREAM_SPLIT: the first bytes of all values, then the second ones."""
    return np.frombuffer(values, np.uint8).reshape(-1, width).T.tobytes()


def deltas(*values: int) -> bytes:
    """DELTA_BINARY_PACKED: blocks of 128 differences of eight bits each, above the least."""
    out = pb.deltas(values[0], len(values))
    steps = np.diff(np.array(values, np.int64))
    for start in range(0, len(steps), 128):
        block = steps[start : start + 128]
        least = int(block.min())
        body = (block - least).astype(np.uint8).tobytes()
        minis = -(-len(body) // 32)
        out += pb.zigzag(least) + bytes([8] * minis + [0] * (4 - minis)) + body.ljust(32 * minis, b"\0")
    return out


NUMBERS = {
    "int32": (pb.INT32, "i", [1, -2, 70_000]),
    "int64": (pb.INT64, "q", [1, -2, 1 << 40]),
    "float": (pb.FLOAT, "f", [1.5, -2.25, 0.0]),
    "double": (pb.DOUBLE, "d", [1.5, -2.25, 1e300]),
}


@each("case", NUMBERS)
def test_streams_of_bytes(case: tuple[int, str, list[Any]]) -> None:
    physical, form, values = case
    comes_back(physical, pb.SPLIT, streams(pb.plain(form, *values), struct.calcsize(form)), values)


def test_streams_of_bytes_of_any_width() -> None:
    comes_back(pb.FIXED, pb.SPLIT, streams(b"abcdef", 3), [b"abc", b"def"], length=3)


def test_streams_that_are_not_of_one_length() -> None:
    refused(pb.INT32, pb.SPLIT, bytes(9), 2, "9 bytes in streams of values of 4")


def test_streams_of_too_few_values() -> None:
    refused(pb.DOUBLE, pb.SPLIT, bytes(16), 3, "the values of a page.*24.*16")


MANY = [k * 3 % 101 - 50 for k in range(300)]


@each("physical", [pb.INT32, pb.INT64])
def test_differences(physical: int) -> None:
    comes_back(physical, pb.DELTA, deltas(*MANY), MANY)


@each("said", [1, 299, 301])
def test_differences_of_another_number_than_the_page_says(said: int) -> None:
    refused(pb.INT64, pb.DELTA, deltas(*range(said)), 300, f"a page of 300 values says {said}")


TEXTS = [b"x" * (k % 7) + str(k).encode() for k in range(300)]


def test_lengths() -> None:
    body = deltas(*map(len, TEXTS)) + b"".join(TEXTS)
    comes_back(pb.BYTE_ARRAY, pb.DELTA_LENGTH, body, TEXTS)


def test_lengths_beyond_the_page() -> None:
    refused(pb.BYTE_ARRAY, pb.DELTA_LENGTH, deltas(2, 2, 3) + b"abcdef", 3, "the values of a page.*7.*6")


def test_negative_lengths() -> None:
    refused(pb.BYTE_ARRAY, pb.DELTA_LENGTH, deltas(2, -1, 2) + b"abc", 3, "a length is negative")


@each("n", [1, 3, 300])
def test_fronts(n: int) -> None:
    """Each text has the front of the one before."""
    texts = [b"abc"[: k % 3 + 1] + str(k // 3).encode() * (k % 2) for k in range(n)]
    fronts = [0]
    for before, text in itertools.pairwise(texts):
        shared = [k for k in range(min(len(before), len(text)) + 1) if before[:k] == text[:k]]
        fronts.append(shared[-1])
    rest = [text[front:] for text, front in zip(texts, fronts, strict=True)]
    body = deltas(*fronts) + deltas(*map(len, rest)) + b"".join(rest)
    comes_back(pb.BYTE_ARRAY, pb.DELTA_BYTES, body, texts)


def test_fronts_of_fixed_length() -> None:
    comes_back(pb.FIXED, pb.DELTA_BYTES, deltas(0, 2) + deltas(3, 1) + b"abcd", [b"abc", b"abd"], length=3)


@each(
    "body, words",
    {
        "longer": (deltas(0, 3) + deltas(2, 1) + b"abc", "a value begins as 3 bytes of the one before, which has 2"),
        "before the first": (deltas(1, 0) + deltas(2, 1) + b"abc", "a value begins as 1 bytes of the one before"),
        "cut": (deltas(0, 1) + deltas(2, 2) + b"abc", "the values of a page.*4.*3"),
        "negative": (deltas(0, -1) + deltas(2, 1) + b"abc", "a length is negative"),
        "negative rest": (deltas(0, 1) + deltas(2, -1) + b"ab", "a length is negative"),
        "other numbers": (deltas(0, 1) + deltas(2, 1, 1) + b"abcd", "a page of 2 values says 3"),
    }.values(),
)
def test_fronts_that_are_damaged(body: bytes, words: str) -> None:
    refused(pb.BYTE_ARRAY, pb.DELTA_BYTES, body, 2, words)


def test_fronts_of_another_length_than_the_type() -> None:
    body = deltas(0, 2) + deltas(3, 2) + b"abcde"
    refused(pb.FIXED, pb.DELTA_BYTES, body, 2, "a value of 4 bytes, expected 3", length=3)


@each(
    "physical, encoding",
    [
        (pb.INT32, pb.DELTA),
        (pb.INT64, pb.DELTA),
        (pb.BYTE_ARRAY, pb.DELTA_LENGTH),
        (pb.BYTE_ARRAY, pb.DELTA_BYTES),
        (pb.FIXED, pb.DELTA_BYTES),
    ],
)
def test_a_page_of_nulls_has_no_values(physical: int, encoding: int) -> None:
    """Nor are values looked at that the page has nevertheless."""
    kind = {"length": 3} if physical == pb.FIXED else {}
    number = 2 if encoding == pb.DELTA_BYTES else 1
    for body in (pb.deltas(0, 0) * number, (deltas(0, 0) * number)):
        shallow = column(physical, [page(body, 2, encoding, 1, null=True)], 2, 1, **kind)
        assert pq.read_table(io.BytesIO(shallow))["a"].to_pylist() == [[None]] * 2
        assert ours(column(physical, [page(body, 2, encoding, null=True)], 2, **kind)) == [None] * 2


def test_rows_of_later_pages() -> None:
    """Pages of version 2 say their rows, so that pages before the first of the rows are passed over."""

    def second(*values: int) -> bytes:
        repetition, definition = pb.run(0, len(values), 6), pb.run(2 * DEPTH + 1, len(values), 7)
        body = repetition + definition + pb.plain("q", *values)
        return pb.data_page_v2(body, len(values), repetition=len(repetition), definition=len(definition))

    content = column(pb.INT64, [b"".join([second(1, 2), second(3), second(4, 5, 6)])], 6)
    assert ours(content) == [1, 2, 3, 4, 5, 6]
    for start in range(6):
        for stop in range(start + 1, 7):
            assert ours(content, rows=slice(start, stop)) == list(range(start + 1, stop + 1))


def test_a_column_does_not_begin_within_a_list() -> None:
    levels = pb.levels(pb.run(1, 2, 6)) + pb.levels(pb.run(2 * DEPTH + 1, 2, 7))
    content = column(pb.INT64, [pb.data_page(levels + pb.plain("q", 1, 2), 2)], 2)
    with pytest.raises(cn.DecodeError, match=r"column a.*the first level of a column chunk goes on with a list"):
        ours(content)


# --------------------------------------------------------------------------- texts that grow
SMALL = cn.Limits(max_unbacked_nbytes=100_000, max_expansion=1)
"""With 64 bytes more for each of 1000 rows: 164000 bytes."""

LARGE = cn.Limits(max_unbacked_nbytes=300_000, max_expansion=1)


def test_fronts_count_as_often_as_texts_have_them() -> None:
    texts = [b"x" * 250] + [b"x" * 250 + b"y"] * 999
    body = deltas(0, *[250] * 999) + deltas(250, *[1] * 999) + b"x" * 250 + b"y" * 999
    content = column(pb.BYTE_ARRAY, [page(body, 1000, pb.DELTA_BYTES)], 1000)
    assert ours(content, limits=LARGE) == texts
    with pytest.raises(cn.LimitError, match=rf"texts inside of lists.*{sum(map(len, texts))} bytes"):
        ours(content, limits=SMALL)


def test_words_count_as_often_as_keys_may_say_them() -> None:
    words = [b"a" * 3, b"b" * 250, b"c" * 7]
    dictionary = pb.dictionary_page(pb.plain_bytes(*words), 3)
    keys = page(b"\2" + pb.run(1, 1000, 2), 1000, pb.RLE_DICTIONARY)
    content = column(pb.BYTE_ARRAY, [dictionary, keys], 1000)
    assert ours(content, limits=LARGE) == [words[1]] * 1000
    with pytest.raises(cn.LimitError, match=r"texts inside of lists.*250000 bytes"):
        ours(content, limits=SMALL)
