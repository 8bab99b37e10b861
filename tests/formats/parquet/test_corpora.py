"""Parquet files of other projects: their values, as pyarrow, pandas, JSON and CSV goldens tell them.

parquet-testing, hyparquet, arrow, arrow-rs. What pyarrow itself cannot read is compared with the golden rows alone.
"""

import csv
import functools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.helpers.each import each

pytest.importorskip("pyarrow")
pytest.importorskip("pandas")

import pandas as pd
import pyarrow.parquet as pq

import colonnade as cn
from colonnade.testing.cases_pyarrow import cells
from tests.helpers.applies import applies, works
from tests.helpers.corpora import CORPORA, Verdict, needs_corpora, verdicts
from tests.helpers.parquet_golden import golden_difference
from tests.sweep import parquet as sweep_parquet

pytestmark = needs_corpora

# pyarrow makes other instants of those that nanoseconds do not reach: 9999 becomes 1816.
_FAR = "int96_from_spark"
FILES = [row for row in verdicts("parquet") if row.name.startswith("pq-") and _FAR not in row.name]
PLAIN = [row for row in FILES if not row.name.endswith(".encrypted")]
GOLDEN = sorted((CORPORA / "pq-hyparquet").glob("*.parquet")) if CORPORA else []

# Golden rows of hyparquet that say something else than the columns of the file: variants and shapes it has decoded.
_DECODED = ("shredded-", "geoparquet", "geospatial", "nested_structs.rust")
# DuckDB and pyarrow refuse it since its text is over 2 GB; it is text of one letter, repeated.
_LARGE = "large_string_map.brotli"


def _ids(rows: list[Verdict]) -> list[Any]:
    return [pytest.param(row, id=row.name.removeprefix("pq-")) for row in rows]


def _read(path: Path, **options: Any) -> Any:
    return cn.read(path, format="parquet", **options)


@functools.cache
def _is_read(row: Verdict, by: Any) -> bool:
    return works(lambda: by(row.path))


ACCEPTED = [row for row in PLAIN if row.verdict in ("ACCEPT", "ACCEPT_OR_UNSUPPORTED")]
REFUSED = [row for row in PLAIN if row.verdict == "REJECT" and _LARGE not in row.name]


@each("row", _ids(ACCEPTED + [row for row in PLAIN if row.verdict == "EITHER"]), per=50)
@applies(lambda row: _is_read(row, pq.read_table))
def test_cells_are_those_of_pyarrow(row: Verdict) -> None:
    wanted = pq.read_table(row.path)
    found = _read(row.path).to_arrow()
    assert found.column_names == wanted.column_names
    # Names inside lists and maps are no part of a type.
    different = [
        f"{name}: {ours}, expected {theirs}"
        for name, ours, theirs in zip(wanted.column_names, found.schema.types, wanted.schema.types, strict=True)
        if not ours.equals(theirs)
    ]
    assert different == []
    found.validate(full=True)
    for name, ours, theirs in zip(wanted.column_names, found.columns, wanted.columns, strict=True):
        assert cells(ours) == cells(theirs), name


def _plain(value: Any) -> Any:
    """A cell without arrays in it, whose NaN is the same as another."""
    if isinstance(value, np.ndarray | list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, np.generic):
        value = value.item()
    return "nan" if isinstance(value, float) and value != value else value


@each("row", _ids(ACCEPTED), per=50)
@applies(lambda row: _is_read(row, pd.read_parquet))
def test_frames_are_those_of_pandas(row: Verdict) -> None:
    wanted = pd.read_parquet(row.path)
    found = _read(row.path).to_pandas()
    for side in ("index", "columns"):
        pd.testing.assert_index_equal(getattr(found, side), getattr(wanted, side), exact=True)
    assert [str(kind) for kind in found.dtypes] == [str(kind) for kind in wanted.dtypes]
    for position, name in enumerate(wanted.columns):
        ours, theirs = found.iloc[:, position], wanted.iloc[:, position]
        if theirs.dtype == object:
            assert _plain(list(ours)) == _plain(list(theirs)), name
        else:
            pd.testing.assert_series_equal(ours, theirs, check_exact=True)


@each("path", [pytest.param(path, id=path.stem) for path in GOLDEN])
@applies(
    lambda path: not path.name.startswith(_DECODED)  # their golden rows are the columns, decoded further
)
def test_golden_rows(path: Path) -> None:
    golden = path.with_suffix(".json")
    rows = json.loads(golden.read_text(encoding="utf-8"))
    assert golden_difference(_read(path).to_arrow(), rows) is None


@each("path", [pytest.param(path, id=path.stem) for path in GOLDEN], per=50)
def test_golden_metadata(path: Path) -> None:
    golden = json.loads(path.with_suffix(".metadata.json").read_text(encoding="utf-8"))
    found = cn.inspect(path).parquet
    assert found is not None
    assert [group["nrows"] for group in found.row_groups] == [group["num_rows"] for group in golden["row_groups"]]
    assert found.created_by == golden.get("created_by")
    assert found.format_version == golden["version"]
    chunks = [chunk["meta_data"] for group in golden["row_groups"] for chunk in group["columns"]]
    counts: dict[str, int] = {}
    for chunk in chunks:
        for name in set(chunk["encodings"]):
            counts[name] = counts.get(name, 0) + 1
    assert found.encodings == counts


