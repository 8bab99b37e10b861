"""Defines a cell: one point of dataset x library x engine x format x codec x transport x size.

A cell converts to JSON and back, so that a measuring process, a results file and a report mean the same cell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

OPERATIONS = ("write", "replace", "read")
"""The timed operations that write or read a whole: a write to a free name, a write over an existing file, a read."""

READS = ("read", "columns", "leaf")
"""The operations that need an existing file: the whole, each column separately, one field within lists of records."""

FACTORS = ("dataset", "library", "engine", "format", "codec", "transport", "size")


@dataclass(frozen=True)
class Cell:
    """One point of the cross product.

    `library` is the in-memory type on both sides (pandas, static-frame, polars...). `size` is the fraction of the
    dataset's rows. `options` are the engine's own options, as sorted pairs.
    """

    dataset: str
    library: str
    engine: str
    format: str
    codec: str = "none"
    transport: str = "file"
    size: float = 1.0
    options: tuple[tuple[str, Any], ...] = ()

    @property
    def option(self) -> dict[str, Any]:
        return dict(self.options)

    @property
    def contestant(self) -> str:
        """Names the cell without its data. Comparisons compare contestants."""
        parts = [self.engine, self.format]
        if self.codec != "none":
            parts.append(self.codec)
        parts += [f"{key}={value}" for key, value in self.options]
        if self.transport != "file":
            parts.append(f"({self.transport})")
        return " ".join(parts)

    @property
    def slug(self) -> str:
        """Returns a file name for the file of this cell."""
        text = f"{self.dataset}.{self.size:g}.{self.library}.{self.contestant}"
        return "".join(c if c.isalnum() or c in "-._" else "_" for c in text)

    def to_json(self) -> dict[str, Any]:
        out: dict[str, Any] = {name: getattr(self, name) for name in FACTORS}
        if self.options:
            out["options"] = dict(self.options)
        return out

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Cell:
        known = {name: data[name] for name in FACTORS if name in data}
        return cls(**known, options=tuple(sorted(dict(data.get("options", {})).items())))


def matches(cell: Cell, pattern: Mapping[str, str | Sequence[str]]) -> bool:
    """Whether the cell matches the shell pattern of every factor in `pattern`, or one of several.

    >>> matches(Cell("fixture-wide-mixed-1e6", "pandas", "pickle", "pickle"), {"dataset": "fixture-wide-*"})
    True
    """
    data = cell.to_json()
    for name, glob in pattern.items():
        if name not in FACTORS:
            raise ValueError(f'bench: unknown factor "{name}" in a filter; expected one of {", ".join(FACTORS)}')
        value = f"{data[name]:g}" if isinstance(data[name], float) else str(data[name])
        if not any(fnmatchcase(value, each) for each in globs(glob)):
            return False
    return True


def globs(pattern: Any) -> list[str]:
    """Returns the alternatives of a pattern.

    >>> globs("npz"), globs(["npz", "arrow*"])
    (['npz'], ['npz', 'arrow*'])
    """
    return [str(each) for each in (pattern if isinstance(pattern, list) else [pattern])]


def passes(cell: Cell, include: Sequence[Mapping[str, str]], exclude: Sequence[Mapping[str, str]]) -> bool:
    """Whether `cell` matches one of `include` (or `include` is empty) and none of `exclude`."""
    if include and not any(matches(cell, pattern) for pattern in include):
        return False
    return not any(matches(cell, pattern) for pattern in exclude)
