"""The columns of a core frame as NumPy arrays: one by one, or as one 2-D array."""

from collections.abc import Sequence

import numpy as np

from .._core import ArrowColumn, CoreFrame, DecodeError
from ._arrow_columns import numpy_from_column
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
    if tag.get("kind") != "string_dtype":
        return numpy_from_column(column, lambda: f"numpy: column at position {position}")
    try:
        check_tag(column, tag)
        values = string_dtype_from_column(column, tag)
    except (KeyError, ValueError, TypeError) as error:
        raise DecodeError(
            f"numpy: column at position {position}: the tag {column.tag} does not fit the data ({column.type}): {error}"
        ) from error
    values.flags.writeable = False
    return values


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
    matrix.flags.writeable = False
    return matrix


def _has_order(values: np.ndarray, order: str) -> bool:
    """Whether the array already has the order of the original. An Arrow file may pad its columns."""
    if order == "K":
        return True
    return values.flags.c_contiguous if order == "C" else values.flags.f_contiguous
