"""Parquet files of fastparquet, polars and DuckDB come back as pandas, polars and pyarrow read them."""

import functools
import importlib.util
import io
import tempfile
import warnings
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.each import each
from tests.helpers.narrow import narrow

pytest.importorskip("pyarrow")
pytest.importorskip("pandas")

import pandas as pd
import pyarrow.parquet as pq

import colonnade as cn
from colonnade.testing import cases_pandas
from colonnade.testing.cases_pandas import is_identical_in_memory
from tests.helpers.applies import applies, works
from tests.helpers.parquet_look import assert_same, assert_same_table, frame_of_one_piece, pandas_frame
from tests.helpers.ways import LARGE

# --------------------------------------------------------------------------- fastparquet
FASTPARQUET: dict[str, dict[str, Any]] = {
    "defaults": {},
    "simple": {"compression": "SNAPPY", "row_group_offsets": [0, 3]},
    "gzip": {"compression": "GZIP"},
    "zstd": {"compression": "ZSTD"},
    "lz4": {"compression": "LZ4_RAW"},
    "int96": {"times": "int96"},
    "without nulls": {"has_nulls": False},
    "with nulls": {"has_nulls": True},
    "no statistics": {"stats": False},
    "bytes": {"object_encoding": "bytes"},
}


@functools.cache
def _is_written(name: str) -> bool:
    """Whether fastparquet writes the frame with one of the options, and pandas reads it."""
    if importlib.util.find_spec("fastparquet") is None:
        return True  # the test says what is missing
    import fastparquet

    def attempt(options: dict[str, Any]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            fastparquet.write(f"{folder}/x", cases_pandas.CASES[name](), **options)
            pd.read_parquet(f"{folder}/x", engine="pyarrow")

    return any(works(lambda options=options: attempt(options)) for options in FASTPARQUET.values())


@each("name", list(cases_pandas.CASES), per=50)
@applies(_is_written)
def test_files_of_fastparquet(name: str, tmp_path: Path) -> None:
    fastparquet = pytest.importorskip("fastparquet")
    path, tried = tmp_path / "own.parquet", 0
    compared: list[tuple[pd.DataFrame, pd.DataFrame]] = []
    for label, options in FASTPARQUET.items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                fastparquet.write(str(path), cases_pandas.CASES[name](), **options)
            wanted = pd.read_parquet(path, engine="pyarrow")
        except Exception:  # what fastparquet refuses, in words of its own
            continue
        tried += 1
        try:
            found = cn.read(path).to_pandas()
            # Most options give the frames over again: a pair that was compared is not compared twice.
            if not any(is_identical_in_memory(wanted, a) and is_identical_in_memory(found, b) for a, b in compared):
                assert_same(wanted, found)
                compared.append((wanted, found))
        except Exception as error:
            raise AssertionError(f"{label}: {type(error).__name__}: {error}") from error
    assert tried


# --------------------------------------------------------------------------- polars
POLARS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "uncompressed": {"compression": "uncompressed"},
    "snappy": {"compression": "snappy"},
    "gzip": {"compression": "gzip"},
    "brotli": {"compression": "brotli"},
    "lz4": {"compression": "lz4"},
    "small": {"row_group_size": 2, "data_page_size": 16},
    "statistics": {"statistics": "full"},
    "by pyarrow": {"use_pyarrow": True},
}


@each("options", POLARS.values(), ids=POLARS)
def test_files_of_polars(options: dict[str, Any]) -> None:
    pl = pytest.importorskip("polars")
    from colonnade.testing import cases_polars

    tried = 0
    for name, make in cases_polars.CASES.items():
        sink = io.BytesIO()
        try:
            narrow(make()).write_parquet(sink, **options)
            wanted = pl.read_parquet(sink.getvalue())
        except Exception:  # what polars refuses, in words of its own
            continue
        tried += 1
        try:
            cases_polars.assert_identical(wanted, cn.decode(sink.getvalue(), "parquet").to_polars())
        except Exception as error:
            raise AssertionError(f"{name}: {type(error).__name__}: {error}") from error
    assert tried > 30


