"""A dataset: the rows of many files, read lazily."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from .. import _core
from .._api.inspect_verify_convert import inspect
from .._api.many_files import Difference, difference
from .._api.read_write import read
from .._api.readers_writers import open_reader
from .._frame.frame import Frame
from .._frame.schema import Schema
from .._io.stores import Access
from .._values.conditions import Condition, conjunctions
from ..errors import ColumnNotFound, DecodeError, OptionError
from .columns import with_keys
from .listing import Part, list_parts
from .pruning import remaining

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa


@dataclass(frozen=True)
class Dataset:
    """Many files of one schema, as one table. `colonnade.dataset` makes it; nothing is read until it is asked for.

    `select` and `filter` return another dataset. `read`, `scan` and the ``to_`` methods read.
    """

    parts: tuple[Part, ...]
    _options: dict[str, Any]
    _columns: tuple[Hashable, ...] | None = None
    _conditions: tuple[tuple[Condition, ...], ...] | None = None

    # ------------------------------------------------------------------ what is there

    @cached_property
    def schema(self) -> Schema:
        """Labels and types of the first part's columns, and of the keys. It reads the structure of one file."""
        return self._described.schema

    def count_rows(self) -> int:
        """The number of rows. Without a filter it comes from the structure of each file; no column is decoded."""
        if self._conditions is None:
            return sum(self._nrows(part) for part in self.parts)
        return sum(len(frame) for frame in self.select([]).scan())

    # ------------------------------------------------------------------ what is asked for

    def select(self, columns: Hashable | Iterable[Hashable]) -> Dataset:
        """A dataset of these columns, in this order. Keys are columns too."""
        labels = (columns,) if isinstance(columns, str | tuple) or not isinstance(columns, Iterable) else tuple(columns)
        self._check(labels)
        return replace(self, _columns=labels)

    def filter(self, filters: Sequence[Any] | str) -> Dataset:
        """A dataset of the rows that meet the conditions, which are those of `read`, and those asked for before.

        Parts whose keys cannot match are not opened. Of the others, each format leaves out what its statistics
        exclude, and the rows that are left are compared.
        """
        found = conjunctions(filters)
        for conjunction in found:
            self._check([name for name, _, _ in conjunction])
        before = self._conditions
        if before is not None:
            found = [[*one, *other] for one in before for other in found]
        return replace(self, _conditions=tuple(map(tuple, found)))

    def head(self, n: int = 5) -> Frame:
        """The first rows. Only the parts that they are in are opened."""
        frames: list[Frame] = []
        left = n
        for frame in self.scan():
            frames.append(frame.head(left))
            left -= len(frames[-1])
            if left <= 0:
                break
        return _joined(frames) if frames else self._empty()

    # ------------------------------------------------------------------ reading

    def scan(self, batch_rows: int | None = None) -> Iterator[Frame]:
        """Yield the rows in frames, one part's batch in memory at a time.

        Parameters
        ----------
        batch_rows : int, optional
            The most rows of a frame. Default: the batches of the files (record batches, row groups, whole files).
        """
        if batch_rows is not None and batch_rows < 1:
            raise OptionError(f"batch_rows: expected a whole number of at least 1 or None, found {batch_rows!r}.")
        for part in self.parts:
            for frame in self._frames(part):
                step = len(frame) if batch_rows is None else batch_rows
                for start in range(0, len(frame), max(step, 1)):
                    yield frame if step >= len(frame) else frame.slice(start, start + step)

    def read(self) -> Frame:
        """All rows in memory, as one frame with automatic row labels."""
        frames = list(self.scan())
        return _joined(frames) if frames else self._empty()

    def to_pandas(self) -> pd.DataFrame:
        """`read`, as a pandas DataFrame."""
        return self.read().to_pandas()

    def to_polars(self) -> pl.DataFrame:
        """`read`, as a polars DataFrame."""
        return self.read().to_polars()

    def to_arrow(self) -> pa.Table:
        """`read`, as a pyarrow Table."""
        return self.read().to_arrow()

    def __repr__(self) -> str:
        nbytes = [part.nbytes for part in self.parts]
        size = "" if None in nbytes else f", {sum(filter(None, nbytes)):,} bytes"
        keys = f", keys {', '.join(self.parts[0].keys)}" if self.parts[0].keys else ""
        return f"<Dataset: {len(self.parts):,} parts of {self.parts[0].format}{size}{keys}>"

    # ------------------------------------------------------------------ parts

    @cached_property
    def _first(self) -> Frame:
        """The first part, opened."""
        return self._open(self.parts[0])

    @cached_property
    def _described(self) -> Frame:
        """No row of the first part, with the keys as columns."""
        return with_keys(self._first.head(0), self.parts[0].keys)

    def _empty(self) -> Frame:
        frame = self._described
        return frame if self._columns is None else frame.select(list(self._columns))

    def _check(self, labels: Iterable[Hashable]) -> None:
        for label in labels:
            try:
                self._described.select([label])
            except ColumnNotFound as error:
                raise ColumnNotFound(f"dataset: {error}") from None

    def _open(self, part: Part) -> Frame:
        return read(part.source, format=part.format, **self._options)

    def _nrows(self, part: Part) -> int:
        shape = inspect(part.source, format=part.format, **self._options).shape
        if shape is None:
            raise DecodeError(f"{part.name}: expected one frame, found several.")
        return shape[0]

    def _frames(self, part: Part) -> Iterator[Frame]:
        conditions = remaining(
            None if self._conditions is None else [list(each) for each in self._conditions], part.keys
        )
        if conditions is False:
            return
        own = None if self._columns is None else [label for label in self._columns if label not in part.keys]
        options = dict(self._options)
        if conditions is not None:
            options["filters"] = conditions
        with open_reader(part.source, format=part.format, columns=own, **options) as reader:
            for frame in reader:
                if own is None:
                    self._check_same(frame, part)
                found = with_keys(frame, part.keys)
                yield found if self._columns is None else found.select(list(self._columns))

    def _check_same(self, frame: Frame, part: Part) -> None:
        found: Difference | None = difference(self._first, frame)
        if found is not None:
            what, one, other = found
            raise DecodeError(
                f"{part.name}: expected {what} as in {self.parts[0].name}, {one}, found {other}. "
                "The parts of a dataset have one schema; convert this one."
            )


