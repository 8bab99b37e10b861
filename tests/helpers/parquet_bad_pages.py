"""What is wrong inside pages: codecs, dictionaries and their keys, levels, differences, lists.

Adds to the cases of `parquet_bad_cases`, and has them all.
"""

from __future__ import annotations

import gzip
from typing import Any

from colonnade import LimitError, UnsupportedError
from tests.helpers import parquet_bytes as pb
from tests.helpers.parquet_bad_cases import BAD, BILLION, DAMAGED, EITHER, GIGA, TEXT, TWO, bad, page_of_two, pages
from tests.helpers.parquet_bytes import (
    BOOLEAN,
    BYTE_ARRAY,
    DELTA,
    DELTA_BYTES,
    DELTA_LENGTH,
    INT64,
    OPTIONAL,
    RLE,
    RLE_DICTIONARY,
    SPLIT,
    Column,
    data_page,
    data_page_v2,
    dictionary_page,
    element,
    file,
    items,
    levels,
    packed,
    plain,
    plain_bytes,
    run,
    varint,
    zigzag,
)

__all__ = ["BAD", "EITHER"]

# --------------------------------------------------------------------------- codecs
_CODECS = {"snappy": 1, "gzip": 2, "brotli": 4, "lz4 of Hadoop": 5, "zstd": 6, "raw lz4": 7}
for _name, _codec in _CODECS.items():
    page_of_two(f"{_name}: noise", data_page(b"\xfe\xdc\xba\x98" * 6, 2, nbytes=16), "", codec=_codec)
    page_of_two(f"{_name}: nothing", data_page(b"", 2, nbytes=16), "", codec=_codec)
    page_of_two(f"{_name}: gigabytes", data_page(b"\xfe\xdc\xba\x98" * 6, 2, nbytes=GIGA), "", codec=_codec)
    page_of_two(f"{_name}: a negative size", data_page(b"\xfe\xdc\xba\x98" * 6, 2, nbytes=-1), "", codec=_codec)
_GZIPPED = gzip.compress(TWO, mtime=0)
_LITERAL = b"\x10" + bytes([15 << 2]) + TWO  # snappy: sixteen bytes, one literal
page_of_two("gzip: more than the page says", data_page(_GZIPPED, 2, nbytes=8), "", codec=pb.GZIP)
page_of_two("gzip: less than the page says", data_page(_GZIPPED, 2, nbytes=24), "", codec=pb.GZIP)
page_of_two("gzip: a wrong checksum", data_page(_GZIPPED[:-8] + b"\0\0\0\0\x10\0\0\0", 2, nbytes=16), "", codec=pb.GZIP)
page_of_two("gzip: cut", data_page(_GZIPPED[:-12], 2, nbytes=16), "", codec=pb.GZIP)
page_of_two(
    "gzip: a megabyte for sixteen bytes", data_page(gzip.compress(bytes(1 << 20)), 2, nbytes=16), "", codec=pb.GZIP
)
page_of_two("snappy: more than the page says", data_page(_LITERAL, 2, nbytes=8), "", codec=pb.SNAPPY)
page_of_two("snappy: less than the page says", data_page(_LITERAL, 2, nbytes=24), "", codec=pb.SNAPPY)
page_of_two("snappy: gigabytes of its own", data_page(b"\xff\xff\xff\xff\x0f" + TWO, 2, nbytes=16), "", codec=pb.SNAPPY)
page_of_two("snappy: a copy before the start", data_page(b"\x10\x00x\x3e\x09\0", 2, nbytes=16), "", codec=pb.SNAPPY)
page_of_two("snappy: a copy of no distance", data_page(b"\x10\x00x\x3e\0\0", 2, nbytes=16), "", codec=pb.SNAPPY)
page_of_two("snappy: cut", data_page(_LITERAL[:-3], 2, nbytes=16), "", codec=pb.SNAPPY)

# --------------------------------------------------------------------------- dictionaries
_WORDS = plain_bytes(b"x", b"yy")
_DICTIONARY = dictionary_page(_WORDS, 2)
_NUMBERS = dictionary_page(TWO, 2)


