"""A dataset: the rows of many files, read lazily."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar

from .. import _core
from .._api.chunks import Scanned
from .._api.inspect_verify_convert import inspect
from .._api.readers_writers import open_reader
from .._errors import not_found
from .._frame.filter_values import field_name
from .._frame.frame import Frame
from .._frame.schema import Schema
from .._io.nearest import nearest_hint
from .._values.conditions import Condition, conjunctions
from .._values.option_checks import check_count
from ..errors import ColonnadeError, DecodeError
from .ahead import read_ahead
from .listing import Listing, Part
from .pruning import Pruned
from .structure import Structure

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    import pyarrow.dataset as pads

T = TypeVar("T")


@dataclass(frozen=True, repr=False)
class Dataset(Scanned):
    """Many files of one schema, as one table. `dataset` makes it.

    `select` and `filter` return another dataset. `scan`, `read` and the ``to_`` methods read rows. A dataset can be
    pickled: another process opens the files itself.
    """

    _listing: Listing
    _structure: Structure
    _options: dict[str, Any]
    _columns: tuple[Hashable, ...] | None = None
    _conditions: tuple[tuple[Condition, ...], ...] | None = None
    _is_exact: bool = True

    # ------------------------------------------------------------------ what is there

    @property
    def schema(self) -> Schema:
        """The labels and types of the columns and keys. It is read from one file, or from all with a union."""
        return self._empty.schema

    @property
    def format(self) -> str:
        """The format of all files."""
        return self._listing.format

    @property
    def is_filtered(self) -> bool:
        """Whether there are conditions, so that parts may have fewer rows than their files."""
        return self._conditions is not None

    @property
    def home(self) -> str | None:
        """The folder that `write_dataset` wrote, if the parts are of one."""
        return self._listing.home

    @property
    def version(self) -> int:
        """The version of the manifest that listed the parts; 0 without one."""
        return self._listing.version

    @property
    def keys(self) -> list[str]:
        """The names of the keys: columns whose values are in the names of folders."""
        return [key.name for key in self._listing.keys]

    @property
    def parts(self) -> tuple[Part, ...]:
        """The files whose rows may match, by their keys. None is opened."""
        return tuple(self._listing.parts[i] for i, _ in self._asked)

    def count_rows(self) -> int:
        """The number of rows.

        Without conditions on columns it comes from the manifest or from the structure of each file; no column is
        decoded.
        """
        return sum(self._nrows(i, conditions) for i, conditions in self._asked)

    # ------------------------------------------------------------------ what is asked for

    def select(self, columns: Hashable | Iterable[Hashable]) -> Dataset:
        """A dataset of these columns, in this order. Keys are columns too.

        Raises
        ------
        ColumnNotFound
            A column does not exist; the message has the nearest names.
        """
        found = self._structure.empty.select(columns)
        return replace(self, _columns=tuple(found.columns))

    def filter(self, filters: Sequence[Any] | str) -> Dataset:
        """A dataset of the rows that meet the conditions, which are those of ``filters=`` in `read`.

        Conditions add up. Parts whose keys cannot match are not opened. Of the others, each format skips what its
        statistics exclude, and the rows that are left are compared.

        Raises
        ------
        ColumnNotFound
            A condition names no column, key or level of row labels.
        OptionError
            Anything that is no condition.
        """
        found = conjunctions(filters)
        self._check_names(found)
        before = self._conditions
        if before is not None:
            found = [[*one, *other] for one in before for other in found]
        return replace(self, _conditions=tuple(map(tuple, found)), _is_exact=True)

    def narrowed(self, filters: Sequence[Any] | str) -> Dataset:
        """As `filter`, but other rows may come too, for engines that filter again: nothing is compared row by row.

        If the dataset is filtered already, its conditions are exact, and so are these.
        """
        found = self.filter(filters)
        return found if self.is_filtered and self._is_exact else replace(found, _is_exact=False)

    def head(self, n: int = 5) -> Frame:
        """The first `n` rows. Only the parts that they are in are opened."""
        check_count("n", n, least=0, optional=False)
        frames: list[Frame] = []
        left = n
        for frame in self.scan() if n else ():
            frames.append(frame.head(left))
            left -= len(frames[-1])
            if left <= 0:
                break
        return _joined(frames) if frames else self._empty

    # ------------------------------------------------------------------ reading

    def scan(self, batch_rows: int | None = None) -> Iterator[Frame]:
        """Yield the rows in frames. One batch of one part is in memory at a time.

        Parameters
        ----------
        batch_rows : int, optional
            The most rows of a frame. Default: the batches of the files, which are record batches, row groups or whole
            files.

        Raises
        ------
        DecodeError
            The columns of a part differ from those of the first one; the message names both.
        """
        check_count("batch_rows", batch_rows)
        return self._scan(batch_rows)

    def scan_ahead(self, made: Callable[[Frame], T]) -> Iterator[T]:
        """What `made` makes of each frame of `scan`, while threads read the next parts and call it.

        Eight frames are in memory at most.
        """

        def used(i: int, conditions: list[list[Condition]] | None) -> Iterator[T]:
            return map(made, self._part_frames(i, conditions))

        return read_ahead([partial(used, i, conditions) for i, conditions in self._asked])

    def read(self) -> Frame:
        """Read all rows into memory, as one frame."""
        return self._whole(lambda frame: Frame._make(frame._load()))

    def to_pandas(self) -> pd.DataFrame:
        """Read all rows into a pandas DataFrame."""
        return self._whole(lambda frame: frame.to_pandas())

    def to_polars(self) -> pl.DataFrame:
        """Read all rows into a polars DataFrame."""
        return self._whole(lambda frame: frame.to_polars())

    def to_arrow(self) -> pa.Table:
        """Read all rows into a pyarrow Table."""
        return self._whole(lambda frame: frame.to_arrow())

    def to_pyarrow(self) -> pads.Dataset:
        """The dataset as a ``pyarrow.dataset.Dataset``, which DuckDB, DataFusion and polars query.

        Nothing is read until a query asks. Its columns and filters decide what is read.

        Examples
        --------
        >>> import colonnade as cn, os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "t.npz")
        >>> cn.write({"a": [1, 2, 3], "b": [1.5, 2.5, 3.5]}, path)
        >>> cn.dataset(path).to_pyarrow().to_table(columns=["b"]).num_rows
        3
        """
        from .._engines.arrow_dataset import ArrowDataset

        return ArrowDataset(self)

    def only(self, i: int) -> Dataset:
        """The dataset of part `i` of `parts`, which knows nothing of the others. Engines make their tasks of it."""
        part = self._asked[i][0]
        return replace(self, _listing=self._listing.only(part), _structure=self._structure.only(part))

    def __repr__(self) -> str:
        parts = self.parts
        known = [part.nbytes for part in parts if part.nbytes is not None]
        size = f", {sum(known):,} bytes" if len(known) == len(parts) else ""
        keys = f", keys {', '.join(self.keys)}" if self.keys else ""
        return f"<Dataset: {len(parts):,} parts of {self.format}{size}{keys}>"

    # ------------------------------------------------------------------ parts

    @property
    def _empty(self) -> Frame:
        """The columns asked for, without rows."""
        empty = self._structure.empty
        return empty if self._columns is None else empty.select(list(self._columns))

    @cached_property
    def _asked(self) -> list[tuple[int, list[list[Condition]] | None]]:
        """The parts that may match, with the conditions on their own columns."""
        among = range(len(self._listing.parts))
        if self._conditions is None:
            return [(i, None) for i in among]
        pruned = Pruned.of([list(each) for each in self._conditions], self._listing.keys)
        asked = []
        for i in among:
            left = pruned.of_part(i)
            if isinstance(left, list):
                left = self._structure.conditions(left, i)
            if not isinstance(left, bool):
                asked.append((i, left))
        return asked

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_asked"}

    def _check_names(self, conditions: list[list[Condition]]) -> None:
        empty = self._structure.empty
        known = [field_name(label) for label in empty]
        if not empty.index.is_auto:
            known += [field_name(name) for name in empty.index.names if name is not None]
        for conjunction in conditions:
            for label, _, _ in conjunction:
                if field_name(label) not in known:
                    hint = nearest_hint(field_name(label), known) or f"; columns: {', '.join(known[:5])}"
                    raise not_found(f"filters: column {label!r} is not there{hint}", label)

    def _nrows(self, part: int, conditions: list[list[Condition]] | None) -> int:
        if conditions is not None:
            return sum(len(frame) for frame in self.select([])._part_frames(part, conditions))
        known = self._listing.parts[part]
        if known.nrows is not None:
            return known.nrows
        shape = inspect(known.source, format=self.format, **self._options).shape
        if shape is None:
            raise DecodeError(f"{known.name}: expected one frame in each part, found several.")
        return shape[0]

    def _whole(self, made: Callable[[Frame], T]) -> T:
        """What `made` makes of all rows."""
        asked = self._asked
        if len(asked) == 1 and asked[0][1] is None:
            part = asked[0][0]
            with _naming(self._listing.parts[part]):
                frame = self._file_frame(part)
                if frame is not None:
                    return made(frame)
        frames = list(self.scan_ahead(lambda frame: frame))
        return made(_joined(frames) if frames else self._empty)

    def _file_frame(self, part: int) -> Frame | None:
        """A part over its opened file, which decodes it into the memory of the result. None if its rows differ from
        those of the file: they have keys, columns that it lacks, or another count."""
        structure = self._structure
        if not structure.is_of_files(self._columns):
            return None
        frame = structure.opened(part, columns=structure.column_names(self._columns, part))
        own, counted = frame._source.index, structure.empty._source.index
        if own.is_auto and counted.is_auto and own.range[::2] != counted.range[::2]:
            return None
        frame = structure.completed(frame, part, self._columns)
        structure.check(frame, part, self._columns)
        return frame

    def _scan(self, batch_rows: int | None) -> Iterator[Frame]:
        for i, conditions in self._asked:
            yield from self._part_frames(i, conditions, batch_rows)

    def _part_frames(
        self, part: int, conditions: list[list[Condition]] | None, batch_rows: int | None = None
    ) -> Iterator[Frame]:
        options = dict(self._options)
        if conditions is not None and self._is_exact:
            options["filters"] = conditions
        elif conditions is not None and self.format == "parquet":
            options |= {"filters": conditions, "use_statistics": options.get("use_statistics", True) and "only"}
        source, structure = self._listing.parts[part], self._structure
        own = structure.column_names(self._columns, part)
        is_checked = False
        with _naming(source), open_reader(source.source, format=self.format, columns=own, **options) as reader:
            for frame in reader:
                found = structure.completed(frame, part, self._columns)
                found = Frame._make(_counted(found._load(), structure.empty, conditions is not None))
                if not is_checked:
                    structure.check(found, part, self._columns)
                    is_checked = True
                step = max(len(found) if batch_rows is None else batch_rows, 1)
                for start in range(0, len(found), step):
                    yield found if step >= len(found) else found.slice(start, start + step)
                del frame, found  # not in memory with the next one


@contextmanager
def _naming(part: Part) -> Iterator[None]:
    """Errors of the bytes of a part name it."""
    try:
        yield
    except ColonnadeError as error:
        if part.name not in str(error):
            error.args = (f"{part.name}: {error}", *error.args[1:])
        raise


def _counted(core: _core.CoreFrame, empty: Frame, is_filtered: bool) -> _core.CoreFrame:
    """Rows with labels of their own count, if the labels of the dataset only count rows from 0.

    Otherwise those of a part that begins at 1,000,000 would be labels, and those of the first part a count.
    """
    axis = empty._load().index
    if not axis.is_auto or (not core.index.is_auto and not is_filtered):
        return core
    start, _, step = axis.range
    if (start, step) != (0, 1) and not is_filtered:
        return core  # a RangeIndex with a meaning
    return core.with_axes(_core.Axis.auto(0, core.nrows, 1, axis.cls, axis.name, axis.meta), None)


def _joined(frames: Sequence[Frame]) -> Frame:
    return Frame._make(_core.concat_frames([frame._load() for frame in frames]))
