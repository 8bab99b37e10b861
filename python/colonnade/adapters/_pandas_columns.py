"""Converts the blocks of a pandas DataFrame to the blocks and columns of a core frame, and back.

Whole NumPy blocks are passed on without a copy or a loop over columns. Only extension arrays and object arrays are
converted one by one.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from .._core import ArrowColumn, CoreFrame, FrameBuilder
from ._pandas_arrays import array_from_column, column_from_array
from ._pandas_foreign import numpy_for_pandas

try:
    from pandas.api.internals import create_dataframe_from_blocks as create_dataframe_from_blocks
except ImportError:  # pandas 2

    def create_dataframe_from_blocks(
        blocks: list[tuple[Any, np.ndarray]], index: pd.Index, columns: pd.Index
    ) -> pd.DataFrame:
        from pandas.core.internals.api import make_block
        from pandas.core.internals.managers import BlockManager

        frame_blocks = [make_block(values, placement=positions, ndim=2) for values, positions in blocks]
        manager = BlockManager(frame_blocks, [columns, index])
        return pd.DataFrame._from_mgr(manager, manager.axes)


class _SharedArray(np.ndarray):
    """An array that also references a pandas block over the same values.

    While another block refers to the same values, pandas copies before it writes (copy on write). The core frame keeps
    the array alive, and the array keeps such a block alive. So a write to the DataFrame never changes the core frame.
    """

    block: Any


def add_blocks(builder: FrameBuilder, frame: pd.DataFrame, options: Mapping[str, Any]) -> None:
    """Hand every block of `frame` to the builder."""
    keep = _borrowed if options.get("borrow") else _share
    manager = frame._mgr
    if not hasattr(manager, "blocks"):  # pandas 2 has an optional ArrayManager.
        manager = frame._as_manager("block")._mgr
    for block in manager.blocks:
        values, places = block.values, block.mgr_locs
        if isinstance(values, np.ndarray):  # pandas keeps a subclass as it came
            values = values.view(np.ndarray)
        dtype, positions = values.dtype, places.as_array
        if isinstance(dtype, np.dtype) and dtype.kind != "O":
            array = values if isinstance(values, np.ndarray) else values._ndarray  # DatetimeArray, TimedeltaArray
            builder.add_block(keep(array, block), positions)
        elif isinstance(dtype, np.dtype):
            for row, position in zip(values, positions.tolist(), strict=True):
                builder.add_arrow(position, _column(frame, position, row))
        else:
            _add_extension(builder, frame, block, positions, options, keep)


def _add_extension(
    builder: FrameBuilder,
    frame: pd.DataFrame,
    block: Any,
    positions: np.ndarray,
    options: Mapping[str, Any],
    keep: Callable[[np.ndarray, Any], np.ndarray],
) -> None:
    values = block.values
    rows = values if getattr(values, "ndim", 1) == 2 else [values]  # zoned times and periods are stored as (1, nrows)
    for row, position in zip(rows, positions.tolist(), strict=True):
        if isinstance(row.dtype, pd.SparseDtype) and options.get("densify_sparse"):
            row = np.asarray(row.to_dense())
            if row.dtype.kind != "O":
                builder.add_block(row[np.newaxis], [position])
                continue
        builder.add_arrow(position, _column(frame, position, row, lambda array: keep(array, block)))


def _column(
    frame: pd.DataFrame, position: int, row: Any, keep: Callable[[np.ndarray], np.ndarray] = lambda array: array
) -> ArrowColumn:
    # A label lookup can cost more than a column. Only an error needs the label, so the conversion then runs again.
    try:
        return column_from_array(row, "", keep)
    except Exception:
        return column_from_array(row, label_text(frame, position), keep)


def _share(values: np.ndarray, block: Any) -> np.ndarray:
    shared = values.view(_SharedArray)
    shared.block = type(block)(block.values, placement=block.mgr_locs, ndim=2, refs=block.refs)
    return shared


def _borrowed(values: np.ndarray, block: Any) -> np.ndarray:
    return values


def label_text(frame: pd.DataFrame, position: int) -> str:
    """The name of a column in error messages."""
    return f"pandas: column {frame.columns[position]!r}"


def frame_from_core(core: CoreFrame, index: pd.Index, columns: pd.Index) -> pd.DataFrame:
    """A DataFrame with these axes over the blocks of `core`."""
    blocks: list[tuple[Any, np.ndarray]] = []
    for values, positions in core.blocks(writable=True):
        kind = values.dtype.kind
        if kind in "biufc" or values.dtype.str in _PANDAS_TIMES:
            writable = values if values.flags.writeable else values.copy()
            # The dtype, unit and zone are known, so pandas need not infer them.
            blocks.append(
                (_TIMES[kind]._simple_new(writable, dtype=writable.dtype) if kind in _TIMES else writable, positions)
            )
        elif values.dtype.kind == "U":
            blocks += [
                block_of(numpy_for_pandas(row, f"column {columns[position]!r}"), position)
                for row, position in zip(values, positions.tolist(), strict=True)
            ]
        else:
            where = f"column {columns[positions[0]]!r}" if len(positions) else "an empty block"
            blocks.append((numpy_for_pandas(values, where), positions))
    objects: list[tuple[np.ndarray, int]] = []
    for position, column in core.arrow_columns():
        try:
            array = array_from_column(column, "")
        except Exception:  # The conversion runs again, with the label; see `_column`.
            array = array_from_column(column, f"column {columns[position]!r}")
        if isinstance(array, np.ndarray) and array.dtype == object:
            objects.append((array, position))
        else:
            blocks.append(block_of(array, position))
    if objects:
        blocks.append(object_block(objects, core.nrows))
    return create_dataframe_from_blocks(blocks, index, columns)


_TIMES: dict[str, Any] = {"M": pd.arrays.DatetimeArray, "m": pd.arrays.TimedeltaArray}
_PANDAS_TIMES = {np.dtype(f"{letter}8[{unit}]").str for letter in "mM" for unit in ("s", "ms", "us", "ns")}


def block_of(array: Any, position: int) -> tuple[Any, np.ndarray]:
    """One column as a block, and its position."""
    if isinstance(array, np.ndarray):
        array = array[np.newaxis]
    return array, np.array([position], dtype=np.intp)


def object_block(objects: list[tuple[np.ndarray, int]], nrows: int) -> tuple[np.ndarray, np.ndarray]:
    """All object columns as one block, as pandas itself keeps them."""
    if len(objects) == 1:
        return block_of(*objects[0])
    values = np.empty((len(objects), nrows), dtype=object)
    for row, (array, _) in zip(values, objects, strict=True):
        row[:] = array
    return values, np.array([position for _, position in objects], dtype=np.intp)
