"""Lists the rows of other engines that must be measured with each row of Colonnade, in every panel and in `advise`.

A comparison without the best-known other engine of the same format and codec is the gravest error a benchmark can make.
The rule is data, so that a test can hold every shipped specification to it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

OURS = "colonnade"

Row = tuple[str, str, str]
"""Engine, format, codec."""


def _rows(*texts: str) -> tuple[Row, ...]:
    """Parses rows written as engine, format, codec."""
    out = []
    for text in texts:
        engine, form, codec = text.split()
        out.append((engine, form, codec))
    return tuple(out)


_CSV = _rows("polars-text csv none", "pyarrow-text csv none", "duckdb-text csv none", "pandas-text csv none")
_PARQUET_ZSTD = _rows("pyarrow parquet zstd", "polars parquet zstd", "duckdb parquet zstd", "fastparquet parquet zstd")
_PARQUET_SNAPPY = _rows(
    "pyarrow parquet snappy", "polars parquet snappy", "duckdb parquet snappy", "pandas parquet snappy",
    "fastparquet parquet snappy",
)  # fmt: skip

RIVALS: Mapping[tuple[str, str], tuple[Row, ...]] = {
    ("npz", "none"): _rows("numpy npz none", "static-frame npz none", "awkward npz none"),
    # NumPy has no zstd: its own compression is what its users have instead.
    ("npz", "zstd"): _rows("numpy npz deflate"),
    ("arrow", "none"): _rows("pyarrow arrow none", "polars ipc none", "pandas feather none"),
    ("arrow", "zstd"): _rows("pyarrow arrow zstd", "polars ipc zstd", "pandas feather zstd", "awkward feather zstd"),
    ("arrows", "none"): _rows("pyarrow arrows none", "polars ipc-stream none"),
    ("arrows", "lz4"): _rows("pyarrow arrows lz4", "polars ipc-stream lz4"),
    ("arrows", "zstd"): _rows("pyarrow arrows zstd", "polars ipc-stream zstd"),
    # Our default writes zstd or nothing, column by column. Others' zstd comes nearest, their default is snappy.
    ("parquet", "auto"): _PARQUET_ZSTD + _PARQUET_SNAPPY,
    ("parquet", "zstd"): _PARQUET_ZSTD,
    ("parquet", "small"): _PARQUET_ZSTD,
    ("msgpack", "none"): _rows("ormsgpack msgpack none", "msgspec msgpack typed", "msgpack msgpack none"),
    ("msgpack", "packed"): _rows("ormsgpack msgpack packed", "msgpack msgpack packed", "msgspec msgpack packed"),
    ("csv", "none"): _CSV,
    ("csv-schema", "none"): _CSV,
    ("json", "none"): _rows("orjson json none", "polars-text json none"),
    ("ndjson", "none"): _rows("polars-text ndjson none", "duckdb-text ndjson none"),
    ("yaml", "none"): _rows("pyyaml yaml-columns none"),
}
"""Format and codec of Colonnade, and the rows of other engines that keep the same: the best known first."""


def missing_rivals(rows: Collection[Row], *, every: bool = False) -> Iterator[tuple[Row, Row]]:
    """Yields each row of Colonnade in `rows` with a rival that is not there.

    The first of its rivals must be there, or with `every` all of them.

    Examples
    --------
    >>> list(missing_rivals([("colonnade", "arrow", "none"), ("pandas", "feather", "none")]))
    [(('colonnade', 'arrow', 'none'), ('pyarrow', 'arrow', 'none'))]
    """
    for row in rows:
        if row[0] == OURS:
            rivals = RIVALS[row[1], row[2]]
            yield from ((row, rival) for rival in (rivals if every else rivals[:1]) if rival not in rows)