@pytest.mark.parametrize(
    "options",
    [{}, {"row_group_size": 2}, {"row_group_size": 1, "data_page_size": 16}],
    ids=["defaults", "small", "smaller"],
)
def test_files_of_polars_as_pandas_reads_them(options: dict[str, Any]) -> None:
    pytest.importorskip("polars")
    from colonnade.testing import cases_polars

    tried = set()
    # Groups of one or two rows of a long table would take twenty seconds.
    cases = {name: make for name, make in cases_polars.CASES.items() if not options or name not in LARGE}
    for name, make in cases.items():
        sink = io.BytesIO()
        try:
            narrow(make()).write_parquet(sink, **options)
            wanted = frame_of_one_piece(sink.getvalue())
        except Exception:  # what polars or pyarrow refuses, in words of its own
            continue
        tried.add(name)
        try:
            found = cn.decode(sink.getvalue(), "parquet").to_pandas()
            assert_same(wanted, found)
            if not options:  # one row group, so that it is one piece to pandas too
                assert_same(pandas_frame(sink.getvalue()), found)
        except Exception as error:
            raise AssertionError(f"{name}: {type(error).__name__}: {error}") from error
    assert {"list of structs", "struct", "all types side by side"} <= tried


# --------------------------------------------------------------------------- DuckDB
DUCKDB = """
    select
        (i % 256 - 128)::tinyint as i1, i::smallint as i2, i::integer as i4, i::bigint as i8,
        (i % 256)::utinyint as u1, i::usmallint as u2, i::uinteger as u4, i::ubigint as u8, i::hugeint as i16,
        i::float / 3 as f4, i::double / 3 as f8, i % 2 = 0 as b,
        case when i % 5 = 0 then null else i end as n,
        'word ' || (i % 7) as s, case when i % 3 = 0 then null else 'x' || i end as t,
        ('v' || (i % 3))::enum('v0', 'v1', 'v2', 'v3') as e,
        encode('b' || i) as raw, gen_random_uuid() as u, (i / 7)::decimal(5, 2) as d4,
        (i / 7)::decimal(15, 3) as d8, (i / 7)::decimal(30, 5) as d16,
        date '2020-02-29' + i::integer as day, time '12:34:56' + interval (i) second as clock,
        timestamp '2020-01-01 00:00:00' + interval (i) minute as us,
        (timestamp '2020-01-01 00:00:00' + interval (i) minute)::timestamp_ns as ns,
        (timestamp '2020-01-01 00:00:00' + interval (i) minute)::timestamp_ms as ms,
        (timestamp '2020-01-01 00:00:00' + interval (i) minute)::timestamp_s as s1,
        (timestamp '2020-01-01 00:00:00' + interval (i) minute)::timestamptz as tz,
        [i, null, i + 1] as l, {{'a': i, 'b': 'y' || i}} as st, map([i], ['z' || i]) as m
    from range({nrows}) r(i)
"""


@each("version", ["v1", "v2"])
@each("codec", ["uncompressed", "snappy", "gzip", "zstd", "brotli", "lz4_raw"])
def test_files_of_duckdb(codec: str, version: str, tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "own.parquet"
    for nrows in (0, 1, 5000):
        with duckdb.connect() as connection:
            connection.execute("set timezone = 'UTC'")
            connection.execute(
                f"copy ({DUCKDB.format(nrows=nrows)}) to '{path}' "
                f"(format parquet, codec '{codec}', parquet_version '{version}', row_group_size 2048)"
            )
        wanted = pq.ParquetFile(path).read()
        found = cn.read(path)
        assert_same_table(wanted, found.to_arrow())
        assert_same(pd.read_parquet(path), cn.read(path).to_pandas())
