"""NumPy: 2-D arrays, 1-D arrays, structured arrays, and mappings of 1-D arrays.

`to_frame` copies no array, whatever its strides. A 2-D array becomes one block. A field of a structured array becomes
one strided column. `from_frame` makes a 2-D array as a view of its block, and a structured array with one copy.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from .._core import ArrowColumn, Axis, CoreFrame, EncodeError, FrameBuilder, InputError
from .._values import tagged_labels
from ._arrow_columns import numpy_from_level
from ._numpy_fields import assemble_structured, describe_dtype, restore_dtype
from ._numpy_masked import column_from_masked, column_from_subarray
from ._numpy_read import read_matrix, read_vectors
from ._object_columns import column_from_objects, level_from_labels
from ._string_dtype import column_from_string_dtype

LIBRARY = "numpy"
WRITABLE = False


def to_frame(obj: Any, *, options: dict[str, Any] | None = None) -> CoreFrame:
    """A core frame over NumPy arrays.

    Parameters
    ----------
    obj
        A 2-D array, shape (nrows, ncols); a 1-D array, shape (nrows,), as one column; a 1-D structured array, with one
        column for each field; or a mapping of labels to 1-D arrays of one length.
    options
        None are known.

    Returns
    -------
    CoreFrame
        The frame shares the arrays without a copy. Columns of dtype object become Arrow columns: of text, bytes or
        bools if all cells are of this kind or None, else of one MessagePack value per cell. The frame drops the padding
        bytes of a structured array and the values under a mask, because they are not data.

    Raises
    ------
    EncodeError
        A subclass other than masked arrays and records, a shape of 0 or more than 2 dimensions, fields of fields, a
        masked field with a shape, an object that a mixed column cannot keep.
    """
    if isinstance(obj, Mapping):
        return from_columns(obj)
    _check_class(obj, "numpy")
    if obj.dtype.names is not None:
        return _from_structured(obj)
    if obj.ndim not in (1, 2):
        raise InputError(
            f"numpy: expected an array of 1 or 2 dimensions, found shape {obj.shape}. "
            "Reshape it to (rows, columns) first."
        )
    nrows, ncols = obj.shape if obj.ndim == 2 else (obj.shape[0], 1)
    builder = FrameBuilder(nrows, ncols)
    if obj.dtype.kind in "OT" or isinstance(obj, np.ma.MaskedArray):
        for position, column in enumerate(obj.T if obj.ndim == 2 else (obj,)):
            _add_column(builder, position, column, partial("numpy: column {}".format, position))
    elif ncols:
        builder.add_block(obj.reshape(1, nrows) if obj.ndim == 1 else obj.T, range(ncols))
    origin = {"library": LIBRARY, "class": f"{obj.ndim}d", "dtype": describe_dtype(obj.dtype)}
    if obj.ndim == 2:
        # A view that is packed in neither order has no order to restore.
        origin["order"] = "C" if obj.flags.c_contiguous else "F" if obj.flags.f_contiguous else "K"
    if isinstance(obj, np.ma.MaskedArray):
        origin["masked"] = True
    axes = (Axis.auto(0, nrows, 1), Axis.auto(0, ncols, 1))
    return builder.finish(*axes, "null", None, tagged_labels.encode(origin))


def from_frame(core: CoreFrame) -> Any:
    """Restores the NumPy object that `core` was written from.

    A frame of another library becomes a 2-D array, shape (nrows, ncols), if all columns have one dtype. Otherwise it
    becomes a structured array with the column labels as field names.

    Returns
    -------
    numpy.ndarray or dict
        Read-only arrays. They are views if the frame already holds them in the right layout.

    Raises
    ------
    EncodeError
        Columns of several dtypes whose labels are not text, or a column without a suitable NumPy dtype.
    """
    origin = _origin(core)
    kind = origin.get("class")
    if kind == "1d" and core.ncols == 1:
        return read_vectors(core)[0]
    if kind == "2d" and "dtype" in origin:
        dtype = restore_dtype(origin["dtype"])
        if all(found == dtype.str for found in core.dtypes()) or dtype.kind in "OT":
            return read_matrix(core, dtype, origin.get("order", "C"))
        if origin.get("masked"):
            vectors = read_vectors(core)
            if {vector.dtype for vector in vectors} == {dtype}:
                return read_matrix(core, dtype, origin.get("order", "C"), vectors)
    if kind == "mapping":
        return dict(zip(_labels_of(core.columns), read_vectors(core), strict=True))
    if kind == "structured":
        whole = restore_dtype(origin["dtype"]) if "dtype" in origin else None
        if whole is not None and list(whole.names or ()) == _labels_of(core.columns):
            values = assemble_structured(read_vectors(core), whole, core.nrows)
            return values.view(np.recarray) if origin.get("record") else values
        return _structured(core, read_vectors(core))
    return array_from_frame(core)


# --------------------------------------------------------------------------- to the core


def from_columns(columns: Mapping[Any, Any]) -> CoreFrame:
    """A core frame of labels and columns of one length: 1-D arrays, and columns in Arrow's layout.

    Raises
    ------
    EncodeError
        Another class, another shape, or another length; with the column's label.
    """
    nrows: int | None = None
    for label, column in columns.items():
        if not isinstance(column, ArrowColumn):
            _check_vector(column, f"numpy: column {label!r}")
        if nrows is None:
            nrows = len(column)
        elif len(column) != nrows:
            raise InputError(
                f"numpy: column {label!r}: expected {nrows} rows, as in the columns before, found {len(column)}. "
                "Make them equal."
            )
    builder = FrameBuilder(nrows or 0, len(columns))
    for position, (label, column) in enumerate(columns.items()):
        if isinstance(column, ArrowColumn):
            builder.add_arrow(position, column)
        else:
            _add_column(builder, position, column, partial("numpy: column {!r}".format, label))
    labels = Axis.levels([level_from_labels(list(columns), "numpy: column labels")], ["Index"])
    return builder.finish(Axis.auto(0, nrows or 0, 1), labels, "null", None, '{"library":"numpy","class":"mapping"}')


def _check_vector(array: Any, where: str) -> None:
    _check_class(array, where)
    if array.ndim != 1 or array.dtype.names is not None:
        found = "a structured array" if array.dtype.names is not None else f"shape {array.shape}"
        raise EncodeError(f"{where}: expected a plain 1-D array, found {found}. Give each column an array of its own.")


def _from_structured(obj: np.ndarray) -> CoreFrame:
    if obj.ndim != 1:
        raise InputError(
            f"numpy: expected a structured array of 1 dimension, found shape {obj.shape}. "
            "Flatten it with .ravel() first."
        )
    names = obj.dtype.names or ()
    for name in names:
        field = obj.dtype[name]
        if field.names is not None:
            raise EncodeError(
                f"numpy: field {name!r}: expected a scalar dtype, found fields of its own. "
                "Split it into plain fields first."
            )
    builder = FrameBuilder(len(obj), len(names))
    plain = obj if isinstance(obj, np.ma.MaskedArray) else obj.view(np.ndarray)
    for position, name in enumerate(names):
        _add_column(builder, position, plain[name], partial("numpy: field {!r}".format, name))
    origin: dict[str, Any] = {"library": LIBRARY, "class": "structured", "dtype": describe_dtype(obj.dtype)}
    if isinstance(obj, np.recarray):
        origin["record"] = True
    columns = Axis.levels([level_from_labels(list(names), "numpy: field names")], ["Index"])
    return builder.finish(Axis.auto(0, len(obj), 1), columns, "null", None, tagged_labels.encode(origin))


def _add_column(builder: FrameBuilder, position: int, values: np.ndarray, where: Callable[[], str]) -> None:
    if values.ndim > 1 and isinstance(values, np.ma.MaskedArray):
        raise EncodeError(
            f"{where()}: expected a subarray without a mask, found a masked one. Split it into plain fields."
        )
    if values.ndim > 1:
        builder.add_arrow(position, column_from_subarray(values, where()))
    elif isinstance(values, np.ma.MaskedArray):
        builder.add_arrow(position, column_from_masked(values, where()))
    elif values.dtype.kind == "O":
        builder.add_arrow(position, column_from_objects(values, where()))
    elif values.dtype.kind == "T":
        builder.add_arrow(position, column_from_string_dtype(values, where()))
    else:
        builder.add_arrays([values], position)


def _check_class(obj: Any, where: str) -> None:
    if type(obj) not in (np.ndarray, np.memmap, np.ma.MaskedArray) and not (
        isinstance(obj, np.recarray) and obj.dtype.names is not None
    ):
        raise EncodeError(
            f"{where}: expected a NumPy array, found {type(obj).__qualname__}. Wrap it in numpy.asarray() first."
        )


# --------------------------------------------------------------------------- from the core


def _origin(core: CoreFrame) -> dict[str, Any]:
    if core.origin is None:
        return {}
    origin = tagged_labels.decode(core.origin)
    return origin if isinstance(origin, dict) and origin.get("library") == LIBRARY else {}


def _labels_of(axis: Axis) -> list[Any]:
    """The labels as Python objects; tuples if there are several levels."""
    if axis.is_auto:
        start, _, step = axis.range
        return list(range(start, start + len(axis) * step, step))
    levels = [_level(axis, level) for level in range(axis.depth)]
    return levels[0] if len(levels) == 1 else list(zip(*levels, strict=True))


def _level(axis: Axis, level: int) -> list[Any]:
    labels = axis.level(level)
    if isinstance(labels, ArrowColumn):
        labels = numpy_from_level(labels, lambda: "numpy: column labels")
    cells: list[Any] = labels.tolist()
    return cells


def array_from_frame(core: CoreFrame) -> np.ndarray:
    """Converts a frame of any origin: to a 2-D array for one dtype, to a structured array for several."""
    blocks, arrow = core.blocks(), core.arrow_columns()
    if not arrow:
        dtypes = {values.dtype for values, _ in blocks}
        if len(dtypes) <= 1:
            return read_matrix(core, dtypes.pop() if dtypes else np.dtype(np.float64), "K")
    vectors = read_vectors(core)
    dtypes = {values.dtype for values in vectors}
    if len(dtypes) == 1 and all(values.ndim == 1 for values in vectors):
        return read_matrix(core, dtypes.pop(), "K", vectors)
    return _structured(core, vectors)


def _structured(core: CoreFrame, vectors: list[np.ndarray]) -> np.ndarray:
    labels = _labels_of(core.columns)
    for label in labels:
        if type(label) is not str:
            raise EncodeError(
                "numpy: expected column labels that are text, since the columns have several dtypes and become fields, "
                f"found {label!r}. Select columns of one dtype, or rename the columns."
            )
    if len(set(labels)) < len(labels):
        twice = next(label for label in labels if labels.count(label) > 1)
        raise EncodeError(
            f"numpy: expected labels that are unique as field names, found {twice!r} twice. Rename the columns."
        )
    # A list of fields would rename a field with an empty name to "f0". A dict keeps the empty name.
    dtype = np.dtype({"names": labels, "formats": [(values.dtype, values.shape[1:]) for values in vectors]})
    return assemble_structured(vectors, dtype, core.nrows)