def _keys(name: str, body: bytes, words: str = "", nvalues: int = 2, **more: Any) -> None:
    """Keys into two numbers, and into two words."""
    keys = data_page(body, nvalues, RLE_DICTIONARY)
    same: dict[str, Any] = {"has_dictionary": True, "nvalues": nvalues, "words": words} | more
    pages(f"{name}, numbers", INT64, [_NUMBERS, keys], **same)
    pages(f"{name}, words", BYTE_ARRAY, [_DICTIONARY, keys], kind=TEXT, **same)


_keys("a key out of range in a run", b"\2" + run(3, 2, 2), r"\b3\b.*\b2\b|\b2\b.*\b3\b")
_keys("a key out of range in a group", b"\2" + packed([1, 2], 2), r"\b2\b")
_keys("a key of 32 bits", b"\x20" + run(2**32 - 1, 2, 32), "4294967295|out of|dictionary")
_keys("keys of 33 bits", b"\x21" + run(1, 2, 33), r"\b33\b")
_keys("keys of 255 bits", b"\xff" + run(1, 2, 1), r"\b255\b")
_keys("no width", b"", "")
_keys("no keys", b"\1", "")
_keys("too few keys", b"\1" + run(1, 1, 1), "")
_keys("a run beyond 64 bits", b"\1" + b"\xff" * 12, "")
_keys("a group that is not there", b"\1" + packed([1, 0], 1, groups=1000)[:3], "", to=EITHER)
_keys("keys of a group cut", b"\x08" + packed([1, 0], 8)[:4], "", to=EITHER)
_keys("a run cut", b"\x10" + varint(4), "")
for _name, _page_of in {
    "a dictionary of more than its bytes": dictionary_page(TWO, 3),
    "a dictionary of a billion": dictionary_page(TWO, BILLION),
    "a dictionary of a negative number": dictionary_page(TWO, -2),
    "a dictionary of nothing": dictionary_page(b"", 0),
    "a dictionary that is encoded": dictionary_page(TWO, 2, encoding=DELTA),
}.items():
    pages(
        _name, INT64, [_page_of, data_page(b"\1" + run(1, 2, 1), 2, RLE_DICTIONARY)], 2, "", has_dictionary=True,
        errors=(*DAMAGED, UnsupportedError),
    )  # fmt: skip
pages("keys without a dictionary", INT64, [data_page(b"\1" + run(1, 2, 1), 2, RLE_DICTIONARY)], 2, "(?i)dictionary")
pages(
    "words of a dictionary over the page", BYTE_ARRAY,
    [dictionary_page(plain_bytes(b"x") + b"\xff\xff\xff\x7f", 2), data_page(b"\1" + run(1, 2, 1), 2, RLE_DICTIONARY)],
    2, "a", has_dictionary=True, kind=TEXT,
)  # fmt: skip
pages(
    "two dictionaries", INT64, [_NUMBERS + _NUMBERS, data_page(b"\1" + run(1, 2, 1), 2, RLE_DICTIONARY)], 2, "",
    has_dictionary=True, to=EITHER,
)  # fmt: skip
pages(
    "a dictionary behind its keys", INT64, [data_page(b"\1" + run(1, 2, 1), 2, RLE_DICTIONARY), _NUMBERS], 2, "",
    told={"data_at": 4 + len(data_page(TWO, 2))},
)  # fmt: skip
# A hundred bytes that ask for four gigabytes: half a billion numbers in one run, and as many nulls.
pages(
    "half a billion numbers in a run", INT64,
    [_NUMBERS, data_page(b"\1" + run(1, 1 << 29, 1), 1 << 29, RLE_DICTIONARY)],
    1 << 29, "536870912 rows", has_dictionary=True, errors=(LimitError,), whole=True,
)  # fmt: skip
pages(
    "half a billion nulls", INT64, [data_page(levels(run(0, 1 << 29, 1)), 1 << 29)], 1 << 29, "536870912 rows",
    repetition=OPTIONAL, errors=(LimitError,), whole=True,
)  # fmt: skip

# --------------------------------------------------------------------------- levels
_ALL = levels(run(1, 2, 1))


