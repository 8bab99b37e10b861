"""What is measured: a cell is one point of dataset x library x engine x format x codec x transport x size.

A `Spec` gives several values for each factor; its cells are the cross product, less what no engine can do, less what
the filters take away. Everything here is data: it goes to JSON and comes back, so that a worker process, a results
file and a report speak of the same cell.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from fnmatch import fnmatchcase
from typing import Any

OPERATIONS = ("write", "replace", "read")
"""What is timed of a cell: a write onto a fresh name, a write over what is there, a read."""

READS = ("read", "columns", "leaf")
"""What needs a file that is there: the whole, each column by itself, one field within lists of records."""

FACTORS = ("dataset", "library", "engine", "format", "codec", "transport", "size")


@dataclass(frozen=True)
class Cell:
    """One point of the cross product.

    `library` is the in-memory type on both sides (pandas, static-frame, polars...); `size` is the fraction of the
    dataset's rows; `options` are the engine's own, as sorted pairs.
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
        """The cell less its data: what stands against what in a comparison."""
        parts = [self.engine, self.format]
        if self.codec != "none":
            parts.append(self.codec)
        parts += [f"{key}={value}" for key, value in self.options]
        if self.transport != "file":
            parts.append(f"({self.transport})")
        return " ".join(parts)

    @property
    def slug(self) -> str:
        """A file name for what this cell writes."""
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


@dataclass(frozen=True)
class Spec:
    """Values for each factor. None means every registered one.

    Parameters
    ----------
    only, without : list of dict
        Filters: a dict of factor name to shell pattern. A cell is kept if it meets one of `only` (or there is none)
        and none of `without`.
    rounds : int
        Fresh processes a cell.
    repetitions : int
        Calls after the first one inside each process.

    Examples
    --------
    >>> spec = Spec(dataset=["article"], engine=["pickle"], library=["pandas"])
    >>> [cell.contestant for cell in spec.cells()]
    ['pickle pickle']
    """

    dataset: list[str] = field(default_factory=lambda: ["article"])
    library: list[str] | None = None
    engine: list[str] | None = None
    format: list[str] | None = None
    codec: list[str] | None = None
    transport: list[str] = field(default_factory=lambda: ["file"])
    size: list[float] = field(default_factory=lambda: [1.0])
    options: dict[str, Any] = field(default_factory=dict)
    operations: list[str] = field(default_factory=lambda: list(OPERATIONS))
    rounds: int = 7
    repetitions: int = 2
    only: list[dict[str, str]] = field(default_factory=list)
    without: list[dict[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for name in self.operations:
            if name not in OPERATIONS:
                raise ValueError(f'bench: unknown operation "{name}"; expected one of {", ".join(OPERATIONS)}')
        if self.rounds < 1:
            raise ValueError(f"bench: rounds must be 1 or more, found {self.rounds}")

    def cells(self) -> Iterator[Cell]:
        """The cross product, in a fixed order, each cell once."""
        from colonnade_bench.datasets import DATASETS, expand
        from colonnade_bench.engines import ENGINES

        options = tuple(sorted(self.options.items()))
        for dataset in expand(self.dataset):
            libraries = _chosen(self.library, DATASETS[dataset].libraries)
            for name in list(ENGINES) if self.engine is None else self.engine:
                engine = ENGINES[name]
                for library, fmt in itertools.product(libraries, _chosen(self.format, engine.formats)):
                    if library not in engine.libraries:
                        continue
                    codecs = _chosen(self.codec, engine.formats[fmt])
                    for codec, transport, size in itertools.product(codecs, self.transport, self.size):
                        rows = fmt != "msgpack" or "maps" in DATASETS[dataset].libraries
                        if transport == "given" and (fmt not in engine.given or codec != "none" or not rows):
                            continue
                        cell = Cell(dataset, library, name, fmt, codec, transport, size, options)
                        if engine.supports(cell) and self.keeps(cell):
                            yield cell

    def keeps(self, cell: Cell) -> bool:
        """Whether the filters let `cell` through."""
        return passes(cell, self.only, self.without)

    def to_json(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any] | str) -> Spec:
        """From a mapping or JSON text. Raises ValueError naming an unknown key."""
        values = dict(json.loads(data) if isinstance(data, str) else data)
        unknown = set(values) - {f.name for f in fields(cls)}
        if unknown:
            raise ValueError(f"bench: unknown keys in the specification: {', '.join(sorted(unknown))}")
        return cls(**values)


def matches(cell: Cell, pattern: Mapping[str, str]) -> bool:
    """Whether every factor named in `pattern` fits its shell pattern.

    >>> matches(Cell("fixture-wide-mixed-1e6", "pandas", "pickle", "pickle"), {"dataset": "fixture-wide-*"})
    True
    """
    data = cell.to_json()
    for name, glob in pattern.items():
        if name not in FACTORS:
            raise ValueError(f'bench: unknown factor "{name}" in a filter; expected one of {", ".join(FACTORS)}')
        value = data[name]
        if not fnmatchcase(f"{value:g}" if isinstance(value, float) else str(value), str(glob)):
            return False
    return True


def passes(cell: Cell, only: Sequence[Mapping[str, str]], without: Sequence[Mapping[str, str]]) -> bool:
    """Whether `cell` meets one of `only` (or there is none) and none of `without`."""
    if only and not any(matches(cell, pattern) for pattern in only):
        return False
    return not any(matches(cell, pattern) for pattern in without)


def _chosen(asked: Iterable[str] | None, known: Iterable[str]) -> list[str]:
    known = list(known)
    return known if asked is None else [name for name in asked if name in known]
