"""`read`, straight into the frame of another library: `read_pandas`, `read_polars`, `read_arrow`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._io.sources import Source
from .many_files import several
from .open_source import read_frame
from .read_write import read

if TYPE_CHECKING:
    from typing import overload

    from typing_extensions import Unpack

    from .._frame.conversions import DtypeBackend
    from ..adapters._libraries import pandas, polars, pyarrow
    from ..typing import AnyReading, Format, Other, Reading


if TYPE_CHECKING:

    @overload
    def read_pandas(
        source: Source,
        *,
        format: Format | None = None,
        dtype_backend: DtypeBackend | None = None,
        **options: Unpack[AnyReading],
    ) -> pandas.DataFrame: ...
    @overload
    def read_pandas(
        source: Source, *, format: Other, dtype_backend: DtypeBackend | None = None, **options: Unpack[Reading]
    ) -> pandas.DataFrame: ...


def read_pandas(
    source: Source,
    *,
    format: str | None = None,
    columns: Any = None,
    rows: slice | None = None,
    dtype_backend: DtypeBackend | None = None,
    **options: Any,
) -> pandas.DataFrame:
    """Read a pandas DataFrame: ``read(source, ...).to_pandas()``.

    All other parameters are those of `read`.

    Parameters
    ----------
    dtype_backend : one of {"numpy_nullable", "pyarrow"}, optional
        As for `Frame.to_pandas`.

    Raises
    ------
    ColonnadeError, OSError
        The same errors as `read` and `Frame.to_pandas`.

    Examples
    --------
    >>> import colonnade as cn, numpy as np
    >>> cn.read_pandas(cn.encode({"a": np.arange(2)}, "npz"))
       a
    0  0
    1  1
    """
    if (sources := several(source)) is not None:
        frame = read(sources, format=format, columns=columns, rows=rows, **options)
        return frame.to_pandas(dtype_backend=dtype_backend)
    # No other code uses this frame, so the DataFrame may take over the memory of a message.
    frame = read_frame(source, format, columns, rows, options, private=True, pandas=dtype_backend is None)
    return frame.to_pandas(dtype_backend=dtype_backend)


if TYPE_CHECKING:

    @overload
    def read_polars(
        source: Source, *, format: Format | None = None, **options: Unpack[AnyReading]
    ) -> polars.DataFrame: ...
    @overload
    def read_polars(source: Source, *, format: Other, **options: Unpack[Reading]) -> polars.DataFrame: ...


def read_polars(
    source: Source, *, format: str | None = None, columns: Any = None, rows: slice | None = None, **options: Any
) -> polars.DataFrame:
    """Read a polars DataFrame: ``read(source, ...).to_polars()``.

    The parameters are those of `read`.

    Raises
    ------
    ColonnadeError, OSError
        The same errors as `read` and `Frame.to_polars`.

    Examples
    --------
    >>> import colonnade as cn, numpy as np
    >>> cn.read_polars(cn.encode({"a": np.arange(2)}, "arrow"))["a"].to_list()
    [0, 1]
    """
    return read(source, format=format, columns=columns, rows=rows, **options).to_polars()


if TYPE_CHECKING:

    @overload
    def read_arrow(
        source: Source, *, format: Format | None = None, **options: Unpack[AnyReading]
    ) -> pyarrow.Table | Any: ...
    @overload
    def read_arrow(source: Source, *, format: Other, **options: Unpack[Reading]) -> pyarrow.Table | Any: ...


def read_arrow(
    source: Source, *, format: str | None = None, columns: Any = None, rows: slice | None = None, **options: Any
) -> pyarrow.Table | Any:
    """Read a pyarrow Table: ``read(source, ...).to_arrow()``.

    The parameters are those of `read`.

    Raises
    ------
    ColonnadeError, OSError
        The same errors as `read` and `Frame.to_arrow`.

    Examples
    --------
    >>> import colonnade as cn, numpy as np
    >>> cn.read_arrow(cn.encode({"a": np.arange(2)}, "arrows")).column("a").to_pylist()
    [0, 1]
    """
    return read(source, format=format, columns=columns, rows=rows, **options).to_arrow()
