"""Converts StaticFrame's indices to the axes of a core frame, and back.

`Axis.cls` and `Axis.classes` are StaticFrame's own class names ("IndexYearMonth", "IndexHierarchyGO"), so the adapter
does not translate them. An index that StaticFrame itself does not store (`loc_is_iloc`: its labels are the positions)
is an automatic axis.
"""

from typing import Any

import numpy as np
import static_frame as sf

from .._core import ArrowColumn, Axis, ColonnadeError, DecodeError, EncodeError
from .._values import tagged_labels
from ._arrow_columns import numpy_from_level
from ._index_classes import DATED
from ._object_columns import level_from_labels

try:
    from static_frame.core.util import PositionsAllocator
except ImportError:
    PositionsAllocator = None

_LEVEL_CLASSES = {
    name: getattr(sf, name) for stem in ("Index", *DATED.values()) for name in (stem, stem + "GO") if hasattr(sf, name)
}
_CLASSES = _LEVEL_CLASSES | {name: getattr(sf, name) for name in ("IndexHierarchy", "IndexHierarchyGO")}
_NAMES = {cls: name for name, cls in _CLASSES.items()}
_BY_DTYPE = {np.dtype(f"M8[{unit}]"): name for unit, name in DATED.items()}


# --------------------------------------------------------------------------- to the core


def axis_from_index(index: Any, side: str) -> Axis:
    """The axis of a StaticFrame index; `side` ("index" or "columns") is for messages."""
    cls = _class_name(type(index), side)
    name = tagged_labels.encode(index.name)
    if index.depth > 1:
        return _hierarchy(index, cls, name, side)
    labels = index.values  # `values` first updates an IndexGO.
    if getattr(index, "_map", True) is None:
        return Axis.auto(0, len(labels), 1, cls, name)
    return Axis.levels([_level(labels, side)], [cls], cls, name)


def _hierarchy(index: Any, cls: str, name: str, side: str) -> Axis:
    depth = index.depth
    levels = [_level(index.values_at_depth(level), f"{side}, level {level}") for level in range(depth)]
    # `index.index_types` makes labels of a name like ("a", "a"), and fails because they are not unique.
    level_indices = [index.index_at_depth(level) for level in range(depth)]
    classes = [_class_name(type(level), side) for level in level_indices]
    # Only `index_at_depth` gives the names of the levels. The hierarchy's own name may differ from them.
    level_names = [level.name for level in level_indices]
    meta = None if all(part is None for part in level_names) else tagged_labels.encode({"level_names": level_names})
    return Axis.levels(levels, classes, cls, name, meta)


def _level(labels: np.ndarray, where: str) -> np.ndarray | ArrowColumn:
    return level_from_labels(labels, f"static-frame: {where}") if labels.dtype.kind == "O" else labels


def _class_name(cls: type, side: str) -> str:
    name = _NAMES.get(cls)
    if name is None:
        raise EncodeError(
            f"static-frame: {side}: expected one of StaticFrame's own index classes, found {cls.__qualname__}. "
            "Convert it with .relabel() first."
        )
    return name


# --------------------------------------------------------------------------- from the core


def index_from_axis(axis: Axis, side: str, *, static: bool, size: int) -> Any:
    """The index of an axis, mutable (GO) unless `static`."""
    name = hashable_name(tagged_labels.decode(axis.name), side)
    try:
        if axis.is_auto:
            return _automatic(axis, name, static, size)
        if axis.depth == 1:
            labels = _labels_of(axis, 0, side)
            return _class(_fitting(axis.cls, labels, side), static)(labels, name=name)
        return _from_levels(axis, name, side, static)
    except sf.ErrorInitIndex as error:  # mostly duplicate labels
        raise EncodeError(
            f"static-frame: {side}: expected labels that are unique, found labels that StaticFrame refuses: {error} "
            "Read the file with to_pandas() or to_numpy() instead."
        ) from error
    except (ColonnadeError, ImportError):
        raise
    except (TypeError, ValueError) as error:  # an unhashable label
        label = next((label for level in _levels_of(axis, side) for label in level if not _is_hashable(label)), None)
        raise EncodeError(
            f"static-frame: {side}: expected labels that StaticFrame takes, found "
            f"{f'{label!r:.60}' if label is not None else 'labels that it refuses'} ({error}). "
            "Read the file with to_pandas() or to_numpy() instead."
        ) from error


def _automatic(axis: Axis, name: Any, static: bool, size: int) -> Any:
    start, _, step = axis.range
    plain = _class("Index", static)
    if start == 0 and step == 1:
        return plain(_positions(size), loc_is_iloc=True, name=name)
    labels = np.arange(start, start + size * step, step, dtype=np.int64)
    labels.flags.writeable = False
    return plain(labels, name=name)


