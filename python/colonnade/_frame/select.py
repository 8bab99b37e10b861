"""Resolves selections: labels to positions, slices to (start, stop)."""

import datetime as dt
from collections.abc import Iterable
from typing import Any

import numpy as np

from .._errors import not_found
from .._io.nearest import nearest
from ..errors import OptionError
from .axes import Labels
from .field_paths import Chosen, Paths, Steps, combine

_NAN = object()
_NAT = object()


class Columns:
    """Finds columns by label, and places within them by path. Built once a frame, on the first look-up; a look-up then
    costs one hash.
    """

    def __init__(self, labels: Labels, paths: Paths | None = None) -> None:
        self._labels = labels
        self._paths = paths
        self._depth = labels.depth
        self._positions_by_depth: dict[int, dict[Any, list[int]]] = {}

    def positions(self, columns: Any) -> list[int]:
        """The positions of `columns` (a label, or an iterable of labels), in the requested order.

        A tuple is one label if the columns are hierarchical; a shorter one is a group. Otherwise a tuple is a sequence
        of labels. A repeated label selects all its columns.

        Raises
        ------
        ColumnNotFound
            An unknown label; the message has the nearest ones.
        """
        if self.is_label(columns):
            return self.of(columns)
        found: list[int] = []
        names = self._table(1) if self._depth == 1 else {}
        for label in columns:
            # Names, of which there may be thousands, are their own keys.
            found += (names.get((label,)) if type(label) is str else None) or self.of(label)
        return found

    def chosen(self, columns: Any) -> Chosen:
        """As `positions`; text that is no label may be a path into a nested column, see `colonnade._frame.field_paths`.

        Raises
        ------
        ColumnNotFound
            An unknown label or path; the message has the nearest ones.
        """
        names = self._table(1) if self._depth == 1 else {}
        positions: list[int] = []
        parts: dict[int, Steps] = {}  # by place among `positions`
        for label in [columns] if self.is_label(columns) else columns:
            # Names, of which there may be thousands, are their own keys.
            found = names.get((label,)) if type(label) is str else None
            if found is None and (leads := self._leads(label)):
                for position, steps in leads:
                    parts[len(positions)] = steps
                    positions.append(position)
            else:
                positions += found or self.of(label)
        return combine(positions, parts)

    def _leads(self, label: Any) -> list[tuple[int, Steps]]:
        """The columns that a path leads into."""
        if self._paths is None or self._depth > 1 or not isinstance(label, str):
            return []
        name = str.__str__(label)  # a subclass may have no hash
        return [] if self._named(name) else self._paths.find(name, self._named)

    def _named(self, name: str) -> list[int]:
        return self._table(1).get((name,), [])

    def is_label(self, columns: Any) -> bool:
        """Whether `columns` is one label rather than several."""
        if isinstance(columns, tuple):
            return self._depth > 1
        if isinstance(columns, np.ndarray) and not columns.ndim:  # it has __iter__, and cannot be iterated
            return True
        return isinstance(columns, str | bytes | np.generic) or not isinstance(columns, Iterable)

    def of(self, label: Any) -> list[int]:
        """The positions of one label or group."""
        parts = label if isinstance(label, tuple) and self._depth > 1 else (label,)
        if not 1 <= len(parts) <= self._depth:
            message = f"column {label!r} is not there: labels here have {self._depth} levels, found {len(parts)}."
            raise not_found(message, label)
        try:
            found = self._table(len(parts)).get(tuple(map(_key, parts)))
        except (TypeError, ValueError):  # a label without a hash, or one that compares in a way of its own
            kind = type(label).__name__
            raise TypeError(f"columns: expected labels, found a {kind} among them. Pass a list of labels.") from None
        if found is None:
            raise not_found(self._message(label), label)
        return found

    def is_whole(self, label: Any) -> bool:
        """Whether `label` names all levels, and so is a column rather than a group."""
        return self._depth == 1 or (isinstance(label, tuple) and len(label) == self._depth)

    def _table(self, nlevels: int) -> dict[Any, list[int]]:
        by_key = self._positions_by_depth.get(nlevels)
        if by_key is None:
            by_key = {}
            columns = [_keys(self._labels.level(i)) for i in range(nlevels)]
            for position, key in enumerate(zip(*columns, strict=True)):
                by_key.setdefault(key, []).append(position)
            self._positions_by_depth[nlevels] = by_key
        return by_key

    def _message(self, label: Any) -> str:
        known = {str(other): repr(_display_label(other)) for other in self._labels}
        if self._depth > 1:
            known |= {str(other[0]): repr(_display_label(other[0])) for other in self._labels}
        if self._paths is not None and self._depth == 1 and isinstance(label, str):
            known |= {path: repr(path) for path in self._paths.near(label, self._named, list(known))}
        near = [known[text] for text in nearest(str(label), known)]
        if near:
            return f"column {label!r} is not there; nearest: {', '.join(near)}"
        shown = ", ".join(repr(_display_label(other)) for other in self._labels[:5])
        more = f", ... ({len(self._labels)} in all)" if len(self._labels) > 5 else ""
        return (
            f"column {label!r} is not there; columns: {shown}{more}"
            if shown
            else f"column {label!r} is not there; there are no columns"
        )


