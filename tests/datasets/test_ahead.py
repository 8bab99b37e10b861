"""Parts that are read ahead, and conditions that an engine compares again."""

import threading
from pathlib import Path

import numpy as np
import pytest

import colonnade as cn
from tests.helpers.each import each


def write_numbers(folder: Path, suffix: str = "parquet", parts: int = 9) -> None:
    for i in range(parts):
        cn.write({"n": np.arange(10 * i, 10 * i + 10)}, folder / f"p{i}.{suffix}")


def same(frame: cn.Frame) -> cn.Frame:
    return frame


def readers() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("colonnade-ahead")]


def test_frames_come_in_the_order_of_the_parts(tmp_path: Path) -> None:
    write_numbers(tmp_path)
    frames = list(cn.dataset(tmp_path).scan_ahead(same))
    assert [frame["n"].to_numpy()[0] for frame in frames] == list(range(0, 90, 10))
    assert readers() == []


def test_an_error_comes_in_its_turn(tmp_path: Path) -> None:
    write_numbers(tmp_path)
    (tmp_path / "p2.parquet").write_bytes(b"not Parquet")
    found = cn.dataset(tmp_path).scan_ahead(same)
    assert [len(next(found)), len(next(found))] == [10, 10]
    with pytest.raises(cn.DecodeError, match=r"p2\.parquet"):
        next(found)
    assert readers() == []


def test_threads_end_with_a_scan_that_is_closed(tmp_path: Path) -> None:
    write_numbers(tmp_path)
    found = cn.dataset(tmp_path).scan_ahead(same)
    next(found)
    found.close()  # type: ignore[attr-defined]
    assert readers() == []


@each("suffix", ["parquet", "npz", "arrow"])
def test_an_engine_gets_every_row_that_matches(tmp_path: Path, suffix: str) -> None:
    write_numbers(tmp_path, suffix)
    found = cn.dataset(tmp_path).narrowed("n >= 42 and n < 44")
    assert {42, 43} <= set(found.read()["n"].to_numpy().tolist())


def test_conditions_of_the_user_stay_exact(tmp_path: Path) -> None:
    write_numbers(tmp_path)
    found = cn.dataset(tmp_path).filter("n != 45").narrowed("n >= 44 and n < 47")
    assert found.read()["n"].to_numpy().tolist() == [44, 46]
    other = cn.dataset(tmp_path).narrowed("n >= 44 and n < 47").filter("n != 45")
    assert other.read()["n"].to_numpy().tolist() == [44, 46]
    import pyarrow.compute as pc

    table = cn.dataset(tmp_path).filter("n != 45").to_pyarrow().to_table(filter=pc.field("n") >= 88)
    assert table["n"].to_pylist() == [88, 89]