def dataset(
    source: Any,
    format: str | None = None,
    *,
    partitioning: str | None = "hive",
    partition_types: dict[str, Any] | None = None,
    **options: Any,
) -> Dataset:
    """Open many files as one table. Nothing but their names is read.

    Parameters
    ----------
    source : path, URL or list of sources
        A folder, a pattern such as ``"trips/*.parquet"``, a list, or a prefix in a store (``s3://bucket/trips``).
        Files and folders whose names begin with ``.`` or ``_`` are no parts.
    format : str, optional
        The format of all files. Default: the one of their suffixes, which must agree.
    partitioning : one of {"hive", None}
        ``"hive"``: folders such as ``year=2024`` are columns.
    partition_types : dict, optional
        Types of these columns, as ``{"year": "int32"}``. Default: int64, dates, or text, by their values.
    **options
        Options of reading, as for `read`.

    Returns
    -------
    Dataset
        Lazy.

    Raises
    ------
    FileNotFoundError
        There is no file.
    UnsupportedError
        Files of several formats.

    Examples
    --------
    >>> import colonnade as cn, os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> for year in (2023, 2024):
    ...     cn.write({"fare": [7.5, 9.0]}, os.path.join(folder, f"year={year}", "part-0.parquet"), mkdir=True)
    >>> trips = cn.dataset(folder)
    >>> trips.count_rows()
    4
    >>> trips.filter("year == 2024 and fare > 8").to_pandas()
       fare  year
    0   9.0  2024
    """
    parts = list_parts(source, format, partitioning, partition_types, Access.of(options))
    return Dataset(tuple(parts), options)


def _joined(frames: Sequence[Frame]) -> Frame:
    return Frame._make(_core.concat_frames([frame._load() for frame in frames]))
