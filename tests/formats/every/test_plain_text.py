"""Plain text: others read the same values, and what is not named as lost comes back."""

import datetime as dt
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import colonnade as cn
from tests.helpers.each import each
from tests.helpers.losses import losses

pa, pd = pytest.importorskip("pyarrow"), pytest.importorskip("pandas")

TEXTS = ("csv", "json", "ndjson", "yaml")
DAYS = [dt.date(2024, 2, 29), dt.date(1969, 12, 31), dt.date(2000, 1, 1)]
TIMES = [dt.datetime(2024, 2, 29, 12, 30, 0, 123456, dt.UTC), dt.datetime(1969, 12, 31, 23, tzinfo=dt.UTC), None]
VALUES: dict[str, tuple[Any, list[Any]]] = {
    "i1": (pa.int8(), [1, -128, 127]),
    "u2": (pa.uint16(), [0, 65535, 7]),
    "i8": (pa.int64(), [2**62, -1, 0]),
    "n": (pa.int32(), [1, None, 3]),
    "f4": (pa.float32(), [0.5, None, -2.25]),
    "f8": (pa.float64(), [0.1, 1e300, float("nan")]),
    "s": (pa.string(), ["a,b", "", None]),
    "z": (pa.string(), ['é\n"q"', "y ", "null?"]),
    "b": (pa.bool_(), [True, False, True]),
    "d": (pa.date32(), DAYS),
    "t": (pa.timestamp("us", "UTC"), TIMES),
}
TABLE = pa.table({name: pa.array(values, kind) for name, (kind, values) in VALUES.items()})
TABLES = {"arrow": TABLE, "pandas": TABLE.to_pandas(types_mapper={pa.int32(): pd.Int32Dtype()}.get)}
TABLES["pandas"]["d"] = pd.to_datetime(TABLES["pandas"]["d"])


def by_pandas(path: Path, format: str) -> Any:
    if format == "csv":
        return pd.read_csv(path, parse_dates=["d", "t"], date_format="ISO8601").to_dict("records")
    return pd.read_json(path, lines=format == "ndjson").to_dict("records")


def by_polars(path: Path, format: str) -> Any:
    pl = pytest.importorskip("polars")
    if format == "csv":
        return pl.read_csv(path, try_parse_dates=True).to_dicts()
    return (pl.read_json if format == "json" else pl.read_ndjson)(path).to_dicts()


def by_pyarrow(path: Path, format: str) -> Any:
    if format == "ndjson":
        return pytest.importorskip("pyarrow.json").read_json(path).to_pylist()
    csv = pytest.importorskip("pyarrow.csv")
    nulls = csv.ConvertOptions(strings_can_be_null=True, quoted_strings_can_be_null=False)
    lines = csv.ParseOptions(newlines_in_values=True)
    return csv.read_csv(path, parse_options=lines, convert_options=nulls).to_pylist()


def by_duckdb(path: Path, format: str) -> Any:
    duckdb = pytest.importorskip("duckdb")
    found = (duckdb.read_csv if format == "csv" else duckdb.read_json)(str(path))
    return [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]


def by_json(path: Path, format: str) -> Any:
    text = path.read_text(encoding="utf-8")
    return json.loads(text) if format == "json" else [json.loads(line) for line in text.splitlines()]


def by_yaml(path: Path, format: str) -> Any:
    return pytest.importorskip("yaml").safe_load(path.read_bytes())


OTHERS: list[tuple[Callable[[Path, str], Any], tuple[str, ...]]] = [
    (by_pandas, ("csv", "json", "ndjson")), (by_polars, ("csv", "json", "ndjson")), (by_pyarrow, ("csv", "ndjson")),
    (by_duckdb, ("csv", "json", "ndjson")), (by_json, ("json", "ndjson")), (by_yaml, ("yaml",)),
]  # fmt: skip


def as_told(value: Any) -> Any:
    """Missing values are None, times and their texts are of ISO 8601 in UTC, days are midnights."""
    value = value.item() if isinstance(value, np.generic) else value
    if value is None or value is pd.NaT or (isinstance(value, float) and value != value):
        return None
    if isinstance(value, str) and value[:4].isdigit():
        value = dt.datetime.fromisoformat(value)
    if isinstance(value, dt.datetime):
        return value.astimezone(dt.UTC).isoformat() if value.tzinfo else value.isoformat()
    return f"{value.isoformat()}T00:00:00" if isinstance(value, dt.date) else value


@pytest.mark.parametrize("library", TABLES)
@pytest.mark.parametrize(("by", "format"), [(by, format) for by, formats in OTHERS for format in formats])
def test_others_read_the_same(by: Callable[[Path, str], Any], format: str, library: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.{format}"
    cn.write(TABLES[library], path, on_loss="ignore")
    # These read an empty cell as missing, quoted or not.
    is_same = format == "csv" and by in (by_pandas, by_duckdb)
    wanted = [{k: None if v == "" and is_same else as_told(v) for k, v in row.items()} for row in TABLE.to_pylist()]
    assert [{k: as_told(v) for k, v in row.items()} for row in by(path, format)] == wanted


@each("format", list(TEXTS))
def test_only_what_is_lost_is_said(format: str) -> None:
    assert losses(TABLES["pandas"], format) == []
    # Arrow tells NaN from null.
    assert losses(TABLE, format) == ([("f8", "NaN comes back as null")] if format in ("json", "ndjson") else [])
    assert losses(TABLES["pandas"], format, schema="header") == []


WORDS = ["1", "-2.5", "true", "NA", "", " ", "2024-02-29", "2024-02-29T10:00:00Z", "x", "null", "é,\n", "[1]", "#", "'"]
CELLS: list[tuple[str, Any]] = [
    *((kind, st.integers(np.iinfo(kind).min, np.iinfo(kind).max)) for kind in ("int8", "uint16", "int64", "uint64")),
    *((f"float{bits}", st.floats(width=bits)) for bits in (32, 64)),
    *((kind, st.none() | st.sampled_from(WORDS) | st.text(max_size=3)) for kind in ("str", "str")),
    ("bool", st.booleans()),
    *((f"datetime64[{unit}]", st.none() | st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2250, 1, 1)))
      for unit in ("s", "us", "ns")),
    ("datetime64[us, UTC]", st.none() | st.datetimes()),
]  # fmt: skip
KINDS = {"int": "iu", "uin": "iu", "flo": "f", "str": "O", "boo": "b", "dat": "M"}


@st.composite
def frames(draw: st.DrawFn) -> Any:
    names = draw(st.lists(st.sampled_from(WORDS) | st.text(max_size=3), unique=True, min_size=1, max_size=4))
    nrows = draw(st.integers(0, 4))
    columns = {}
    for name in names:
        kind, cells = draw(st.sampled_from(CELLS))
        columns[name] = pd.Series(draw(st.lists(cells, min_size=nrows, max_size=nrows)), dtype=kind)
    return pd.DataFrame(columns)


@pytest.mark.parametrize("format", TEXTS)
@settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=300)
@given(frame=frames())
def test_what_is_not_named_comes_back(format: str, frame: Any) -> None:
    if losses(frame, format):
        return
    found = cn.read_pandas(io.BytesIO(cn.encode(frame, format)), format=format)
    assert list(found.columns) == list(frame.columns)
    for name in frame.columns:
        if frame[name].notna().any():
            # Text that became numbers would be text again below.
            assert found[name].dtype.kind in KINDS[str(frame[name].dtype)[:3]], (name, found[name].dtype)
    pd.testing.assert_frame_equal(found.astype(frame.dtypes.to_dict()), frame, check_dtype=False, check_exact=True)
