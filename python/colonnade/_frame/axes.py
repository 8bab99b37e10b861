"""Labels of one axis of a frame: a read-only view that decodes labels on access."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np

from .._core import ArrowColumn, Axis, ColonnadeError, DecodeError
from .._values import tagged_labels
from .._values.cells import display_cells, object_array
from .._values.terminal_text import label_text

Positions = range | list[int]


class Labels:
    """The labels of one axis, a read-only view: ``len(labels)``, iteration, ``labels[i]``, `names`, `to_numpy`.

    Iteration returns Python values (``str``, ``int``, ``float``, ``bytes``...). Dates and times are
    ``numpy.datetime64`` and ``numpy.timedelta64``, which keep their unit. A null is None. A label of several levels is
    a tuple.

    Examples
    --------
    >>> import colonnade as cn, numpy as np
    >>> frame = cn.Frame({"a": np.array([1, 2]), "b": np.array([3.0, 4.0])})
    >>> list(frame.columns), frame.columns[-1], len(frame.index)
    (['a', 'b'], 'b', 2)
    """

    __slots__ = ("_axis", "_positions", "_values")

    def __init__(self, axis: Axis, positions: Positions | None = None) -> None:
        self._axis = axis
        self._positions: Positions = range(len(axis)) if positions is None else positions
        self._values: list[Any] | None = None

    def __len__(self) -> int:
        return len(self._positions)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._all())

    def __getitem__(self, position: int | slice) -> Any:
        if isinstance(position, slice):
            return self._slice(self._positions[position])
        if self._values is not None:
            return self._values[position]
        return self._slice([self._positions[position]])[0]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Labels | Sequence) or isinstance(other, str | bytes):
            return NotImplemented
        return len(self) == len(other) and all(_labels_equal(a, b) for a, b in zip(self, other, strict=True))

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    @property
    def depth(self) -> int:
        """The number of levels."""
        return self._axis.depth

    @property
    def is_auto(self) -> bool:
        """Whether the labels are an automatic range, which is not stored."""
        return self._axis.is_auto

    @property
    def cls(self) -> str:
        """The class of the axis, as its library names it: ``Index``, ``IndexHierarchy``, ``DatetimeIndex``..."""
        return self._axis.cls

    @property
    def classes(self) -> list[str]:
        """The class of each level."""
        return list(self._axis.classes) or [self.cls] * self.depth

    @property
    def name(self) -> Any:
        """The name of the axis. An axis of several levels has one name or a tuple of names."""
        return tagged_labels.decode(self._axis.name)

    @property
    def names(self) -> list[Any]:
        """The name of each level, or None."""
        name = self.name
        if self.depth == 1:
            return [name]
        if isinstance(name, list | tuple) and len(name) == self.depth:
            return list(name)
        return [None] * self.depth

    @property
    def dtypes(self) -> list[str]:
        """The data type of each level."""
        if self.is_auto:
            return ["int64"]
        levels = (self._axis.level(i) for i in range(self.depth))
        return [dtype_text(level.dtype.str) if isinstance(level, np.ndarray) else level.type for level in levels]

    def to_numpy(self) -> np.ndarray:
        """Return the labels as a read-only array, which may share memory.

        One level is a 1-D array. Several levels are an array of objects of shape (len, depth).
        """
        if self.depth == 1:
            return self.level(0)
        columns = [_as_objects(self.level(i)) for i in range(self.depth)]
        out = np.empty((len(self), self.depth), dtype=object)
        for i, column in enumerate(columns):
            out[:, i] = column
        out.flags.writeable = False
        return out

    def tolist(self) -> list[Any]:
        """Return the labels as a list of Python values. Labels of several levels are tuples."""
        return list(self)

    def level(self, i: int) -> np.ndarray:
        """Return the labels of level `i` as a 1-D array. Text in Arrow's layout is an array of objects."""
        if self.is_auto:
            start, _, step = self._axis.range
            return np.asarray(self._positions, dtype=np.int64) * step + start
        level = self._axis.level(i)
        values = level if isinstance(level, np.ndarray) else arrow_values(level)
        return _take(values, self._positions)

    def __repr__(self) -> str:
        shown = [_label_repr(label) for label in (self[:8] if len(self) > 8 else self)]
        more = f", ... {len(self)} in all" if len(self) > 8 else ""
        name = "" if self.name is None else f", name={self.name!r}"
        return f"<{self.cls}: [{', '.join(shown)}{more}]{name}>"

    def _all(self) -> list[Any]:
        if self._values is None:
            self._values = self._slice(self._positions)
        return self._values

    def _slice(self, positions: Positions) -> list[Any]:
        part = Labels(self._axis, positions)
        columns = [_as_list(part.level(i)) for i in range(self.depth)]
        return columns[0] if self.depth == 1 else list(zip(*columns, strict=True))


