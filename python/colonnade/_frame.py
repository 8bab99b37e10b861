"""`cn.Frame`: what `read` gives and `write` takes. Lazy over a file, or over arrays in memory."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

from . import _core, _labels
from ._axes import Labels, decode_optional
from ._core import CoreFrame
from ._frame_part import SLOTS, FramePart
from ._option_checks import check_count, check_flag
from ._paths import Chosen, narrowed
from ._schema import Dtypes, Schema
from ._select import row_range
from ._take import load_adapter, native_library, take

if TYPE_CHECKING:
    from ._batched import Batches


class Frame(FramePart):
    """A table with labels on both sides, either in memory or still in its file.

    A frame that `read` opened lazily has its structure checked and its labels at hand, but no data: a ``to_*`` call
    decodes what was selected, straight into the layout of its library. Frames do not change; selecting and slicing
    cost next to nothing and copy nothing.

    Parameters
    ----------
    data
        A pandas or polars DataFrame, a pyarrow Table, RecordBatch or RecordBatchReader, a StaticFrame Frame, an Awkward
        Array, a NumPy 2-D or structured array, a mapping of 1-D arrays, anything with ``__arrow_c_stream__`` or
        ``__arrow_c_array__``, rows (an iterable of mappings, tuples or dataclasses), or a Frame. Wrapped without a
        copy where its memory can be used as it lies: do not change it while the frame is in use.
    densify_sparse : bool
        Take pandas' sparse columns as dense ones; without it they are refused by name.
    batch_rows : int, optional
        Where data is rows: how many are transposed at once. Default 65,536.

    Raises
    ------
    EncodeError
        A column that cannot be held exactly; it is named.
    TypeError
        `data` is none of these.

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
        made = frame_from(data, densify_sparse=densify_sparse, batch_rows=batch_rows)
        for slot in SLOTS:
            setattr(self, slot, getattr(made, slot))
        self._kept = {}

    # ------------------------------------------------------------------ description

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        source = self._source
        if self._core is not None:
            return source.nrows, source.ncols
        start, stop = self._rows or (0, source.nrows)
        return stop - start, source.ncols if self._positions is None else len(self._positions)

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def index(self) -> Labels:
        """Row labels: a read-only view (`Labels`) that decodes what is looked at."""
        # What is decoded is cut already.
        rows = None if self._core is not None or self._rows is None else range(*self._rows)
        return Labels(self._source.index, rows)

    @property
    def columns(self) -> Labels:
        """Column labels: a read-only view (`Labels`)."""
        return self._lookup._labels

    @property
    def dtypes(self) -> Dtypes:
        """Data type of each column, by label: NumPy's names, Arrow's for columns that NumPy has no type for."""
        return Dtypes(self.columns, self._dtype_names())

    @property
    def schema(self) -> Schema:
        """Fields and both axes, without data."""
        return Schema.of(self.name, self.index, self.columns, self._dtype_names())

    @property
    def name(self) -> Any:
        """Name of the frame, or None."""
        return _labels.decode(self._source.name)

    @property
    def attrs(self) -> dict[Any, Any]:
        """The frame's own attributes (pandas' ``attrs``); a new dict each time."""
        return decode_optional(self._source.attrs) or {}

    @property
    def nbytes(self) -> int:
        """Bytes of data and labels once decoded. Of a part of a file: its data, decoded for the count."""
        if self._file is not None and (self._positions is not None or self._rows is not None):
            return sum(frame.nbytes for frame in self._load_batches())
        return self._source.nbytes

    # ------------------------------------------------------------------ selection

    def __getitem__(self, columns: Any) -> "Frame":
        """One column by its label, a part of a nested one by its path, a group by its prefix, or the columns of a list.

        The data of one column is kept once it was decoded; `release` drops it.
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
        kept = self._kept.get(key)
        if kept is None:
            kept = self._selected(chosen)
            if len(chosen.positions) == 1 and lookup.is_whole(columns):
                kept._single = True
                self._kept[key] = kept
        return kept

    def select(self, columns: Iterable[Any] | Any) -> "Frame":
        """These columns, in this order. No data is copied or decoded.

        Parameters
        ----------
        columns
            A label or an iterable of labels. Of hierarchical columns a label is a tuple, and a shorter tuple (or
            the first level's label alone) a group. A label that stands several times gives all its columns. Text that
            is no label may be a path into a nested column: ``"muon.pt"`` is a field of a struct, ``"jet[].eta"`` one
            of the structs in lists, ``"m[].key"`` and ``"m[].value"`` those of a map. Paths into one column give one
            column, which has these parts alone.

        Raises
        ------
        ColumnNotFound
            A label or path that is not there; the message names the nearest.

        Examples
        --------
        >>> import colonnade as cn, numpy as np
        >>> cn.Frame({"a": np.arange(3), "b": np.ones(3)}).select(["b"]).shape
        (3, 1)
        """
        return self._selected(self._lookup.chosen(columns))

    def slice(self, start: int | None = None, stop: int | None = None) -> "Frame":
        """The rows from position `start` up to, not including, `stop`; negative positions count from the end.

        Nothing is copied or decoded.

        Examples
        --------
        >>> import colonnade as cn, numpy as np
        >>> cn.Frame({"a": np.arange(5)}).slice(-2)["a"].to_numpy()
        array([3, 4])
        """
        return self._sliced(row_range(slice(start, stop), len(self)) or (0, len(self)))

    def head(self, n: int = 5) -> "Frame":
        """The first `n` rows (fewer where there are fewer); negative: all but the last -n."""
        return self.slice(0, n)

    def release(self) -> None:
        """Drop the columns that ``frame[label]`` has decoded and kept. Arrays already handed out stay valid."""
        for kept in self._kept.values():
            kept._core = None if kept._file is not None else kept._core
            kept._columns = None
        self._kept.clear()

    # ------------------------------------------------------------------ conversion

    def to_pandas(self, *, dtype_backend: Literal["numpy_nullable", "pyarrow"] | None = None) -> Any:
        """A pandas DataFrame. Its memory is its own: changing it changes neither the file nor another frame.

        Parameters
        ----------
        dtype_backend : {"numpy_nullable", "pyarrow"}, optional
            As in ``pandas.read_feather``: of what pandas did not write, all columns in pandas' nullable dtypes, or all
            in ``ArrowDtype``.

        Raises
        ------
        EncodeError
            A column of a type that pandas lacks; it is named.
        DecodeError, TruncatedError, LimitError
            What was not looked at when the file was opened, and breaks the specification.

        Examples
        --------
        >>> import colonnade as cn, numpy as np
        >>> cn.Frame({"a": np.arange(2)}).to_pandas()["a"].tolist()
        [0, 1]
        """
        return self._to("pandas", **({} if dtype_backend is None else {"dtype_backend": dtype_backend}))

    def to_polars(self) -> Any:
        """A polars DataFrame. Not copied where the frame lies in Arrow's layout, or in packed NumPy columns; text and
        bytes get views, which is how polars keeps them, over the same characters.

        Row labels that are stored (not automatic) become columns after the others: under their name, where it is text
        that no other column bears, else as ``__index_level_0__`` and so on.

        Raises
        ------
        EncodeError
            A column of a type that polars lacks; it is named.

        Examples
        --------
        >>> import colonnade as cn, polars as pl
        >>> cn.Frame(pl.DataFrame({"a": [1, None]})).to_polars()["a"].to_list()
        [1, None]
        """
        return self._to("polars")

    def to_arrow(self) -> Any:
        """A pyarrow Table (or RecordBatch, where it was one). Not copied where it lies in Arrow's layout or packed.

        Of other libraries' frames: one field a column, then one a level of stored row labels, and the metadata
        by which pandas (``table.to_pandas()``) and this package know the labels and dtypes again.

        Raises
        ------
        EncodeError
            A column that Arrow cannot hold; it is named.
        DecodeError, TruncatedError, LimitError
            What was not looked at when the file was opened, and breaks the specification.

        Examples
        --------
        >>> import colonnade as cn, numpy as np
        >>> cn.Frame({"a": np.arange(2)}).to_arrow().column("a").to_pylist()
        [0, 1]
        """
        return self._to("pyarrow")

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """An ``arrow_array_stream`` capsule, by which polars, DuckDB, pyarrow, ibis... take a Frame as it is.

        One record batch after the other, as `to_arrow` has them. A requested schema is a wish, and not followed: what
        reads the stream casts.
        """
        return _core.export_arrow_stream(self._load_batches())

    def __arrow_c_schema__(self) -> object:
        """An ``arrow_schema`` capsule: the schema of that stream."""
        if self._core is not None or not hasattr(self._file, "load_arrow"):
            return _core.export_arrow_schema(self._load())
        first = self._rows[0] if self._rows else 0
        return _core.export_arrow_schema(self._load_batches((first, first))[0])

    def to_numpy(self) -> Any:
        """NumPy arrays, read-only, over the file's own bytes where they can be used as they lie.

        Returns
        -------
        numpy.ndarray or dict
            Of ``frame[label]``, one column: a 1-D array, shape (nrows,). Of a frame written from an array or from a
            mapping of arrays, the same again. Otherwise a 2-D array, shape (nrows, ncols), where all columns have one
            dtype, else a structured array with the column labels as field names.

        Raises
        ------
        EncodeError
            A column that no NumPy dtype can hold.

        Examples
        --------
        >>> import colonnade as cn, numpy as np
        >>> cn.decode(cn.encode(np.eye(2), "npz"), "npz").to_numpy()
        array([[1., 0.],
               [0., 1.]])
        """
        if self._single:
            from .adapters._numpy_read import read_vectors

            return read_vectors(self._load())[0]
        return self._to("numpy")

    def to_static_frame(self) -> Any:
        """A StaticFrame Frame (or FrameGO, FrameHE where it was one). Arrays are immutable and not copied."""
        return self._to("static_frame")

    def to_awkward(self) -> Any:
        """An Awkward Array over the memory of the frame, read-only: records, one a row, or what it was written from.

        Returns
        -------
        awkward.Array
            Of ``frame[label]``, the column's own array. Of a frame written from an Awkward Array, the same again: type,
            parameters, and the classes of its layouts, but for IndexedArrays that are no categories. Of other frames,
            what ``ak.from_arrow`` gives: a record a row, and columns that may have nulls as options.

        Raises
        ------
        EncodeError
            A column of a type that Awkward lacks (decimals...), or two columns of one label.

        Examples
        --------
        >>> import colonnade as cn, awkward as ak
        >>> array = ak.Array([{"pt": [1.5, 2.5], "n": 1}, {"pt": [], "n": 2}])
        >>> cn.decode(cn.encode(array, "npz")).to_awkward().to_list()
        [{'pt': [1.5, 2.5], 'n': 1}, {'pt': [], 'n': 2}]
        >>> cn.Frame(array)["pt"].to_awkward()
        <Array [[1.5, 2.5], []] type='2 * var * float64'>
        """
        if self._single:
            return load_adapter("awkward").column_from_frame(self._load())
        return self._to("awkward")

    def to_native(self) -> Any:
        """The library it was written from, where the file says so.

        A file without a word on it comes back as a StaticFrame Frame where it has StaticFrame's members and that
        library is installed, as a pyarrow Table where it is Arrow, else as NumPy arrays.
        """
        return self._to(native_library(self._source))

    # ------------------------------------------------------------------ comparison

    def equals(self, other: Any) -> bool:
        """Whether both have the same values, dtypes, labels, names and attrs. NaN equals NaN, and -0.0 equals 0.0.

        `other` may be anything that `Frame` takes. How labels are stored (automatic or not, width of text) and the
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
        """Whether both are the same to the bit: NaN payloads, signs of zero, and classes of the axes too."""
        return self._compare(other, exact=True)

    def __repr__(self) -> str:
        from ._repr import render

        return render(self)

    def _repr_html_(self) -> str:
        from ._repr_html import render_html

        return render_html(self)

    # ------------------------------------------------------------------ within

    def _selected(self, chosen: Chosen) -> "Frame":
        positions = chosen.positions
        if self._core is not None:
            core = self._core.select(positions)
            leaves = {i: chosen.leaves[place] for i, place in enumerate(positions) if place in chosen.leaves}
            return Frame._make(core.kept(leaves) if leaves else core)
        leaves = {}
        places = positions if self._positions is None else [self._positions[i] for i in positions]
        for position, place in zip(positions, places, strict=True):
            steps = narrowed(self._leaves.get(place), chosen.leaves.get(position))
            if steps is not None:
                leaves[place] = steps
        return Frame._make(None, self._file, places, self._rows, self._threads, self._progress, leaves)

    def _sliced(self, rows: tuple[int, int]) -> "Frame":
        if self._core is not None:
            return Frame._make(self._core.slice(*rows))
        first = self._rows[0] if self._rows else 0
        rows = first + rows[0], first + rows[1]
        return Frame._make(None, self._file, self._positions, rows, self._threads, self._progress, self._leaves)

    def _to(self, library: str, **options: Any) -> Any:
        adapter = load_adapter(library)
        if getattr(adapter, "LAYOUT", "blocks") == "arrow":
            return adapter.from_frames(self._load_batches(), **options)
        return adapter.from_frame(self._load(private=adapter.WRITABLE), **options)

    def _compare(self, other: Any, *, exact: bool) -> bool:
        from ._equals import equal_frames

        theirs = other if isinstance(other, Frame) else frame_from(other)
        return equal_frames(self._load(), theirs._load(), exact=exact)


def frame_from(
    data: Any, *, densify_sparse: bool = False, borrow: bool = False, batch_rows: int | None = None
) -> Frame:
    """A Frame from anything that is taken. `borrow`: it is gone before the caller can change the data.

    Raises
    ------
    TypeError
        Nothing takes it; the message names what is taken.
    """
    if isinstance(data, Frame):
        return data
    return frame_of(take(data, {"densify_sparse": densify_sparse, "borrow": borrow}, batch_rows))


def frame_of(made: "CoreFrame | Batches") -> Frame:
    """A Frame over what an adapter answered."""
    return Frame._make(made) if isinstance(made, CoreFrame) else Frame._make(file=made)
