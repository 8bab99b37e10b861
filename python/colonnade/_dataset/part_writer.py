"""Writes the parts of a dataset: collects the rows of each key until they make a part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from .. import _core
from .._api.read_write import write
from .._core import CoreFrame
from .._frame.frame import Frame
from ..errors import ConflictError
from .hive import folders_of
from .manifest import Entry
from .places import Place

_MOST_NBYTES = 512 << 20
"""Bytes of rows that wait for more. Past it, the largest key becomes a part, though it has fewer rows."""

Texts = tuple[str | None, ...]


def removed(place: Place, error: FileNotFoundError) -> ConflictError:
    """The error of a part that is gone: `remove_leftovers` removes it if the write took long by its clock."""
    return ConflictError(
        f"write_dataset: {place.shown('')}: expected the part {error.filename}, found none: it was removed while "
        "others were written. Let remove_leftovers keep files for longer than a write takes."
    )


@dataclass
class PartWriter:
    """Writes parts under names that no file has.

    Attributes
    ----------
    in_folders : bool
        Whether the keys of a part are in the names of its folders.
    written : list of Entry
        The parts so far.
    """

    place: Place
    format: str
    labels: Sequence[str]
    rows_per_part: int
    options: dict[str, Any] = field(repr=False)
    in_folders: bool = True
    written: list[Entry] = field(default_factory=list)
    _waiting: dict[Texts, list[CoreFrame]] = field(default_factory=dict)
    _nrows: dict[Texts, int] = field(default_factory=dict)
    _nbytes: dict[Texts, int] = field(default_factory=dict)
    _all_nbytes: int = 0
    _id: str = field(default_factory=lambda: uuid4().hex)

    def add(self, texts: Texts, frame: Frame) -> None:
        """Add rows with these texts of the keys, and write the parts that are full."""
        if not len(frame):
            return
        core = frame._load()
        self._waiting.setdefault(texts, []).append(core)
        self._nrows[texts] = self._nrows.get(texts, 0) + core.nrows
        self._nbytes[texts] = self._nbytes.get(texts, 0) + core.nbytes
        self._all_nbytes += core.nbytes
        if self._nrows[texts] >= self.rows_per_part:
            joined = _core.concat_frames(self._taken(texts))
            full = joined.nrows - joined.nrows % self.rows_per_part
            for start in range(0, full, self.rows_per_part):
                self._write(texts, joined.slice(start, start + self.rows_per_part))
            if full < joined.nrows:
                # A copy: a slice would keep the rows that are written.
                rest = [joined.slice(full, full), joined.slice(full, joined.nrows)]
                self.add(texts, Frame._make(_core.concat_frames(rest)))
        while self._all_nbytes > _MOST_NBYTES:
            largest = max(self._nbytes, key=self._nbytes.__getitem__)
            self._write(largest, _core.concat_frames(self._taken(largest)))

    def add_empty(self, frame: Frame) -> None:
        """A part without rows, which has the columns. Its keys are null."""
        self._write((None,) * len(self.labels), frame._load())

    def finish(self) -> list[Entry]:
        """Write the rows that wait. Returns all parts."""
        for texts in list(self._waiting):
            self._write(texts, _core.concat_frames(self._taken(texts)))
        if self.options.get("fsync", True):
            # The manifest is synced, so what it lists must be.
            try:
                self.place.settle([entry.name for entry in self.written])
            except FileNotFoundError as error:
                raise removed(self.place, error) from None
        return self.written

    def _taken(self, texts: Texts) -> list[CoreFrame]:
        """The rows that wait with these texts, which wait no longer."""
        del self._nrows[texts]
        self._all_nbytes -= self._nbytes.pop(texts)
        return self._waiting.pop(texts)

    def _write(self, texts: Texts, core: CoreFrame) -> None:
        keys = dict(zip(self.labels, texts, strict=True))
        name = f"{folders_of(keys) if self.in_folders else ''}part-{self._id}-{len(self.written):05d}.{self.format}"
        options = {**self.place.keywords(), **self.options}
        self.written.append(Entry(name, 0, core.nrows, keys))
        write(Frame._make(core), self.place.target(name), format=self.format, **options)
        self.written[-1] = Entry(name, self.place.nbytes(name), core.nrows, keys)
