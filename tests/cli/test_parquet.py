"""The command line on Parquet files."""

import json
import re
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import colonnade as cn
from colonnade.cli import main
from tests.helpers.commands import Started, finished
from tests.helpers.each import each
from tests.helpers.ways import exactly

TABLE = pa.table(
    {
        "price": [1.5, 2.5, 3.5, 4.5],
        "name": ["ash", None, "elm", "fir"],
        "kind": pa.array(["x", "y", "x", "x"]).dictionary_encode(),
    }
)


pytestmark = pytest.mark.usefixtures("eighty_columns")


@pytest.fixture(params=["ours", "pyarrow"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    made = tmp_path / "table.parquet"
    if request.param == "ours":
        cn.write(TABLE, made, row_group_size=2)
    else:
        pq.write_table(TABLE, made, row_group_size=2)
    return made


# ---------------------------------------------------------------------------- looking


def test_info(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", str(path)]) == 0
    out = capsys.readouterr().out
    for part in ("parquet (row groups, frame)", "4 rows x 3 columns", "2 of 2 rows", "price", "RLE_DICTIONARY"):
        assert part in out, part
    assert max(map(len, out.splitlines())) <= 80


def test_info_json(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", "--json", str(path)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["format"], found["shape"]) == ("parquet", [4, 3])
    assert found["file_nbytes"] == path.stat().st_size
    chunks = {(member["group"], member["name"]): member for member in found["members"]}
    assert sorted(chunks) == [(group, name) for group in (0, 1) for name in ("kind", "name", "price")]
    assert chunks[1, "price"]["statistics"] == {"min": 3.5, "max": 4.5, "null_count": 0}
    assert [group["nrows"] for group in found["parquet"]["row_groups"]] == [2, 2]


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


def test_head_decodes_the_first_row_groups_alone(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = bytearray(path.read_bytes())
    page = pq.ParquetFile(path).metadata.row_group(1).column(0).data_page_offset
    data[page : page + 10] = b"\xff" * 10
    path.write_bytes(data)
    assert main(["head", "-n", "2", str(path)]) == 0
    assert "ash" in capsys.readouterr().out
    assert main(["head", str(path)]) == 1
    assert main(["verify", str(path)]) == 1
    assert capsys.readouterr().err.count("row group 1") == 2


@each("command", ["info", "head", "verify"])
def test_stdin(path: Path, command: str) -> None:
    with open(path, "rb") as file:  # a file, from its beginning
        assert finished(command, "-", stdin=file).returncode == 0
    done = finished(command, "-", input=path.read_bytes())  # a pipe
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"price" in done.stdout or command == "verify"


def test_typos(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["head", str(path), "--columns", "prize"]) == 1
    assert capsys.readouterr().err == "colonnade: column 'prize' is not there; nearest: 'price'\n"
    assert main(["head", str(path) + "x"]) == 1
    assert capsys.readouterr().err == f"colonnade: No such file or directory: {path}x\n"
    assert main(["convert", str(path), "out.parqet"]) == 2
    assert "the suffix of 'out.parqet' is not known; nearest: '.parquet'" in capsys.readouterr().err
    assert main(["convert", str(path), "out", "--to", "parqet"]) == 2
    assert "unknown format 'parqet'; nearest: 'parquet'" in capsys.readouterr().err
    assert main(["convert", str(path), "out.parquet", "--profile", "tiny"]) == 2
    assert "profile: expected 'fast' or 'balanced' or 'small', found 'tiny'" in capsys.readouterr().err


# ---------------------------------------------------------------------------- checking


def test_verify(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "cut.parquet").write_bytes(path.read_bytes()[:-20])
    (tmp_path / "empty.parquet").write_bytes(b"")
    (tmp_path / "text.parquet").write_bytes(b"price,name\n1.5,ash\n")
    bad = [str(tmp_path / name) for name in ("cut.parquet", "empty.parquet", "text.parquet", "absent.parquet")]
    assert main(["verify", str(path), *bad]) == 1
    out, err = capsys.readouterr()
    assert out == f"{path}: ok\n"
    lines = err.splitlines()
    assert len(lines) == 4
    for line, name, words in zip(lines, bad, ("cut short", "cut short", "no Parquet", "No such file"), strict=True):
        assert name in line
        assert words in line


def test_verify_finds_a_flipped_byte(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Damaged values that are still valid: only the checksum detects them."""
    path = tmp_path / "x.parquet"
    cn.write({"a": np.random.default_rng(0).random(1000)}, path)
    data = bytearray(path.read_bytes())
    data[2000] ^= 1
    path.write_bytes(data)
    assert main(["head", str(path)]) == 0
    assert main(["verify", str(path)]) == 1
    assert re.search(r"(?i)crc|checksum", capsys.readouterr().err)


# ---------------------------------------------------------------------------- converting


@each("to", ["npz", "arrow", "arrows", "feather", "parquet", "pq", "csv", "json", "ndjson", "msgpack"])
def test_convert(path: Path, tmp_path: Path, to: str) -> None:
    target = tmp_path / f"copy.{to}"
    schema = ["--schema", "header"] if exactly(to) else []
    assert main(["convert", str(path), str(target), *schema]) == 0
    assert cn.read(target).to_arrow().to_pylist() == TABLE.to_pylist()
    assert main(["convert", str(target), str(tmp_path / "back.parquet")]) == 0
    assert cn.read(tmp_path / "back.parquet").to_arrow().to_pylist() == TABLE.to_pylist()
    assert pq.read_table(tmp_path / "back.parquet").to_pylist() == TABLE.to_pylist()


@each("codec", ["none", "snappy", "gzip", "brotli", "lz4", "zstd", "auto"])
def test_convert_options(path: Path, tmp_path: Path, codec: str) -> None:
    target = tmp_path / "copy.parquet"
    level = ["--compression-level", "3"] if codec in ("gzip", "brotli", "zstd") else []
    options = ["--compression", codec, *level, "--profile", "fast", "--row-group-size", "3"]
    assert main(["convert", str(path), str(target), *options]) == 0
    metadata = pq.ParquetFile(target).metadata
    assert [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)] == [3, 1]
    if codec != "auto":
        wanted = {"none": "UNCOMPRESSED", "lz4": "LZ4"}.get(codec, codec.upper())
        assert {metadata.row_group(0).column(i).compression for i in range(3)} == {wanted}
    assert cn.read(target).to_arrow().to_pylist() == TABLE.to_pylist()


def test_convert_through_pipes(path: Path) -> None:
    done = finished("convert", "-", "-", "--to", "parquet", input=path.read_bytes())
    assert (done.returncode, done.stderr) == (0, b"")
    assert cn.read(done.stdout).to_arrow().to_pylist() == TABLE.to_pylist()
    done = finished("convert", "-", "-", "--to", "arrows", input=done.stdout)
    assert (done.returncode, done.stderr) == (0, b"")
    assert cn.read(done.stdout).to_arrow().to_pylist() == TABLE.to_pylist()


def test_convert_that_fails_leaves_nothing(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "cut.parquet").write_bytes(path.read_bytes()[:-20])
    assert main(["convert", str(tmp_path / "cut.parquet"), str(tmp_path / "new.parquet")]) == 1
    assert "cut short" in capsys.readouterr().err
    assert main(["convert", str(path), str(tmp_path / "absent" / "new.parquet")]) == 1
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["cut.parquet", "table.parquet"]


def test_convert_is_interrupted(tmp_path: Path) -> None:
    """Status 130, the old file unchanged, no temporary file."""
    data = {f"c{i}": np.random.default_rng(i).standard_normal(1_000_000) for i in range(8)}
    cn.write(data, tmp_path / "in.npz")
    cn.write({"a": np.arange(3)}, tmp_path / "out.parquet")
    before = (tmp_path / "out.parquet").read_bytes()
    options = ["--compression", "zstd", "--compression-level", "22", "--threads", "1"]
    with Started("convert", tmp_path / "in.npz", tmp_path / "out.parquet", *options) as started:
        # It works once its temporary file is there.
        while not any(entry.name.endswith(".tmp") for entry in tmp_path.iterdir()):
            assert started.process.poll() is None, started.ended()
            time.sleep(0.01)
        status, said = started.interrupted()
    assert (status, said) == (130, "colonnade: interrupted\n")
    assert (tmp_path / "out.parquet").read_bytes() == before
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["in.npz", "out.parquet"]


def test_a_frame_of_pandas_keeps_its_labels(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": [1.5, None]}, index=pd.Index(["a", "b"], name="id"))
    frame.to_parquet(tmp_path / "theirs.parquet")
    for middle in ("npz", "arrow", "json"):
        schema = ["--schema", "header"] if exactly(middle) else []
        assert main(["convert", str(tmp_path / "theirs.parquet"), str(tmp_path / f"middle.{middle}"), *schema]) == 0
        assert main(["convert", str(tmp_path / f"middle.{middle}"), str(tmp_path / "ours.parquet")]) == 0
        pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "ours.parquet"), frame)
