"""Converts masked arrays and subarrays of NumPy to columns, and back.

A mask becomes Arrow's nulls. Columns for which Arrow has no nulls (complex numbers, bytes of fixed width, objects, NaT
that is not masked) become a struct of ``values`` and ``mask``. The values under a mask are not kept. A subarray becomes
a list of fixed size, or one binary value a row if Arrow lacks its dtype.
"""

from typing import Any

import numpy as np

from .._core import ArrowColumn, EncodeError, assemble_column, column_parts, column_with_tag
from .._values import tagged_labels
from ._arrow_columns import numpy_from_column
from ._object_columns import column_from_objects, read_tag
from ._string_dtype import column_from_string_dtype, string_dtype_from_column

_UNITS = {("s", 1), ("ms", 1), ("us", 1), ("ns", 1)}


def _has_arrow_type(dtype: np.dtype) -> bool:
    if dtype.kind in "mM":
        return dtype.isnative and np.datetime_data(dtype) in _UNITS
    return dtype.isnative and dtype.kind in "biuf" and dtype.itemsize <= 8


def column_from_masked(values: Any, where: str) -> ArrowColumn:
    """A 1-D masked array as a tagged column. EncodeError, beginning with `where`, for what cannot be restored."""
    data, mask, dtype = values.data, np.ma.getmaskarray(values), values.dtype
    tag: dict[str, Any] = {"kind": "masked_array"}
    if values._fill_value is not None and repr(values.fill_value) != repr(np.ma.empty(0, dtype).fill_value):
        tag["fill"] = values.fill_value
    if values.hardmask:
        tag["hard"] = True
    try:
        if _has_arrow_type(dtype) and not (dtype.kind in "mM" and np.isnat(data[~mask]).any()):
            return ArrowColumn.from_masked(np.ascontiguousarray(data), mask if mask.any() else None, _text(tag))
        if dtype.kind == "U":
            cells = data.astype(object)
            cells[mask] = None
            return ArrowColumn.from_objects(cells, "str", _text(tag | {"descr": dtype.str}))
        data = data.copy()
        data[mask] = None if dtype.kind == "O" else np.zeros((), dtype)[()]
        column = _values_column(data, where)
        if column.tag is not None:
            tag["values"] = tagged_labels.decode(column.tag)
        return ArrowColumn.struct([("values", column), ("mask", ArrowColumn.from_masked(mask))], _text(tag))
    except EncodeError as error:
        raise error if str(error).startswith(where) else EncodeError(f"{where}: {error}") from error


_text = tagged_labels.encode


def _values_column(data: np.ndarray, where: str) -> ArrowColumn:
    if data.dtype.kind == "O":
        return column_from_objects(data, where)
    if data.dtype.kind == "T":
        return column_from_string_dtype(data, where)
    return ArrowColumn.from_fixed(np.ascontiguousarray(data), _text({"kind": "numpy", "descr": data.dtype.str}))


def masked_from_column(column: ArrowColumn, tag: dict[str, Any]) -> Any:
    """The masked array that `column_from_masked` wrote. ValueError for a tag that does not fit the column."""
    mask: np.ndarray | None
    if column.type.startswith("struct<"):
        held, flags = column_with_tag(column.child("values"), _text(tag.get("values"))), column.child("mask")
        inner = read_tag(held)
        is_text = inner.get("kind") == "string_dtype"
        values = string_dtype_from_column(held, inner) if is_text else numpy_from_column(held, lambda: "numpy")
        if column.null_count or flags.type != "bool" or flags.null_count:
            raise ValueError(f"expected a mask of bools without nulls, found {flags.type}")
        mask = flags.values()
    elif "descr" in tag:
        cells, mask = column.objects(), column.mask()
        cells[column.mask() if column.null_count else slice(0)] = ""
        values, dtype = cells.astype(str), np.dtype(tag["descr"])
        if dtype.kind != "U" or values.dtype.itemsize > max(dtype.itemsize, 4):
            raise ValueError(f"expected text that fits {dtype}, found {values.dtype}")
        values = values.astype(dtype)
    else:
        values, mask = column.values(), column.mask()
        if not _has_arrow_type(values.dtype):
            raise ValueError("expected numbers, bools or times")
    mask = np.zeros(len(values), dtype=bool) if mask is None else mask
    return np.ma.MaskedArray(values, mask=mask, fill_value=tag.get("fill"), hard_mask=bool(tag.get("hard")))


def column_from_subarray(values: np.ndarray, where: str) -> ArrowColumn:
    """A field of shape (nrows, ...) as a tagged column. EncodeError, beginning with `where`, for other dtypes."""
    nrows, shape, dtype = len(values), values.shape[1:], values.dtype
    if dtype.names is not None or dtype.kind in "OT":
        raise EncodeError(f"{where}: expected a subarray of a scalar dtype, found {dtype}. Split it into plain fields.")
    tag = _text({"kind": "subarray", "descr": dtype.str, "shape": list(shape)})
    flat = np.ascontiguousarray(values).reshape(-1)
    if not _has_arrow_type(dtype) or 0 in shape:
        nbytes = dtype.itemsize * int(np.prod(shape))
        return ArrowColumn.from_fixed(
            np.frombuffer(flat.tobytes(), f"V{nbytes}") if nbytes else np.zeros(nrows, "V0"), tag
        )
    mask = np.isnat(flat) if dtype.kind in "mM" else None
    column = ArrowColumn.from_masked(flat, mask if mask is not None and mask.any() else None)
    for size in reversed(shape):
        column = assemble_column("fixed_size_list", len(column) // size, [], [("item", True, column)], size)
    return column_with_tag(column, tag)


def subarray_from_column(column: ArrowColumn, tag: dict[str, Any]) -> np.ndarray:
    """The array of `column_from_subarray`. ValueError for a tag that does not fit the column."""
    dtype, shape = np.dtype(tag["descr"]), tuple(tag["shape"])
    if dtype.hasobject or not all(type(size) is int and size >= 0 for size in shape):
        raise ValueError(f"expected a shape of a scalar dtype, found {shape} of {dtype}")
    whole = (len(column), *shape)
    held = column
    for size in shape if column.type.startswith("fixed_size_list") else ():
        kind, found, _, validity, children = column_parts(held)
        if kind != "fixed_size_list" or found != size or validity is not None:
            raise ValueError(f"expected lists of {size} without nulls, found {held.type}")
        held = children[0][3]
    values = held.values()
    if values.dtype.kind == "V":
        if held.null_count or values.dtype.itemsize != dtype.itemsize * int(np.prod(shape)):
            raise ValueError(f"expected bytes without nulls for {shape} of {dtype}")
        return (
            np.frombuffer(values.tobytes(), dtype).reshape(whole) if values.dtype.itemsize else np.zeros(whole, dtype)
        )
    if values.dtype != dtype or (held.null_count and dtype.kind not in "mM"):
        raise ValueError(f"expected values of {dtype}, found {held.type}")
    if (mask := held.mask()) is not None:
        values = np.where(mask, np.array("NaT", dtype), values)
    return values.reshape(whole)