def _levels(name: str, body: bytes, words: str = "", **more: Any) -> None:
    pages(name, INT64, [data_page(body, 2)], 2, words, repetition=OPTIONAL, **more)


_levels("a definition level beyond the most", levels(run(2, 2, 1)) + TWO, r"level 2, at most 1 is possible")
_levels("a definition level of 255", levels(run(255, 2, 1)) + TWO, r"level 255, at most 1 is possible")
_levels("no levels", b"", "")
_levels("levels of no bytes", levels(b"") + TWO, "levels")
_levels("levels longer than the page", levels(run(1, 2, 1), 1000) + TWO, "levels")
_levels("levels of gigabytes", levels(run(1, 2, 1), 2**32 - 1) + TWO, "levels")
_levels("too few levels", levels(run(1, 1, 1)) + TWO, "levels")
_levels("fewer values than levels say", _ALL + plain("q", 1), "")
_levels("levels whose run is cut", levels(varint(4)) + TWO, "")
_levels("levels of an endless number", levels(b"\xff" * 11) + TWO, "")
_levels("levels of runs of none", levels(run(1, 0, 1) * 40 + run(1, 2, 1)) + TWO, "", to=EITHER)
pages(
    "levels in an encoding that is not known", INT64, [data_page(_ALL + TWO, 2, level=77)], 2, "encoding",
    repetition=OPTIONAL, errors=(*DAMAGED, UnsupportedError),
)  # fmt: skip
_V2 = {
    "levels longer than the page": {"definition": 1000},
    "levels of a negative length": {"definition": -1},
    "repetition longer than the page": {"repetition": 1000, "definition": 2},
    "repetition of a negative length": {"repetition": -4, "definition": 2},
    "levels of gigabytes": {"definition": GIGA, "repetition": GIGA},
    "no levels": {"definition": 0},
}
for _name, _told in _V2.items():
    pages(f"version 2: {_name}", INT64, [data_page_v2(run(1, 2, 1) + TWO, 2, **_told)], 2, "a", repetition=OPTIONAL)
pages("version 2: a level beyond the most", INT64, [data_page_v2(run(3, 2, 1) + TWO, 2, definition=2)], 2,
       "level 3, at most 1", repetition=OPTIONAL)  # fmt: skip
pages("version 2: more nulls than values", INT64, [data_page_v2(run(1, 2, 1) + TWO, 2, nulls=5, definition=2)], 2, "",
       repetition=OPTIONAL, to=EITHER)  # fmt: skip
pages("version 2: other rows than values", INT64, [data_page_v2(TWO, 2, nrows=7)], 2, "", to=EITHER)
pages("version 2: negative rows", INT64, [data_page_v2(TWO, 2, nrows=-7)], 2, "", to=EITHER)

# --------------------------------------------------------------------------- differences, lengths, split bytes
_HEAD = (128, 4)


def _delta(
    name: str, body: bytes, words: str = "", *, encoding: int = DELTA, physical: int = INT64, **more: Any
) -> None:
    kind = TEXT if physical == BYTE_ARRAY else {}
    pages(name, physical, [data_page(body, 2, encoding)], 2, words, kind=kind, **more)


def _head(block: int, minis: int, total: int, first: int = 1) -> bytes:
    return varint(block) + varint(minis) + varint(total) + zigzag(first)


