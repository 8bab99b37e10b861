"""The rows of an opened file, or of a frame in memory, that meet conditions."""

from collections.abc import Container, Iterator, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from .. import _core
from .._core import CoreFrame
from .._io.nearest import nearest_hint
from .._values.conditions import Condition
from .._values.record_batches import Batches
from ..errors import ColumnNotFound
from .axes import Labels
from .filter_values import field_name, terms


class FilteredFile:
    """Some rows of a file, with the file's reading interface. Rows that are left out are decoded for the conditions'
    columns, and again where they lie among the others.

    Parameters
    ----------
    file
        What is read.
    kept
        The positions of the rows, ascending.
    """

    # A filter has emptied them.
    keeps_empty_batches = False

    def __init__(self, file: "_core.File | Batches", kept: np.ndarray) -> None:
        self._file = file
        self._kept = kept
        counts = _batch_rows(file)
        self._starts = None if counts is None else list(accumulate(counts, initial=0))
        self.nrows = len(kept)
        self._labels = _core.keep_rows(file.load([], None), kept)
        self.holds_blocks = isinstance(file, _core.File) and file.holds_blocks
        self.selects_leaves = isinstance(file, _core.File) and file.selects_leaves

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    @property
    def index(self) -> _core.Axis:
        """The labels of the rows."""
        return self._labels.index

    @property
    def nbytes(self) -> int:
        """Bytes of data and labels once decoded, as if all rows were as large."""
        return self._file.nbytes * self.nrows // max(self._file.nrows, 1)

    def batch_rows(self) -> list[int] | None:
        """Rows of each batch; None for a file without batches."""
        if self._starts is None or isinstance(self._file, Batches):
            return None
        ends = np.searchsorted(self._kept, self._starts)
        return [int(n) for n in np.diff(ends)]

    def batch(self, i: int, *arguments: Any) -> CoreFrame:
        """The rows of batch `i`."""
        assert self._starts is not None
        core = self._file.batch(i, *arguments)  # type: ignore[union-attr]
        return self._some(core, self._starts[i], False)

    def load(
        self,
        positions: Sequence[int] | None = None,
        rows: tuple[int, int] | None = None,
        *,
        private: bool = False,
        **keywords: Any,
    ) -> CoreFrame:
        """The rows in one frame, as the file's own method."""
        cores = list(self._pieces(positions, rows, private, keywords))
        return cores[0] if len(cores) == 1 else _core.concat_frames(cores, private)

    def load_arrow(
        self, positions: Sequence[int] | None = None, rows: tuple[int, int] | None = None, **keywords: Any
    ) -> list[CoreFrame]:
        """The rows of each batch that has any; at least one frame."""
        return list(self._pieces(positions, rows, False, keywords))

    def _pieces(
        self, positions: Sequence[int] | None, rows: tuple[int, int] | None, private: bool, keywords: dict[str, Any]
    ) -> Iterator[CoreFrame]:
        """The rows from `rows[0]` to `rows[1]` of those that are kept, batch by batch."""
        start, stop = rows or (0, self.nrows)
        if not isinstance(self._file, _core.File):
            keywords = {}
        if start == stop:
            yield self._file.load(positions, (0, 0), **keywords).with_axes(self._labels.slice(0, 0).index, None)
            return
        if self._starts is None:
            first, last = int(self._kept[start]), int(self._kept[stop - 1]) + 1
            core = self._file.load(positions, (first, last), **keywords)
            yield self._some(core, first, private, start, stop)
            return
        ends = np.searchsorted(self._kept, self._starts)
        arguments = keywords.get("threads"), keywords.get("leaves")
        file = self._file
        frames = file.load_arrow(positions) if isinstance(file, Batches) else []
        for i, first in enumerate(self._starts[:-1]):
            low, high = max(int(ends[i]), start), min(int(ends[i + 1]), stop)
            if low < high:
                core = frames[i] if isinstance(file, Batches) else file.batch(i, positions, *arguments)
                yield self._some(core, first, private, low, high)

    def _some(
        self, core: CoreFrame, first: int, private: bool, start: int | None = None, stop: int | None = None
    ) -> CoreFrame:
        """The kept rows of `core`, whose first row is row `first` of the file: rows `start` to `stop` of all kept."""
        if start is None or stop is None:
            start, stop = (int(n) for n in np.searchsorted(self._kept, (first, first + core.nrows)))
        labels = self._labels.slice(start, stop).index
        return _core.keep_rows(core, self._kept[start:stop] - first, labels, private=private)


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
    counts = _batch_rows(file)
    if isinstance(file, Batches):
        yield from zip(accumulate(counts or (), initial=0), file.load_arrow(columns), strict=False)
    elif counts:
        for i, first in enumerate(accumulate(counts[:-1], initial=0)):
            yield first, file.batch(i, columns, threads)
    else:
        yield 0, file.load(columns, None, threads=threads)


def _batch_rows(file: "_core.File | Batches") -> list[int] | None:
    if isinstance(file, Batches):
        return [core.nrows for core in file.load_arrow([])]
    return file.batch_rows()


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
            raise ColumnNotFound(f"filters: column {name!r} is not there{near}")
    decoded = sorted({columns[name] for name in wanted if name in columns})
    order = {place: i for i, place in enumerate(decoded)}
    return [order[columns[name]] if name in columns else len(decoded) + names[name] for name in wanted], decoded


def _level_name(i: int, name: Any, columns: Container[str]) -> str:
    """The name of a level, or the one that Parquet gives it."""
    text = None if name is None else field_name(name)
    return f"__index_level_{i}__" if text is None or text in columns else text
