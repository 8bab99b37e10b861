"""Checks for libraries that only some commands need, before a command starts."""

from __future__ import annotations

import importlib.util

import colonnade as cn

from .._core import ArrowColumn
from .._frame.axes import PLAIN_TYPES
from .._values.cells import cells_of


def require(library: str, extra: str, command: str) -> None:
    """ImportError with the line that installs `library`, if it is absent. Nothing is imported."""
    if not is_installed(library):
        raise ImportError(
            f"{command}: {library} is not installed. Install it with: pip install 'colonnade[{extra}]'", name=library
        )


def is_installed(library: str) -> bool:
    """Whether a library could be imported."""
    try:
        return importlib.util.find_spec(library) is not None
    except ModuleNotFoundError:
        return False


def require_values(frame: cn.Frame) -> None:
    """Raises ImportError if values of a column need a library that is absent. Without it only types are shown."""
    if is_installed("pyarrow"):
        return
    for position in range(frame.shape[1]):
        column = frame._column(position).slice(0, 0)._load().column(0)
        while isinstance(column, ArrowColumn) and column.type.startswith("dictionary"):
            column = column.categories()
        if isinstance(column, ArrowColumn) and not column.type.startswith(PLAIN_TYPES):
            cells_of(column)