_ONE = zigzag(1) + bytes(4)  # a block whose differences are all 1
_delta("differences: nothing", b"", "")
_delta("differences: a head cut", varint(128) + varint(4), "")
_delta("differences: a block of 100", _head(100, 4, 2) + _ONE, r"\b100\b")
_delta("differences: a block of none", _head(0, 4, 2) + _ONE, r"\b0\b")
_delta("differences: a block of 2^60", _head(1 << 60, 4, 2) + _ONE, "")
_delta("differences: no miniblocks", _head(128, 0, 2) + _ONE, r"\b0\b")
_delta("differences: miniblocks of 3", _head(128, 3, 2) + _ONE, r"\b3\b")
_delta("differences: 2^40 miniblocks", _head(128, 1 << 40, 2) + _ONE, "")
_delta("differences: fewer than values", _head(128, 4, 1) + _ONE, "")
_delta("differences: a billion", _head(128, 4, BILLION) + _ONE, "", to=EITHER)
_delta("differences: of 65 bits", _head(128, 4, 2) + zigzag(1) + b"\x41\0\0\0" + bytes(300), r"65 bits, at most 64")
_delta("differences: of 254 bits", _head(128, 4, 2) + zigzag(1) + b"\xfe\0\0\0" + bytes(300), r"254 bits, at most 64")
_delta("differences: of missing bits", _head(128, 4, 2) + zigzag(1) + b"\x40\0\0\0" + bytes(7), "needs|found|cut")
_delta("differences: a block cut", _head(128, 4, 2) + zigzag(1) + b"\0", "")
_LENGTHS = _head(128, 4, 2, 1) + zigzag(0) + bytes(4)
_NEGATIVE = _head(128, 4, 2, -5) + zigzag(0) + bytes(4)
_HUGE = _head(128, 4, 2, GIGA) + zigzag(0) + bytes(4)
for _name, _lengths in {
    "negative": _NEGATIVE,
    "of gigabytes": _HUGE,
    "over the page": _head(128, 4, 2, 9) + _ONE,
}.items():
    _delta(f"lengths: {_name}", _lengths + b"xy", "", encoding=DELTA_LENGTH, physical=BYTE_ARRAY)
_PREFIXES = {
    "a prefix before the first": (_head(128, 4, 2, 1) + zigzag(0) + bytes(4), _LENGTHS),
    "a prefix longer than the text before": (_head(128, 4, 2, 0) + zigzag(7) + bytes(4), _LENGTHS),
    "negative prefixes": (_NEGATIVE, _LENGTHS),
    "prefixes of gigabytes": (_HUGE, _LENGTHS),
    "negative suffixes": (_head(128, 4, 2, 0) + zigzag(0) + bytes(4), _NEGATIVE),
    "suffixes of gigabytes": (_head(128, 4, 2, 0) + zigzag(0) + bytes(4), _HUGE),
}
for _name, (_prefixes, _suffixes) in _PREFIXES.items():
    _delta(f"fronts: {_name}", _prefixes + _suffixes + b"xy", "", encoding=DELTA_BYTES, physical=BYTE_ARRAY)
_delta("split bytes: too few", TWO[:9], "", encoding=SPLIT)
_delta("split bytes: of text", plain_bytes(b"x", b"y"), "", encoding=SPLIT, physical=BYTE_ARRAY,
       errors=(*DAMAGED, UnsupportedError))  # fmt: skip
pages("bools in runs: longer than the page", BOOLEAN, [data_page(levels(run(1, 2, 1), 99), 2, RLE)], 2, "a")
pages("bools in runs: too few", BOOLEAN, [data_page(levels(run(1, 1, 1)), 2, RLE)], 2, "a")
pages("bools in runs: no length", BOOLEAN, [data_page(b"\4", 2, RLE)], 2, "a")

# --------------------------------------------------------------------------- lists
_LIST = items(12, [
    element("schema", children=1), element("l", None, 1, children=1, converted=3), element("list", None, 2, children=1),
    element("element", INT64, 1),
])  # fmt: skip


def _list(
    name: str, body: bytes, nvalues: int, nrows: int, words: str = "", *, encoding: int = pb.PLAIN, **more: Any
) -> None:
    column = Column("l", INT64, [data_page(body, nvalues, encoding)], nvalues, path=["l", "list", "element"])
    bad(f"lists: {name}", file([column], nrows, schema=_LIST), words, **more)


def _both(repetition: bytes, definition: bytes) -> bytes:
    return levels(repetition) + levels(definition)


_list("a repetition of 1 at the start", _both(run(1, 2, 1), run(3, 2, 2)) + TWO, 2, 1,
      "the first repetition level of a column chunk is not 0")  # fmt: skip
_list("a repetition beyond the most", _both(run(2, 2, 1), run(3, 2, 2)) + TWO, 2, 2,
      "repetition level 2, at most 1 is possible")  # fmt: skip
