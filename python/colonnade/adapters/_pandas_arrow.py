"""Converts foreign Arrow data (a file without Colonnade's metadata, a `pyarrow.Table`) as pandas' own readers do:
`pandas.read_feather` for a Feather file, else ``pyarrow.Table.to_pandas()``.

NumPy blocks are passed on unchanged. `_pandas_arrow_native` converts the other columns if it supports their type, else
pyarrow does. A column that pandas' readers refuse (a union, a dictionary with repeated categories) keeps its Arrow
type, as `ArrowDtype`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from .. import _core
from .._core import ArrowColumn, ColonnadeError, CoreFrame, DecodeError, OptionError
from ._pandas_arrow_axes import columns_from_arrow, index_from_arrow
from ._pandas_arrow_meta import PandasMetadata, extension_dtype, field_names, read_metadata, zone_told
from ._pandas_arrow_native import is_number, masked_array, native_array, number_dtype, numbers_block
from ._pandas_arrow_table import DTYPE_BACKENDS, Block, blocks_of_arrays, reader_blocks
from ._pandas_columns import block_of, create_dataframe_from_blocks, object_block
from ._pandas_strings import pyarrow_or_none


def check_dtype_backend(dtype_backend: Any) -> None:
    """OptionError for a backend that pandas lacks. ImportError if pyarrow is absent, because both backends need it."""
    if dtype_backend is None:
        return
    if dtype_backend not in DTYPE_BACKENDS:
        raise OptionError(
            f"pandas: dtype_backend: expected None, {' or '.join(map(repr, DTYPE_BACKENDS))}, found {dtype_backend!r}."
        )
    if pyarrow_or_none() is None:
        raise ImportError(
            f"pandas: dtype_backend={dtype_backend!r}: pyarrow is not installed. Install it with: pip install pyarrow",
            name="pyarrow",
        )


def frame_from_arrow(core: CoreFrame, pairs: Sequence[Sequence[str]], dtype_backend: str | None) -> pd.DataFrame:
    """A DataFrame over a core frame whose origin holds the metadata of a foreign schema (`pairs`)."""
    meta = read_metadata(pairs)
    try:
        return _frame(core, meta, dtype_backend)
    except (ColonnadeError, ImportError):
        raise
    except (KeyError, IndexError, ValueError, TypeError, AttributeError, OverflowError, AssertionError) as error:
        raise DecodeError(f"pandas: schema metadata 'pandas' does not fit the data: {error!r}") from error


def _frame(core: CoreFrame, meta: PandasMetadata | None, dtype_backend: str | None) -> pd.DataFrame:
    names = field_names(core)
    index = index_from_arrow(core, meta, dtype_backend)
    columns = columns_from_arrow(core, meta, names)
    parts = _Parts(core, meta, names, columns)
    if dtype_backend is None:
        parts.add_blocks()
        parts.add_columns()
    else:
        parts.rest = list(enumerate(core.column(i) for i in range(core.ncols)))
    frame = create_dataframe_from_blocks(parts.blocks + parts.rest_blocks(dtype_backend), index, columns)
    if meta is not None and meta.attributes:
        frame.attrs = dict(meta.attributes)
    return frame


def frame_with_backend(core: CoreFrame, index: pd.Index, columns: pd.Index, dtype_backend: str) -> pd.DataFrame:
    """Converts a frame of any other origin: dtypes as pandas' readers give its Arrow form, labels as given."""
    table = pyarrow_or_none().RecordBatchReader._import_from_c_capsule(_core.export_arrow_stream([core])).read_all()
    metadata = (table.schema.metadata or {}).get(b"pandas")
    meta = None if metadata is None else read_metadata([("pandas", metadata.decode())])
    fields = table.schema.names[: core.ncols]
    entries = [None if meta is None else meta.columns.get(name) for name in fields]
    arrays = [table.column(i) for i in range(core.ncols)]
    return create_dataframe_from_blocks(
        blocks_of_arrays(arrays, range(core.ncols), entries, dtype_backend), index, columns
    )


class _Parts:
    """Collects the blocks of a DataFrame, and the columns that pyarrow will convert."""

    def __init__(self, core: CoreFrame, meta: PandasMetadata | None, names: list[str] | None, labels: pd.Index) -> None:
        self.core = core
        self.meta = meta
        self.names = names
        self.labels = labels
        self.blocks: list[Block] = []
        self.rest: list[tuple[int, np.ndarray | ArrowColumn]] = []

    def entry(self, position: int) -> dict[str, Any] | None:
        """The entry of a column in the `pandas` metadata."""
        return None if self.meta is None or self.names is None else self.meta.columns.get(self.names[position])

    def requested_types(self, position: int) -> tuple[Any, str | None]:
        """The extension dtype and the time zone that the metadata asks for."""
        entry = self.entry(position)
        return (None, None) if entry is None else (extension_dtype(entry["numpy_type"]), zone_told(entry))

    def add_blocks(self) -> None:
        """Adds whole NumPy blocks, without the columns for which the metadata names an extension dtype or a zone."""
        plain = self.meta is None or self.meta.plain or self.names is None
        for values, positions in self.core.blocks(writable=True):
            if not values.flags.writeable:
                values = values.copy()
            if plain:
                self.blocks.append((values, positions))
            else:
                self._split(values, positions)

    def _split(self, values: np.ndarray, positions: np.ndarray) -> None:
        start = 0
        for row, position in enumerate(positions.tolist()):
            block = self._special(values[row], position)
            if block is None:
                continue
            if start < row:
                self.blocks.append((values[start:row], positions[start:row]))
            self.blocks += block
            start = row + 1
        if start < len(values):
            self.blocks.append((values[start:], positions[start:]))

    def _special(self, values: np.ndarray, position: int) -> list[Block] | None:
        """A column of a block in the dtype that the metadata names; None if the column has this dtype already."""
        dtype, zone = self.requested_types(position)
        if dtype is None and (zone is None or values.dtype.kind != "M"):
            return None
        array = None if dtype is None else masked_array(values, None, dtype)
        if array is not None:
            return [block_of(array, position)]
        self.rest.append((position, values))
        return []

    def add_columns(self) -> None:
        """Adds Arrow columns: a block per number dtype, one block of objects, other columns singly or by pyarrow."""
        numbers: dict[np.dtype[Any], list[tuple[int, ArrowColumn]]] = {}
        objects: list[tuple[np.ndarray, int]] = []
        for position, column in self.core.arrow_columns():
            dtype, zone = self.requested_types(position)
            if dtype is None and zone is None and is_number(column):
                numbers.setdefault(number_dtype(column), []).append((position, column))
                continue
            array = native_array(column, dtype, zone)
            if array is None:
                self.rest.append((position, column))
            elif isinstance(array, np.ndarray) and array.dtype == object:
                objects.append((array, position))
            else:
                self.blocks.append(block_of(array, position))
        for dtype, group in numbers.items():
            positions = np.array([position for position, _ in group], np.intp)
            self.blocks.append((numbers_block([column for _, column in group], dtype), positions))
        if objects:
            self.blocks.append(object_block(objects, self.core.nrows))

    def rest_blocks(self, dtype_backend: str | None) -> list[Block]:
        """The blocks of the remaining columns, as pandas' readers make them."""
        positions = [position for position, _ in self.rest]
        return reader_blocks(
            [column for _, column in self.rest],
            positions,
            [self.entry(position) for position in positions],
            [self.labels[position] for position in positions],
            dtype_backend,
        )
