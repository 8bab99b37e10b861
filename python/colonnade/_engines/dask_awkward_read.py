"""Parts as partitions of a dask-awkward array, with projection to the fields that are used."""

from __future__ import annotations

from typing import Any

import awkward as ak
import dask_awkward as dak
from dask_awkward.lib.io.columnar import ColumnProjectionMixin
from dask_awkward.lib.unproject_layout import unproject_layout

from .._dataset.dataset import Dataset


def from_parts(files: Dataset) -> dak.Array:
    """The array of all parts."""
    example = files.head(0).to_awkward()
    parts = [files.only(i) for i in range(len(files.parts))]
    if not parts:
        return dak.from_awkward(example, npartitions=1)
    return dak.from_map(_ReadPart(example.layout.form, None, _paths(files)), parts, label="read-colonnade")


def _paths(files: Dataset) -> dict[str, str]:
    """The path of each leaf in Awkward's form ("jet.eta"), with ours ("jet[].eta")."""
    empty = files.head(0)
    paths = {}
    for label in empty.columns:
        core = empty[label]._load()
        leaves = [path for path, _, is_leaf in core.leaf_paths(0) if is_leaf]
        for path in leaves or [""]:
            paths[f"{label}{path}".replace("[]", "")] = f"{label}{path}"
    return paths


class _ReadPart(ColumnProjectionMixin):
    """Reads a part; dask-awkward tells it the fields."""

    def __init__(self, form: Any, columns: frozenset[str] | None, paths: dict[str, str]) -> None:
        self.form = form
        self.behavior = None
        self.attrs = None
        self._columns = columns
        self._paths = paths

    @property
    def use_optimization(self) -> bool:
        return True

    def project_columns(self, columns: frozenset[str]) -> _ReadPart:
        """The same for some of the fields."""
        return _ReadPart(self.form, frozenset(columns), self._paths)

    def __call__(self, part: Dataset, **_: Any) -> ak.Array:
        if self._columns is None:
            return part.read().to_awkward()
        wanted = [ours for theirs, ours in self._paths.items() if _is_asked(theirs, self._columns)]
        labels = list(part.head(0).columns)
        wanted = wanted or [str(label) for label in labels[:1]]
        columns = [label for label in labels if any(path == label or _is_in(path, str(label)) for path in wanted)]
        found = part.select(columns).read().select(wanted).to_awkward()
        return ak.Array(unproject_layout(self.form, found.layout))


def _is_in(path: str, label: str) -> bool:
    return path.startswith((f"{label}.", f"{label}[]"))


def _is_asked(path: str, columns: frozenset[str]) -> bool:
    """Whether the leaf, or what holds it, is among the fields."""
    pieces = path.split(".")
    return any(".".join(pieces[:i]) in columns for i in range(1, len(pieces) + 1))
