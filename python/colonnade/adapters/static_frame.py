"""StaticFrame: Frame, FrameGO and FrameHE, with every index class and every name.

Arrays are shared without a copy both ways, because StaticFrame's arrays and the arrays of a core frame are immutable.
The names with a leading underscore are private to StaticFrame. For a version that lacks them, the adapter calls the
slower public constructors. The order of work is that of StaticFrame's `ArchiveFrameConverter.frame_decode`.
"""

from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np
import static_frame as sf

from .._core import ArrowColumn, Axis, CoreFrame, EncodeError, FrameBuilder
from .._values import tagged_labels
from ._arrow_columns import numpy_from_column
from ._object_columns import column_from_objects
from ._static_frame_axes import axis_from_index, hashable_name, index_from_axis, label_at

try:
    from arraykit import BlockIndex as _BlockIndex
except ImportError:  # Before static-frame 2.5, TypeBlocks had lists of shapes instead.
    _BlockIndex = None  # type: ignore[assignment, misc, unused-ignore]

BlockIndex: Any = _BlockIndex
LIBRARY = "static_frame"
WRITABLE = False

_CLASSES = {"Frame": sf.Frame, "FrameGO": sf.FrameGO, "FrameHE": sf.FrameHE}
_NAMES = {cls: name for name, cls in _CLASSES.items()}
_ORIGINS = {cls: f'{{"library":"static_frame","class":"{name}"}}' for cls, name in _NAMES.items()}
_CLASS_OF_ORIGIN = {origin: cls for cls, origin in _ORIGINS.items()}
_dtype_kind = attrgetter("dtype.kind")


def to_frame(obj: Any, *, options: dict[str, Any] | None = None) -> CoreFrame:
    """A core frame over the arrays of a StaticFrame Frame.

    Parameters
    ----------
    obj
        A `static_frame.Frame`, `FrameGO` or `FrameHE`.
    options
        None are known.

    Returns
    -------
    CoreFrame
        The blocks of the Frame, without a copy. Columns of dtype object become Arrow columns: of text, bytes or bools
        if all cells are of this kind or None, else of one MessagePack value per cell.

    Raises
    ------
    EncodeError
        An object that a mixed column cannot hold, a label or name of a type without a tag in tagged JSON, or a subclass
        of a Frame class.
    """
    origin = _ORIGINS.get(type(obj))
    if origin is None:
        raise EncodeError(
            f"static-frame: expected a Frame, FrameGO or FrameHE, found {type(obj).__qualname__}. "
            "Convert it with .to_frame() first."
        )
    columns = axis_from_index(obj.columns, "columns")
    nrows, ncols = obj.shape
    builder = FrameBuilder(nrows, ncols)
    arrays = _arrays(obj)
    # One set operation checks all arrays: a loop over 10,000 arrays would cost more than the rest of this function.
    if not {"O", "T"}.isdisjoint(map(_dtype_kind, arrays)):
        _add_one_by_one(builder, arrays, partial(_where, columns))
    else:
        builder.add_arrays(arrays, 0)
    name = tagged_labels.encode(obj.name)
    return builder.finish(axis_from_index(obj.index, "index"), columns, name, None, origin)


def from_frame(core: CoreFrame) -> Any:
    """A StaticFrame Frame over the arrays of `core`, not copied.

    Returns
    -------
    static_frame.Frame
        A frame of the class that it was written from; `Frame` if the file names no class.

    Raises
    ------
    EncodeError
        Labels that are not unique, or a column or label without a NumPy dtype (a time zone, a list...).
    """
    constructor = _constructor(core.origin)
    arrays: Any = core.arrays()
    if core.arrow_columns():
        arrays = _without_arrow(arrays, core)
    return constructor(
        _type_blocks(arrays, (core.nrows, core.ncols)),
        own_data=True,
        index=index_from_axis(core.index, "index", static=True, size=core.nrows),
        own_index=True,
        columns=index_from_axis(core.columns, "columns", static=constructor.STATIC, size=core.ncols),
        own_columns=True,
        name=hashable_name(tagged_labels.decode(core.name), "the frame"),
    )


def _arrays(frame: Any) -> list[np.ndarray]:
    """The blocks from left to right; the columns if this StaticFrame version stores its blocks elsewhere."""
    try:
        return list(frame._blocks._blocks)
    except AttributeError:
        return list(frame.iter_array(axis=0))


def _where(columns: Axis, position: int) -> str:
    return f"static-frame: column {label_at(columns, position)}"


def _add_one_by_one(builder: FrameBuilder, arrays: Sequence[np.ndarray], where: Callable[[int], str]) -> None:
    position = 0
    for array in arrays:
        if array.dtype.kind == "T":
            raise EncodeError(
                f"{where(position)}: expected text as `<U` or as objects, found numpy.dtypes.StringDType. "
                "Convert the column with .astype(str) first."
            )
        if array.dtype.kind != "O":
            position = builder.add_arrays([array], position)
            continue
        for column in array.T if array.ndim == 2 else (array,):
            builder.add_arrow(position, column_from_objects(column, where(position)))
            position += 1


def _without_arrow(arrays: Sequence[np.ndarray | ArrowColumn], core: CoreFrame) -> list[np.ndarray]:
    given: list[np.ndarray] = []
    position = 0
    for array in arrays:
        if isinstance(array, ArrowColumn):
            array = numpy_from_column(array, partial(_where, core.columns, position))
        given.append(array)
        position += array.shape[1] if array.ndim == 2 else 1
    return given


def _type_blocks(arrays: list[np.ndarray], shape: tuple[int, int]) -> Any:
    """TypeBlocks over these immutable arrays. `BlockIndex.register` is False for an array of no columns."""
    if arrays and BlockIndex is not None:
        index = BlockIndex()
        if all(map(index.register, arrays)):
            try:
                return sf.TypeBlocks(blocks=arrays, index=index)
            except TypeError:  # Another version has another signature.
                pass
    return sf.TypeBlocks.from_blocks(arrays, shape_reference=shape)


def _constructor(origin: str | None) -> Any:
    if origin is None:
        return sf.Frame
    known = _CLASS_OF_ORIGIN.get(origin)
    if known is not None:
        return known
    # The same JSON object with other spacing or order, or the origin of another library.
    decoded = tagged_labels.decode(origin)
    if isinstance(decoded, dict) and decoded.get("library") == LIBRARY:
        return _CLASSES.get(str(decoded.get("class")), sf.Frame)
    return sf.Frame
