"""The rows of an opened file, or of a frame in memory, that meet conditions.

Imported only where there are conditions: their values need modules that a plain read does not.
"""

from collections.abc import Container, Iterator
from itertools import accumulate
from typing import Any

import numpy as np

from .. import _core
from .._core import CoreFrame
from .._errors import not_found
from .._io.nearest import nearest_hint
from .._values.conditions import Condition
from .._values.record_batches import Batches
from .axes import Labels
from .filter_values import field_name, terms
from .filtered_file import FilteredFile, rows_of_batches


def filtered(
    file: "_core.File | Batches", conditions: list[list[Condition]], threads: int | None = None
) -> "_core.File | Batches | FilteredFile":
    """The rows of `file` that meet the conditions. Of the columns only those of the conditions are decoded.

    Raises
    ------
    ColumnNotFound
        A condition names no column and no level of row labels.
    OptionError
        A value that does not compare with the column's.
    """
    if file.kind == "bundle":
        return file
    places, columns = _places(file, conditions)
    found = terms(conditions)
    kept = [_core.matching_rows(core, found, places, threads) + first for first, core in _parts(file, columns, threads)]
    rows = kept[0] if len(kept) == 1 else np.concatenate([*kept, np.empty(0, np.int64)])
    return file if len(rows) == file.nrows else FilteredFile(file, rows)


def filtered_core(core: CoreFrame, conditions: list[list[Condition]], rows_before: tuple[int, int]) -> CoreFrame:
    """The rows of a frame in memory that meet the conditions.

    `rows_before`: how many rows came before these, and how many of them were kept. Labels that count all rows count
    those that are kept.
    """
    places, columns = _places(core, conditions)
    rows = _core.matching_rows(core.select(columns), terms(conditions), places)
    index = None
    before, kept = rows_before
    if core.index.is_auto and core.index.range[::2] == (before, 1):
        old = core.index
        index = _core.Axis.auto(kept, kept + len(rows), 1, old.cls, old.name, old.meta)
    elif len(rows) == core.nrows:
        return core
    return _core.keep_rows(core, rows, index)


def _parts(file: "_core.File | Batches", columns: list[int], threads: int | None) -> Iterator[tuple[int, CoreFrame]]:
    """These columns, batch by batch, each with the number of its first row."""
    counts = rows_of_batches(file)
    if isinstance(file, Batches):
        yield from zip(accumulate(counts or (), initial=0), file.load_arrow(columns), strict=False)
    elif counts:
        for i, first in enumerate(accumulate(counts[:-1], initial=0)):
            yield first, file.batch(i, columns, threads)
    else:
        yield 0, file.load(columns, None, threads=threads)


def _places(file: "_core.File | Batches | CoreFrame", conditions: list[list[Condition]]) -> tuple[list[int], list[int]]:
    """The place of each condition's column among the columns that are decoded for them and then the levels; these
    columns."""
    labels, levels = Labels(file.columns), Labels(file.index)
    columns: dict[str, int] = {}
    for i, label in enumerate(labels):
        columns.setdefault(field_name(label), i)
    names = {} if levels.is_auto else {_level_name(i, name, columns): i for i, name in enumerate(levels.names)}
    wanted = dict.fromkeys(field_name(label) for each in conditions for label, *_ in each)
    for name in wanted:
        if name not in columns and name not in names:
            known = [*columns, *names]
            more = f", ... ({len(known)} in all)" if len(known) > 5 else ""
            near = nearest_hint(name, known) or f"; columns: {', '.join(map(repr, known[:5]))}{more}"
            raise not_found(f"filters: column {name!r} is not there{near}", name)
    decoded = sorted({columns[name] for name in wanted if name in columns})
    order = {place: i for i, place in enumerate(decoded)}
    return [order[columns[name]] if name in columns else len(decoded) + names[name] for name in wanted], decoded


def _level_name(i: int, name: Any, columns: Container[str]) -> str:
    """The name of a level, or the one that Parquet gives it."""
    text = None if name is None else field_name(name)
    return f"__index_level_{i}__" if text is None or text in columns else text
