"""Splits frames by the values of their key columns."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from .. import _core
from .._core import ArrowColumn
from .._frame.axes import arrow_values
from .._frame.frame import Frame
from ..errors import ColumnNotFound, EncodeError
from .hive import key_text


@dataclass(frozen=True)
class Split:
    """Splits frames by columns, which are left out of the pieces.

    Attributes
    ----------
    labels : tuple of str
        The key columns.
    types : dict
        Their types, as ``partition_types=`` takes them.
    columns : tuple of str or None
        The order of all columns; None without keys.
    """

    labels: tuple[str, ...]
    types: dict[str, str]
    columns: tuple[str, ...] | None

    @classmethod
    def of(cls, first: Frame, labels: Sequence[Hashable]) -> Split:
        """Splits frames that have the columns of `first`.

        Raises
        ------
        ColumnNotFound
            A key is no column.
        EncodeError
            The label of a column is not text, or the type of a key is not that of a name: floats, nested types.
        """
        for label in labels:
            try:
                first.select([label])
            except ColumnNotFound as error:
                raise ColumnNotFound(f"partition_by: {error}") from None
        if labels and (other := next((label for label in first if not isinstance(label, str)), None)) is not None:
            raise EncodeError(f"partition_by: expected column labels of text, found {other!r}.")
        if labels and len(labels) == len(list(first)):
            raise EncodeError("partition_by: expected a column that is no key, found only keys.")
        if not labels:
            return cls((), {}, None)
        core, at = first._load(), {label: i for i, label in enumerate(first)}
        types = {str(label): _key_type(str(label), core.column(at[label])) for label in labels}
        return cls(tuple(map(str, labels)), types, tuple(map(str, first)))

    def without_keys(self, frame: Frame) -> Frame:
        """The frame without the key columns."""
        return frame.select([label for label in frame if label not in self.labels])

    def pieces(self, frame: Frame) -> Iterator[tuple[tuple[str | None, ...], Frame]]:
        """Yield the texts of the keys, and the rows that have them, in the order of the texts."""
        if not self.labels:
            yield (), frame
            return
        if not len(frame):
            return
        core = frame._load()
        at = {label: i for i, label in enumerate(frame)}
        codes = np.zeros(core.nrows, np.int64)
        texts: list[list[str | None]] = []
        for label in self.labels:
            found, inverse = _coded(label, core.column(at[label]))
            codes = codes * len(found) + inverse
            texts.append(found)
        rest = core.select([i for label, i in at.items() if label not in self.labels])
        order = np.argsort(codes, kind="stable")
        values, starts = np.unique(codes[order], return_index=True)
        for value, rows in zip(values.tolist(), np.split(order, starts[1:]), strict=True):
            key: list[str | None] = []
            for found in reversed(texts):
                value, i = divmod(value, len(found))
                key.append(found[i])
            yield tuple(reversed(key)), Frame._make(_core.keep_rows(rest, rows))


def _coded(label: str, column: np.ndarray | ArrowColumn) -> tuple[list[str | None], np.ndarray]:
    """The texts of the different values, None for null, and which one each row has."""
    if isinstance(column, ArrowColumn) and _is_text(column.type):
        return _coded_cells(label, arrow_values(column))
    if isinstance(column, ArrowColumn) and column.type.startswith("dictionary<"):
        found, which = _coded(label, column.categories())
        codes = column.codes()
        # Null is the last one.
        return [*found, None], np.append(which, len(found))[codes]
    if isinstance(column, np.ndarray):
        values, mask = column, np.isnat(column) if column.dtype.kind in "mM" else None
    else:
        values, mask = column.values(), column.mask()
    if mask is None or not mask.any():
        different, places = np.unique(values, return_inverse=True)
        return _texts(label, different), places
    different, places = np.unique(values[~mask], return_inverse=True)
    which = np.full(len(values), len(different), np.int64)
    which[~mask] = places
    return [*_texts(label, different), None], which


def _coded_cells(label: str, cells: np.ndarray) -> tuple[list[str | None], np.ndarray]:
    codes: dict[str | None, int] = {}
    which = np.fromiter((codes.setdefault(cell, len(codes)) for cell in cells), np.int64, len(cells))
    return [None if cell is None else key_text(label, cell) for cell in codes], which


def _texts(label: str, values: np.ndarray) -> list[str | None]:
    return [key_text(label, value) for value in (values if values.dtype.kind in "mM" else values.tolist())]


def _key_type(label: str, column: np.ndarray | ArrowColumn) -> str:
    """The type of a key, as ``partition_types=`` takes it."""
    if isinstance(column, ArrowColumn) and column.type.startswith("dictionary<"):
        return _key_type(label, column.categories())
    if isinstance(column, ArrowColumn) and _is_text(column.type):
        return "str"
    if isinstance(column, np.ndarray) or column.type in _PRIMITIVE or _NAIVE.fullmatch(column.type):
        dtype = column.dtype if isinstance(column, np.ndarray) else column.values().dtype
        if dtype.kind == "U":
            return "str"
        if dtype.kind in "biu":
            return dtype.name
        if dtype.kind == "M":
            return "date" if np.datetime_data(dtype)[0] == "D" else f"M8[{np.datetime_data(dtype)[0]}]"
    found = column.type if isinstance(column, ArrowColumn) else column.dtype.name
    raise EncodeError(
        f"partition_by: column {label!r}: expected text, whole numbers, bools, dates or times without a zone, found "
        f"{found}. Cut it into ranges, or convert it to text, first."
    )


def _is_text(kind: str) -> bool:
    return kind in ("utf8", "large_utf8", "utf8_view")


_PRIMITIVE = {"bool", "date32[day]", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))}
_NAIVE = re.compile(r"timestamp\[(s|ms|us|ns)\]")
