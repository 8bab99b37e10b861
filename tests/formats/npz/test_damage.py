"""A small file cut at every byte, and with every byte flipped: a typed error or plain data, never a crash.

Where `verify` passes on a damaged file, the arrays must be the original ones to the bit: a flipped byte that matters is
under a checksum or is said twice.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import colonnade as cn
from tests.sweep import mutants as sweep


def small() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "i": np.arange(5),
            "f": np.array([0.0, -0.0, np.nan, np.inf, 1.5]),
            "s": ["", "a", None, "déjà", "\0"],
            "b": [True, False, True, False, True],
            "t": np.array(["2026-11-21", "NaT", "1970-01-01", "2000-02-29", "1969-12-31"], dtype="M8[ns]"),
            "c": pd.Categorical(["x", "y", None, "x", "y"]),
        },
        index=pd.MultiIndex.from_product([["p"], list("vwxyz")], names=["m", None]),
    )


@pytest.fixture(params=[None, "deflate", "zstd"])
def whole(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "whole.npz"
    cn.write(small(), path, compression=request.param)
    cn.verify(path)
    return path


def test_cut_at_every_byte(whole: Path) -> None:
    """The directory stands at the end: no shorter file is a file."""
    results = sweep.run({"source": str(whole), "damage": "cut"})
    assert len(results) == whole.stat().st_size
    steps = ("inspect", "read", "arrays", "verify")
    passed = [result["name"] for result in results if any(result[step] == "data" for step in steps)]
    assert passed == []


@pytest.mark.exhaustive
def test_flip_every_byte(whole: Path) -> None:
    results = sweep.run({"source": str(whole), "damage": "flip"})
    assert len(results) == 3 * whole.stat().st_size
    silent = [result["name"] for result in results if result["verify"] == "data" and not result["same"]]
    assert silent == []
    assert any(result["verify"] == "data" for result in results), "times and padding are not under a checksum"


@pytest.mark.parametrize("damage", ["cut", "flip"])
def test_a_lone_array(damage: str, tmp_path: Path) -> None:
    path = tmp_path / "lone.npy"
    np.save(path, np.arange(12, dtype=">i4").reshape(4, 3))
    results = sweep.run({"source": str(path), "damage": damage})
    assert results
    if damage == "cut":
        assert [result["name"] for result in results if result["arrays"] == "data"] == []


def test_cut_stream_is_truncated() -> None:
    """From front to back too, and with both counts in the message."""
    data = cn.encode(small(), "npz")
    for length in range(0, len(data), 7):
        with pytest.raises(cn.ColonnadeError):
            read_as_stream(data[:length])
    with pytest.raises(cn.TruncatedError, match=r"\d+ bytes.*\d+"):
        read_as_stream(data[: len(data) // 2])
    pd.testing.assert_frame_equal(read_as_stream(data), small())


def read_as_stream(data: bytes) -> pd.DataFrame:
    import os

    source, sink = os.pipe()
    try:
        assert os.write(sink, data) == len(data), "small enough for a pipe's buffer"
        os.close(sink)
        return cn.read(source).to_pandas()
    finally:
        os.close(source)
