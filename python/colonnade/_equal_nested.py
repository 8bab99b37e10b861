"""Nested columns: are the values the same, whatever lies under nulls and between the lists.

Works on pyarrow's arrays, whose children and offsets can be had.
"""

from typing import Any

import numpy as np

from ._cells import to_pyarrow
from ._core import ArrowColumn
from ._same import same_arrays


def equal_nested(a: ArrowColumn, b: ArrowColumn, *, exact: bool) -> bool:
    """Columns of one type, of equal length. NaN equals NaN, null only null; `exact`: bits of floats, codes too."""
    return _same(to_pyarrow(a), to_pyarrow(b), exact)


def _same(x: Any, y: Any, exact: bool) -> bool:
    import pyarrow as pa

    if x.type != y.type or len(x) != len(y):
        return False
    if isinstance(x, pa.ExtensionArray):
        return _same(x.storage, y.storage, exact)
    kind = x.type
    if pa.types.is_null(kind):
        return True
    if pa.types.is_union(kind):
        return _same_unions(x, y, exact)
    if pa.types.is_run_end_encoded(kind):
        import pyarrow.compute as pc

        return _same(pc.run_end_decode(x), pc.run_end_decode(y), exact)
    if not x.is_null().equals(y.is_null()):
        return False
    return _same_valid(x.drop_null() if x.null_count else x, y.drop_null() if y.null_count else y, exact)


def _same_valid(x: Any, y: Any, exact: bool) -> bool:
    """Arrays without nulls of their own."""
    import pyarrow as pa

    kind = x.type
    if pa.types.is_struct(kind):
        return all(_same(a, b, exact) for a, b in zip(x.flatten(), y.flatten(), strict=True))
    if pa.types.is_dictionary(kind):
        if exact:
            return bool(x.indices.equals(y.indices)) and _same(x.dictionary, y.dictionary, exact)
        return _same(x.dictionary.take(x.indices), y.dictionary.take(y.indices), exact)
    if pa.types.is_fixed_size_list(kind):
        return _same(x.flatten(), y.flatten(), exact)
    if pa.types.is_nested(kind):  # lists, views of lists, maps
        return bool(x.value_lengths().equals(y.value_lengths())) and _same(x.flatten(), y.flatten(), exact)
    if pa.types.is_floating(kind):
        return same_arrays(_floats(x), _floats(y), exact)
    return bool(x.equals(y))


def _floats(x: Any) -> np.ndarray:
    values: np.ndarray = x.to_numpy(zero_copy_only=False)
    return values


def _same_unions(x: Any, y: Any, exact: bool) -> bool:
    codes = _floats(x.type_codes)
    if not np.array_equal(codes, _floats(y.type_codes)):
        return False
    for position, code in enumerate(x.type.type_codes):
        rows = np.flatnonzero(codes == code)
        if not _same(_member(x, position, rows), _member(y, position, rows), exact):
            return False
    return True


def _member(x: Any, position: int, rows: np.ndarray) -> Any:
    """The values of one child that stand at `rows` of the union."""
    import pyarrow as pa

    places = _floats(x.offsets)[rows] if x.type.mode == "dense" else rows
    return x.field(position).take(pa.array(places, pa.int64()))
