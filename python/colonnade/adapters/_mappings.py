"""Mappings of labels to columns: NumPy arrays, lists, single values, or the Series of a library."""

import importlib
from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any

import numpy as np

from ..errors import EncodeError, InputError
from . import find_adapter, load_adapter

_MADE_BY = {"pandas": "DataFrame", "polars": "DataFrame", "pyarrow": "table"}
"""The libraries whose Series a mapping may hold, and what makes a table of such a mapping."""


def to_frame(obj: Mapping[Any, Any], options: Mapping[str, Any]) -> Any:
    """A core frame of a mapping.

    Parameters
    ----------
    obj
        Labels and columns of one length. A column is a 1-D NumPy array, a list, tuple or range, or a single value that
        every row gets. A mapping with Series of pandas or polars, or Arrays of pyarrow, becomes what their own
        constructor makes of it: pandas aligns the rows by their labels.

    Raises
    ------
    EncodeError
        Columns of different lengths, or a column that cannot be kept; with its label.
    """
    of_arrays = load_adapter("numpy")
    obj = _held(obj)
    if all(type(column) is np.ndarray for column in obj.values()):
        return of_arrays.to_frame(obj)
    library = _library_of(obj)
    if library is not None:
        return library.to_frame(_table(library.LIBRARY, obj), options=options)
    columns = {label: _listed(column) for label, column in obj.items()}
    nrows = _length(columns)
    return of_arrays.from_columns({label: _column(label, column, nrows) for label, column in columns.items()})


def _held(obj: Mapping[Any, Any]) -> dict[Any, Any]:
    """The columns as they are now: a column that is iterated, or another thread, may change the mapping.

    Raises
    ------
    InputError
        The mapping has a label without a column, or one that cannot be looked up.
    """
    if type(obj) is dict:
        return dict(obj)
    held = {}
    for label in obj:
        try:
            held[label] = obj[label]
        except (KeyError, IndexError, TypeError) as error:
            raise InputError(
                f"data: expected a mapping with a column for each label, found none for {label!r} "
                f"({type(error).__name__}: {error}). Pass a dict."
            ) from error
    return held


def _library_of(obj: Mapping[Any, Any]) -> ModuleType | None:
    """The adapter of the library whose Series are among the columns, if there are any.

    Raises
    ------
    EncodeError
        Series of two libraries.
    """
    found: dict[str, tuple[Any, ModuleType]] = {}
    for label, column in obj.items():
        adapter = None if isinstance(column, np.ndarray) else find_adapter(column)
        if adapter is not None and getattr(adapter, "LIBRARY", None) in _MADE_BY:
            found.setdefault(adapter.LIBRARY, (label, adapter))
    if len(found) > 1:
        (one, (label, _)), (other, (second, _)) = list(found.items())[:2]
        raise InputError(
            f"data: expected columns of one library, found {label!r} of {one} and {second!r} of {other}. "
            "Convert one of them first."
        )
    return next(iter(found.values()))[1] if found else None


def _table(library: str, obj: Mapping[Any, Any]) -> Any:
    """What the library's own constructor makes of the mapping.

    Raises
    ------
    EncodeError
        The constructor refuses it.
    """
    make = getattr(importlib.import_module(library), _MADE_BY[library])
    try:
        return make(dict(obj))
    except BaseException as error:
        # A panic of polars is no Exception.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise EncodeError(f"data: {library}.{_MADE_BY[library]} refuses these columns: {error}") from error


def _listed(column: Any) -> Any:
    """Lists for tuples, ranges and other iterables; arrays and single values as they are."""
    if isinstance(column, np.ndarray | str | bytes | Mapping) or not isinstance(column, Iterable):
        return column
    return list(column)


def _length(columns: Mapping[Any, Any]) -> int:
    """The number of rows: that of the first column with a length; 1 where all columns are single values."""
    first: tuple[Any, int] | None = None
    for label, column in columns.items():
        if isinstance(column, list) or (isinstance(column, np.ndarray) and column.ndim):
            if first is None:
                first = label, len(column)
            elif len(column) != first[1]:
                raise InputError(
                    f"data: column {label!r}: expected {first[1]:,} rows, as column {first[0]!r} has, found "
                    f"{len(column):,}. Make them equal."
                )
    return 1 if first is None else first[1]


def _column(label: Any, column: Any, nrows: int) -> Any:
    """A column as `from_columns` of NumPy's adapter takes it."""
    from ._row_types import Misfit, first_column

    if isinstance(column, np.ndarray) and column.ndim:
        return column
    if isinstance(column, np.generic | np.ndarray):  # a single value of a NumPy type
        return np.full(nrows, column)
    try:
        return first_column(column if isinstance(column, list) else [column] * nrows)[1]
    except Misfit as misfit:
        raise EncodeError(f"data: column {label!r}, row {misfit.position:,}: {misfit.text}") from None
