"""Differences of values that a documented rule explains, as narrow as each is."""

import re
from dataclasses import dataclass

from . import outcomes
from .batches import Result


@dataclass(frozen=True)
class Rule:
    """A difference between Colonnade and another reader, and why it is right."""

    format: str
    peer: str
    text: str
    reason: str


RULES = (
    Rule(
        "arrow arrows",
        "pyarrow",
        r"of (int64|(timestamp|duration)\[\w+\]): row \d+: None, theirs -9223372036854775808$",
        "The lowest integer is NaT where Colonnade's metadata declare a time of NumPy, and NaT is null in Arrow.",
    ),
    Rule(
        "arrow arrows",
        "pyarrow",
        r": (timestamp|duration)\[\w+\], theirs int64$",
        "Colonnade's metadata declare a time of NumPy.",
    ),
    Rule(
        "arrow arrows",
        "pyarrow",
        r": fixed_size_list<item: (?P<part>float|double)>\[2\], theirs fixed_size_list<item: (?P=part) not null>\[2\]$",
        "Complex numbers of NumPy have no nullability of their parts.",
    ),
    Rule(
        "arrow arrows",
        "pyarrow",
        r"^type of column .*\u2400.*\0",
        "Arrow's C interface ends names at NUL, so frames show it as a symbol.",
    ),
    Rule(
        "parquet",
        "",
        r"^type of column .*; the values are equal$",
        "A type that `ARROW:schema` claims, and one of the two takes (docs/formats/parquet.md). The values are equal.",
    ),
    Rule(
        "parquet",
        "pyarrow",
        r"^type of column \d+ '\w+': timestamp\[us, tz=[\w/]+\], theirs int64; column",
        "A LogicalType that is none: Colonnade and DuckDB take the ConvertedType, and pyarrow takes neither.",
    ),
    Rule(
        "parquet",
        "DuckDB",
        r"^column \d+ .*: row 0: None, theirs [^N]",
        "A page that says BIT_PACKED of its definition levels. DuckDB reads them as RLE, whatever the page says.",
    ),
    Rule(
        "parquet",
        "DuckDB",
        r"of decimal128\((?P<type>4, 2)\), theirs decimal128\((?P=type)\): row \d+: Fraction\(-?\d{6,}, ",
        "A damaged decimal with more digits than its type. DuckDB has 16 bits for four digits, and cuts it.",
    ),
    Rule(
        "parquet",
        "parquet (Rust)",
        r"^shape: \(6, 2\), theirs \(0, 2\)$",
        "The footer has no rows and its row group has six (parquet-testing's repeated_no_annotation.parquet). "
        "The crate believes the footer, all others the row group.",
    ),
    Rule(
        "parquet",
        "DuckDB",
        r"typed_value: .*theirs struct<metadata: binary( not null)?, value: binary",
        "DuckDB joins the parts of a shredded variant, which are columns to Colonnade and pyarrow.",
    ),
    Rule(
        "npz",
        "zipfile",
        r"^members: .*\\x00",
        "zipfile cuts a member's name at NUL. `cn.inspect` shows it, and `cn.read` refuses it.",
    ),
    Rule(
        "npz",
        "zipfile",
        r"^members: .*('test', 5, 1001993670|'testfile.txt', 0, 0)",
        "An archive in the comment of an archive: zipfile opens the inner one (libzip's zip-in-archive-comment.zip).",
    ),
    Rule(
        "msgpack",
        "msgpack",
        r"row \d+: (?P<text>[\[\], \w]*\bnan\b[\[\], \w]*), theirs (?P=text)$",
        "A signalling NaN of 32 bits: Colonnade keeps its bits, Python makes it a quiet one.",
    ),
    Rule(
        "yaml",
        "",
        r"\\x85|\\u202[89]",
        "U+0085, U+2028 and U+2029 end a line in YAML 1.1 (both libraries). In YAML 1.2 (5.4) they do not.",
    ),
    Rule(
        "yaml",
        "",
        r"row \d+: '(?P<text>.*)\\n', theirs '(?P=text)'$",
        "The end of the input ends the last line of a block scalar (YAML test suite, L24T/01). libyaml adds no end.",
    ),
    Rule(
        "yaml",
        "",
        r"^shape: 1 x \['\?(?P<name>\w+)', (?P<rest>.*)\], theirs 1 x \['(?P=name)', (?P=rest)\]$",
        "`{?foo: bar}` has the key `?foo` (YAML test suite, 652Z); libyaml reads `?` as the mark of a key.",
    ),
)


def rule_of(result: Result) -> Rule | None:
    """The rule that explains a difference."""
    if result.outcome != outcomes.DIFFERENT:
        return None
    for rule in RULES:
        is_for = result.input.format in rule.format.split() and rule.peer in ("", result.peer)
        if is_for and re.search(rule.text, result.text):
            return rule
    return None
