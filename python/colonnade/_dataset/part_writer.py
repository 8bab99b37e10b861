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
from .hive import folders_of
from .manifest import Entry
from .places import Place

_MOST_NBYTES = 512 << 20
"""Bytes of rows that wait for more. Past it, the largest key becomes a part, though it has fewer rows."""

Texts = tuple[str | None, ...]


@dataclass
class PartWriter:
    """Writes parts under names that nobody has.

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
    options: dict[str, Any]
    in_folders: bool = True
    written: list[Entry] = field(default_factory=list)
    _waiting: dict[Texts, list[CoreFrame]] = field(default_factory=dict)
    _nbytes: dict[Texts, int] = field(default_factory=dict)
    _id: str = field(default_factory=lambda: uuid4().hex)

    @property
    def has_parts(self) -> bool:
        """Whether there were any rows."""
        return bool(self.written or self._waiting)

    def add(self, texts: Texts, frame: Frame) -> None:
        """Add rows with these texts of the keys, and write the parts that are full."""
        if not len(frame):
            return
        waiting = self._waiting.setdefault(texts, [])
        waiting.append(frame._load())
        self._nbytes[texts] = self._nbytes.get(texts, 0) + waiting[-1].nbytes
        nrows = sum(core.nrows for core in waiting)
        if nrows >= self.rows_per_part:
            joined = _core.concat_frames(waiting)
            full = nrows - nrows % self.rows_per_part
            for start in range(0, full, self.rows_per_part):
                self._write(texts, joined.slice(start, start + self.rows_per_part))
            del self._waiting[texts], self._nbytes[texts]
            if full < nrows:
                # A copy: a slice would keep the rows that are written.
                self.add(texts, Frame._make(_core.concat_frames([joined.slice(full, full), joined.slice(full, nrows)])))
        while sum(self._nbytes.values()) > _MOST_NBYTES:
            self._flush(max(self._nbytes, key=self._nbytes.__getitem__))

    def add_empty(self, frame: Frame) -> None:
        """A part without rows, which has the columns. Its keys are null."""
        self._write((None,) * len(self.labels), frame._load())

    def finish(self) -> list[Entry]:
        """Write the rows that wait. Returns all parts."""
        for texts in list(self._waiting):
            self._flush(texts)
        return self.written

    def _flush(self, texts: Texts) -> None:
        waiting = self._waiting.pop(texts)
        del self._nbytes[texts]
        self._write(texts, _core.concat_frames(waiting))

    def _write(self, texts: Texts, core: CoreFrame) -> None:
        keys = dict(zip(self.labels, texts, strict=True))
        name = f"{folders_of(keys) if self.in_folders else ''}part-{self._id}-{len(self.written):05d}.{self.format}"
        options = {**self.options, **self.place.keywords()}
        self.written.append(Entry(name, 0, core.nrows, keys))
        write(Frame._make(core), self.place.target(name), format=self.format, **options)
        self.written[-1] = Entry(name, self.place.nbytes(name), core.nrows, keys)
