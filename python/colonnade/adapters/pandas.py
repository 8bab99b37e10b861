"""pandas: DataFrames of every index kind and dtype. Blocks are shared without a copy in both directions.

The adapter drops facts to which pandas itself gives no meaning: a DataFrame subclass, the order and the unused entries
of a MultiIndex' levels, and the values under the mask of a missing boolean. pandas also cannot hold two facts of other
libraries' frames: the frame's name, and the single name of a hierarchical index.
"""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from .._core import Axis, CoreFrame, EncodeError, FrameBuilder
from .._values import tagged_labels
from ._pandas_arrow import check_dtype_backend, frame_from_arrow, frame_with_backend
from ._pandas_axis_cache import axis_of, index_of
from ._pandas_columns import add_blocks, frame_from_core
from ._pandas_index import axis_from_index, index_from_axis

LIBRARY = "pandas"
WRITABLE = True
LAYOUT = "pandas"

_ORIGIN = '{"library":"pandas"}'
_ORIGIN_UNIQUE = '{"library":"pandas","allows_duplicate_labels":false}'


def to_frame(obj: Any, *, options: Mapping[str, Any] | None = None) -> CoreFrame:
    """A core frame over the blocks of a pandas DataFrame.

    Parameters
    ----------
    obj
        A `pandas.DataFrame`, or an object of a subclass. A `pandas.Series` is a DataFrame of one column.
    options
        ``densify_sparse=True`` makes sparse columns dense; without it they come back sparse. ``borrow=True`` promises
        that the DataFrame does not change while the core frame is in use, which saves work for each block.

    Returns
    -------
    CoreFrame
        NumPy blocks (width, nrows) share the DataFrame's memory. Under pandas 3's copy on write, later changes to the
        DataFrame do not change the core frame. Extension arrays that have buffers share them. Python strings are copied
        into Arrow's layout.

    Raises
    ------
    EncodeError
        A column, label, name or attribute that cannot be restored exactly. The message has its name and the reason.
    TypeError
        Another object of pandas.

    Examples
    --------
    >>> import pandas as pd
    >>> from colonnade.adapters import pandas as adapter
    >>> core = adapter.to_frame(pd.DataFrame({"a": [1, 2], "b": ["x", None]}))
    >>> core.nrows, core.ncols
    (2, 2)
    """
    if isinstance(obj, pd.Series):
        obj = obj.to_frame()
    if not isinstance(obj, pd.DataFrame):
        raise TypeError(f"pandas: expected a DataFrame, found a {type(obj).__qualname__}.")
    builder = FrameBuilder(*obj.shape)
    add_blocks(builder, obj, options or {})
    index, columns = axis_from_index(obj.index, "index"), axis_of(obj.columns, _axis_of_columns)
    origin = _ORIGIN if obj.flags.allows_duplicate_labels else _ORIGIN_UNIQUE
    return builder.finish(index, columns, "null", _attrs_text(obj.attrs) if obj.attrs else None, origin)


def from_frame(core: CoreFrame, *, dtype_backend: str | None = None) -> pd.DataFrame:
    """A pandas DataFrame over the blocks of a core frame.

    Parameters
    ----------
    core
        If the frame was loaded with ``private=True``, the DataFrame shares its blocks. Read-only blocks are copied,
        because pandas writes into its blocks.
    dtype_backend
        ``"numpy_nullable"`` or ``"pyarrow"``: the dtypes that pandas' own readers give with this option (needs
        pyarrow). None: the dtypes that the frame was written with.

    Returns
    -------
    pandas.DataFrame
        A frame written from pandas gets the same dtypes again. Foreign Arrow data (a Feather file of pandas, a stream
        of pyarrow or polars) is converted as `pandas.read_feather` does. Columns that it refuses keep their Arrow type
        (`pandas.ArrowDtype`). Columns of other libraries get the dtype that pandas users expect (text as pandas' string
        dtype, numbers with nulls as nullable, dictionaries as categoricals).

    Raises
    ------
    UnsupportedError
        A dtype that pandas lacks (datetime64[ps] finer than nanoseconds, structured).
    DecodeError
        Metadata that does not fit the data.
    OptionError
        `dtype_backend` has another value.
    ImportError
        pyarrow is absent, and a column has a type that pandas holds only with pyarrow. The message names the column.
    """
    check_dtype_backend(dtype_backend)
    pairs = _schema_metadata(core.origin)
    if pairs is not None:
        frame = frame_from_arrow(core, pairs, dtype_backend)
    else:
        index, columns = index_from_axis(core.index, "index"), index_of(core.columns, _index_of_columns)
        if dtype_backend is None:
            frame = frame_from_core(core, index, columns)
        else:
            frame = frame_with_backend(core, index, columns, dtype_backend)
    if core.attrs is not None:
        attrs = tagged_labels.decode(core.attrs)
        if isinstance(attrs, dict):
            frame.attrs = attrs
    if core.origin == _ORIGIN_UNIQUE:
        frame.flags.allows_duplicate_labels = False
    return frame


def _axis_of_columns(columns: pd.Index) -> Axis:
    return axis_from_index(columns, "columns")


def _index_of_columns(columns: Axis) -> pd.Index:
    return index_from_axis(columns, "columns")


def _schema_metadata(origin: str | None) -> list[list[str]] | None:
    """Key-value metadata of the Arrow schema that a frame came from; None for a frame of another origin."""
    if origin is None or '"schema_metadata"' not in origin:
        return None
    decoded = tagged_labels.decode(origin)
    pairs = decoded.get("schema_metadata") if isinstance(decoded, dict) else None
    return pairs if isinstance(pairs, list) else None


def _attrs_text(attrs: dict[Any, Any]) -> str:
    try:
        return tagged_labels.encode(attrs)
    except EncodeError:
        for key, value in attrs.items():
            try:
                tagged_labels.encode({key: value})
            except EncodeError as error:
                raise EncodeError(f"pandas: attrs[{key!r}]: {error}") from error
        raise
