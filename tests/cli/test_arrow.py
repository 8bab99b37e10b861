"""The command line on Arrow's files and streams."""

import io
import json
import os
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

import colonnade as cn
from colonnade.cli import main
from tests.helpers.commands import finished
from tests.helpers.each import each

TABLE = pa.table(
    {
        "price": [1.5, 2.5, 3.5, 4.5],
        "name": ["ash", None, "elm", "fir"],
        "kind": pa.array(["x", "y", "x", "x"]).dictionary_encode(),
    }
)


def written(*, file: bool) -> bytes:
    out = io.BytesIO()
    with (pa.ipc.new_file if file else pa.ipc.new_stream)(out, TABLE.schema) as writer:
        writer.write_table(TABLE, max_chunksize=2)
    return out.getvalue()


pytestmark = pytest.mark.usefixtures("eighty_columns")


@pytest.fixture(params=["arrow", "arrows"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    made = tmp_path / f"table.{request.param}"
    made.write_bytes(written(file=request.param == "arrow"))
    return made


# ---------------------------------------------------------------------------- looking


def test_info(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", str(path)]) == 0
    out = capsys.readouterr().out
    for part in ("4 rows x 3 columns", "2 of 2 rows, 1 dictionaries, metadata V5", "batch 1", "price"):
        assert part in out
    assert max(map(len, out.splitlines())) <= 80


def test_info_json(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", "--json", str(path)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["format"] == path.suffix[1:]
    assert found["shape"] == [4, 3]
    assert found["arrow"]["batches"] == [2, 2]
    assert found["arrow"]["big_endian"] is False
    assert found["file_nbytes"] == path.stat().st_size


def test_head(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["head", "-n", "2", str(path)]) == 0
    out = capsys.readouterr().out
    assert "4 rows x 3 columns" in out  # of the file
    assert "ash" in out
    assert "elm" not in out
    assert main(["head", str(path), "--columns", "name"]) == 0
    out = capsys.readouterr().out
    assert "fir" in out
    assert "4.5" not in out


def test_head_decodes_the_first_batches_alone(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = bytearray(path.read_bytes())
    data[data.rindex(b"elmfir")] = 0xFF  # no UTF-8, in the second batch
    path.write_bytes(data)
    assert main(["head", "-n", "2", str(path)]) == 0
    assert "ash" in capsys.readouterr().out
    assert main(["head", str(path)]) == 1
    assert main(["verify", str(path)]) == 1
    assert "UTF-8" in capsys.readouterr().err


def test_stdin(path: Path) -> None:
    for command in ("info", "head", "verify"):
        with open(path, "rb") as file:  # a file, from its beginning
            assert finished(command, "-", stdin=file).returncode == 0
        done = finished(command, "-", input=path.read_bytes())  # a pipe
        assert (done.returncode, done.stderr) == (0, b"")
    assert b"ash" in finished("head", "-", input=path.read_bytes()).stdout


def test_typos(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["head", str(path), "--columns", "prize"]) == 1
    assert capsys.readouterr().err == "colonnade: column 'prize' is not there; nearest: 'price'\n"
    assert main(["head", str(path) + "x"]) == 1
    assert capsys.readouterr().err == f"colonnade: No such file or directory: {path}x\n"
    assert main(["convert", str(path), "out.arroww"]) == 2
    assert "the suffix of 'out.arroww' is not known" in capsys.readouterr().err
    assert main(["convert", str(path), "out", "--to", "arow"]) == 2
    assert "unknown format 'arow'; nearest: 'arrow'" in capsys.readouterr().err


# ---------------------------------------------------------------------------- checking


def test_verify(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "cut").write_bytes(path.read_bytes()[:-20])
    (tmp_path / "old.feather").write_bytes(b"FEA1" + bytes(60))
    assert main(["verify", str(path), str(tmp_path / "cut"), str(tmp_path / "old.feather")]) == 1
    out, err = capsys.readouterr()
    assert out == f"{path}: ok (structure only: {path.suffix[1:]} has no checksums)\n"
    assert len(err.splitlines()) == 2
    assert "Feather V1" in err


# ---------------------------------------------------------------------------- converting


@each("to", ["npz", "arrow", "arrows", "feather"])
@each("options", [[], ["--compression", "zstd", "--compression-level", "3"]], ids=["plain", "zstd"])
def test_convert(path: Path, tmp_path: Path, to: str, options: list[str]) -> None:
    target = tmp_path / f"copy.{to}"
    assert main(["convert", str(path), str(target), *options]) == 0
    assert cn.read(target).to_arrow().to_pylist() == TABLE.to_pylist()
    if to == "feather":
        pd.testing.assert_frame_equal(
            pd.read_feather(target), pd.read_feather(path) if path.suffix == ".arrow" else TABLE.to_pandas()
        )


@each("to", ["arrow", "arrows", "npz"])
def test_convert_through_pipes(path: Path, to: str) -> None:
    done = finished("convert", "-", "-", "--to", to, input=path.read_bytes())
    assert (done.returncode, done.stderr) == (0, b"")
    assert cn.read(done.stdout).to_arrow().to_pylist() == TABLE.to_pylist()


def test_convert_options(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "copy.arrows"
    assert main(["convert", str(path), str(target), "--compression", "lz4", "--batch-nbytes", "1"]) == 0
    assert len(cn.inspect(target).arrow.batches) >= 2
    assert main(["convert", str(path), str(target), "--compression", "deflate"]) == 2
    assert "expected None, 'lz4', 'zstd', found 'deflate'" in capsys.readouterr().err
    assert main(["convert", str(path), str(target), "--batch-nbytes", "0"]) == 2
    assert main(["convert", str(path), str(target), "--compat", "static-frame"]) == 2
    assert "unknown option --compat; it is an option of npz, npy" in capsys.readouterr().err


def test_convert_truncated(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cut = tmp_path / "cut.arrows"
    cut.write_bytes(written(file=False)[:-8])
    target = tmp_path / "copy.arrows"
    assert main(["convert", str(cut), str(target)]) == 1
    assert "2 batches with 4 rows were received" in capsys.readouterr().err
    assert not target.exists()
    assert main(["convert", str(cut), str(target), "--allow-truncated"]) == 0
    assert len(cn.read(target)) == 4


def test_stdout_needs_a_format(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", str(path), "-"]) == 2
    assert "--to arrows" in capsys.readouterr().err
    assert os.listdir(path.parent) == [path.name]