def _positions(size: int) -> np.ndarray:
    """0, 1, 2... as one array that StaticFrame shares among all its indices."""
    if PositionsAllocator is not None:
        shared: np.ndarray = PositionsAllocator.get(size)
        return shared
    labels = np.arange(size, dtype=np.int64)
    labels.flags.writeable = False
    return labels


def _from_levels(axis: Axis, name: Any, side: str, static: bool) -> Any:
    depth = axis.depth
    levels = [_labels_of(axis, level, f"{side}, level {level}") for level in range(depth)]
    stored = axis.classes
    classes = [_class(_fitting(stored[level], levels[level], side), static) for level in range(depth)]
    level_names = _level_names(axis)
    constructors = (
        classes if level_names is None else [_named(cls, part) for cls, part in zip(classes, level_names, strict=True)]
    )
    hierarchy = _CLASSES["IndexHierarchy" if static else "IndexHierarchyGO"]
    if hasattr(hierarchy, "_from_type_blocks"):
        blocks = sf.TypeBlocks.from_blocks(levels)
        index = hierarchy._from_type_blocks(blocks, name=name, index_constructors=constructors, own_blocks=True)
    else:
        index = hierarchy.from_labels(zip(*levels, strict=True), name=name, index_constructors=constructors)
    # For a hierarchy without a name, StaticFrame makes a name of the levels' names.
    return index.rename(None) if name is None and index.name is not None else index


def _labels_of(axis: Axis, level: int, where: str) -> np.ndarray:
    labels = axis.level(level)
    if isinstance(labels, ArrowColumn):
        return numpy_from_level(labels, lambda: f"static-frame: {where}")
    return labels


def _fitting(cls: str, labels: np.ndarray, side: str) -> str:
    """The stored class if StaticFrame has it. Labels of other libraries get the class for their dtype."""
    if cls in _LEVEL_CLASSES and cls not in ("Index", "IndexGO"):
        # StaticFrame would convert any labels to times.
        if _BY_DTYPE.get(labels.dtype.newbyteorder("=")) != cls.removesuffix("GO"):
            raise DecodeError(
                f"static-frame: {side}: the class {cls} does not fit labels of {labels.dtype}. "
                "Read the file with to_pandas() or to_numpy() instead."
            )
        return cls
    if labels.dtype.kind != "M":
        return "Index"
    found = _BY_DTYPE.get(labels.dtype.newbyteorder("="))
    if found is None:
        raise EncodeError(
            f"static-frame: {side}: expected datetime64 labels of a unit that has an index class "
            f"({', '.join(DATED)}), found {labels.dtype}. Convert the labels first."
        )
    return found


def _class(name: str, static: bool) -> Any:
    stem = name.removesuffix("GO")
    return _CLASSES[stem if static else stem + "GO"]


def _named(cls: Any, name: Any) -> Any:
    def construct(labels: Any) -> Any:
        return cls(labels, name=name)

    return construct


def _level_names(axis: Axis) -> list[Any] | None:
    if axis.meta is None:
        return None
    meta = tagged_labels.decode(axis.meta)
    names = meta.get("level_names") if isinstance(meta, dict) else None
    return names if isinstance(names, list) and len(names) == axis.depth else None


def hashable_name(name: Any, side: str) -> Any:
    """A name that StaticFrame accepts. A list, which other libraries allow as a name, becomes a tuple.

    Raises
    ------
    EncodeError
        A name that cannot be hashed, such as a dict.
    """
    found = _hashable(name)
    if not _is_hashable(found):
        raise EncodeError(
            f"static-frame: name of {side}: expected a name that can be hashed, found {name!r:.60}. "
            "Read the file with to_arrow() or to_numpy(), or write it again with another name."
        )
    return found


def _hashable(name: Any) -> Any:
    return tuple(map(_hashable, name)) if isinstance(name, list | tuple) else name


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except (TypeError, ValueError):  # ValueError: a timedelta64 without a unit
        return False
    return True


def _levels_of(axis: Axis, side: str) -> list[list[Any]]:
    return [] if axis.is_auto else [_labels_of(axis, level, side).tolist() for level in range(axis.depth)]


def label_at(axis: Axis, position: int) -> str:
    """The label at `position`, for messages."""
    if axis.is_auto:
        start, _, step = axis.range
        return repr(start + position * step)
    parts = [_cell(axis.level(level), position) for level in range(axis.depth)]
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"


def _cell(level: np.ndarray | ArrowColumn, position: int) -> str:
    if isinstance(level, ArrowColumn):
        return repr(numpy_from_level(level.slice(position, position + 1), lambda: "label")[0])
    return repr(level[position].item()) if level.dtype.kind in "biufcUS" else str(level[position])
