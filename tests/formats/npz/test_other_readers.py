"""Archives of ours under other programs' eyes: Python's zipfile, numpy, unzip and 7-Zip."""

import subprocess
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import colonnade as cn
from tests.helpers.programs import needs_program


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    """Two groups of columns, strings with nulls, hierarchical labels; compressible, so that codecs do not give up."""
    nrows = 5000
    return pd.DataFrame(
        {f"{kind}{i}": np.arange(nrows).astype(kind) for i in range(3) for kind in ("f8", "i4")}
        | {"s": pd.Series(["a", None, "déjà vu"] * (nrows // 3) + ["z"] * (nrows % 3), dtype="str")},
        index=pd.MultiIndex.from_product([["p", "q"], range(nrows // 2)], names=["m", "n"]),
    )


def written(frame: pd.DataFrame, folder: Path, compression: str | None) -> Path:
    path = folder / "frame.npz"
    cn.write(frame, path, compression=compression)
    return path


@pytest.mark.parametrize("compression", [None, "deflate"])
def test_zipfile_finds_nothing_wrong(frame: pd.DataFrame, tmp_path: Path, compression: str | None) -> None:
    path = written(frame, tmp_path, compression)
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert archive.namelist()[0] == "__meta__.json"
        methods = {entry.compress_type for entry in archive.infolist()}
    assert methods == ({zipfile.ZIP_STORED} if compression is None else {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})


@pytest.mark.parametrize("compression", [None, "deflate"])
def test_numpy_loads_every_array(frame: pd.DataFrame, tmp_path: Path, compression: str | None) -> None:
    path = written(frame, tmp_path, compression)
    ours = cn.read_arrays(path)
    with np.load(path, allow_pickle=False) as loaded:
        arrays = [name for name in loaded.files if not name.endswith(".json")]
        assert sorted(arrays) == sorted(ours)
        for name in arrays:
            assert loaded[name].dtype == ours[name].dtype
            np.testing.assert_array_equal(loaded[name], ours[name])


def test_arrays_lie_on_cache_lines_and_groups_at_one_distance(frame: pd.DataFrame, tmp_path: Path) -> None:
    data = written(frame, tmp_path, None).read_bytes()
    with zipfile.ZipFile(tmp_path / "frame.npz") as archive:
        starts: dict[str, list[int]] = {}
        for entry in archive.infolist():
            if not entry.filename.endswith(".npy"):
                continue
            local = data[entry.header_offset :]
            payload = (
                entry.header_offset
                + 30
                + int.from_bytes(local[26:28], "little")
                + int.from_bytes(local[28:30], "little")
            )
            start = payload + 10 + int.from_bytes(data[payload + 8 : payload + 10], "little")
            assert start % 64 == 0, entry.filename
            if entry.filename.startswith("__blocks_"):
                header = data[payload + 10 : start].decode()
                starts.setdefault(header, []).append(start)
    for header, group in starts.items():
        distances = set(np.diff(sorted(group)))
        assert len(distances) <= 1, header
        assert all(distance // 64 % 2 == 1 for distance in distances), header


@needs_program("unzip")
@pytest.mark.parametrize("compression", [None, "deflate"])
def test_unzip(frame: pd.DataFrame, tmp_path: Path, compression: str | None) -> None:
    run("unzip", "-tq", str(written(frame, tmp_path, compression)))


@needs_program("7z", package="p7zip-full")
@pytest.mark.parametrize("compression", [None, "deflate", "zstd"])
def test_seven_zip(frame: pd.DataFrame, tmp_path: Path, compression: str | None) -> None:
    path = written(frame, tmp_path, compression)
    run("7z", "t", str(path))
    run("7z", "x", f"-o{tmp_path / 'out'}", str(path))
    for name, array in cn.read_arrays(path).items():
        np.testing.assert_array_equal(np.load(tmp_path / "out" / f"{name}.npy", allow_pickle=False), array)


def run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
