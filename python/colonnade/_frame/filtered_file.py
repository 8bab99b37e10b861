"""Some rows of an opened file, as a file."""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any, TypeAlias

import numpy as np

from .. import _core
from .._core import CoreFrame
from .._values.record_batches import Batches


class FilteredFile:
    """Some rows of a file, with the file's reading interface.

    The columns of the conditions are decoded for all rows. Skipped rows between others are decoded again.

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
        counts = rows_of_batches(file)
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


Opened: TypeAlias = _core.File | FilteredFile
"""A file of the core, or some of its rows."""


def rows_of_batches(file: "_core.File | Batches") -> list[int] | None:
    """Rows of each batch; None for a file without batches."""
    if isinstance(file, Batches):
        return [core.nrows for core in file.load_arrow([])]
    return file.batch_rows()
