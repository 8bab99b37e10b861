"""Compares nested columns. It ignores values under nulls and between lists.

It works on pyarrow's arrays, which give access to children and offsets.
"""

from typing import Any

import numpy as np

from .._core import ArrowColumn
from .array_equality import same_arrays
from .cells import to_pyarrow


def equal_nested(a: ArrowColumn, b: ArrowColumn, *, exact: bool) -> bool:
    """Compares columns of one type and length. NaN equals NaN. `exact` also compares bits of floats and codes."""
    return _equal(to_pyarrow(a), to_pyarrow(b), exact)


def _equal(x: Any, y: Any, exact: bool) -> bool:
    import pyarrow as pa

    if x.type != y.type or len(x) != len(y):
        return False
    if isinstance(x, pa.ExtensionArray):
        return _equal(x.storage, y.storage, exact)
    kind = x.type
    if pa.types.is_null(kind):
        return True
    if pa.types.is_union(kind):
        return _equal_unions(x, y, exact)
    if pa.types.is_run_end_encoded(kind):
        return _equal(_decoded_runs(x), _decoded_runs(y), exact)
    if not x.is_null().equals(y.is_null()):
        return False
    if pa.types.is_struct(
        kind
    ):  # flatten() applies a struct's nulls to its children, and drops the items of null lists
        return all(_equal(a, b, exact) for a, b in zip(x.flatten(), y.flatten(), strict=True))
    if pa.types.is_dictionary(kind):
        if exact:
            return bool(x.indices.equals(y.indices)) and _equal(x.dictionary, y.dictionary, exact)
        return _equal(_take(x.dictionary, x.indices), _take(y.dictionary, y.indices), exact)
    if pa.types.is_map(kind):
        return _equal(_entries(x), _entries(y), exact)
    if pa.types.is_fixed_size_list(kind):
        return _equal(x.flatten(), y.flatten(), exact)
    if pa.types.is_nested(kind):  # lists, and views of lists
        return bool(x.value_lengths().equals(y.value_lengths())) and _equal(x.flatten(), y.flatten(), exact)
    if pa.types.is_floating(kind):
        return same_arrays(_numbers(x.drop_null()), _numbers(y.drop_null()), exact)
    return bool(x.equals(y))


def _numbers(x: Any) -> np.ndarray:
    values: np.ndarray = x.to_numpy(zero_copy_only=False)
    return values


def _take(x: Any, rows: Any) -> Any:
    """The values at `rows`; null for null rows. pyarrow cannot take from views of text."""
    import pyarrow as pa

    wide = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}.get(x.type)
    return (x if wide is None else x.cast(wide)).take(rows)


def _entries(x: Any) -> Any:
    """A map as a list of structs."""
    import pyarrow as pa

    entries = pa.StructArray.from_arrays([x.keys, x.items], ["key", "value"])
    return pa.ListArray.from_arrays(pa.array(_numbers(x.offsets)), entries, mask=x.is_null())


def _decoded_runs(x: Any) -> Any:
    rows = np.arange(x.offset, x.offset + len(x))
    return _take(x.values, np.searchsorted(_numbers(x.run_ends), rows, side="right"))


def _equal_unions(x: Any, y: Any, exact: bool) -> bool:
    codes = _numbers(x.type_codes)
    if not np.array_equal(codes, _numbers(y.type_codes)):
        return False
    for position, code in enumerate(x.type.type_codes):
        rows = np.flatnonzero(codes == code)
        if not _equal(_member(x, position, rows), _member(y, position, rows), exact):
            return False
    return True


def _member(x: Any, position: int, rows: np.ndarray) -> Any:
    """The values of one child at `rows` of the union."""
    return _take(x.field(position), _numbers(x.offsets)[rows] if x.type.mode == "dense" else rows)
