"""Where a frame's data lie, in memory or still in their file, and which part of them it shows."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

from . import _core
from ._axes import Labels, Positions
from ._core import CoreFrame
from ._progress import Progress, reporting
from ._select import Columns

if TYPE_CHECKING:
    from ._batched import Batches
    from ._frame import Frame

    File = _core.NpzFile | _core.IpcFile | _core.ParquetFile | _core.MsgpackFile | _core.TextFile | Batches

SLOTS = ("_columns", "_core", "_file", "_kept", "_positions", "_progress", "_rows", "_single", "_threads")


class FramePart:
    """What `Frame` is made of: decoded data (`_core`), or a file (`_file`) with columns and rows of it."""

    _core: CoreFrame | None
    _file: "File | None"
    _positions: list[int] | None
    _rows: tuple[int, int] | None
    _threads: int | None
    _progress: Progress | bool
    _columns: Columns | None
    _kept: "dict[tuple[int, ...], Frame]"
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
    ) -> Self:
        made = cls.__new__(cls)
        made._core = core
        made._file = file
        made._positions = positions
        made._rows = rows
        made._threads = threads
        made._progress = progress
        made._columns = None
        made._kept = {}
        made._single = False
        return made

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
            self._columns = Columns(Labels(source.columns, positions))
        return self._columns

    def _dtype_names(self) -> Sequence[str]:
        names = self._source.dtypes()
        return names if self._core is not None or self._positions is None else [names[i] for i in self._positions]

    def _load(self, *, private: bool = False) -> CoreFrame:
        """The data. `private`: arrays that may be written and that no other frame sees."""
        if self._core is not None:
            return self._core
        assert self._file is not None
        if private and self._positions is not None and len(set(self._positions)) < len(self._positions):
            private = False  # one memory must not be written to as two columns
        with reporting(self._progress, "reading") as progress:
            core = self._file.load(
                self._positions, self._rows, private=private, threads=self._threads, progress=progress
            )
        if self._single and not private:
            self._core = core
            self._columns = None
        return core

    def _load_batches(self) -> list[CoreFrame]:
        """The data in Arrow's layout, a frame a record batch, at least one; in one frame where it has no batches."""
        load = None if self._core is not None else getattr(self._file, "load_arrow", None)
        if load is None:
            return [self._load()]
        with reporting(self._progress, "reading") as progress:
            frames: list[CoreFrame] = load(self._positions, self._rows, threads=self._threads, progress=progress)
        return frames
