"""The state of a frame: its data in memory or in a file, and the selected part."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Self, TypeGuard

from .._core import CoreFrame
from .._io.progress import Progress, reporting
from .axes import Labels, Positions
from .field_paths import FieldPath, Paths, Steps
from .filtered_file import Opened
from .select import Columns

if TYPE_CHECKING:
    from .._values.record_batches import Batches
    from .frame import Frame

    File = Opened | Batches

SLOTS = (
    "_columns",
    "_core",
    "_file",
    "_column_cache",
    "_leaves",
    "_positions",
    "_progress",
    "_rows",
    "_single",
    "_threads",
)


def selects_leaves(file: object) -> TypeGuard[Opened]:
    """Whether a file decodes only the projected part of a nested column. Otherwise the decoded column is projected."""
    return isinstance(file, Opened) and file.selects_leaves


def holds_blocks(file: object) -> TypeGuard[Opened]:
    """Whether a file is decoded to NumPy's blocks, whatever layout is wanted."""
    return isinstance(file, Opened) and file.holds_blocks


def batch_rows(file: object) -> list[int] | None:
    """Rows of each batch of a file; None where it has no batches."""
    return file.batch_rows() if isinstance(file, Opened) else None


class FramePart:
    """The state of a `Frame`: decoded data (`_core`), or a file (`_file`) with selected columns and rows."""

    _core: CoreFrame | None
    _file: "File | None"
    _positions: list[int] | None
    _leaves: dict[int, Steps]  # projections of nested columns, by position in the file
    _rows: tuple[int, int] | None
    _threads: int | None
    _progress: Progress | bool
    _columns: Columns | None
    _column_cache: "dict[tuple[Any, ...], Frame]"
    _single: bool
    __slots__ = ("__weakref__", *SLOTS)

    @classmethod
    def _make(
        cls,
        core: CoreFrame | None = None,
        file: "File | None" = None,
        positions: list[int] | None = None,
        rows: tuple[int, int] | None = None,
        threads: int | None = None,
        progress: Progress | bool = None,
        leaves: dict[int, Steps] | None = None,
    ) -> Self:
        part = cls.__new__(cls)
        part._core = core
        part._file = file
        part._positions = positions
        part._leaves = leaves or {}
        part._rows = rows
        part._threads = threads
        part._progress = progress
        part._columns = None
        part._column_cache = {}
        part._single = False
        return part

    @property
    def _source(self) -> "CoreFrame | File":
        source = self._core if self._core is not None else self._file
        assert source is not None
        return source

    @property
    def _lookup(self) -> Columns:
        if self._columns is None:
            source = self._source
            positions: Positions | None = self._positions if self._core is None else None
            # The result is not cached, so that its memory is freed with the last reference.
            listed = partial(_spots, source, self._core is None, positions, self._leaves)
            self._columns = Columns(Labels(source.columns, positions), Paths(listed))
        return self._columns

    def _dtype_names(self) -> Sequence[str]:
        names = self._source.dtypes()
        if self._core is not None or (self._positions is None and not self._leaves):
            return names
        names = list(names)
        for place, steps in self._leaves.items():
            file, at = _typed(self._source, place)
            names[place] = file.leaf_dtype(at, steps)
        return names if self._positions is None else [names[i] for i in self._positions]

    def _load(self, *, private: bool = False, pandas: bool = False) -> CoreFrame:
        """The data. `private`: arrays that may be written and that no other frame sees. `pandas`: nulls as NaN and NaT
        where pandas' readers have them so."""
        if self._core is not None:
            return self._core
        assert self._file is not None
        if private and self._positions is not None and len(set(self._positions)) < len(self._positions):
            private = False  # one memory must not be written to as two columns
        with reporting(self._progress, "reading") as progress:
            keywords: dict[str, Any] = {"private": private, "threads": self._threads, "progress": progress}
            if pandas and isinstance(self._file, Opened):
                keywords["pandas"] = True
            core: CoreFrame = self._part(self._file.load, self._rows, keywords)
        if self._single and not private and not pandas:
            self._core = core
            self._columns = None
        return core

    def _load_batches(self, rows: tuple[int, int] | None = None, views: bool = False) -> list[CoreFrame]:
        """The data in Arrow's layout, a frame a record batch, at least one; in one frame where it has no batches.
        `rows`: rows of the file, instead of the selected ones. `views`: text may be views, where this saves a copy.
        """
        if self._core is not None or self._file is None or holds_blocks(self._file):
            return [self._load()]
        with reporting(self._progress, "reading") as progress:
            keywords: dict[str, Any] = {"threads": self._threads, "progress": progress}
            if views and isinstance(self._file, Opened):
                keywords["views"] = True
            frames: list[CoreFrame] = self._part(self._file.load_arrow, rows or self._rows, keywords)
        return frames

    def _batch(self, i: int) -> CoreFrame:
        """Record batch or row group `i` of the file."""
        assert isinstance(self._file, Opened)
        return self._file.batch(i, self._positions, self._threads, self._leaves or None)

    def _part(self, load: Callable[..., Any], rows: tuple[int, int] | None, keywords: dict[str, Any]) -> Any:
        """Call `load`, a method of the file, for the selected columns."""
        if not self._leaves or selects_leaves(self._file):
            return load(self._positions, rows, **keywords, **({"leaves": self._leaves} if self._leaves else {}))
        loaded = load(self._positions, rows, **keywords)
        places = range(self._source.ncols) if self._positions is None else self._positions
        leaves = {i: self._leaves[place] for i, place in enumerate(places) if place in self._leaves}
        return (
            [core.project_leaves(leaves) for core in loaded]
            if isinstance(loaded, list)
            else loaded.project_leaves(leaves)
        )


def _spots(
    source: "CoreFrame | File", is_file: bool, positions: "Positions | None", leaves: dict[int, Steps], position: int
) -> Sequence[FieldPath]:
    """The field paths of the column at `position`."""
    place = position if positions is None else positions[position]
    typed, at = _typed(source, place)
    return typed.leaf_paths(at, leaves.get(place) if is_file else None)


def _typed(source: "CoreFrame | File", place: int) -> "tuple[CoreFrame | Opened, int]":
    """The object that has the type of the column at `place`, and its position there."""
    if isinstance(source, CoreFrame) or selects_leaves(source):
        return source, place
    return source.load([place], (0, 0)), 0