def row_range(rows: Any, nrows: int) -> tuple[int, int] | None:
    """(start, stop) of `rows`, a slice of positions as Python means it; None for all rows.

    Raises
    ------
    OptionError
        A slice with a step.
    TypeError
        Anything but a slice.
    """
    if rows is None:
        return None
    if not isinstance(rows, slice):
        advice = "Pass slice(n, n + 1) for one row" if isinstance(rows, int | np.integer) else "Pass slice(start, stop)"
        raise TypeError(f"rows: expected a slice of positions, found {type(rows).__name__}. {advice}.")
    try:
        start, stop, step = rows.indices(nrows)
    except TypeError:
        raise TypeError(
            f"rows: expected a slice of positions (ints), found {rows!r}. Labels are not looked up."
        ) from None
    if step != 1:
        raise OptionError(
            f"rows: expected a step of 1, found {step}. Read the range, then take every n-th row of the result."
        )
    return start, max(start, stop)


def _key(label: Any) -> Any:
    """The lookup key of `label`: the label itself, one key for all NaN, one for all NaT, and the instant of dates."""
    if type(label) is str:
        return label
    for method in ("to_datetime64", "to_timedelta64"):  # pandas' scalars know nanoseconds, their base classes do not
        if hasattr(label, method):
            label = getattr(label, method)()
    if isinstance(label, dt.date):
        zone = getattr(label, "tzinfo", None)
        if zone is not None:  # the moment in UTC, as the file holds it
            label = label.astimezone(dt.UTC).replace(tzinfo=None)  # type: ignore[attr-defined]
        label = np.datetime64(label)
    elif isinstance(label, dt.timedelta):
        label = np.timedelta64(label)
    if isinstance(label, np.datetime64 | np.timedelta64):
        return _NAT if np.isnat(label) else _moment(label)
    if type(label).__name__ == "NAType":
        return None
    if label != label:
        return _NAN
    return label.item() if isinstance(label, np.generic) and label.dtype.kind != "V" else label


def _moment(label: np.datetime64 | np.timedelta64) -> tuple[str, int]:
    """A key that is equal for equal moments of different units, which NumPy's own hash is not before version 2."""
    kind = label.dtype.kind
    unit, count = np.datetime_data(label.dtype)
    if kind == "M" and unit in "YM":
        label, unit, count = label.astype("M8[D]"), "D", 1
    scale = _ATTOSECONDS.get(unit)
    if scale is None:  # timedeltas of years, months or no unit compare with their own kind alone
        return kind + unit, int(label.view(np.int64)) * count
    return kind, int(label.view(np.int64)) * count * scale


_ATTOSECONDS = {"as": 1, "fs": 10**3, "ps": 10**6, "ns": 10**9, "us": 10**12, "ms": 10**15, "s": 10**18}
_ATTOSECONDS |= {"m": 60 * 10**18, "h": 3600 * 10**18, "D": 86400 * 10**18, "W": 7 * 86400 * 10**18}


def _keys(level: np.ndarray) -> list[Any]:
    if level.dtype.kind in "iubUS":
        found: list[Any] = level.tolist()
        return found
    return [_key(label) for label in (level if level.dtype.kind in "mM" else level.tolist())]


def _display_label(label: Any) -> Any:
    """A label for messages, with dates as text."""
    if isinstance(label, tuple):
        return tuple(_display_label(part) for part in label)
    return str(label) if isinstance(label, np.datetime64 | np.timedelta64) else label