@each("path", [pytest.param(path, id=path.stem) for path in GOLDEN], per=50)
def test_some_columns_and_some_rows(path: Path) -> None:
    """A choice of columns, in another order, and a range of rows are those of the whole."""
    frame = _read(path)
    whole = frame.to_arrow()
    names = [name for name in whole.column_names if whole.column_names.count(name) == 1][::-2]
    start, stop = len(whole) // 3, len(whole) - len(whole) // 4
    found = _read(path, columns=names, rows=slice(start, stop)).to_arrow()
    assert found.column_names == names
    for name in names:
        assert cells(found.column(name)) == cells(whole.column(name))[start:stop], name


def _expected(name: str) -> tuple[Any, list[list[str]]]:
    assert CORPORA is not None
    folder = CORPORA / "pq-apache" / "data"
    with open(folder / f"{name}_expect.csv", encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    return _read(folder / f"{name}.parquet").to_arrow().select(range(len(head))), rows


@pytest.mark.parametrize(
    "name",
    ["delta_binary_packed", "delta_byte_array", "delta_encoding_optional_column", "delta_encoding_required_column"],
)
def test_expected_by_parquet_testing(name: str) -> None:
    table, rows = _expected(name)
    found = [["" if cell is None else str(cell) for cell in row.values()] for row in table.to_pylist()]
    assert len(found) == len(rows)
    for ours, theirs in zip(found, rows, strict=True):
        assert ours == theirs


@each("row", _ids(REFUSED))
def test_what_is_refused(row: Verdict) -> None:
    with pytest.raises((cn.DecodeError, cn.LimitError, cn.UnsupportedError), match="parquet: "):
        _read(row.path).to_arrow()


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("datapage_v1-corrupt-checksum", "a"),
        ("rle-dict-uncompressed-corrupt-checksum", "long_field"),
    ],
)
def test_wrong_checksums_are_found_where_they_are_looked_for(name: str, columns: str) -> None:
    assert CORPORA is not None
    path = CORPORA / "pq-apache" / "data" / f"{name}.parquet"
    assert len(_read(path).to_pandas())
    for look in (lambda: cn.verify(path), lambda: _read(path, verify=True).to_pandas()):
        with pytest.raises(cn.DecodeError, match=rf"{columns}.*byte \d+.*checksum is [0-9a-f]{{8}}, its bytes have"):
            look()


@pytest.mark.parametrize(
    "name",
    [
        "datapage_v1-uncompressed-checksum",
        "datapage_v1-snappy-compressed-checksum",
        "plain-dict-uncompressed-checksum",
        "rle-dict-snappy-checksum",
    ],
)
def test_right_checksums(name: str) -> None:
    assert CORPORA is not None
    cn.verify(CORPORA / "pq-apache" / "data" / f"{name}.parquet")


def test_instants_that_nanoseconds_do_not_reach() -> None:
    assert CORPORA is not None
    path = CORPORA / "pq-apache" / "data" / f"{_FAR}.parquet"
    assert _read(path).shape == (6, 1)
    with pytest.raises(cn.UnsupportedError, match='Pass int96_unit="us"'):
        _read(path).to_arrow()
    # The last is beyond microseconds, which pyarrow wraps; as signed, the day is in the year -294554.
    with pytest.raises(cn.UnsupportedError, match='Pass int96_unit="ms"'):
        _read(path, int96_unit="us").to_arrow()
    found = _read(path, int96_unit="ms").to_arrow().column("a")
    wanted = pq.read_table(path, coerce_int96_timestamp_unit="ms").column("a")
    assert cells(found)[:5] == cells(wanted)[:5]
    assert cells(found)[2:3] == [253_402_225_200_000]


def test_a_map_of_two_gigabytes_of_text() -> None:
    """8 KiB that become 2 GiB of one letter: over what 32-bit offsets reach, within what Brotli can make of them."""
    assert CORPORA is not None
    path = CORPORA / "pq-apache" / "data" / f"{_LARGE}.parquet"
    assert _read(path).shape[0] == 2
    assert cn.inspect(path).shape == _read(path).shape
    with pytest.raises(cn.LimitError, match=r"parquet: .*limit"):
        _read(path, limits=cn.Limits(max_member_nbytes=1 << 20)).to_arrow()


def test_no_crash_no_hang_no_large_memory() -> None:
    """The fuzzed files, what is to be refused, and everything else that is small."""
    assert CORPORA is not None
    fuzzed = sorted(path for path in (CORPORA / "arrow-testing" / "parquet").rglob("*") if path.is_file())
    bad = sorted((CORPORA / "pq-apache" / "bad_data").glob("*.parquet"))
    paths = [str(path) for path in (*fuzzed, *bad) if path.suffix != ".md"]
    paths += [str(row.path) for row in FILES if _LARGE not in row.name and "bad_data" not in row.name]
    results = sweep_parquet.run({"paths": paths}, resident=192 << 20)
    assert len(results) == len(paths)
    other = {row.path.as_posix() for row in ACCEPTED if row.verdict == "ACCEPT"}
    refused = [(r["name"], r["pandas_message"]) for r in results if r["name"] in other and "pandas_message" in r]
    assert refused == []
