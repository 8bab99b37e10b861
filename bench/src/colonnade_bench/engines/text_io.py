"""Readers and writers of text files: the fastest ordinary call of each library, from and to its own frames or pandas.

Published tables use these engines with the ``text-*`` datasets, whose columns contain only types that every text
format and inference restore: integers, floats and text. The ``everyday-*`` datasets and panels have other columns
too; their reports list the losses.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, ClassVar

from colonnade_bench.cell import Cell
from colonnade_bench.engines.base import Engine, Spooled

PREFIX = "text-"

# The datasets of published tables: names begin with one of these.
TABLES = (PREFIX, "everyday-")


class TextEngine(Engine):
    """The base of all text engines.

    Attributes
    ----------
    panel_only : tuple of str
        Formats that no published table uses.
    """

    libraries: tuple[str, ...] = ("pandas",)
    security = "reading runs no code; no checksum"
    withheld: tuple[str, ...] = ("index",)
    panel_only: tuple[str, ...] = ()

    def supports(self, cell: Cell) -> bool:
        return cell.dataset.startswith(TABLES) and cell.transport == "file" and cell.format not in self.panel_only

    def encode(self, data: Any, cell: Cell) -> Any:
        sink: Any = io.BytesIO()
        self.write(data, sink, cell)
        return sink.getvalue()

    def decode(self, buffer: Any, cell: Cell) -> Any:
        source: Any = io.BytesIO(buffer)
        return self.read(source, cell)


class PandasText(TextEngine):
    """`read_csv` (engine="pyarrow", and the C engine with ``engine="c"``), `read_json`, and their writers.

    ``csv-c`` is the C engine too: pandas' default, which does not parse times. ``json-table`` is ``orient="table"``,
    which stores the types and restores times. Other JSON returns times as text.
    """

    name = "pandas-text"
    modules = ("pandas", "pyarrow")
    distributions = ("pandas", "pyarrow")
    install = "pip install pandas pyarrow"
    calls: ClassVar = {
        "csv": 'df.to_csv("data.csv", index=False)',
        "csv-c": 'df.to_csv("data.csv", index=False)',
        "ndjson": 'df.to_json("data.ndjson", orient="records", lines=True, date_format="iso")',
        "json-table": 'df.to_json("data.json", orient="table", index=False)',
    }
    note = 'DataFrame.to_csv(index=False) and pd.read_csv(engine="pyarrow"), the fastest, which parses times; tuned.'
    notes: ClassVar = {
        "csv-c": "DataFrame.to_csv(index=False) and pd.read_csv at its default, the C engine; times stay text.",
        "ndjson": 'DataFrame.to_json(orient="records", lines=True), 15 digits, ISO times; pd.read_json(lines=True).',
        "json-table": 'DataFrame.to_json(orient="table"), 15 digits, the layout that keeps types, and pd.read_json.',
    }
    formats: ClassVar = {
        "csv": ("none",), "csv-c": ("none",), "ndjson": ("none",), "json": ("none",), "json-table": ("none",)
    }  # fmt: skip
    panel = (("csv", "none"), ("csv-c", "none"), ("ndjson", "none"), ("json-table", "none"))
    panel_only = ("csv-c", "json-table")

    def write(self, data: Any, path: Any, cell: Cell) -> None:
        if cell.format.startswith("csv"):
            data.to_csv(path, index=False)
        elif cell.format == "ndjson":
            data.to_json(path, orient="records", lines=True, double_precision=15, date_format="iso", date_unit="ns")
        elif cell.format == "json-table":
            data.to_json(path, orient="table", index=False, double_precision=15, date_unit="ns")
        else:
            data.to_json(path, orient=cell.option.get("orient", "columns"), double_precision=15)

    def read(self, path: Any, cell: Cell) -> Any:
        import pandas as pd

        if cell.format.startswith("csv"):
            engine = "c" if cell.format == "csv-c" else cell.option.get("engine", "pyarrow")
            return pd.read_csv(path, engine=engine)
        if cell.format == "json-table":
            return pd.read_json(path, orient="table", precise_float=True)
        exact = {"precise_float": True, "convert_dates": False}
        if cell.format == "ndjson":
            return pd.read_json(path, lines=True, **exact)
        return pd.read_json(path, orient=cell.option.get("orient", "columns"), **exact)


class PyArrowText(TextEngine):
    """`pyarrow.csv` (``newlines=True`` allows line ends in fields), `pyarrow.json` and `Table.to_pandas`."""

    name = "pyarrow-text"
    libraries = ("pandas", "pyarrow")
    modules = ("pyarrow", "pandas")
    distributions = ("pyarrow",)
    install = "pip install pyarrow pandas"
    calls: ClassVar = {
        "csv": 'pyarrow.csv.write_csv(table, "data.csv")',
    }
    note = (
        "pyarrow.csv.write_csv of a Table, and read_csv with Table.to_pandas; an empty field is null, a quoted one is "
        "empty text (null_values, quoted_strings_can_be_null)."
    )
    formats: ClassVar = {"csv": ("none",), "ndjson": ("none",)}
    panel = (("csv", "none"),)

    def write(self, data: Any, path: Any, cell: Cell) -> None:
        import pyarrow as pa
        from pyarrow import csv

        if cell.format == "ndjson":  # pyarrow writes no NDJSON; its reader gets polars' file, the smallest
            in_polars(data).write_ndjson(path)
            return
        csv.write_csv(data if isinstance(data, pa.Table) else pa.Table.from_pandas(data, preserve_index=False), path)

    def read(self, path: Any, cell: Cell) -> Any:
        from pyarrow import csv, json

        if cell.format == "ndjson":
            table = json.read_json(path)
        else:
            nulls = csv.ConvertOptions(strings_can_be_null=True, null_values=[""], quoted_strings_can_be_null=False)
            lines = csv.ParseOptions(newlines_in_values=cell.option.get("newlines", False))
            table = csv.read_csv(path, parse_options=lines, convert_options=nulls)
        return table if cell.library == "pyarrow" else table.to_pandas()


class PolarsText(TextEngine):
    """`read_csv`, `read_ndjson`, `read_json` and their writers; from and to pandas through a polars DataFrame.

    CSV is parsed for times (``try_parse_dates=True``), except in the ``text-*`` datasets, which have none. By default
    polars infers types from the first rows. ``infer="all"`` uses every row, as other libraries do. In panels JSON and
    NDJSON always do: a column whose first hundred cells are null would stop the default.
    """

    name = "polars-text"
    libraries = ("pandas", "polars")
    modules = ("polars", "pyarrow", "pandas")
    distributions = ("polars",)
    install = "pip install polars pyarrow pandas"
    calls: ClassVar = {
        "csv": 'frame.write_csv("data.csv")',
        "ndjson": 'frame.write_ndjson("data.ndjson")',
        "json": 'frame.write_json("data.json")',
    }
    note = (
        "DataFrame.write_csv and pl.read_csv(try_parse_dates=True), else at the defaults. From pandas: pl.from_pandas "
        "before, DataFrame.to_pandas after."
    )
    notes: ClassVar = dict.fromkeys(
        ("json", "ndjson"),
        "DataFrame.write_json or write_ndjson, and pl.read_json or read_ndjson with infer_schema_length=None, so that "
        "types come from all rows. From pandas: pl.from_pandas before, DataFrame.to_pandas after.",
    )
    panel_libraries = ("polars", "pandas")
    formats: ClassVar = {"csv": ("none",), "ndjson": ("none",), "json": ("none",)}
    panel = (("csv", "none"), ("ndjson", "none"), ("json", "none"))

    def supports(self, cell: Cell) -> bool:
        return super().supports(cell) and (cell.format != "json" or cell.option.get("orient") == "records")

    def write(self, data: Any, path: Any, cell: Cell) -> None:
        frame = in_polars(data)
        {"csv": frame.write_csv, "ndjson": frame.write_ndjson, "json": frame.write_json}[cell.format](path)

    def read(self, path: Any, cell: Cell) -> Any:
        import polars as pl

        whole = cell.option.get("infer") == "all" or (cell.format != "csv" and not cell.dataset.startswith(TABLES))
        rows: dict[str, Any] = {"infer_schema_length": None} if whole else {}
        if cell.format == "csv":
            frame = pl.read_csv(path, try_parse_dates=not cell.dataset.startswith(PREFIX), **rows)
        else:
            frame = (pl.read_ndjson if cell.format == "ndjson" else pl.read_json)(path, **rows)
        return frame if cell.library == "polars" else frame.to_pandas()


def in_polars(data: Any) -> Any:
    """Returns a polars DataFrame of a pandas or polars DataFrame, or of a pyarrow Table."""
    import polars as pl
    import pyarrow as pa

    if isinstance(data, pl.DataFrame):
        return data
    return pl.from_arrow(data) if isinstance(data, pa.Table) else pl.from_pandas(data)


class DuckDBText(Spooled, TextEngine):
    """`read_csv` and `read_json` with `df()`, `pl()` or `to_arrow_table()`, and `COPY`.

    All calls use the default connection of a process.

    By default DuckDB infers types from a sample. ``infer="all"`` uses every row.
    """

    name = "duckdb-text"
    libraries = ("pandas", "polars", "pyarrow")
    modules = ("duckdb", "pandas")
    distributions = ("duckdb",)
    install = "pip install duckdb pandas"
    calls: ClassVar = {
        "csv": "duckdb.execute(\"COPY df TO 'data.csv' (FORMAT csv, HEADER)\")",
        "ndjson": "duckdb.execute(\"COPY df TO 'data.ndjson' (FORMAT json)\")",
    }
    note = (
        "duckdb.register and COPY ... (FORMAT csv or json), duckdb.read_csv(allow_quoted_nulls=False), which tells "
        "empty text from null, or read_json with df(). It knows files only: in memory by way of a temporary file."
    )
    formats: ClassVar = {"csv": ("none",), "ndjson": ("none",)}
    panel = (("csv", "none"), ("ndjson", "none"))

    def write(self, data: Any, path: Path, cell: Cell) -> None:
        import duckdb

        how = "FORMAT csv, HEADER" if cell.format == "csv" else "FORMAT json"
        duckdb.register("data", data)
        duckdb.execute(f"COPY data TO '{path}' ({how})")
        duckdb.unregister("data")

    def read(self, path: Path, cell: Cell) -> Any:
        import duckdb

        rows: dict[str, Any] = {"sample_size": -1} if cell.option.get("infer") == "all" else {}
        if cell.format == "csv":
            relation = duckdb.read_csv(str(path), header=True, allow_quoted_nulls=False, **rows)
        else:
            relation = duckdb.read_json(str(path), format="newline_delimited", **rows)
        if cell.library == "pandas":
            return relation.df()
        return relation.pl() if cell.library == "polars" else relation.to_arrow_table()


TEXT_ENGINES = (PandasText(), PyArrowText(), PolarsText(), DuckDBText())