_list("a definition beyond the most", _both(run(0, 2, 1), packed([4 & 3, 0], 2) + b"") + b"", 2, 2, "", to=EITHER)
_list("a definition level that has no name", _both(run(0, 2, 1), run(7, 2, 2)) + TWO, 2, 2,
      "definition level 7, at most 3 is possible")  # fmt: skip
_list("more rows than repetitions say", _both(packed([0, 1], 1), run(3, 2, 2)) + TWO, 2, 2,
      "levels begin 1 rows, its row group has 2")  # fmt: skip
_list("fewer rows than repetitions say", _both(run(0, 2, 1), run(3, 2, 2)) + TWO, 2, 1,
      "levels begin 2 rows, its row group has 1")  # fmt: skip
_list("too few repetitions", _both(run(0, 1, 1), run(3, 2, 2)) + TWO, 2, 2, "levels")
_list("too few definitions", _both(run(0, 2, 1), run(3, 1, 2)) + TWO, 2, 2, "levels")
_list("too few values", _both(run(0, 2, 1), run(3, 2, 2)) + plain("q", 1), 2, 2, "needs 16 bytes, found 8")
_list("an item of an empty list", _both(packed([0, 1], 1), packed([1, 3], 2)) + TWO, 2, 1,
      "level 1 of a page goes on with a list that has no item")  # fmt: skip
_list("an item of no list", _both(packed([0, 1], 1), packed([0, 3], 2)) + TWO, 2, 1,
      "level 1 of a page goes on with a list that has no item")  # fmt: skip
_list("no item though it goes on", _both(packed([0, 1], 1), packed([3, 1], 2)) + TWO, 2, 1,
      "level 1 of a page goes on with a list that has no item")  # fmt: skip


def _pages(name: str, *bodies: bytes, nrows: int, words: str) -> None:
    own = [data_page(body, 1) for body in bodies]
    column = Column("l", INT64, own, len(own), path=["l", "list", "element"])
    bad(f"lists: {name}", file([column], nrows, schema=_LIST), words)


_ITEM, _MORE, _NONE = (
    _both(run(0, 1, 1), run(3, 1, 2)) + plain("q", 1),
    _both(run(1, 1, 1), run(3, 1, 2)) + plain("q", 2),
    _both(run(0, 1, 1), run(1, 1, 2)),
)
_pages("a page that goes on with an empty list", _ITEM, _NONE, _MORE, nrows=2,
       words="a page goes on with a list that has no item in the page before")  # fmt: skip
_pages("a page that goes on with nothing", _MORE, _ITEM, nrows=1,
       words="the first repetition level of a column chunk is not 0")  # fmt: skip

_PAIR = items(12, [
    element("schema", children=1), element("l", None, 1, children=1, converted=3), element("list", None, 2, children=1),
    element("element", None, 0, children=2), element("a", INT64, 0), element("b", INT64, 0),
])  # fmt: skip
_OF_TWO = _both(packed([0, 1], 1), run(2, 2, 2)) + TWO
_OF_ONE = _both(run(0, 1, 1), run(2, 1, 2)) + plain("q", 1)
bad(
    "lists: fields of other numbers of items",
    file(
        [
            Column("a", INT64, [data_page(_OF_TWO, 2)], 2, path=["l", "list", "element", "a"]),
            Column("b", INT64, [data_page(_OF_ONE, 1)], 1, path=["l", "list", "element", "b"]),
        ],
        1,
        schema=_PAIR,
    ),
    "has 1 items in its lists, leaf 0 has 2",
)
_list(
    "keys without a dictionary",
    _both(run(0, 2, 1), run(3, 2, 2)) + b"\1" + run(1, 2, 1),
    2,
    2,
    "(?i)dictionary",
    encoding=RLE_DICTIONARY,
)
_list(
    "half a billion empty ones",
    _both(run(0, 1 << 29, 1), run(1, 1 << 29, 2)),
    1 << 29,
    1 << 29,
    "536870912 rows",
    whole=True,
)
_list(
    "half a billion elements in one", _both(run(0, 1, 1) + run(1, (1 << 29) - 1, 1), run(2, 1 << 29, 2)), 1 << 29, 1, ""
)
