"""A frame in the terms of other libraries: the ``to_*`` methods, and Arrow's C stream."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from .. import _core
from ..adapters import ADAPTERS
from ..adapters._from_data import load_adapter, native_library
from .foreign_errors import PASSED, foreign_error
from .part import FramePart, holds_blocks

if TYPE_CHECKING:
    from typing import overload

    import numpy

    from ..adapters._libraries import awkward, pandas, polars, pyarrow, static_frame

DtypeBackend: TypeAlias = Literal["numpy_nullable", "pyarrow"]
BUILT_IN = frozenset(ADAPTERS.values())


class Conversions(FramePart):
    """Conversions of `Frame`."""

    __slots__ = ()

    def to_pandas(self, *, dtype_backend: DtypeBackend | None = None) -> pandas.DataFrame:
        """A pandas DataFrame. Its memory is its own: changing it changes neither the file nor another frame.

        Parameters
        ----------
        dtype_backend : {"numpy_nullable", "pyarrow"}, optional
            As in ``pandas.read_feather``: if pandas did not write the data, all columns have nullable dtypes, or all
            have ``ArrowDtype``.

        Raises
        ------
        EncodeError
            A column of a type that pandas lacks, with its name.
        DecodeError, TruncatedError, LimitError
            An error in data that was not checked when the file was opened.

        Examples
        --------
        >>> import colonnade as cn, numpy as np
        >>> cn.Frame({"a": np.arange(2)}).to_pandas()["a"].tolist()
        [0, 1]
        """
        return self._to("pandas", **({} if dtype_backend is None else {"dtype_backend": dtype_backend}))

    def to_polars(self) -> polars.DataFrame:
        """A polars DataFrame. Not copied where the frame lies in Arrow's layout, or in packed NumPy columns; text and
        bytes get views, which is how polars keeps them, over the same characters.

        Row labels that are stored (not automatic) become columns after the others: under their name if it is unique
        text, otherwise as ``__index_level_0__`` and so on.

        Raises
        ------
        EncodeError
            A column of a type that polars lacks, with its name.

        Examples
        --------
        >>> import colonnade as cn, polars as pl
        >>> cn.Frame(pl.DataFrame({"a": [1, None]})).to_polars()["a"].to_list()
        [1, None]
        """
        return self._to("polars")

    def to_arrow(self) -> pyarrow.Table | Any:
        """A pyarrow Table (or RecordBatch, where it was one). Not copied where it lies in Arrow's layout or packed.

        The table of another library's frame has one field per column, then one per level of stored row labels, and
        metadata from which pandas (``table.to_pandas()``) and this package restore labels and dtypes.

        Raises
        ------
        EncodeError
            A column that Arrow cannot represent, with its name.
        DecodeError, TruncatedError, LimitError
            An error in data that was not checked when the file was opened.

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
        if self._core is not None or holds_blocks(self._file):
            return _core.export_arrow_schema(self._load())
        first = self._rows[0] if self._rows else 0
        return _core.export_arrow_schema(self._load_batches((first, first))[0])

    def to_numpy(self) -> numpy.ndarray | Any:
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
            return _converted("numpy", _first_vector, [self._load()])
        return self._to("numpy")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> numpy.ndarray:
        """What ``numpy.asarray(frame)`` gives: one array of all columns.

        One column is 1-D. Columns of one dtype are 2-D, shape (nrows, ncols). Others are a structured array. It has no
        row labels: use `to_pandas`, since ``pandas.DataFrame(frame)`` takes this array alone.

        Raises
        ------
        EncodeError
            A column that no NumPy dtype can hold.
        ValueError
            ``copy=False``, and `dtype` needs a copy.
        """
        import numpy as np

        if self._single:
            values = self.to_numpy()
        else:
            values = _converted("numpy", lambda cores: load_adapter("numpy").array_from_frame(cores[0]), [self._load()])
        if dtype is not None and values.dtype != dtype:
            if copy is False:
                raise ValueError(f"copy: expected None or True, since {values.dtype} becomes {np.dtype(dtype)}.")
            return values.astype(dtype)
        return values.copy() if copy else values

    def to_static_frame(self) -> static_frame.TFrameAny:
        """A StaticFrame Frame (or FrameGO, FrameHE where it was one). Arrays are immutable and not copied."""
        return self._to("static_frame")

    def to_awkward(self) -> awkward.Array:
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
            adapter = load_adapter("awkward")
            return _converted("awkward", lambda cores: adapter.column_from_frame(cores[0]), [self._load()])
        return self._to("awkward")

    def to_native(self) -> Any:
        """The library it was written from, where the file says so.

        A file without a word on it comes back as a StaticFrame Frame where it has StaticFrame's members and that
        library is installed, as a pyarrow Table where it is Arrow, else as NumPy arrays.
        """
        return self._to(native_library(self._source))

    if TYPE_CHECKING:

        @overload
        def to(self, library: Literal["pandas"]) -> pandas.DataFrame: ...
        @overload
        def to(self, library: Literal["polars"]) -> polars.DataFrame: ...
        @overload
        def to(self, library: Literal["arrow", "pyarrow"]) -> pyarrow.Table | Any: ...
        @overload
        def to(self, library: Literal["numpy"]) -> numpy.ndarray | Any: ...
        @overload
        def to(self, library: Literal["static_frame"]) -> static_frame.TFrameAny: ...
        @overload
        def to(self, library: Literal["awkward"]) -> awkward.Array: ...
        @overload
        def to(self, library: str) -> Any: ...

    def to(self, library: str) -> Any:
        """An object of a library by its name: the name of a plug-in, or one that has a method of its own here.

        Parameters
        ----------
        library : str
            ``"pandas"``, ``"polars"``, ``"arrow"`` (or ``"pyarrow"``), ``"numpy"``, ``"static_frame"``, ``"awkward"``,
            or the name of an adapter plug-in (see `colonnade.plugins`), whose documentation says what it returns and
            what it copies.

        Raises
        ------
        OptionError
            An unknown name; the message lists the known ones.
        EncodeError
            A column that the library cannot hold.
        PluginError
            The plug-in fails, or makes no objects of its library.

        Examples
        --------
        >>> import colonnade as cn, numpy as np
        >>> cn.Frame({"a": np.arange(2)}).to("arrow").column("a").to_pylist()
        [0, 1]
        """
        from .plugin_conversion import library_named

        return self._to(library_named(library))

    def _to(self, library: str, **options: Any) -> Any:
        if library not in BUILT_IN:
            from .plugin_conversion import is_plugin, to_plugin

            if is_plugin(library):
                return to_plugin(self, library)
        adapter = load_adapter(library)
        layout = getattr(adapter, "LAYOUT", "blocks")
        if layout == "arrow":
            return _converted(library, lambda cores: adapter.from_frames(cores, **options), self._load_batches())
        # Another dtype backend takes nulls as they are.
        core = self._load(private=adapter.WRITABLE, pandas=layout == "pandas" and not options)
        return _converted(library, lambda cores: adapter.from_frame(cores[0], **options), [core])


def _first_vector(cores: Sequence[_core.CoreFrame]) -> Any:
    from ..adapters._numpy_read import read_vectors

    return read_vectors(cores[0])[0]


def _converted(library: str, convert: Callable[[Sequence[_core.CoreFrame]], Any], cores: list[_core.CoreFrame]) -> Any:
    """Convert the data with `convert`, and translate errors of the library."""
    try:
        return convert(cores)
    except PASSED:
        raise
    except Exception as error:
        raise foreign_error(library, convert, cores, error) from error
