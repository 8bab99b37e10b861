"""Compares two frames by value (`equals`) or to the bit (`identical`), column by column, in chunks of rows."""

import importlib.util
import json

import numpy as np

from .._core import ArrowColumn, Axis, CoreFrame
from .._values import tagged_labels
from .._values.array_equality import chunks, same_arrays
from .._values.cells import cells_of
from .axes import arrow_values


def equal_frames(a: CoreFrame, b: CoreFrame, *, exact: bool) -> bool:
    """Values, dtypes, labels, names, attrs. `exact`: also bits of NaN and zero, and all that rebuilds the axes."""
    return (
        (a.nrows, a.ncols) == (b.nrows, b.ncols)
        and _equal_text(a.name, b.name, exact)
        and _equal_text(a.attrs, b.attrs, exact)
        and _equal_dtypes(a.dtypes(), b.dtypes())
        and _equal_axes(a.columns, b.columns, exact)
        and _equal_axes(a.index, b.index, exact)
        and _equal_data(a, b, exact)
    )


def _equal_dtypes(a: list[str], b: list[str]) -> bool:
    return a == b or list(map(arrow_name, a)) == list(map(arrow_name, b))


def _equal_data(a: CoreFrame, b: CoreFrame, exact: bool) -> bool:
    # All arrays at once: one by one, columns of a wide frame cost more to find than to compare.
    ours, theirs = a.arrays(), b.arrays()
    if [_width(part) for part in ours] != [_width(part) for part in theirs]:
        ours, theirs = _split(ours), _split(theirs)
    return all(_equal_columns(x, y, exact) for x, y in zip(ours, theirs, strict=True))


def _width(part: np.ndarray | ArrowColumn) -> int:
    return part.shape[1] if isinstance(part, np.ndarray) and part.ndim == 2 else 1


def _split(parts: list[np.ndarray | ArrowColumn]) -> list[np.ndarray | ArrowColumn]:
    columns: list[np.ndarray | ArrowColumn] = []
    for part in parts:
        columns.extend(part.T if isinstance(part, np.ndarray) and part.ndim == 2 else [part])
    return columns


def _equal_text(a: str | None, b: str | None, exact: bool) -> bool:
    """Tagged JSON: the same text, or the same value (the order of keys is not the value's).

    `exact`: 1, 1.0 and True are three values, as are 0.0 and -0.0, though Python calls them equal.
    """
    if (a or "null") == (b or "null"):
        return True
    if a is None or b is None:
        return False
    if exact:
        return json.dumps(json.loads(a), sort_keys=True) == json.dumps(json.loads(b), sort_keys=True)
    try:
        return bool(tagged_labels.decode(a) == tagged_labels.decode(b))
    except ValueError:  # arrays among the values: their text has been compared
        return False


def _equal_axes(a: Axis, b: Axis, exact: bool) -> bool:
    if len(a) != len(b) or a.depth != b.depth or not _equal_text(a.name, b.name, exact):
        return False
    if exact:
        alike = (a.cls, list(a.classes), a.is_auto) == (b.cls, list(b.classes), b.is_auto) and _equal_text(
            a.meta, b.meta, exact
        )
        if not alike:
            return False
    if a.is_auto and b.is_auto:
        return _range(a) == _range(b)
    same = _equal_columns if exact else _equal_labels
    return all(same(_level(a, i), _level(b, i), exact) for i in range(a.depth))


def _equal_labels(a: np.ndarray | ArrowColumn, b: np.ndarray | ArrowColumn, exact: bool) -> bool:
    """Compares labels as columns, except that the storage of text (`<U3`, `<U5`, Arrow's text) does not count."""
    texts = [_texts(level) for level in (a, b)]
    if texts[0] is not None and texts[1] is not None:
        return texts[0] == texts[1]
    return _equal_columns(a, b, exact)


def _texts(level: np.ndarray | ArrowColumn) -> list[object] | None:
    if isinstance(level, np.ndarray):
        return level.tolist() if level.dtype.kind == "U" else None
    text = level.type.endswith(("utf8", "utf8_view"))
    return cells_of(level).tolist() if text else None


def _range(axis: Axis) -> range:
    return range(*axis.range)


def _level(axis: Axis, i: int) -> np.ndarray | ArrowColumn:
    return np.arange(*axis.range, dtype=np.int64) if axis.is_auto else axis.level(i)


