"""Columns `x` of the lists and maps that LogicalTypes.md describes: schema, records, and the type and values to read.

Source: https://github.com/apache/parquet-format, LogicalTypes.md, "Lists" and "Maps", backward-compatibility rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from .parquet_bytes import INT32, OPTIONAL, REPEATED, REQUIRED
from .parquet_records import LIST, MAP, MAP_KEY_VALUE, Node, file_of


@dataclass(frozen=True)
class Case:
    """A column of the schema `column`; its records in the schema's own structure, and their values."""

    column: Node
    records: Sequence[Any]
    type: pa.DataType
    values: Sequence[Any]
    nullable: bool = True
    by_pyarrow: bool = True
    """Whether pyarrow reads it."""

    def file(self, times: int = 1, **more: Any) -> bytes:
        """`x`, and `n`, which counts the rows."""
        rows = [{"x": record, "n": n} for n, record in enumerate([*self.records] * times)]
        return file_of([self.column, Node("n", REQUIRED, physical=INT32)], rows, **more)


def leaf(name: str, repetition: int = REQUIRED) -> Node:
    return Node(name, repetition, physical=INT32)


def group(name: str, repetition: int, *children: Node, word: int | None = None) -> Node:
    return Node(name, repetition, children, converted=word)


def list_of(*children: Node, repetition: int = OPTIONAL, name: str = "x") -> Node:
    return group(name, repetition, *children, word=LIST)


def map_of(*children: Node, repetition: int = OPTIONAL, word: int = MAP, name: str = "x") -> Node:
    return group(name, repetition, *children, word=word)


def item(kind: Any, *, nullable: bool = False) -> pa.DataType:
    """The list of `kind`; the names of items are no part of a type."""
    return pa.list_(pa.field("item", kind, nullable=nullable))


def record(*fields: tuple[Any, ...]) -> pa.DataType:
    """The struct of fields of name, type, and whether it is nullable."""
    return pa.struct([pa.field(name, kind, nullable=nullable) for name, kind, nullable in fields])


INT, INTS = pa.int32(), item(pa.int32())
PAIR = record(("a", INT, False), ("b", INT, True))
OF_FIELD = item(record(("f", INTS, False)))
FIELD_RECORDS = [[{"f": [1, 2]}, {"f": []}], None, [], [{"f": [3]}], [{"f": []}, {"f": [4, 5, 6]}]]


def under(name: str, records: Sequence[Any]) -> list[Any]:
    """The records below the group `name`."""
    return [None if record is None else {name: record} for record in records]


def of_field(name: str, repetition: int = OPTIONAL) -> Case:
    """Rule 3: the repeated group `name` without an annotation, of one repeated field."""
    rows = [row for row in FIELD_RECORDS if repetition == OPTIONAL or row is not None]
    column = list_of(group(name, REPEATED, leaf("f", REPEATED)), repetition=repetition)
    return Case(column, under(name, rows), OF_FIELD, rows, nullable=repetition == OPTIONAL)


def of_one(name: str, repetition: int, *, wraps: bool) -> Case:
    """Rules 4 and 5: the repeated group `name` of one field that is not repeated."""
    rows: list[Any] = [[1, 2], None, [], [3 if repetition == REQUIRED else None]]
    inner = [None if row is None else [{"s": value} for value in row] for row in rows]
    nullable = repetition == OPTIONAL
    kind = item(INT, nullable=nullable) if wraps else item(record(("s", INT, nullable)))
    column = list_of(group(name, REPEATED, leaf("s", repetition)))
    return Case(column, under(name, inner), kind, rows if wraps else inner)


def of_list(name: str) -> Case:
    """Rule 3: the repeated group has the annotation LIST, as Avro and Thrift write lists of lists."""
    rows: list[Any] = [[[1, 2], []], None, [], [[3]]]
    inner = [None if row is None else [{"f": value} for value in row] for row in rows]
    column = list_of(group(name, REPEATED, leaf("f", REPEATED), word=LIST))
    return Case(column, under(name, inner), item(INTS), rows)


def of_map(name: str, word: int) -> Case:
    """Rule 3: the repeated group is a map."""
    rows: list[Any] = [[[(1, None), (2, 3)], []], None, [], [[(4, 5)]]]
    entries = lambda value: {"key_value": [{"k": key, "v": number} for key, number in value]}  # noqa: E731
    inner = [None if row is None else [entries(value) for value in row] for row in rows]
    pair = group("key_value", REPEATED, leaf("k"), leaf("v", OPTIONAL))
    return Case(list_of(group(name, REPEATED, pair, word=word)), under(name, inner), item(pa.map_(INT, INT)), rows)


def map_case(outer: int, inner: int | None, names: tuple[str, str, str], value: int) -> Case:
    entry, key, number = names
    rows: list[Any] = [[(1, 2), (3, 4 if value == REQUIRED else None)], None, []]
    inner_rows = [None if row is None else [{key: k, number: v} for k, v in row] for row in rows]
    kind = pa.map_(INT, pa.field("value", INT, nullable=value == OPTIONAL))
    column = map_of(group(entry, REPEATED, leaf(key), leaf(number, value), word=inner), word=outer)
    return Case(column, under(entry, inner_rows), kind, rows)


PAIRS = [[{"a": 1, "b": 2}, {"a": 3, "b": None}], None, [], [{"a": 4, "b": 5}]]
A_B = (leaf("a"), leaf("b", OPTIONAL))
FULL_PAIRS = [row for row in PAIRS if row is not None]
LEAVES = [[1, 2], None, []]
KEYS = under("kv", [[{"key": 1}, {"key": 2}], None, []])

