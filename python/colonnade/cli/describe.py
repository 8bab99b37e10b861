"""What `info` prints: facts, columns, and members, each in a table that fits the terminal."""

from __future__ import annotations

from typing import Any

import colonnade as cn

from .._values.amounts import nbytes_text
from .._values.terminal_text import label_text, truncate
from .bounds import bound_text
from .table import Table, print_table

_MOST_COLUMNS = 40
_MOST_MEMBERS = 30
_LONGEST_TYPE = 240
"""A type of thousands of fields would fill screens. `schema` prints it in full."""
_LONGEST_BOUND = 60


def print_info(found: cn.Info) -> None:
    """Print what `inspect` found."""
    facts = Table()
    facts.add_column(is_bold=True)
    facts.add_column(fit="wrap")
    for what, text in found.facts():
        facts.add_row(what, text)
    print_table(facts)
    if found.schema is not None and found.schema.fields:
        print()
        print_table(_schema_table(found))
    if found.members:
        print()
        print_table(_member_table(found) if found.parquet is None else _chunk_table(found))


def _schema_table(found: cn.Info) -> Table:
    assert found.schema is not None
    fields = found.schema.fields
    table = Table(_counted(len(fields), "column"))
    table.add_column("position", is_right=True)
    table.add_column("label", fit="wrap")
    table.add_column("dtype", fit="wrap")
    table.add_column("layout", rank=1)
    for position, item in enumerate(fields[:_MOST_COLUMNS]):
        table.add_row(f"{position:,}", label_text(item.label), truncate(str(item.dtype), _LONGEST_TYPE), item.layout)
    table.note = _more(len(fields) - _MOST_COLUMNS)
    return table


def _member_table(found: cn.Info) -> Table:
    members = found.members[:_MOST_MEMBERS]
    is_compressed = any(codec != "stored" for codec in found.codecs)
    table = Table(_counted(len(found.members), "member"))
    table.add_column("name", fit="wrap", least=14)
    table.add_column("codec", rank=2)
    table.add_column("offset", is_right=True, rank=4)
    table.add_column("size", is_right=True)
    if is_compressed:
        table.add_column("compressed", is_right=True, rank=1)
    table.add_column("descr", fit="wrap", least=8, rank=3)
    table.add_column("shape", fit="wrap", rank=2)
    for member in members:
        shape = member.get("shape")
        table.add_row(
            str(member["name"]),
            str(member["method"]),
            "" if member.get("offset") is None else f"{member['offset']:,}",
            nbytes_text(member["nbytes"]),
            *([nbytes_text(member["compressed_nbytes"])] if is_compressed else []),
            str(member.get("descr") or ""),
            "" if shape is None else " x ".join(f"{extent:,}" for extent in shape) or "()",
        )
    table.note = _more(len(found.members) - len(members))
    return table


def _chunk_table(found: cn.Info) -> Table:
    assert found.parquet is not None
    members = found.members[:_MOST_MEMBERS]
    is_compressed = any(codec != "stored" for codec in found.codecs)
    table = Table(_counted(len(found.members), "column chunk"))
    # Without its group a chunk cannot be told from that of another one.
    table.add_column("group", is_right=True, rank=0 if len(found.parquet.row_groups) > 1 else 2)
    table.add_column("name", fit="wrap", least=14)
    # DELTA_BINARY_PACKED is broken at an underscore. The facts above count encodings and codecs.
    table.add_column("encodings", fit="wrap", least=15, rank=4)
    table.add_column("codec", rank=6)
    table.add_column("size", is_right=True)
    if is_compressed:
        table.add_column("compressed", is_right=True, rank=3)
    table.add_column("nulls", is_right=True, rank=5)
    # A date is ten wide, and a time of it goes to a second line.
    table.add_column("least", fit="wrap", least=10, rank=1)
    table.add_column("largest", fit="wrap", least=10, rank=1)
    types = _flat_types(found)
    for member in members:
        statistics = member["statistics"] or {}
        nulls = statistics.get("null_count")
        bounds = [statistics.get("min"), statistics.get("max")]
        dtype = types.get(str(member["name"]))
        table.add_row(
            f"{member['group']:,}",
            str(member["name"]),
            ", ".join(member["encodings"]),
            str(member["method"]),
            nbytes_text(member["nbytes"]),
            *([nbytes_text(member["compressed_nbytes"])] if is_compressed else []),
            "" if nulls is None else f"{nulls:,}",
            *(_bound(value, member["logical"], dtype) for value in bounds),
        )
    table.note = _more(len(found.members) - len(members))
    return table


def _bound(value: Any, logical: str | None, dtype: str | None) -> str:
    return "" if value is None else truncate(bound_text(value, logical, dtype), _LONGEST_BOUND)


def _flat_types(found: cn.Info) -> dict[str, Any]:
    """The types of columns by the name of their column chunk, which a nested column does not have."""
    fields = [] if found.schema is None else found.schema.fields
    return {item.label: item.dtype for item in fields if isinstance(item.label, str)}


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _more(count: int) -> str | None:
    return f"... {count:,} more; --json lists all" if count > 0 else None
