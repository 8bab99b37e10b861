"""Parquet files with one thing wrong each, named after the error they provoke.

The claims are of gigabytes, the bytes a hundred or two. What the format's own words leave open (`EITHER`) may be
refused or read. `words` is what a message must say beside where it is: what was expected, and what was found.

Here the file, its footer, row groups and sizes of pages; `parquet_bad_pages` has what is inside them.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from colonnade import DecodeError, LimitError, UnsupportedError
from tests.helpers import parquet_bytes as pb
from tests.helpers.parquet_bytes import (
    BOOLEAN,
    BYTE_ARRAY,
    DELTA_LENGTH,
    DOUBLE,
    FIXED,
    INT32,
    INT64,
    RLE_DICTIONARY,
    Column,
    binary,
    data_page,
    data_page_v2,
    dictionary_page,
    element,
    file,
    i32,
    i64,
    items,
    plain,
    plain_bytes,
    record,
    run,
    varint,
)

MOST, GIGA, BILLION = 2**63 - 1, 2**31 - 1, 10**9
DAMAGED = (DecodeError, LimitError)


@dataclass(frozen=True)
class Bad:
    """A whole file, which errors may be raised over it, and what they must say."""

    content: bytes
    words: str = ""
    errors: tuple[type[Exception], ...] = DAMAGED
    # Wrong in the footer or the file: there is no column to name.
    whole: bool = False
    # Wrong only where checksums are asked for.
    verified: bool = False


BAD: dict[str, Bad] = {}
FOREIGN = ("nothing", "magic alone", "magic twice", "no magic at the end")
"""What no one takes for Parquet who is not told."""
EITHER: dict[str, Bad] = {}
TWO = plain("q", 1, 2)
TEXT = {"converted": 0}


def good(name: str = "a", **more: Any) -> Column:
    return Column(name, INT64, [data_page(TWO, 2)], 2, **more)


def bad(name: str, content: bytes, words: str = "", *, to: dict[str, Bad] = BAD, **more: Any) -> None:
    assert name not in to, name
    to[name] = Bad(content, words, **more)


def column(name: str, column: Column, nrows: int, words: str = "", **more: Any) -> None:
    """The wrong column between two good ones where the rows allow it, so that the message has to say which."""
    columns = [good("before"), column, good("behind")] if nrows == 2 else [column]
    bad(name, file(columns, nrows), words, **more)


def pages(name: str, physical: int, pages: Sequence[bytes], nvalues: int, words: str = "", **more: Any) -> None:
    """A column `a` of pages."""
    own = {
        key: more.pop(key) for key in ("repetition", "codec", "kind", "told", "has_dictionary", "more") if key in more
    }
    column(name, Column("a", physical, pages, nvalues, **own), more.pop("nrows", nvalues), words, **more)


# --------------------------------------------------------------------------- the file and its footer
SOUND = file([good(), good("b", repetition=0)], 2)
_FOOT_NBYTES = struct.unpack("<I", SOUND[-8:-4])[0]
_FOOT, _FRONT = SOUND[-8 - _FOOT_NBYTES : -8], SOUND[: -8 - _FOOT_NBYTES]
_LONG = file([Column("z", DOUBLE, [data_page(plain("d", *range(500)), 500)], 500)], 500)
_LONG_FOOT = _LONG[-8 - struct.unpack("<I", _LONG[-8:-4])[0] : -8]

_WHOLE = {
    "nothing": (b"", "needs 12 bytes, found 0|empty|no bytes"),
    "magic alone": (b"PAR1", "needs 12 bytes, found 4"),
    "magic twice": (b"PAR1PAR1", "needs 12 bytes, found 8"),
    "no magic at the end": (SOUND[:-4] + b"PAR2", "expected PAR1 at the end"),
    "cut before the footer": (_FRONT, "expected PAR1 at the end.*cut short"),
    "cut in the footer": (SOUND[:-20], "expected PAR1 at the end.*cut short"),
    "footer of no length": (pb.sealed(_FRONT + _FOOT, b"", 0), "footer"),
    "footer longer than the file": (pb.sealed(_FRONT, _FOOT, len(SOUND)), r"footer needs \d+ bytes, found \d+"),
    "footer of gigabytes": (pb.sealed(_FRONT, _FOOT, 2**32 - 1), "footer needs 4294967295 bytes, found"),
    "footer that begins too late": (pb.sealed(_FRONT, _FOOT, _FOOT_NBYTES - 3), ""),
    "footer of zeros": (pb.sealed(_FRONT, bytes(40)), "footer"),
    "footer of noise": (pb.sealed(_FRONT, b"\xff" * 40), "footer"),
    "footer cut": (pb.sealed(_FRONT, _FOOT[:-9]), "footer"),
}
for _name, (_content, _words) in _WHOLE.items():
    bad(_name, _content, _words, whole=True)
bad("footer from another file", pb.sealed(_FRONT, _LONG_FOOT), r"needs \d+ bytes, found \d+|outside|beyond")


def _foot(name: str, foot: bytes, words: str = "", **more: Any) -> None:
    bad(name, pb.sealed(_FRONT, foot), words, **({"whole": True} | more))


_SCHEMA = pb.schema_of([good(), good("b")])
_GROUPS = items(12, [pb.group(items(12, [good().chunk(4), good("b").chunk(4)]), 2)])
_NO_GROUPS = items(12, [])


def _footer(**fields: pb.Value | None) -> bytes:
    names = {"version": 1, "schema": 2, "nrows": 3, "groups": 4, "metadata": 5, "created_by": 6, "more": 15}
    whole = {"version": i32(1), "schema": _SCHEMA, "nrows": i64(2), "groups": _GROUPS} | fields
    return record({names[name]: value for name, value in whole.items()}).content


assert pb.sealed(_FRONT, _footer())
_foot("a schema of a billion nodes", _footer(schema=items(12, [element("schema", children=1)], BILLION)), "list")
_foot("a billion row groups", _footer(groups=items(12, [], BILLION)), "list")
_foot("row groups beyond 64 bits", _footer(groups=items(12, [], 1 << 70)), "")
_foot("a billion columns", _footer(groups=items(12, [pb.group(items(12, [], BILLION), 2)])), "list")
_foot("a billion pairs of metadata", _footer(metadata=items(12, [], BILLION)), "list")
_foot("a billion of what is not known", _footer(more=items(12, [], BILLION)), "list")
_foot("a billion bools of what is not known", _footer(more=items(1, [], BILLION)), "list")
_foot("a list of lists of a billion", _footer(more=items(9, [items(5, [], BILLION)])), "list")
_foot("a name of a gigabyte", _footer(created_by=binary("x", GIGA)), "")
_foot("a map of a billion", _footer(more=pb.Value(11, varint(BILLION) + b"\x55")), "")
_DEEP = record({1: i32(1)})
for _ in range(20_000):
    _DEEP = record({1: _DEEP})
_foot("structs in structs", _footer(more=_DEEP), "deep|nest|within")
_foot("an unknown kind of value", _footer(more=pb.Value(14, b"")), "")
_foot("no schema", _footer(schema=None), "schema")
_foot("a schema of nothing", _footer(schema=items(12, [])), "schema")
_foot("a schema that is a number", _footer(schema=i64(1)), "")
_foot("no rows said", _footer(nrows=None), "", errors=DAMAGED)
_foot("rows that are text", _footer(nrows=binary("2")), "")
_foot("a name that is not UTF-8", _footer(schema=items(12, [element("s", children=1), element(b"\xff", INT64, 0)])), "")


def _schema(name: str, *nodes: pb.Value, words: str = "schema", **more: Any) -> None:
    columns = [Column("a", INT64, [data_page(TWO, 2)], 2)]
    bad(name, file(columns, 2, schema=items(12, nodes)), words, **({"whole": True} | more))


_A = element("a", INT64, 0)
_schema("more children than nodes", element("schema", children=3), _A)
_schema("a billion children", element("schema", children=BILLION), _A)
_schema("fewer children than nodes", element("schema", children=1), _A, element("b", INT64, 0))
_schema("negative children", element("schema", children=-1), _A, words="negative number of children")
_schema("no children", element("schema", children=0), _A)
_schema("a root that is a leaf", element("schema", INT64), _A)
_schema("an unknown physical type", element("schema", children=1), element("a", 9, 0), words="type")
_schema("an unknown repetition", element("schema", children=1), element("a", INT64, 7), words="repetition")
_schema("a leaf without a type", element("schema", children=1), element("a", None, 0), words="")
_schema("fixed bytes of no length", element("schema", children=1), element("a", FIXED, 0), words="")
_schema("fixed bytes of a negative length", element("schema", children=1), element("a", FIXED, 0, length=-1), words="")
_schema(
    "groups in groups",
    element("schema", children=1),
    *[element("g", None, 1, children=1)] * 5_000,
    _A,
    words="",
    errors=(*DAMAGED, UnsupportedError),
)
_schema(
    "lists in lists",
    element("schema", children=1),
    *[element("g", None, 2, children=1)] * 5_000,
    _A,
    words="",
    errors=(*DAMAGED, UnsupportedError),
)
_schema(
    "a decimal of more digits than its bytes hold",
    element("schema", children=1),
    element("a", INT64, 0, converted=5, scale=2, precision=30),
    words="",
    to=EITHER,
)
_schema(
    "a decimal whose scale is over its precision",
    element("schema", children=1),
    element("a", INT64, 0, converted=5, scale=9, precision=3),
    words="",
    to=EITHER,
)

# --------------------------------------------------------------------------- row groups and column chunks
bad("fewer columns than the schema", file([good()], 2, schema=pb.schema_of([good(), good("b")])), "")
bad("more columns than the schema", file([good(), good("b")], 2, schema=pb.schema_of([good()])), "")
bad("the same column twice", file([good(), good()], 2), "", to=EITHER)
bad("columns in another order", file([good(path=["b"]), good("b", path=["a"])], 2), "", to=EITHER)
bad("a chunk of another type", file([good()], 2, schema=pb.schema_of([Column("a", DOUBLE, [], 2)])), "")
bad("in another file", file([good(file="other.parquet")], 2), "another file.*other.parquet", errors=(UnsupportedError,))
bad("more rows in the file than in its groups", file([good()], 5, group_rows=2), "", to=EITHER)
bad("fewer rows in the file than in its groups", file([good()], 1, group_rows=2), "", to=EITHER)
for _rows, _name in ((3, "more rows than values"), (1, "fewer rows than values")):
    bad(_name, file([good()], _rows), "expected . values as its row group has rows, found 2")
bad("negative rows", file([good()], -1), "count is negative", whole=True)
bad("rows beyond all memory", file([good()], MOST), "9223372036854775807 rows", whole=True)
bad("terabytes of rows", file([good()], 1 << 40), "1099511627776 rows in a file of .* bytes", whole=True)
bad("columns of other lengths", file([good(), Column("b", INT64, [data_page(plain("q", 1), 1)], 1)], 2), "b")
bad("no values said", file([Column("a", INT64, [data_page(TWO, 2)], 0)], 2), "a")
bad("more values said than there are", file([Column("a", INT64, [data_page(TWO, 2)], 3)], 3), "a")
bad("negative values", file([Column("a", INT64, [data_page(TWO, 2)], -2)], 2), "count is negative", whole=True)
bad("a chunk of no bytes", file([good(told={"compressed_nbytes": 0})], 2), "a", to=EITHER)

_PLACES: dict[str, dict[str, int]] = {
    "outside the file": {"data_at": 1 << 40},
    "behind the file": {"data_at": 10_000},
    "at a negative offset": {"data_at": -4},
    "at the end of all numbers": {"data_at": MOST},
    "of a negative length": {"compressed_nbytes": -1},
    "longer than the file": {"compressed_nbytes": 1 << 40},
    "whose end overflows": {"compressed_nbytes": MOST},
    "with its dictionary outside": {"dictionary_at": 1 << 40},
}
for _name, _told in _PLACES.items():
    more: dict[str, Any] = {"to": EITHER} if "dictionary" in _name else {"whole": "negative" in _name}
    bad(f"a chunk {_name}", file([good(), good("b", told=_told)], 2), "", **more)
bad("a chunk in the footer", file([good(told={"data_at": len(_FRONT) + 4})], 2), "a")
bad("a chunk without metadata", pb.sealed(
    _FRONT, _footer(groups=items(12, [pb.group(items(12, [record({2: i64(4)})] * 2), 2)]))
), "metadata", errors=(*DAMAGED, UnsupportedError), whole=True)  # fmt: skip
bad("a codec from the future", file([good(codec=99)], 2), "99.*|codec", errors=(*DAMAGED, UnsupportedError))
bad("a codec that nobody has", file([good(codec=pb.LZO)], 2), "(?i)lzo", errors=(UnsupportedError,))
bad("an index outside the file", file([good(told={
    "index_at": 1 << 40, "index_nbytes": 10, "offsets_at": -5, "offsets_nbytes": GIGA,
})], 2), "", to=EITHER)  # fmt: skip
bad(
    "statistics of the wrong length",
    file([good(more={12: record({5: binary("x"), 6: binary("yyy")})})], 2),
    "",
    to=EITHER,
)
bad("a billion encodings", file([good(more={2: items(5, [], BILLION)})], 2), "list", whole=True)
bad("a billion steps of a path", file([good(more={3: items(8, [], BILLION)})], 2), "list", whole=True)

# --------------------------------------------------------------------------- sizes of pages
_EIGHT = plain("q", *range(8))


def page_of_two(name: str, page: bytes, words: str = "", nvalues: int = 2, **more: Any) -> None:
    pages(name, INT64, [page], nvalues, words, **more)


page_of_two("a page that says it is longer", data_page(TWO, 2, nbytes=GIGA), r"\d+ bytes says it becomes 2147483647")
page_of_two("a page that says it is shorter", data_page(TWO, 2, nbytes=8), "")
page_of_two(
    "a page of gigabytes", data_page(TWO, 2, nbytes=GIGA, compressed_nbytes=GIGA), r"needs 2147483647 bytes, found \d+"
)
page_of_two(
    "a page over the footer", data_page(TWO, 2, nbytes=2000, compressed_nbytes=2000), r"needs 2000 bytes, found \d+"
)
page_of_two("a page of a negative size", data_page(TWO, 2, nbytes=-16), "")
page_of_two("a page of a negative length", data_page(TWO, 2, compressed_nbytes=-16), "")
page_of_two("a page of no bytes", data_page(b"", 2), "")
page_of_two("a page of more values than the chunk", data_page(_EIGHT, 8), "8 values where its column chunk has 2")
page_of_two("a page of negative values", data_page(TWO, -2), "")
page_of_two("a page of a billion values", data_page(TWO, BILLION), "values")
page_of_two(
    "a page of a billion values, and so the chunk",
    data_page(TWO, BILLION),
    "1000000000 rows",
    nvalues=BILLION,
    whole=True,
)
page_of_two("no page", b"", "")
page_of_two("a page without its header", pb.page(pb.DATA, TWO, {}), "")
page_of_two("an unknown kind of page", pb.page(9, TWO, {1: i32(2)}), "")
page_of_two("an index page alone", pb.page(pb.INDEX, TWO, {}), "")
page_of_two("a header cut", data_page(TWO, 2)[:6], "")
page_of_two("a header of noise", b"\xff" * 24, "")
page_of_two("a header with a list of a billion", record({1: i32(0), 5: items(12, [], BILLION)}).content + TWO, "")
page_of_two("too few values", data_page(plain("q", 1), 2), r"needs 16 bytes, found 8")
page_of_two(
    "an encoding that is not there", data_page(TWO, 2, encoding=1), "encoding", errors=(*DAMAGED, UnsupportedError)
)
page_of_two(
    "an encoding from the future", data_page(TWO, 2, encoding=99), "encoding.*99", errors=(*DAMAGED, UnsupportedError)
)
page_of_two("pages without values", b"".join([data_page(b"", 0)] * 50), "")
page_of_two("a dictionary alone", dictionary_page(TWO, 2), "")
page_of_two(
    "an encoding of other types", data_page(TWO, 2, encoding=DELTA_LENGTH), "", errors=(*DAMAGED, UnsupportedError)
)
for _kind, _name in ((BOOLEAN, "bools"), (INT32, "int32"), (DOUBLE, "doubles"), (pb.INT96, "times of twelve bytes")):
    pages(f"too few {_name}", _kind, [data_page(b"", 2)], 2, "a")
pages("too few fixed bytes", FIXED, [data_page(b"abcd", 2)], 2, "a", kind={"length": 3})
pages("fixed bytes of gigabytes", FIXED, [data_page(b"abcd", 2)], 2, "a", kind={"length": GIGA})
pages("too few texts", BYTE_ARRAY, [data_page(plain_bytes(b"x"), 2)], 2, "a")
pages("a text over the page", BYTE_ARRAY, [data_page(plain_bytes(b"x") + b"\5\0\0\0y", 2)], 2, "a", kind=TEXT)
pages("a text of gigabytes", BYTE_ARRAY, [data_page(plain_bytes(b"x") + b"\xff\xff\xff\xff", 2)], 2, "a", kind=TEXT)
pages("a text of 2 GB", BYTE_ARRAY, [data_page(plain_bytes(b"x") + b"\xff\xff\xff\x7f", 2)], 2, "a", kind=TEXT)
pages("a text cut in its length", BYTE_ARRAY, [data_page(plain_bytes(b"x") + b"\1\0", 2)], 2, "a", kind=TEXT)
pages("text that is not UTF-8", BYTE_ARRAY, [data_page(plain_bytes(b"x", b"\xff"), 2)], 2, "(?i)utf-?8", kind=TEXT)
pages("text cut inside a letter", BYTE_ARRAY, [data_page(plain_bytes(b"\xc3", b"\xa4"), 2)], 2, "(?i)utf-?8", kind=TEXT)

# --------------------------------------------------------------------------- checksums
_CRC = r"checksum is 00000001, its bytes have [0-9a-f]{8}"
page_of_two("a wrong checksum", data_page(TWO, 2, crc=1), _CRC, verified=True)
page_of_two("a wrong checksum of version 2", data_page_v2(TWO, 2, crc=1), _CRC, verified=True)
pages(
    "a wrong checksum of a dictionary",
    INT64,
    [dictionary_page(TWO, 2, crc=1), data_page(b"\1" + run(1, 2, 1), 2, RLE_DICTIONARY)],
    2,
    _CRC,
    has_dictionary=True,
    verified=True,
)

# --------------------------------------------------------------------------- what is said about it
for _key, _text in {
    "pandas": '{"columns": 3, "index_columns": {"a": [}',
    "ARROW:schema": "bm8gc2NoZW1h",
    "colonnade": '{"version": "x", "columns": [[[[',
}.items():
    bad(f"nonsense under {_key}", file([good()], 2, metadata={_key: _text}), "", to=EITHER, whole=True)
