"""Conversions of a frame to other libraries: the ``to_*`` methods, and Arrow's C stream."""

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
        """Convert to a pandas DataFrame with memory of its own.

        Changing the DataFrame changes neither the file nor another frame.

        Parameters
        ----------
        dtype_backend : one of {"numpy_nullable", "pyarrow"}, optional
            As in ``pandas.read_feather``: if pandas did not write the data, all columns have nullable dtypes, or all
            have ``ArrowDtype``.

        Raises
        ------
        EncodeError
            pandas has no type for a column. The message names it.
        DecodeError, TruncatedError, LimitError
            The data, which was not checked when the file was opened, has an error.

        Examples
        --------
        >>> import colonnade as cn, numpy as np
        >>> cn.Frame({"a": np.arange(2)}).to_pandas()["a"].tolist()
        [0, 1]
        """
        return self._to("pandas", **({} if dtype_backend is None else {"dtype_backend": dtype_backend}))

    def to_polars(self) -> polars.DataFrame:
        """Convert to a polars DataFrame.

        Columns in Arrow's layout and packed NumPy columns are not copied. polars stores text and bytes as views, which
        are made over the same characters. Row labels that are stored (not automatic) become columns after the others.
        Such a column has the name of the labels if this is unique text, otherwise ``__index_level_0__`` and so on.

        Raises
        ------
        EncodeError
            polars has no type for a column. The message names it.

        Examples
        --------
        >>> import colonnade as cn, polars as pl
        >>> cn.Frame(pl.DataFrame({"a": [1, None]})).to_polars()["a"].to_list()
        [1, None]
        """
        return self._to("polars")

    def to_arrow(self) -> pyarrow.Table | Any:
        """Convert to a pyarrow Table, or to a RecordBatch if the data was one.

        Columns in Arrow's layout and packed NumPy columns are not copied. If another library wrote the frame, the table
        has one field per column, then one per level of stored row labels. Its metadata lets pandas
        (``table.to_pandas()``) and Colonnade restore labels and dtypes.

        Raises
        ------
        EncodeError
            Arrow cannot represent a column. The message names it.
        DecodeError, TruncatedError, LimitError
            The data, which was not checked when the file was opened, has an error.

        Examples
        --------
        >>> import colonnade as cn, numpy as np
        >>> cn.Frame({"a": np.arange(2)}).to_arrow().column("a").to_pylist()
        [0, 1]
        """
        return self._to("pyarrow")

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export an ``arrow_array_stream`` capsule, through which polars, DuckDB, pyarrow, ibis... take a Frame.

        The stream has the record batches of `to_arrow`. A requested schema is ignored: the reader of the stream casts.
        """
        return _core.export_arrow_stream(self._load_batches())

    def __arrow_c_schema__(self) -> object:
        """Export an ``arrow_schema`` capsule with the schema of ``__arrow_c_stream__``."""
        if self._core is not None or holds_blocks(self._file):
            return _core.export_arrow_schema(self._load())
        first = self._rows[0] if self._rows else 0
        return _core.export_arrow_schema(self._load_batches((first, first))[0])

    def to_numpy(self) -> numpy.ndarray | Any:
        """Convert to read-only NumPy arrays, without a copy if the bytes of the file can be used.

        Returns
        -------
        numpy.ndarray or dict
            For ``frame[label]``, one column: a 1-D array of shape (nrows,). For a frame written from an array or from a
            mapping of arrays: the same array or mapping. Otherwise a 2-D array of shape (nrows, ncols) if all columns
            have one dtype, else a structured array with the column labels as field names.

        Raises
        ------
        EncodeError
            No NumPy dtype can hold a column.

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
        """Return one array of all columns, for ``numpy.asarray(frame)``.

        One column is a 1-D array. Columns of one dtype are a 2-D array of shape (nrows, ncols). Other columns are a
        structured array. The array has no row labels. ``pandas.DataFrame(frame)`` takes only this array, so use
        `to_pandas` instead.

        Raises
        ------
        EncodeError
            No NumPy dtype can hold a column.
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
        """Convert to a StaticFrame Frame, or to a FrameGO or FrameHE if the data was one.

        The arrays are immutable and not copied, if the bytes of the file can be used.
        """
        return self._to("static_frame")

    def to_awkward(self) -> awkward.Array:
        """Convert to a read-only Awkward Array over the memory of the frame.

        Returns
        -------
        awkward.Array
            For ``frame[label]``: the array of this column; only this column is decoded. For a frame written from an
            Awkward Array: the same array, with its type, its parameters and the classes of its layouts, except
            IndexedArrays that are no categories. For other frames: the array that ``ak.from_arrow`` returns, with one
            record for each row, and columns that may have nulls as options.

        Raises
        ------
        EncodeError
            Awkward has no type for a column (decimals...), or two columns have one label.

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
        """Convert to an object of the library that the frame was written from.

        A file that does not name its library becomes a StaticFrame Frame if it has StaticFrame's members and that
        library is installed, a pyarrow Table if it is Arrow, and otherwise NumPy arrays.
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
        """Convert to an object of the library with this name.

        Parameters
        ----------
        library : str
            ``"pandas"``, ``"polars"``, ``"arrow"`` (or ``"pyarrow"``), ``"numpy"``, ``"static_frame"``, ``"awkward"``,
            or the name of an adapter plug-in (see `colonnade.plugins`). The documentation of the plug-in states what it
            returns and what it copies.

        Raises
        ------
        OptionError
            The name is unknown. The message lists the known ones.
        EncodeError
            The library cannot hold a column.
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
        if layout in ("arrow", "views"):
            batches = self._load_batches(views=layout == "views")
            return _converted(library, lambda cores: adapter.from_frames(cores, **options), batches)
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