def _equal_columns(a: np.ndarray | ArrowColumn, b: np.ndarray | ArrowColumn, exact: bool) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return same_arrays(a, b, exact)
    if isinstance(a, ArrowColumn) and isinstance(b, ArrowColumn):
        same_tags = _equal_text(a.tag, b.tag, True) if exact else _equal_text(_meaning(a.tag), _meaning(b.tag), False)
        return same_tags and len(a) == len(b) and a.type == b.type and _equal_arrow(a, b, exact)
    if isinstance(a, ArrowColumn):
        return _equal_across(a, b, exact)  # type: ignore[arg-type]
    return _equal_across(b, a, exact)  # type: ignore[arg-type]


def _equal_across(column: ArrowColumn, values: np.ndarray, exact: bool) -> bool:
    """Compares values in Arrow's layout with values in a block. The layout does not count."""
    if (column.tag if exact else _meaning(column.tag)) is not None or arrow_name(values.dtype.str) != column.type:
        return False
    theirs = column.values()
    if column.null_count:
        if values.dtype.kind not in "mM":
            return False
        theirs = theirs.copy()
        theirs[column.mask()] = "NaT"
    return same_arrays(theirs, values.reshape(len(values)), exact)


def _meaning(tag: str | None) -> str | None:
    """The tag, without the nullability and metadata of a field."""
    return (
        None
        if tag is not None and '"kind":"field"' in tag and tagged_labels.decode(tag).get("kind") == "field"
        else tag
    )


def arrow_name(descr: str) -> str:
    """The name of the Arrow type that holds a NumPy dtype's values one by one; another dtype's descr as it is."""
    if descr[:1] == ">" or (len(descr) > 3 and descr[1] in "mM" and descr[4:-1] not in ("s", "ms", "us", "ns")):
        return "date32[day]" if descr == "<M8[D]" else descr
    name = _NAMES.get(descr[1:3])
    return descr if name is None else name + descr[3:]


_NAMES = {"b1": "bool", "f2": "halffloat", "f4": "float", "f8": "double", "M8": "timestamp", "m8": "duration"}
_NAMES |= {
    f"{kind}{size}": f"{word}{8 * size}" for kind, word in (("i", "int"), ("u", "uint")) for size in (1, 2, 4, 8)
}


def _equal_arrow(a: ArrowColumn, b: ArrowColumn, exact: bool) -> bool:
    if a.null_count != b.null_count:
        return False
    used = None
    if a.null_count:
        mask, other = a.mask(), b.mask()
        if mask is None or other is None or not np.array_equal(mask, other):
            return False
        used = ~mask
    kind = a.type
    if kind.startswith("dictionary"):
        return a.ordered == b.ordered and _equal_dictionaries(a, b, exact, used)
    if kind.startswith("struct") and _meaning(a.tag) is not None:
        names = a.child_names()
        # Values under a null parent do not count: pyarrow propagates the nulls to the children.
        if used is not None and importlib.util.find_spec("pyarrow") is not None:
            from .._values.nested_equality import equal_nested

            return names == b.child_names() and equal_nested(a, b, exact=exact)
        return names == b.child_names() and all(_equal_columns(a.child(name), b.child(name), exact) for name in names)
    try:
        x, y = a.values(), b.values()
    except TypeError:
        return _equal_objects(a, b, exact)
    return same_arrays(x, y, exact, used)


def _equal_dictionaries(a: ArrowColumn, b: ArrowColumn, exact: bool, used: np.ndarray | None) -> bool:
    known = a.categories(), b.categories()
    same_categories = len(known[0]) == len(known[1]) and _equal_columns(*known, exact)
    if same_categories or exact or a.ordered or _meaning(a.tag) is not None:
        return same_categories and same_arrays(a.codes(), b.codes(), exact, used)
    # Without a tag a dictionary is only an encoding: its entries and their order do not count.
    places: dict[object, int] = {}
    codes = []
    for column, categories in ((a, known[0]), (b, known[1])):
        cells = (_NAN if cell != cell else cell for cell in arrow_values(categories).tolist())
        place = np.array([places.setdefault(cell, len(places)) for cell in cells], dtype=np.int64)
        own = column.codes().astype(np.int64)
        codes.append(place[own if used is None else own[used]])
    return np.array_equal(codes[0], codes[1])


_NAN = object()


def _equal_objects(a: ArrowColumn, b: ArrowColumn, exact: bool) -> bool:
    """Text and bytes, a chunk at a time, so that a large column is never a large list; else nested columns."""
    if hasattr(a, "equals"):
        return bool(a.equals(b, exact))
    try:
        return all(
            bool((a.slice(r.start, r.stop).objects() == b.slice(r.start, r.stop).objects()).all())
            for r in chunks(len(a))
        )
    except TypeError:
        from .._values.nested_equality import equal_nested

        return equal_nested(a, b, exact=exact)
