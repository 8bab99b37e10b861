"""Converts Arrow columns through pyarrow and pandas, so the result is the same as that of pandas' own readers.

The module builds a `pyarrow.Table` over the same buffers, with the columns' entries of the `pandas` metadata. Its
column names are numbers, because labels may repeat. A column that the readers refuse keeps its Arrow type, as
`ArrowDtype`.
"""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from .. import _core
from .._core import ArrowColumn
from .._values import tagged_labels
from ._pandas_strings import pyarrow_or_none, to_pyarrow

DTYPE_BACKENDS = ("numpy_nullable", "pyarrow")

Block = tuple[Any, np.ndarray]


def reader_blocks(
    columns: Sequence[np.ndarray | ArrowColumn],
    positions: Sequence[int],
    entries: Sequence[dict[str, Any] | None],
    names: Sequence[Any],
    dtype_backend: str | None,
) -> list[Block]:
    """The blocks of these columns, and their positions. Errors show `names`."""
    arrays = [arrow_array(column, name) for column, name in zip(columns, names, strict=True)]
    return blocks_of_arrays(arrays, positions, entries, dtype_backend)


def blocks_of_arrays(
    arrays: Sequence[Any],
    positions: Sequence[int],
    entries: Sequence[dict[str, Any] | None],
    dtype_backend: str | None,
) -> list[Block]:
    """As `reader_blocks`, but for pyarrow arrays."""
    if not arrays:
        return []
    places = np.asarray(positions, dtype=np.intp)
    try:
        return _blocks_of(read_arrays(arrays, entries, dtype_backend), places)
    except MemoryError:
        raise
    except Exception:
        blocks = []
        for array, entry, place in zip(arrays, entries, places, strict=True):
            blocks += _blocks_of_one(array, entry, np.array([place]), dtype_backend)
        return blocks


def _blocks_of_one(
    array: Any, entry: dict[str, Any] | None, place: np.ndarray, dtype_backend: str | None
) -> list[Block]:
    try:
        return _blocks_of(read_arrays([array], [entry], dtype_backend), place)
    except MemoryError:
        raise
    except Exception:  # pandas and pyarrow raise different errors for types that they lack.
        return [(pd.arrays.ArrowExtensionArray(array), place)]


def read_arrays(
    arrays: Sequence[Any], entries: Sequence[dict[str, Any] | None], dtype_backend: str | None
) -> pd.DataFrame:
    """Converts pyarrow arrays to columns 0, 1, 2... of a DataFrame, as pandas' readers do."""
    names = [str(number) for number in range(len(arrays))]
    table = pyarrow_or_none().table(list(arrays), names=names)
    described = [
        {**entry, "name": name, "field_name": name} for name, entry in zip(names, entries, strict=True) if entry
    ]
    if described:
        text = json.dumps({"index_columns": [], "column_indexes": [], "columns": described})
        table = table.replace_schema_metadata({"pandas": text})
    return table_to_pandas(table, dtype_backend)


def table_to_pandas(table: Any, dtype_backend: str | None) -> pd.DataFrame:
    """Converts a `pyarrow.Table` as `pandas.read_feather` does."""
    # Registers pandas' periods and intervals with pyarrow.
    import pandas.core.arrays.arrow.extension_types  # noqa: F401

    try:
        from pandas.io._util import arrow_table_to_pandas
    except ImportError:  # pandas 2
        return _pandas2(table, dtype_backend)
    return arrow_table_to_pandas(table, **({} if dtype_backend is None else {"dtype_backend": dtype_backend}))


def _pandas2(table: Any, dtype_backend: str | None) -> pd.DataFrame:
    from pandas.io import _util

    if dtype_backend == "pyarrow":
        return table.to_pandas(types_mapper=pd.ArrowDtype)
    if dtype_backend == "numpy_nullable":
        return table.to_pandas(types_mapper=_util._arrow_dtype_mapping().get)
    return table.to_pandas()


def arrow_array(column: np.ndarray | ArrowColumn, name: Any) -> Any:
    """A column as a pyarrow array over the same memory (bools are packed), with its extension type if it has one."""
    pa = pyarrow_or_none()
    if pa is None:
        kind = column.type if isinstance(column, ArrowColumn) else column.dtype
        raise ImportError(
            f"pandas: column {name!r} ({kind}): pyarrow is not installed, and pandas needs it to convert this type. "
            "Install it with: pip install pyarrow",
            name="pyarrow",
        )
    if not isinstance(column, ArrowColumn):
        return pa.array(column)
    if column.type.startswith(("run_end_encoded", "fixed_size_list")):
        # pandas makes a value for each row and each list item, but runs and nulls take no bytes per row.
        column.check_cost()
    array = to_pyarrow(column)
    if pa.types.is_dictionary(array.type):
        array = _unified(pa, array)
    return extension_array(array, field_metadata(column))


def extension_array(array: Any, metadata: dict[str, str]) -> Any:
    """A pyarrow array of storage in the extension type that metadata of its field names, if pyarrow knows it."""
    if EXTENSION not in metadata:
        return array
    pa = pyarrow_or_none()
    field = pa.field("", array.type, metadata=metadata)
    try:
        # Only a schema message gives a registered extension type by name through pyarrow's public API.
        kind = pa.ipc.read_schema(pa.schema([field]).serialize()).field(0).type
        return kind.wrap_array(array) if isinstance(kind, pa.BaseExtensionType) else array
    except MemoryError:
        raise
    except Exception:  # The type does not fit this storage. Registered types raise any error.
        return array


def extension_metadata(array: Any) -> dict[str, str]:
    """The metadata of a field of the array's extension type. The core reads it from the schema that pyarrow exports."""
    return field_metadata(_core.import_arrow(pyarrow_or_none().table({"": array.slice(0, 0)}))[0].column(0))


def _unified(pa: Any, array: Any) -> Any:
    """A dictionary array without repeated values, as readers make it from batches with several dictionaries."""
    try:
        encoded = array.dictionary.dictionary_encode()
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):  # nested values
        return array
    if array.dictionary.null_count or len(encoded.dictionary) == len(array.dictionary):
        return array
    indices = encoded.indices.take(array.indices).cast(array.type.index_type)
    return pa.DictionaryArray.from_arrays(indices, encoded.dictionary, ordered=array.type.ordered)


EXTENSION = "ARROW:extension:name"


def field_metadata(column: ArrowColumn | np.ndarray) -> dict[str, str]:
    """The key-value metadata of the field that a column came from."""
    if not isinstance(column, ArrowColumn) or column.tag is None:
        return {}
    tag = tagged_labels.decode(column.tag)
    if not isinstance(tag, dict) or tag.get("kind") != "field":
        return {}
    return dict(tag.get("metadata") or [])


def _blocks_of(frame: pd.DataFrame, places: np.ndarray) -> list[Block]:
    blocks = []
    for block in frame._mgr.blocks:
        values = block.values
        if type(values) is np.ndarray and not values.flags.writeable:
            values = values.copy()
        blocks.append((values, places[block.mgr_locs.as_array]))
    return blocks
