"""Runs of levels, keys and bools that say more or less than their page has."""

from __future__ import annotations

import io
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import colonnade as cn
from tests.helpers import parquet_bytes as pb
from tests.helpers.each import each

NUMBERS = pb.dictionary_page(pb.plain("q", *range(10)), 10)
TEXTS = pb.dictionary_page(pb.plain_bytes(*(b"%d" % k for k in range(10))), 10)
FIXED = pb.dictionary_page(b"".join(b"%03d" % k for k in range(10)), 10)
KEYED: dict[str, tuple[int, bytes, dict[str, int]]] = {
    "numbers": (pb.INT64, NUMBERS, {}),
    "texts": (pb.BYTE_ARRAY, TEXTS, {"converted": 0}),
    "bytes": (pb.FIXED, FIXED, {"length": 3}),
}


def keyed(kind: str, body: bytes, n: int = 3, **more: Any) -> bytes:
    physical, dictionary, element = KEYED[kind]
    column = pb.Column(
        "a",
        physical,
        [dictionary, pb.data_page(body, n, pb.RLE_DICTIONARY)],
        n,
        has_dictionary=True,
        encodings=(0, 3, 8),
        kind=element,
        **more,
    )
    return pb.file([column], n)


def levelled(body: bytes, n: int = 3) -> bytes:
    page = pb.data_page(pb.levels(body) + pb.plain("q", *range(n)), n)
    return pb.file([pb.Column("a", pb.INT64, [page], n, pb.OPTIONAL)], n)


def bools(body: bytes, n: int = 3) -> bytes:
    page = pb.data_page_v2(pb.levels(body), n, encoding=pb.RLE)
    return pb.file([pb.Column("a", pb.BOOLEAN, [page], n, encodings=(3,))], n)


def listed(definition: bytes, keys: bytes | None = None, n: int = 3) -> bytes:
    """A list of numbers a row, each of one number."""
    values = pb.plain("q", *range(n)) if keys is None else keys
    body = pb.levels(pb.run(0, n, 1)) + pb.levels(definition) + values
    pages = [pb.data_page(body, n, pb.PLAIN if keys is None else pb.RLE_DICTIONARY)]
    schema = pb.list_schema(pb.INT64, pb.REQUIRED)
    column = pb.Column(
        "a",
        pb.INT64,
        pages if keys is None else [NUMBERS, *pages],
        n,
        path=("a", "list", "element"),
        has_dictionary=keys is not None,
        encodings=(0, 3, 8),
    )
    return pb.file([column], n, schema=schema)


def both(content: bytes) -> None:
    """Neither reads it."""
    with pytest.raises((OSError, pa.ArrowInvalid)):
        pq.read_table(io.BytesIO(content), use_threads=False)
    for read in (cn.read_arrow, cn.read_pandas):
        with pytest.raises(cn.DecodeError, match=r"at byte [0-9]+"):
            read(content)


@each("groups", [2, 3, 100, 1 << 20, 1 << 60])
@each("kind", list(KEYED))
def test_keys_of_more_groups_than_the_page_has(kind: str, groups: int) -> None:
    both(keyed(kind, b"\4" + pb.packed([1, 2, 3], 4, groups=groups)))


@each("groups", [2, 9, 1 << 40])
@each("make", [levelled, bools, listed])
def test_levels_and_bools_of_more_groups_than_the_page_has(make: Any, groups: int) -> None:
    width = 2 if make is listed else 1
    both(make(pb.packed([width + (width > 1)] * 3, width, groups=groups)))


def test_categories_of_more_groups_than_the_page_has() -> None:
    content = keyed("texts", b"\4" + pb.packed([1, 2, 3], 4, groups=9))
    with pytest.raises(cn.DecodeError, match=r"at byte [0-9]+"):
        cn.decode(content, categories=["a"]).to_arrow()


@each("kind", list(KEYED))
@each("body", [b"", b"\0", b"\4", b"\0" + pb.run(0, 2, 0), b"\0" + pb.varint(1)], ids=repr)
def test_keys_without_a_run(kind: str, body: bytes) -> None:
    both(keyed(kind, body))


@pytest.mark.parametrize(
    "body", [b"", b"\0", b"\0" + pb.run(0, 2, 0), b"\4" + pb.packed([1] * 3, 4, groups=7)], ids=repr
)
def test_keys_within_lists(body: bytes) -> None:
    both(listed(pb.run(3, 3, 2), body))


@pytest.mark.parametrize("kind", KEYED)
def test_what_writers_do(kind: str) -> None:
    """The last group may end with its values; runs may say more values than there are; keys of no bits."""
    bodies = [
        b"\4" + pb.packed([1, 2, 3], 4)[:-2],
        b"\x08" + pb.packed([1, 2, 3], 8)[:-5],
        b"\4" + pb.run(3, 300, 4),
        b"\4" + pb.packed([1] * 16, 4),
        b"\0" + pb.run(0, 3, 0),
        b"\0" + pb.varint(1 << 1 | 1),
    ]
    for body in bodies:
        content = keyed(kind, body)
        assert cn.read_arrow(content)["a"].to_pylist() == pq.read_table(io.BytesIO(content))["a"].to_pylist()


def test_values_that_are_all_null_need_no_keys() -> None:
    for keys in (b"", b"\0", b"\4"):
        body = pb.levels(pb.run(0, 3, 1)) + keys
        content = keyed("texts", body, repetition=pb.OPTIONAL)
        assert cn.read_arrow(content)["a"].to_pylist() == [None] * 3


@pytest.mark.parametrize("physical", [pb.INT64, pb.BYTE_ARRAY])
def test_a_second_dictionary_is_refused(physical: int) -> None:
    dictionary = NUMBERS if physical == pb.INT64 else TEXTS
    page = pb.data_page(b"\4" + pb.run(1, 3, 4), 3, pb.RLE_DICTIONARY)
    for pages in ([dictionary, dictionary, page, page], [dictionary, page, dictionary, page]):
        column = pb.Column("a", physical, pages, 6, has_dictionary=True, encodings=(0, 3, 8))
        with pytest.raises(cn.DecodeError, match="a dictionary page behind other pages"):
            cn.read_arrow(pb.file([column], 6))