CASES: dict[str, Case] = {
    "rule 1": Case(list_of(leaf("element", REPEATED)), under("element", LEAVES), INTS, LEAVES),
    "rule 1, required": Case(
        list_of(leaf("array", REPEATED), repetition=REQUIRED),
        under("array", [[1], []]),
        INTS,
        [[1], []],
        nullable=False,
    ),
    "rule 2": Case(list_of(group("element", REPEATED, *A_B)), under("element", PAIRS), item(PAIR), PAIRS),
    "rule 2, a repeated field": Case(
        list_of(group("list", REPEATED, leaf("a"), leaf("f", REPEATED))),
        under("list", [[{"a": 1, "f": [2, 3]}, {"a": 4, "f": []}], None]),
        item(record(("a", INT, False), ("f", INTS, False))),
        [[{"a": 1, "f": [2, 3]}, {"a": 4, "f": []}], None],
    ),
    **{f"rule 3, {name}": of_field(name) for name in ("list", "element", "bag", "array", "x_tuple")},
    "rule 3, required": of_field("list", REQUIRED),
    "rule 3, a group": Case(
        list_of(group("list", REPEATED, group("f", REPEATED, *A_B))),
        under("list", [[{"f": FULL_PAIRS[0]}, {"f": []}], None, [], [{"f": FULL_PAIRS[2]}]]),
        item(record(("f", item(PAIR), False))),
        [[{"f": FULL_PAIRS[0]}, {"f": []}], None, [], [{"f": FULL_PAIRS[2]}]],
    ),
    "rule 3, twice": Case(
        list_of(group("list", REPEATED, group("f", REPEATED, leaf("g", REPEATED)))),
        under("list", [[{"f": [{"g": [1, 2]}, {"g": []}]}, {"f": []}], None, []]),
        item(record(("f", item(record(("g", INTS, False))), False))),
        [[{"f": [{"g": [1, 2]}, {"g": []}]}, {"f": []}], None, []],
    ),
    "rule 3 in rule 5": Case(
        list_of(group("list", REPEATED, list_of(group("list", REPEATED, leaf("f", REPEATED)), name="element"))),
        under("list", [[{"element": None}, {"element": {"list": FIELD_RECORDS[0]}}], None, []]),
        item(OF_FIELD, nullable=True),
        [[None, FIELD_RECORDS[0]], None, []],
    ),
    **{f"rule 3, a list, {name}": of_list(name) for name in ("array", "list", "x_tuple")},
    **{f"rule 3, a map, {name}": of_map(name, MAP) for name in ("array", "list")},
    "rule 3, MAP_KEY_VALUE": of_map("list", MAP_KEY_VALUE),
    # Rule 3 makes the repeated LIST the item, and rule 5 finds its items. pyarrow refuses it.
    "rule 3, a list of a group": Case(
        list_of(group("list", REPEATED, group("f", REPEATED, leaf("s", OPTIONAL)), word=LIST)),
        under("list", [[{"f": [{"s": 1}, {"s": None}]}, {"f": []}], None]),
        item(item(INT, nullable=True)),
        [[[1, None], []], None],
        by_pyarrow=False,
    ),
    **{f"rule 4, {name}": of_one(name, REQUIRED, wraps=False) for name in ("array", "x_tuple")},
    **{f"rule 4, {name}, optional": of_one(name, OPTIONAL, wraps=False) for name in ("array", "x_tuple")},
    **{f"rule 5, {name}": of_one(name, REQUIRED, wraps=True) for name in ("list", "element", "y_tuple", "_tuple")},
    **{f"rule 5, {name}, optional": of_one(name, OPTIONAL, wraps=True) for name in ("list", "bag")},
    "not annotated": Case(leaf("x", REPEATED), [[1, 2], [], [3]], INTS, [[1, 2], [], [3]], nullable=False),
    "not annotated, a group": Case(group("x", REPEATED, *A_B), FULL_PAIRS, item(PAIR), FULL_PAIRS, nullable=False),
    "not annotated, in a struct": Case(
        group("x", OPTIONAL, leaf("f", REPEATED), leaf("b", OPTIONAL)),
        [{"f": [1, 2], "b": None}, None, {"f": [], "b": 3}],
        record(("f", INTS, False), ("b", INT, True)),
        [{"f": [1, 2], "b": None}, None, {"f": [], "b": 3}],
    ),
    "map": map_case(MAP, None, ("key_value", "key", "value"), OPTIONAL),
    "map, renamed": map_case(MAP, None, ("array", "str", "num"), REQUIRED),
    "map of MAP_KEY_VALUE": map_case(MAP, MAP_KEY_VALUE, ("map", "key", "value"), OPTIONAL),
    "MAP_KEY_VALUE for map": map_case(MAP_KEY_VALUE, None, ("map", "str", "num"), REQUIRED),
    "map of rule 3": Case(
        map_of(group("kv", REPEATED, leaf("k"), list_of(group("list", REPEATED, leaf("f", REPEATED)), name="v"))),
        under("kv", [[{"k": 1, "v": {"list": FIELD_RECORDS[0]}}, {"k": 2, "v": None}], None, []]),
        pa.map_(INT, OF_FIELD),
        [[(1, FIELD_RECORDS[0]), (2, None)], None, []],
    ),
    "map without values": Case(map_of(group("kv", REPEATED, leaf("key"))), KEYS, INTS, LEAVES),
    # The specification has required keys only, and pyarrow refuses others. Presto writes them as optional.
    "map, optional keys": Case(
        map_of(group("kv", REPEATED, leaf("key", OPTIONAL), leaf("value", OPTIONAL))),
        under("kv", [[{"key": 1, "value": None}], None]),
        pa.map_(INT, INT),
        [[(1, None)], None],
        by_pyarrow=False,
    ),
}
