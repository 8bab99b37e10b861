"""Takes the maximum of a column of fixed-width numbers, or touches every byte of any other column.

The arithmetic is NumPy's over the column's own memory for every engine, so the figures compare the readers. Libraries
define the maximum of text, nested values and columns with missing cells differently. For those the compiled toucher
passes over the bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from colonnade_bench import buffers, jagged
from colonnade_bench.measure import timed, touch_all


def maximum(column: Any) -> Any:
    """Returns the largest value of a column, or the toucher's sum of its bytes.

    >>> int(maximum(np.array([3, 1, 2])))
    3
    """
    parts = [part for part in numbers(column) or () if len(part)]
    return max(part.max() for part in parts) if parts else touch_all(raw(column))


def measure_columns(columns: Callable[[], Iterable[Any]]) -> dict[str, float]:
    """Reads columns one at a time, and takes the maximum of each before it reads the next."""

    def all_of_them() -> None:
        for column in columns():
            maximum(column)
            del column  # frees its memory before the next column is read

    _, timing = timed(all_of_them)
    seconds = timing.elapsed_s
    return {"open_s": seconds, "usable_s": seconds, "user_s": timing.user_s, "system_s": timing.system_s}


def numbers(column: Any) -> Sequence[np.ndarray] | None:
    """Returns a column's memory as arrays of numbers or times. Returns None if the column has anything else."""
    kind = type(column).__module__.partition(".")[0]
    if kind == "numpy":
        return [column] if column.dtype.kind in "iufMm" else None
    if kind == "awkward":
        return awkward_numbers(column)
    if column.null_count if kind == "pyarrow" else column.null_count():
        return None
    return arrow_numbers(column) if kind == "pyarrow" else polars_numbers(column)


def awkward_numbers(column: Any) -> Sequence[np.ndarray] | None:
    from awkward.contents import NumpyArray

    layout = column.layout
    return numbers(layout.data) if isinstance(layout, NumpyArray) and layout.data.ndim == 1 else None


def arrow_numbers(column: Any) -> Sequence[np.ndarray] | None:
    import pyarrow as pa

    types = pa.types
    if types.is_integer(column.type) or types.is_floating(column.type):
        return [chunk.to_numpy() for chunk in column.chunks]
    if types.is_timestamp(column.type) or types.is_duration(column.type):
        return [chunk.view(pa.int64()).to_numpy() for chunk in column.chunks]
    return None


def polars_numbers(column: Any) -> Sequence[np.ndarray] | None:
    if not (column.dtype.is_numeric() or column.dtype.is_temporal()) or column.dtype.is_decimal():
        return None
    return [chunk.to_physical().to_numpy(allow_copy=False) for chunk in column.get_chunks()]


def raw(column: Any) -> list[Any]:
    """Returns every buffer of a column."""
    kind = type(column).__module__.partition(".")[0]
    if kind == "numpy":
        return [column]
    if kind == "awkward":
        return buffers.of_awkward(column)
    return buffers.of_arrow(column.chunks) if kind == "pyarrow" else buffers.of_polars(column.to_frame())


def same(column: Any, original: Any) -> bool:
    """Whether a column that was read equals the written one. Missing cells and NaN equal themselves."""
    kind = type(column).__module__.partition(".")[0]
    if kind == "numpy":
        known = np.asarray(original)
        return known.dtype == column.dtype and np.array_equal(known, column, equal_nan=known.dtype.kind == "f")
    if type(column) is not type(original):
        return False
    if kind == "awkward":
        return str(column.type) == str(original.type) and jagged.same_values(column, original)
    if kind == "pyarrow":
        return bool(column.type == original.type and column.equals(original))
    return bool(column.dtype == original.dtype and column.equals(original))
