"""Parquet files of any schema, from records that have the schema's own structure.

    x = Node("x", OPTIONAL, [Node("array", REPEATED, physical=INT32)], converted=LIST)
    file_of([x], [{"x": {"array": [1, 2]}}, {"x": None}])

A repeated field is a list in its record. No writer lets a test choose the groups of a list: the levels are made here.

Source: https://github.com/apache/parquet-format, README.md, "Nested Encoding".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import parquet_bytes as pb

# ConvertedType.
UTF8, MAP, MAP_KEY_VALUE, LIST = range(4)

# A leaf's slot: its repetition level, its definition level, and its value if there is one.
Slot = tuple[int, int, Any]


@dataclass(frozen=True)
class Node:
    """A field of the schema: a group of `children`, or a leaf."""

    name: str
    repetition: int
    children: Sequence[Node] = ()
    physical: int | None = None
    converted: int | None = None
    more: Mapping[str, Any] = field(default_factory=dict)
    """Other facts of its element, such as its field id."""

    def elements(self) -> Iterable[pb.Value]:
        count = len(self.children) if self.physical is None else None
        own = {"converted": self.converted, **self.more}
        yield pb.element(self.name, self.physical, self.repetition, children=count, **own)
        for child in self.children:
            yield from child.elements()

    def leaves(self, above: tuple[Node, ...] = ()) -> Iterable[tuple[Node, ...]]:
        """Each leaf with the nodes above it, from the root's child down."""
        path = (*above, self)
        if self.physical is not None:
            yield path
        for child in self.children:
            yield from child.leaves(path)


def slots(path: Sequence[Node], record: Mapping[str, Any]) -> list[Slot]:
    """The slots of one leaf in one record."""
    out: list[Slot] = []

    def walk(at: int, value: Any, repeats: int, defined: int, depth: int) -> None:
        node = path[at]
        values = value if node.repetition == pb.REPEATED else [] if value is None else [value]
        if not values:
            assert node.repetition != pb.REQUIRED, f"{node.name} is required"
            out.append((repeats, defined, None))
        defined += node.repetition != pb.REQUIRED
        depth += node.repetition == pb.REPEATED
        for k, one in enumerate(values):
            first = repeats if k == 0 else depth
            if at + 1 == len(path):
                out.append((first, defined, one))
            else:
                walk(at + 1, one[path[at + 1].name], first, defined, depth)

    walk(0, record[path[0].name], 0, 0, 0)
    return out


def page_of(path: Sequence[Node], of_page: Sequence[Slot]) -> bytes:
    """A data page of version 1."""
    most = (sum(n.repetition == pb.REPEATED for n in path), sum(n.repetition != pb.REQUIRED for n in path))
    body = b""
    for which, level in enumerate(most):
        if level:
            width = level.bit_length()
            body += pb.levels(b"".join(pb.run(slot[which], 1, width) for slot in of_page))
    values = [value for _, defined, value in of_page if defined == most[1]]
    body += pb.plain_bytes(*values) if path[-1].physical == pb.BYTE_ARRAY else pb.plain("i", *values)
    return pb.data_page(body, len(of_page))


def file_of(
    columns: Sequence[Node], records: Sequence[Mapping[str, Any]], *, group_rows: int = 1 << 20, **more: Any
) -> bytes:
    """A file of `records` in row groups of `group_rows`, with two rows in each page; leaves are INT32 or BYTE_ARRAY."""
    front, groups = bytearray(pb.MAGIC), []
    for start in range(0, len(records), group_rows):
        rows = records[start : start + group_rows]
        chunks = []
        for path in (path for column in columns for path in column.leaves()):
            of_rows = [slots(path, row) for row in rows]
            pairs = [of_rows[k] + (of_rows[k + 1] if k + 1 < len(rows) else []) for k in range(0, len(rows), 2)]
            names, physical = tuple(node.name for node in path), path[-1].physical
            assert physical is not None
            pages = [page_of(path, pair) for pair in pairs]
            leaf = pb.Column(names[-1], physical, pages, sum(map(len, pairs)), path=names)
            chunks.append(leaf.chunk(len(front)))
            front += b"".join(pages)
        groups.append(pb.group(pb.items(12, chunks), len(rows)))
    root = pb.element("schema", children=len(columns))
    schema = pb.items(12, [root, *(element for column in columns for element in column.elements())])
    return pb.sealed(bytes(front), pb.footer(schema, len(records), pb.items(12, groups), **more))