def dtype_text(name: str) -> str:
    """The readable name of a NumPy descr: `<f8` is `float64`. `>f8`, `<U5` and Arrow's names are unchanged."""
    if name[:1] not in "<>|=":
        return name
    dtype = np.dtype(name)
    return dtype.name if dtype.isnative and dtype.kind not in "USV" else name


def arrow_values(column: ArrowColumn) -> np.ndarray:
    """A column in Arrow's layout as one array of plain values, None for null. For display, not for exactness."""
    try:
        return _arrow_values(column)
    except (ColonnadeError, ImportError, MemoryError):
        raise
    except Exception as error:
        raise DecodeError(
            f"arrow: expected a column ({column.type}) that its tag fits, found the tag {column.tag!s:.80}: {error} "
            "Read the data with to_arrow()."
        ) from error


def _arrow_values(column: ArrowColumn) -> np.ndarray:
    kind = column.type
    if column.tag is not None:
        # Labels of several Python types are stored as tagged JSON text, one per label.
        from ..adapters._object_columns import labels_from_level

        labels = labels_from_level(column)
        if labels is not None:
            return labels
    if kind.startswith("dictionary"):
        categories = _as_objects(arrow_values(column.categories()))
        codes = column.codes()
        out = np.empty(len(codes), dtype=object)
        known = codes >= 0
        out[known] = categories[codes[known]]
        return out
    if column.tag is not None and kind.startswith("struct") and column.child_names() == ["left", "right"]:
        # pandas' intervals: pairs, which can be labels.
        left, right = (_as_list(arrow_values(column.child(side))) for side in ("left", "right"))
        return object_array(list(zip(left, right, strict=True)))
    if not kind.startswith(PLAIN_TYPES):
        return display_cells(column)
    values = column.values()
    mask = column.mask()
    if mask is None:
        return values
    out = _as_objects(values)
    out[mask] = None
    return out


# Types that NumPy shows as they are. (`interval` begins with `int` too, so these are written out.)
_INTEGERS = ("int8", "int16", "int32", "int64", "uint")
PLAIN_TYPES = ("bool", *_INTEGERS, "half", "float", "double", "timestamp", "duration", "date32", "fixed_size_binary")


def _take(values: np.ndarray, positions: Positions) -> np.ndarray:
    if isinstance(positions, range):
        if positions.step == 1:
            return values[positions.start : positions.stop]
        positions = list(positions)
    return values[np.asarray(positions, dtype=np.intp)]


def _as_list(values: np.ndarray) -> list[Any]:
    # tolist() of datetimes gives datetime, date or int, depending on the unit: the unit would be lost.
    return list(values) if values.dtype.kind in "mM" else values.tolist()


def _as_objects(values: np.ndarray) -> np.ndarray:
    if values.dtype == object:
        return values
    out = np.empty(values.shape, dtype=object)
    out[:] = _as_list(values)
    return out


def _label_repr(label: Any) -> str:
    try:
        return repr(label)
    except ValueError:  # NumPy has no text for a moment without a unit
        return label_text(label)


def _labels_equal(a: Any, b: Any) -> bool:
    equal = a == b
    return bool(equal) or bool(a != a and b != b)
