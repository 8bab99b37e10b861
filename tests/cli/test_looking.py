"""``colonnade schema``, ``cat``, ``diff``, and a part of a file with ``convert``."""

import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import colonnade as cn
from colonnade.cli import main
from tests.helpers.commands import RUN

pytestmark = pytest.mark.usefixtures("eighty_columns")
Captured = pytest.CaptureFixture[str]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    data = {"n": np.arange(4), "text": np.array(["w", "x", "y", "z"]), "f": np.array([0.5, np.nan, 1.5, 2.5])}
    cn.write(data, tmp_path / "a.npz")
    return tmp_path / "a.npz"


def test_no_command_is_help(capsys: Captured) -> None:
    assert main([]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("usage: colonnade")
    assert err == ""


def test_schema(path: Path, capsys: Captured) -> None:
    assert main(["schema", str(path)]) == 0
    words = [line.split() for line in capsys.readouterr().out.splitlines() if line.strip() and "─" not in line]
    assert words == [["column", "type"], ["n", "int64"], ["text", "<U1"], ["f", "float64"]]


@pytest.mark.parametrize(
    ("options", "out"),
    [
        ([], "n,text,f\n0,w,0.5\n1,x,\n2,y,1.5\n3,z,2.5\n"),
        (["--columns", "text,n", "--rows", "1:3"], "text,n\nx,1\ny,2\n"),
        (["--rows=-1:", "--to", "ndjson"], '{"n":3,"text":"z","f":2.5}\n'),
    ],
)
def test_cat(path: Path, options: list[str], out: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["cat", str(path), *options]) == 0
    assert capfd.readouterr().out == out


def test_convert_a_part(path: Path, tmp_path: Path) -> None:
    target = tmp_path / "new" / "b.parquet"
    assert main(["convert", str(path), str(target), "--columns", "n", "--rows", ":2", "--mkdir"]) == 0
    assert cn.read(target).to_pandas().to_dict("list") == {"n": [0, 1]}


@pytest.mark.parametrize("rows", ["3", "a:b", "1:2:3"])
def test_rows_that_are_none(path: Path, rows: str, capsys: Captured) -> None:
    with pytest.raises(SystemExit) as error:
        main(["cat", str(path), "--rows", rows])
    assert error.value.code == 2
    assert f"expected rows such as 0:100 or 500:, found '{rows}'" in capsys.readouterr().err


@pytest.mark.parametrize("suffix", ["npz", "parquet", "arrow", "arrows", "msgpack"])
def test_equal_frames_of_two_formats(path: Path, tmp_path: Path, suffix: str, capsys: Captured) -> None:
    cn.convert(path, tmp_path / f"b.{suffix}")
    assert main(["diff", str(path), str(tmp_path / f"b.{suffix}")]) == 0
    assert capsys.readouterr().out == ""


def changed(**columns: Any) -> pd.DataFrame:
    data = {"n": np.arange(4), "text": list("wxyz"), "f": [0.5, np.nan, 1.5, 2.5]}
    return pd.DataFrame({name: column for name, column in (data | columns).items() if column is not None})


@pytest.mark.parametrize(
    ("other", "lines"),
    [
        (changed(n=[0, 1, 7, 3]), ["row 2, column n", "- 2", "+ 7"]),
        (changed(f=[0.5, 1.0, 1.5, 2.5]), ["row 1, column f", "- nan", "+ 1"]),
        (changed(text=list("wxyZ")), ["row 3, column text", "- z", "+ Z"]),
        (changed(n=[0.0, 1.0, 2.0, 3.0]), ["type of column n", "- int64", "+ float64"]),
        (changed(n=None), ["columns of only one side", "- n", "+ none"]),
        (changed().head(3), ["number of rows", "- 4", "+ 3"]),
        (changed()[["text", "n", "f"]], ["order of columns", "- n, text, f", "+ text, n, f"]),
        (changed().set_axis([0, 1, 5, 3]), ["label of row 2", "- 2", "+ 5"]),
    ],
)
def test_what_differs_is_named(path: Path, tmp_path: Path, other: Any, lines: list[str], capsys: Captured) -> None:
    cn.write(other, tmp_path / "b.parquet")
    assert main(["diff", str(path), str(tmp_path / "b.parquet")]) == 1
    assert capsys.readouterr().out.splitlines() == [f"--- {path}", f"+++ {tmp_path / 'b.parquet'}", *lines]


def test_ten_differences_are_shown(tmp_path: Path, capsys: Captured) -> None:
    for name, value in (("a", 0), ("b", 1)):
        cn.write({f"c{k}": np.full(3, value) for k in range(20)}, tmp_path / f"{name}.npz")
    assert main(["diff", str(tmp_path / "a.npz"), str(tmp_path / "b.npz")]) == 1
    out = capsys.readouterr().out.splitlines()
    assert len(out) == 2 + 3 * 10 + 1
    assert out[-1] == "... and more"


def test_stdin_is_one_of_two(capsys: Captured) -> None:
    assert main(["diff", "-", "-"]) == 2
    assert capsys.readouterr().err == "colonnade: diff: expected at most one file from stdin, found - twice.\n"


@pytest.mark.parametrize(
    ("suffix", "said"),
    [
        ("npz", ""), ("parquet", ""), ("csv.gz", ""), ("arrow", "arrow"), ("arrows", "arrows"), ("msgpack", "msgpack"),
        ("csv", "csv"), ("json", "json"),
    ],
)  # fmt: skip
def test_verify_says_what_it_could_check(tmp_path: Path, suffix: str, said: str, capsys: Captured) -> None:
    cn.write({"a": np.arange(3)}, tmp_path / f"x.{suffix}")
    assert main(["verify", str(tmp_path / f"x.{suffix}")]) == 0
    rest = f" (structure only: {said} has no checksums)" if said else ""
    assert capsys.readouterr().out == f"{tmp_path / f'x.{suffix}'}: ok{rest}\n"


def test_suggestions_are_of_this_command(path: Path, capsys: Captured) -> None:
    with pytest.raises(SystemExit):
        main(["versions", "--colums", "n"])
    assert "nearest" not in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["head", str(path), "--colums", "n"])
    assert "nearest: '--columns'" in capsys.readouterr().err


def test_head_takes_the_options_of_reading(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "x.csv").write_bytes("a;é\n1;2\n".encode("latin-1"))
    assert main(["schema", str(tmp_path / "x.csv"), "--encoding", "latin-1", "--sep", ";"]) == 0
    assert "é" in capsys.readouterr().out
    whole = cn.encode({"a": np.arange(5)}, "arrows")
    (tmp_path / "cut.arrows").write_bytes(whole[:-8])
    assert main(["head", str(tmp_path / "cut.arrows"), "--allow-truncated"]) == 0


def test_verify_of_a_pipe_opens_it_once(tmp_path: Path) -> None:
    fifo = tmp_path / "x.arrows"
    os.mkfifo(fifo)
    data = cn.encode({"a": np.arange(3)}, "arrows")
    process = subprocess.Popen([*RUN, "verify", str(fifo)], stdout=subprocess.PIPE)
    fifo.write_bytes(data)
    out, _ = process.communicate(timeout=60)
    assert out.decode() == f"{fifo}: ok\n"
