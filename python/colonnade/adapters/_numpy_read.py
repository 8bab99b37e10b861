"""The columns of a core frame as NumPy arrays: one by one, or as one 2-D array."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._core import ArrowColumn, CoreFrame, DecodeError
from ._arrow_columns import numpy_from_column
from ._numpy_masked import masked_from_column, subarray_from_column
from ._object_columns import read_tag
from ._string_dtype import string_dtype_from_column
from ._tag_claims import check_tag


def read_vectors(core: CoreFrame) -> list[np.ndarray]:
    """Every column as a read-only 1-D array, left to right; copied only to convert from Arrow's layout."""
    vectors: list[np.ndarray] = []
    for array in core.arrays():
        if isinstance(array, ArrowColumn):
            vectors.append(_from_arrow(array, len(vectors)))
        elif array.ndim == 2:
            vectors.extend(array.T)
        else:
            vectors.append(array)
    return vectors


def _from_arrow(column: ArrowColumn, position: int) -> np.ndarray:
    tag = read_tag(column)
    kind = tag.get("kind")
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    if reader is None:
        return numpy_from_column(column, lambda: f"numpy: column at position {position}")
    try:
        check_tag(column, tag)
        values = reader(column, tag)
    except (KeyError, ValueError, TypeError) as error:
        raise DecodeError(
            f"numpy: column at position {position}: the tag {column.tag} does not fit the data ({column.type}): {error}"
        ) from error
    values.flags.writeable = False
    return values


_READERS: dict[str, Callable[[ArrowColumn, dict[str, Any]], np.ndarray]] = {
    "string_dtype": string_dtype_from_column,
    "masked_array": masked_from_column,
    "subarray": subarray_from_column,
}


def read_matrix(
    core: CoreFrame, dtype: np.dtype, order: str, vectors: Sequence[np.ndarray] | None = None
) -> np.ndarray:
    """A read-only 2-D array, shape (nrows, ncols): a view if one block holds all columns, else a copy in `order`."""
    if vectors is None and dtype.kind not in "OT":
        blocks = core.blocks()
        if len(blocks) == 1:
            values, positions = blocks[0]
            if np.array_equal(positions, np.arange(core.ncols)) and _has_order(values.T, order):
                return values.T
    else:
        blocks = None
        vectors = read_vectors(core) if vectors is None else vectors
        if dtype.kind == "T" and vectors:
            dtype = vectors[0].dtype  # StringDType, with its missing value.
    matrix = np.empty((core.nrows, core.ncols), dtype=dtype, order="C" if order == "C" else "F")
    if blocks is not None:
        for values, positions in blocks:
            matrix.T[positions] = values
    else:
        for position, vector in enumerate(vectors or ()):
            matrix[:, position] = vector
        matrix = with_masks(matrix, vectors or ())
    matrix.flags.writeable = False
    return matrix


def with_masks(values: np.ndarray, vectors: Sequence[np.ndarray]) -> Any:
    """`values` as a masked array if one of its columns or fields is one."""
    masked: list[Any] = [vector for vector in vectors if isinstance(vector, np.ma.MaskedArray)]
    if not masked:
        return values
    names = values.dtype.names
    whole: Any = np.ma.MaskedArray(values, hard_mask=masked[0].hardmask)
    mask = np.ma.getmaskarray(whole).copy()
    for position, vector in enumerate(vectors):
        mask[names[position] if names else (slice(None), position)] = np.ma.getmask(vector)
    whole.mask = mask
    # NumPy casts a default that is set (999999 to int8), so defaults are left alone.
    if any(vector._fill_value is not None for vector in masked):
        fills = [v.fill_value if isinstance(v, np.ma.MaskedArray) else np.ma.default_fill_value(v) for v in vectors]
        whole.fill_value = tuple(fills) if names else fills[0]
    return whole


def _has_order(values: np.ndarray, order: str) -> bool:
    """Whether the array already has the order of the original. An Arrow file may pad its columns."""
    if order == "K":
        return True
    return values.flags.c_contiguous if order == "C" else values.flags.f_contiguous
