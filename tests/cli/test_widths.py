"""`info`, `schema` and `head` fit 60 to 200 columns, break no cell into letters, and show times as times."""

import datetime as dt
import re
from collections.abc import Callable
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import colonnade as cn
from colonnade._values.terminal_text import width_of
from colonnade.cli import main
from tests.helpers.commands import finished

N = 6
LONG = "a very long column name that goes on and on for ever and then some more"
WIDE = "日本語の長い列名がここにあります"
FLAT = {
    "price": np.arange(N) * 1.5,
    LONG: np.arange(N),
    WIDE: [f"テキスト{i}" for i in range(N)],
    "when": pd.date_range("2024-01-01", periods=N, freq="90min"),
    "zoned": pd.date_range("2024-01-01", periods=N, freq="h", tz="Europe/Berlin"),
    "day": [dt.date(2024, 1, 1 + i) for i in range(N)],
    "delta": pd.to_timedelta(np.arange(N), unit="h"),
    "kind": pd.Categorical(["x", "y"] * (N // 2)),
    "amount": [Decimal("1.25")] * N,
    "clock": [dt.time(1, 2, i) for i in range(N)],
    **{f"column_number_{i}": np.arange(N) for i in range(50)},
}
NESTED = {"items": [[1, 2]] * N, "record": [{"a": 1, "a_nested_field_with_a_long_name": "x"}] * N}
WIDTHS = [60, 80, 120, 200]
FORMATS = ["parquet", "npz", "npy", "arrow", "arrows", "msgpack", "json", "ndjson", "yaml", "csv"]


@pytest.fixture(scope="module")
def file_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    folder = tmp_path_factory.mktemp("widths")

    def of(format: str) -> Path:
        path = folder / f"x.{format}"
        if not path.exists():
            table = pa.Table.from_pandas(pd.DataFrame(FLAT if format == "csv" else FLAT | NESTED))
            cn.write(table, path, format=format, **({"schema": "header"} if format == "csv" else {}))
        return path

    return of


def shown(capsys: pytest.CaptureFixture[str], *arguments: object) -> list[str]:
    assert main([*map(str, arguments)]) == 0
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("format", FORMATS)
def test_every_format_at_every_width(
    format: str,
    width: int,
    file_of: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    for command in (["info"], ["schema"], ["head", "-n", "3"]):
        lines = shown(capsys, *command, file_of(format))
        assert max(map(width_of, lines)) <= width, command
        # One letter may be left over from a wrapped label, two such lines in a row are a cell that is broken up.
        letters = [len(line.split()) == 1 and len(line.strip()) == 1 for line in lines]
        assert not any(a and b for a, b in pairwise(letters)), command
        assert all(line == line.rstrip() for line in lines)


@pytest.mark.parametrize("format", FORMATS)
def test_a_pipe_gets_80_columns(format: str, file_of: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    done = finished("info", file_of(format), stdin=-3, text=True)  # the null device
    assert done.returncode == 0
    assert 70 <= max(map(width_of, done.stdout.splitlines())) <= 80


def chunk_lines(lines: list[str], name: str) -> list[str]:
    start = next(i for i, line in enumerate(lines) if "column chunks" in line and line[0].isdigit())
    return [line for line in lines[start:] if re.search(rf"\b{name}\b", line)]


def test_encodings_of_parquet_at_80_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"price": [1.5, 2.5], "when": pa.array([0, 10**6], pa.timestamp("us"))}), path)
    lines = shown(capsys, "info", path)
    sizes = [re.sub(r"\d+ B", "N B", line) for line in lines[-7:]]
    assert sizes == [
        "group  name   encodings         size  compressed  nulls  least        largest",
        "─" * 80,
        "    0  price  PLAIN, RLE,      N B       N B      0  1.5          2.5",
        "              RLE_DICTIONARY",
        "    0  when   PLAIN, RLE,      N B       N B      0  1970-01-01   1970-01-01",
        "              RLE_DICTIONARY                             00:00:00     00:00:01",
        "not shown at this width: codec; --json has all",
    ]


@pytest.mark.parametrize(
    ("name", "least", "largest"),
    [
        ("when", "2024-01-01 00:00:00", "2024-01-01 07:30:00"),
        ("zoned", "2023-12-31 23:00:00Z", "2024-01-01 04:00:00Z"),
        ("day", "2024-01-01", "2024-01-06"),
        ("delta", "00:00:00", "05:00:00"),
        ("clock", "01:02:00", "01:02:05"),
        ("amount", "1.25", "1.25"),
    ],
)
def test_bounds_are_times(
    name: str,
    least: str,
    largest: str,
    file_of: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    (line,) = chunk_lines(shown(capsys, "info", file_of("parquet")), name)
    assert re.split(r"  +", line.strip())[-2:] == [least, largest]


def test_what_is_left_out_is_named(
    file_of: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    lines = shown(capsys, "info", file_of("parquet"))
    assert "not shown at this width: encodings, codec, nulls; --json has" in lines


def test_head_uses_the_width(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "a text of some length " * 5
    cn.write({"a": [text.strip()], "b": [1]}, tmp_path / "x.npz")
    monkeypatch.setenv("COLUMNS", "80")
    lines = shown(capsys, "head", tmp_path / "x.npz")
    assert max(map(width_of, lines)) == 80
    monkeypatch.setenv("COLUMNS", "200")
    assert text.strip() in "".join(shown(capsys, "head", tmp_path / "x.npz"))


def test_head_narrows_long_cells_before_it_omits_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cn.write({name: ["x" * 60] for name in "abc"}, tmp_path / "x.npz")
    monkeypatch.setenv("COLUMNS", "80")
    lines = shown(capsys, "head", tmp_path / "x.npz")
    assert [line.split() for line in lines if "a" in line.split()] == [["a", "b", "c"]]
    assert max(map(width_of, lines)) == 80


def test_head_shows_no_zeros_that_say_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    when = np.array(["2024-01-01T00:00:00", "2024-01-01T00:00:00.250"], "M8[ns]")
    cn.write({"a": when, "b": when.astype("M8[s]").astype("M8[ns]"), "c": when - when[0]}, tmp_path / "x.npz")
    monkeypatch.setenv("COLUMNS", "120")
    lines = shown(capsys, "head", tmp_path / "x.npz")
    assert lines[-2].split() == ["0", "2024-01-01T00:00:00.00", "2024-01-01T00:00:00", "00:00:00"]
    assert lines[-1].split() == ["1", "2024-01-01T00:00:00.25", "2024-01-01T00:00:00", "00:00:00.25"]
