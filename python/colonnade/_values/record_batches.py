"""A table of several record batches in memory. The batches are joined only for libraries that need blocks."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from .._core import Axis, CoreFrame, concat_frames


class Batches:
    """Frames of one schema, as successive rows of a table, with the reading interface of an opened file.

    Parameters
    ----------
    frames
        At least one frame. The frames are not copied. Automatic row labels count through all frames.
    """

    kind = "batches"

    def __init__(self, frames: Sequence[CoreFrame]) -> None:
        self._starts = list(accumulate((frame.nrows for frame in frames), initial=0))
        self._frames = [_counted_on(frame, start) for frame, start in zip(frames, self._starts, strict=False)]
        self._index: Axis | None = None
        first = self._frames[0]
        self.nrows: int = self._starts[-1]
        self.ncols: int = first.ncols
        self.columns: Axis = first.columns
        self.name: str = first.name
        self.attrs: str | None = first.attrs
        self.origin: str | None = first.origin

    @property
    def index(self) -> Axis:
        """The row labels of the whole table."""
        if self._index is None:
            self._index = concat_frames([frame.select([]) for frame in self._frames]).index
        return self._index

    @property
    def nbytes(self) -> int:
        """The bytes of data and labels that the batches need."""
        return sum(frame.nbytes for frame in self._frames)

    def dtypes(self) -> list[str]:
        """One name for each column."""
        return self._frames[0].dtypes()

    def load(
        self,
        positions: Sequence[int] | None = None,
        rows: tuple[int, int] | None = None,
        *,
        private: bool = False,
        threads: int | None = None,
        progress: Any = None,
    ) -> CoreFrame:
        """All rows in one frame, with one copy into new memory."""
        return concat_frames(self.load_arrow(positions, rows), private)

    def load_arrow(
        self,
        positions: Sequence[int] | None = None,
        rows: tuple[int, int] | None = None,
        *,
        threads: int | None = None,
        progress: Any = None,
    ) -> list[CoreFrame]:
        """The batches, or slices of them, without a copy; at least one frame."""
        frames = self._frames if rows is None else self._slices(*rows)
        return list(frames) if positions is None else [frame.select(positions) for frame in frames]

    def _slices(self, start: int, stop: int) -> list[CoreFrame]:
        pieces = []
        for frame, first in zip(self._frames, self._starts, strict=False):
            low, high = max(start - first, 0), min(stop - first, frame.nrows)
            if low < high:
                pieces.append(frame if high - low == frame.nrows else frame.slice(low, high))
        return pieces or [self._frames[0].slice(0, 0)]


def batched(frames: Sequence[CoreFrame]) -> CoreFrame | Batches:
    """A single frame unchanged, several as `Batches`."""
    return frames[0] if len(frames) == 1 else Batches(frames)


def with_origin(frames: Sequence[CoreFrame], origin: str) -> CoreFrame | Batches:
    """The frames of one library object, with its `origin` set."""
    return batched([frame.with_meta(frame.name, frame.attrs, origin) for frame in frames])


def _counted_on(frame: CoreFrame, start: int) -> CoreFrame:
    """The frame at row `start` of a table. It keeps stored labels, and automatic labels that do not begin at 0."""
    index = frame.index
    if not index.is_auto or not start or index.range != (0, frame.nrows, 1):
        return frame
    counted = Axis.auto(start, start + frame.nrows, 1, index.cls, index.name, index.meta)
    return frame.with_axes(counted, None)
