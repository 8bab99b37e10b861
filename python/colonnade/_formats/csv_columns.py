"""Checks pandas' `header`, `index_col` and `dtype`, and converts them to options of the core."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from ..errors import OptionError

Header: TypeAlias = bool | int | Sequence[int] | None
IndexColumns: TypeAlias = bool | int | str | Sequence[int] | Sequence[str] | None

_TYPES = {str: "str", int: "int64", float: "float64", bool: "bool", bytes: "binary"}


def header_lines(header: Header) -> tuple[int, int]:
    """How many lines to skip before the names, and how many records hold names.

    Raises
    ------
    OptionError
        Neither True, False, None, the number of a line, nor the numbers of consecutive lines.
    """
    if header is None or isinstance(header, bool):
        return 0, int(bool(header))
    lines = [header] if isinstance(header, int) else list(header) if _is_list(header) else [-1]
    first = lines[0] if lines else -1
    if not all(_is_count(line) for line in lines) or lines != list(range(first, first + len(lines))) or first < 0:
        raise OptionError(
            "header: expected True, False, None, the number of a line from 0, or consecutive numbers such as [0, 1], "
            f"found {header!r}."
        )
    return first, len(lines)


def index_columns(index_col: Any) -> list[int] | list[str] | None:
    """The columns of row labels: positions, names or none.

    Raises
    ------
    OptionError
        Neither a position from 0, a name, a list of one of these, False nor None.
    """
    if index_col is None or index_col is False:
        return None
    columns: list[Any] = list(index_col) if _is_list(index_col) else [index_col]
    if not (all(isinstance(column, str) for column in columns) or all(_is_count(column) for column in columns)):
        raise OptionError(
            "index_col: expected a position from 0, a name, a list of positions or of names, False or None, found "
            f"{index_col!r}."
        )
    return columns or None


def dtype_names(dtype: Any) -> tuple[list[tuple[str, str]], str | None]:
    """The types of named columns, and the type of all others.

    Raises
    ------
    OptionError
        A name that is no text, or a type that is neither text, a NumPy or pandas dtype nor a class such as `str`.
    """
    if dtype is None:
        return [], None
    if not isinstance(dtype, Mapping):
        return [], dtype_name(dtype)
    wrong = next((name for name in dtype if not isinstance(name, str)), None)
    if wrong is not None:
        raise OptionError(f"dtype: expected names of columns as text, found {wrong!r}.")
    return [(name, dtype_name(one)) for name, one in dtype.items()], None


def dtype_name(dtype: Any) -> str:
    """The name of a dtype: its text, or the name that NumPy, pandas, polars and pyarrow print for it."""
    if isinstance(dtype, str):
        return dtype
    if isinstance(dtype, type) and dtype in _TYPES:
        return _TYPES[dtype]
    if isinstance(dtype, np.dtype) or (isinstance(dtype, type) and issubclass(dtype, np.generic)):
        return np.dtype(dtype).str
    if type(dtype).__module__.partition(".")[0] in ("pandas", "pyarrow"):
        return str(dtype)
    raise OptionError(
        f"dtype: expected a dtype, its name or a mapping of column names to these, found {dtype!r}. Names are such as "
        '"int32", "float64", "str", "category".'
    )


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
