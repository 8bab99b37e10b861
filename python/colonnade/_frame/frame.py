"""`cn.Frame`: the result of `read`, and data for `write`. Lazy over a file, or over arrays in memory."""

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any, NoReturn

from .._core import CoreFrame
from .._values import tagged_labels
from .._values.option_checks import check_count, check_flag
from .._values.tagged_labels import decode_optional
from ..adapters._from_data import take
from .axes import Labels
from .field_paths import Chosen, restrict
from .filtered_file import FilteredFile
from .foreign_names import raise_missing
from .mapping import ColumnMapping
from .part import SLOTS
from .pickling import Pickled
from .schema import Dtypes, Schema
from .select import row_range

if TYPE_CHECKING:
    from .._values.record_batches import Batches


class Frame(ColumnMapping, Pickled):
    """A table with labels on both sides, either in memory or still in its file.

    `read` checks the structure and reads the labels. A ``to_*`` method decodes the selected data directly into the
    layout of its library. Frames are immutable. Selecting and slicing copy nothing.

    Parameters
    ----------
    data
        A pandas or polars DataFrame or Series, a pyarrow Table, RecordBatch or RecordBatchReader, a StaticFrame Frame,
        an Awkward Array, a NumPy 2-D, 1-D or structured array, a mapping of columns, anything with
        ``__arrow_c_stream__`` or ``__arrow_c_array__``, rows (an iterable of mappings, tuples or dataclasses), or a
        Frame. The columns of a mapping are 1-D arrays, lists, single values (which every row gets) or Series. The data
        is not copied if possible, so do not change it while the frame is in use.
    densify_sparse : bool
        Make pandas' sparse columns dense. Otherwise they come back sparse.
    batch_rows : int, optional
        For rows: the number of rows that are transposed at once. Default 65,536.

    Raises
    ------
    EncodeError
        A column cannot be represented exactly. The message names it.
    InputError
        The data is no frame: columns of several lengths, an array of three dimensions.
    TypeError
        `data` has another type.

    Examples
    --------
    >>> import colonnade as cn, numpy as np
    >>> frame = cn.Frame({"price": np.array([1.5, 2.5, 3.5]), "count": np.array([10, 20, 30])})
    >>> frame.shape
    (3, 2)
    >>> frame["count"].to_numpy()
    array([10, 20, 30])
    >>> frame.select(["count", "price"]).head(1).to_numpy()
    {'count': array([10]), 'price': array([1.5])}
    """

    __slots__ = ()

    def __init__(self, data: Any, *, densify_sparse: bool = False, batch_rows: int | None = None) -> None:
        check_flag("densify_sparse", densify_sparse)
        check_count("batch_rows", batch_rows)
        frame = frame_from(data, densify_sparse=densify_sparse, batch_rows=batch_rows)
        for slot in SLOTS:
            setattr(self, slot, getattr(frame, slot))
        self._column_cache = {}

    # ------------------------------------------------------------------ description

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        source = self._source
        if self._core is not None:
            return source.nrows, source.ncols
        start, stop = self._rows or (0, source.nrows)
        return stop - start, source.ncols if self._positions is None else len(self._positions)

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def index(self) -> Labels:
        """The row labels: a read-only view (`Labels`) that decodes labels on access."""
        # Decoded data is already restricted to the rows.
        rows = None if self._core is not None or self._rows is None else range(*self._rows)
        return Labels(self._source.index, rows)

    @property
    def columns(self) -> Labels:
        """The column labels: a read-only view (`Labels`)."""
        return self._lookup._labels

    @property
    def dtypes(self) -> Dtypes:
        """The data type of each column, by label: NumPy's name, or Arrow's for a column that NumPy has no type for."""
        return Dtypes(self.columns, self._dtype_names())

    @property
    def schema(self) -> Schema:
        """The fields and both axes, without data (`Schema`)."""
        return Schema.of(self.name, self.index, self.columns, self._dtype_names())

    @property
    def name(self) -> Any:
        """The name of the frame, or None."""
        return tagged_labels.decode(self._source.name)

    @property
    def attrs(self) -> dict[Any, Any]:
        """The attributes of the frame (pandas' ``attrs``), as a new dict each time."""
        return decode_optional(self._source.attrs) or {}

    @property
    def nbytes(self) -> int:
        """The decoded size of data and labels in bytes.

        For a part of a file, `nbytes` counts its data, and decodes it to do so.
        """
        is_part = self._positions is not None or self._rows is not None or isinstance(self._file, FilteredFile)
        if self._file is not None and is_part:
            return sum(frame.nbytes for frame in self._load_batches())
        return self._source.nbytes

    # ------------------------------------------------------------------ selection

    def __getitem__(self, columns: Any) -> "Frame":
        """Select a column by label, a part of a nested column by path, a group by prefix, or several columns by a list.

        A frame of one column keeps its decoded data: ``frame["x"].to_numpy()`` decodes only this column, and only once.
        `release` drops the data.
        """
        if isinstance(columns, slice):
            raise TypeError(
                "columns: expected a label or a list of labels, found a slice. Use frame.slice(start, stop) for rows."
            )
        lookup = self._lookup
        if not lookup.is_label(columns):
            return self.select(columns)
        chosen = lookup.chosen(columns)
        key = (*chosen.positions, *chosen.leaves.items())
        cached = self._column_cache.get(key)
        if cached is None:
            cached = self._selected(chosen)
            if len(chosen.positions) == 1 and lookup.is_whole(columns):
                cached._single = True
                self._column_cache[key] = cached
        return cached

    def select(self, columns: Hashable | Iterable[Hashable]) -> "Frame":
        """Select columns in the requested order, without copying or decoding data.

        Parameters
        ----------
        columns
            A label or an iterable of labels. A label of hierarchical columns is a tuple. A shorter tuple, or the label
            of the first level, selects a group. A repeated label selects all its columns. Text that is not a label may
            be a path into a nested column: ``"muon.pt"`` is a field of a struct, ``"jet[].eta"`` a field of the structs
            in lists, and ``"m[].key"`` and ``"m[].value"`` are the keys and values of a map. Paths into one column
            select one column with only these parts.

        Raises
        ------
        ColumnNotFound
            A label or path does not exist. The message has the nearest ones.

        Examples
        --------
        >>> import colonnade as cn, numpy as np
        >>> cn.Frame({"a": np.arange(3), "b": np.ones(3)}).select(["b"]).shape
        (3, 1)
        """
        return self._selected(self._lookup.chosen(columns))

    def slice(self, start: int | None = None, stop: int | None = None) -> "Frame":
        """Select the rows from position `start` up to, not including, `stop`.

        Negative positions count from the end. Nothing is copied or decoded.

        Examples
        --------
        >>> import colonnade as cn, numpy as np
        >>> cn.Frame({"a": np.arange(5)}).slice(-2)["a"].to_numpy()
        array([3, 4])
        """
        return self._sliced(row_range(slice(start, stop), len(self)) or (0, len(self)))

    def head(self, n: int = 5) -> "Frame":
        """Select the first `n` rows, or all rows if there are fewer. A negative `n` selects all but the last -n."""
        return self.slice(0, n)

    def tail(self, n: int = 5) -> "Frame":
        """Select the last `n` rows, or all rows if there are fewer. A negative `n` selects all but the first -n.

        Examples
        --------
        >>> import colonnade as cn, numpy as np
        >>> cn.Frame({"a": np.arange(5)}).tail(2)["a"].to_numpy()
        array([3, 4])
        """
        return self.slice(max(0, len(self) - n) if n >= 0 else -n, None)

    def release(self) -> None:
        """Drop the cached columns of ``frame[label]``. Arrays that were returned stay valid."""
        for cached in self._column_cache.values():
            cached._core = None if cached._file is not None else cached._core
            cached._columns = None
        self._column_cache.clear()

    # ------------------------------------------------------------------ comparison

    def equals(self, other: Any) -> bool:
        """Whether both frames have the same values, dtypes, labels, names and attrs. NaN equals NaN, -0.0 equals 0.0.

        `other` may be anything that `Frame` takes. The storage of labels (automatic or not, the width of text) and the
        class names of the axes do not count; see `identical`.

        Examples
        --------
        >>> import colonnade as cn, numpy as np
        >>> zero, other = cn.Frame({"a": np.array([0.0])}), cn.Frame({"a": np.array([-0.0])})
        >>> zero.equals(other), zero.identical(other)
        (True, False)
        """
        return self._compare(other, exact=False)

    def identical(self, other: Any) -> bool:
        """Whether both frames are the same to the bit: NaN payloads, signs of zero and classes of the axes too."""
        return self._compare(other, exact=True)

    def __getattr__(self, name: str) -> NoReturn:
        raise_missing(self, name)

    # ------------------------------------------------------------------ display

    def __repr__(self) -> str:
        from .repr import render

        return render(self)

    def _repr_html_(self) -> str:
        from .repr_html import render_html

        return render_html(self)

    # ------------------------------------------------------------------ within

    def _selected(self, chosen: Chosen) -> "Frame":
        positions = chosen.positions
        if self._core is not None:
            core = self._core.select(positions)
            leaves = {i: chosen.leaves[place] for i, place in enumerate(positions) if place in chosen.leaves}
            return Frame._make(core.project_leaves(leaves) if leaves else core)
        leaves = {}
        places = positions if self._positions is None else [self._positions[i] for i in positions]
        for position, place in zip(positions, places, strict=True):
            steps = restrict(self._leaves.get(place), chosen.leaves.get(position))
            if steps is not None:
                leaves[place] = steps
        return Frame._make(None, self._file, places, self._rows, self._threads, self._progress, leaves)

    def _sliced(self, rows: tuple[int, int]) -> "Frame":
        if self._core is not None:
            return Frame._make(self._core.slice(*rows))
        first = self._rows[0] if self._rows else 0
        rows = first + rows[0], first + rows[1]
        return Frame._make(None, self._file, self._positions, rows, self._threads, self._progress, self._leaves)

    def _compare(self, other: Any, *, exact: bool) -> bool:
        from .equality import equal_frames

        theirs = other if isinstance(other, Frame) else frame_from(other)
        return equal_frames(self._load(), theirs._load(), exact=exact)


def frame_from(
    data: Any, *, densify_sparse: bool = False, borrow: bool = False, batch_rows: int | None = None
) -> Frame:
    """A Frame over supported data. `borrow`: the frame is dropped before the caller can change the data.

    Raises
    ------
    TypeError
        `data` has an unsupported type; the message lists the supported ones.
    """
    if isinstance(data, Frame):
        return data
    return frame_of(take(data, {"densify_sparse": densify_sparse, "borrow": borrow}, batch_rows))


def frame_of(source: "CoreFrame | Batches") -> Frame:
    """A Frame over the result of an adapter."""
    return Frame._make(source) if isinstance(source, CoreFrame) else Frame._make(file=source)
