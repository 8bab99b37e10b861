"""The commands for many files: `ls`, `compact`, `gc`; and what other commands do with a dataset."""

from __future__ import annotations

import argparse
import os
from typing import Any

import colonnade as cn

from .._values.amounts import nbytes_text
from .._values.terminal_text import clean
from .reading import read_options, written_keywords
from .table import Table, print_line, print_table

_MOST_PARTS = 1000
_DAY_S = 86_400.0


def is_dataset(name: str) -> bool:
    """Whether a source of the command line is many files: a folder that is no NPY directory, a pattern, a prefix."""
    if "://" in name and not name.lower().startswith("file://"):
        return name.endswith("/")
    if name.endswith(os.sep) or not set("*?[").isdisjoint(os.path.basename(name)):
        return not os.path.isfile(name)
    if not os.path.isdir(name):
        return False
    return not any(entry.endswith(".npy") for entry in os.listdir(name))


def opened(name: str, options: argparse.Namespace) -> cn.Dataset:
    """The dataset that a source of the command line names."""
    keywords = read_options(options)
    filters = keywords.pop("filters", None)
    found = cn.dataset(name, **keywords)
    return found if filters is None else found.filter(filters)


def ls(options: argparse.Namespace) -> int:
    """``colonnade ls``."""
    found = opened(options.source, options)
    parts = found.parts
    table = Table(f"{len(parts):,} parts of {found.format}")
    table.add_column("part", fit="wrap")
    table.add_column("rows", is_right=True)
    table.add_column("size", is_right=True)
    for part in parts[:_MOST_PARTS]:
        table.add_row(
            clean(part.name),
            "" if part.nrows is None else f"{part.nrows:,}",
            "" if part.nbytes is None else nbytes_text(part.nbytes),
        )
    if len(parts) > _MOST_PARTS:
        table.note = f"... {len(parts) - _MOST_PARTS:,} more"
    print_table(table)
    return 0


def print_dataset(found: cn.Dataset) -> None:
    """Print the facts and columns of a dataset, for ``colonnade info``."""
    parts = found.parts
    known = [part.nbytes for part in parts if part.nbytes is not None]
    facts = Table()
    facts.add_column(is_bold=True)
    facts.add_column(fit="wrap")
    facts.add_row("dataset", f"{len(parts):,} parts of {found.format}")
    facts.add_row("rows", f"{found.count_rows():,}")
    if len(known) == len(parts):
        facts.add_row("size", nbytes_text(sum(known)))
    print_table(facts)
    print_line("")
    columns = Table(f"{len(found.schema)} columns")
    columns.add_column("label", fit="wrap")
    columns.add_column("dtype", fit="wrap")
    for field in found.schema.fields:
        columns.add_row(clean(str(field.label)), field.dtype)
    print_table(columns)


def write_parts(data: Any, target: str, options: argparse.Namespace, writing: dict[str, Any]) -> None:
    """Write a dataset: the target of ``colonnade convert`` ends in a slash."""
    writing.pop("mkdir", None)
    format = writing.pop("format", "parquet")
    keys = [name for given in options.partition_by or () for name in given.split(",")]
    cn.write_dataset(
        data,
        target,
        format=format,
        partition_by=keys,
        rows_per_part=options.rows_per_part,
        mode=options.mode,
        **writing,
    )


def compact(options: argparse.Namespace) -> int:
    """``colonnade compact``: many small parts become few. Readers see the old parts or the new ones."""
    found = cn.dataset(options.source, **read_options(options))
    before = len(found.parts)
    cn.write_dataset(
        found,
        options.source,
        format=found.format,
        partition_by=found.keys,
        rows_per_part=options.rows_per_part,
        mode="overwrite",
        **{**_access(options), **written_keywords(options)},
    )
    after = len(cn.dataset(options.source, **_access(options)).parts)
    print_line(f"{before:,} parts became {after:,}. `colonnade gc` removes the old ones when no reader needs them.")
    return 0


def gc(options: argparse.Namespace) -> int:
    """``colonnade gc``."""
    found = cn.remove_leftovers(
        options.target, older_than_s=options.days * _DAY_S, dry_run=options.dry_run, **_access(options)
    )
    for name in found.names if options.dry_run else ():
        print_line(clean(name))
    verb = "would be removed" if options.dry_run else "removed"
    print_line(f"{len(found.names):,} files, {nbytes_text(found.nbytes)}, {verb}.")
    return 0


def _access(options: argparse.Namespace) -> dict[str, Any]:
    given = read_options(options).get("storage_options")
    return {} if given is None else {"storage_options": given}
