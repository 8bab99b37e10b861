"""Readers and writers of text files, from and to pandas: the fastest ordinary call of each library.

These engines are asked about the ``text-*`` datasets alone, whose columns are what every text format and inference give
back: integers, floats and text.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from colonnade.bench.engines.base import Engine
from colonnade.bench.engines.msgpack_io import no_collector
from colonnade.bench.spec import Cell

PREFIX = "text-"


class TextEngine(Engine):
    """What they have in common."""

    libraries = ("pandas",)
    security = "reading runs no code; no checksum"

    def supports(self, cell: Cell) -> bool:
        return cell.dataset.startswith(PREFIX) and cell.transport == "file"


class PandasText(TextEngine):
    """`read_csv` (engine="pyarrow", and the C engine with ``engine="c"``), `read_json`, and their writers."""

    name = "pandas-text"
    modules = ("pandas", "pyarrow")
    distributions = ("pandas", "pyarrow")
    install = "pip install pandas pyarrow"
    formats: ClassVar = {"csv": ("none",), "ndjson": ("none",), "json": ("none",)}

    def write(self, data: Any, path: Path, cell: Cell) -> None:
        if cell.format == "csv":
            data.to_csv(path, index=False)
        elif cell.format == "ndjson":
            data.to_json(path, orient="records", lines=True, double_precision=15)
        else:
            data.to_json(path, orient=cell.option.get("orient", "columns"), double_precision=15)

    def read(self, path: Path, cell: Cell) -> Any:
        import pandas as pd

        if cell.format == "csv":
            engine = cell.option.get("engine", "pyarrow")
            return pd.read_csv(path, engine=engine)
        exact = {"precise_float": True, "convert_dates": False}
        if cell.format == "ndjson":
            return pd.read_json(path, lines=True, **exact)
        return pd.read_json(path, orient=cell.option.get("orient", "columns"), **exact)


class PyArrowText(TextEngine):
    """`pyarrow.csv` (told of line ends in fields with ``newlines=True``) and `pyarrow.json`, with `Table.to_pandas`."""

    name = "pyarrow-text"
    modules = ("pyarrow", "pandas")
    distributions = ("pyarrow",)
    install = "pip install pyarrow pandas"
    formats: ClassVar = {"csv": ("none",), "ndjson": ("none",)}

    def write(self, data: Any, path: Path, cell: Cell) -> None:
        import pyarrow as pa
        from pyarrow import csv

        if cell.format == "ndjson":  # it writes none: its reader is given pandas' file
            data.to_json(path, orient="records", lines=True, double_precision=15)
            return
        csv.write_csv(pa.Table.from_pandas(data, preserve_index=False), path)

    def read(self, path: Path, cell: Cell) -> Any:
        from pyarrow import csv, json

        if cell.format == "ndjson":
            return json.read_json(path).to_pandas()
        nulls = csv.ConvertOptions(strings_can_be_null=True)
        lines = csv.ParseOptions(newlines_in_values=cell.option.get("newlines", False))
        return csv.read_csv(path, parse_options=lines, convert_options=nulls).to_pandas()


class PolarsText(TextEngine):
    """`read_csv`, `read_ndjson`, `read_json` and their writers, by way of polars' own frame."""

    name = "polars-text"
    modules = ("polars", "pyarrow", "pandas")
    distributions = ("polars",)
    install = "pip install polars pyarrow pandas"
    formats: ClassVar = {"csv": ("none",), "ndjson": ("none",), "json": ("none",)}

    def supports(self, cell: Cell) -> bool:
        return super().supports(cell) and (cell.format != "json" or cell.option.get("orient") == "records")

    def write(self, data: Any, path: Path, cell: Cell) -> None:
        import polars as pl

        frame = pl.from_pandas(data)
        {"csv": frame.write_csv, "ndjson": frame.write_ndjson, "json": frame.write_json}[cell.format](path)

    def read(self, path: Path, cell: Cell) -> Any:
        import polars as pl

        if cell.format == "csv":
            # Types of all rows, as everybody else's: the first hundred would not do.
            return pl.read_csv(path, infer_schema_length=None).to_pandas()
        reader = pl.read_ndjson if cell.format == "ndjson" else pl.read_json
        return reader(path, infer_schema_length=None).to_pandas()


class DuckDBText(TextEngine):
    """`read_csv` and `read_json` with `df()`, and `COPY`."""

    name = "duckdb-text"
    modules = ("duckdb", "pandas")
    distributions = ("duckdb",)
    install = "pip install duckdb pandas"
    formats: ClassVar = {"csv": ("none",), "ndjson": ("none",)}

    def write(self, data: Any, path: Path, cell: Cell) -> None:
        import duckdb

        how = "FORMAT csv, HEADER" if cell.format == "csv" else "FORMAT json"
        with duckdb.connect() as connection:
            connection.register("data", data)
            connection.execute(f"COPY data TO '{path}' ({how})")

    def read(self, path: Path, cell: Cell) -> Any:
        import duckdb

        with duckdb.connect() as connection:
            if cell.format == "csv":
                return connection.read_csv(str(path), header=True, sample_size=-1).df()
            return connection.read_json(str(path), format="newline_delimited", sample_size=-1).df()


class OrJson(TextEngine):
    """`orjson.dumps` of what `DataFrame.to_dict` gives, and `pd.DataFrame` of what `orjson.loads` gives."""

    name = "orjson"
    modules = ("orjson", "pandas")
    distributions = ("orjson",)
    install = "pip install orjson pandas"
    formats: ClassVar = {"json": ("none",)}

    def write(self, data: Any, path: Path, cell: Cell) -> None:
        import orjson

        how = "list" if cell.option.get("orient") == "columns" else "records"
        with no_collector():
            path.write_bytes(orjson.dumps(data.to_dict(orient=how)))

    def read(self, path: Path, cell: Cell) -> Any:
        import orjson
        import pandas as pd

        with no_collector():
            return pd.DataFrame(orjson.loads(path.read_bytes()))


class PyYaml(TextEngine):
    """`yaml.dump` and `yaml.load` with the C classes, of records."""

    name = "pyyaml"
    modules = ("yaml", "pandas")
    distributions = ("PyYAML",)
    install = "pip install PyYAML pandas"
    formats: ClassVar = {"yaml": ("none",)}

    def write(self, data: Any, path: Path, cell: Cell) -> None:
        import yaml

        with open(path, "w", encoding="utf-8") as file:
            yaml.dump(
                data.to_dict(orient="records"), file, Dumper=yaml.CSafeDumper, allow_unicode=True, sort_keys=False
            )

    def read(self, path: Path, cell: Cell) -> Any:
        import pandas as pd
        import yaml

        with no_collector(), open(path, "rb") as file:
            return pd.DataFrame(yaml.load(file, Loader=yaml.CSafeLoader))


TEXT_ENGINES = (PandasText(), PyArrowText(), PolarsText(), DuckDBText(), OrJson(), PyYaml())
