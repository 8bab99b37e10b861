"""Datasets as Dask's DataFrames, in threads, and written by several workers."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("dask.dataframe")

import dask
import dask.dataframe as dd
import pyarrow as pa

import colonnade as cn
import colonnade.dask
from colonnade.testing.sources import SourceContract, plain_rows, trips


@pytest.fixture(autouse=True)
def threads() -> Any:
    with dask.config.set(scheduler="threads"):
        yield


class TestDask(SourceContract):
    supports = frozenset({"arithmetic"})

    def rows(
        self, source: Path, columns: list[str] | None = None, where: str | None = None, limit: int | None = None
    ) -> list[dict[str, Any]]:
        frame = colonnade.dask.read(source)
        if where is not None:
            frame = frame.query(_with_nulls_left_out(where))
        frame = frame if columns is None else frame[columns]
        found = frame.compute() if limit is None else frame.head(limit, npartitions=-1)
        return plain_rows(pa.Table.from_pandas(found, preserve_index=False))

    test_parts_that_cannot_match_are_not_opened = None  # type: ignore[assignment]  # by `filters=`, below


def _with_nulls_left_out(where: str) -> str:
    return re.sub(r"city != 'Utrecht'", "city != 'Utrecht' and city == city", where)


def test_filters_leave_out_parts(tmp_path: Path) -> None:
    cn.write_dataset(trips(), tmp_path / "d", partition_by="year", rows_per_part=10)
    found = colonnade.dask.read(tmp_path / "d", filters="year == 2024", columns=["n", "year"])
    assert found.npartitions == 3
    assert sorted(found["n"].compute().tolist()) == list(range(15, 40))
    assert colonnade.dask.read(tmp_path / "d", filters="year == 1999").compute().shape == (0, 6)


def test_only_the_used_columns_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cn.write_dataset(trips(), tmp_path / "d")
    asked = []
    select = cn.Dataset.select
    monkeypatch.setattr(cn.Dataset, "select", lambda self, columns: (asked.append(columns), select(self, columns))[1])
    assert colonnade.dask.read(tmp_path / "d")["n"].sum().compute() == sum(range(40))
    assert asked == [["n"]]


def test_divisions(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": range(10)}, index=pd.date_range("2024-01-01", periods=10, name="day"))
    cn.write_dataset(frame, tmp_path / "d", rows_per_part=4)
    found = colonnade.dask.read(tmp_path / "d", calculate_divisions=True)
    assert found.divisions == (frame.index[0], frame.index[4], frame.index[8], frame.index[9])
    assert found.loc["2024-01-06"].compute()["x"].tolist() == [5]
    twice = pd.concat([frame.iloc[:4], frame.iloc[3:]])
    for name, other in (("e", frame.iloc[::-1]), ("f", twice)):
        cn.write_dataset(other, tmp_path / name, rows_per_part=4)
        with pytest.raises(cn.OptionError, match="expected labels that ascend"):
            colonnade.dask.read(tmp_path / name, calculate_divisions=True)
    none = colonnade.dask.read(tmp_path / "d", filters="x > 100", calculate_divisions=True)
    assert none.compute().shape == (0, 1)


def test_workers_write_and_one_task_commits(tmp_path: Path) -> None:
    frame = trips()
    colonnade.dask.write(dd.from_pandas(frame, npartitions=3), tmp_path / "d", partition_by="year")
    back = cn.dataset(tmp_path / "d").to_pandas().sort_values("n", ignore_index=True)
    pd.testing.assert_frame_equal(back, frame, check_dtype=False)  # Dask makes text pyarrow's
    with pytest.raises(FileExistsError):
        colonnade.dask.write(dd.from_pandas(frame, npartitions=3), tmp_path / "d")


def test_a_commit_that_is_done_again_changes_nothing(tmp_path: Path) -> None:
    from colonnade._dataset.write_dataset import begin

    transaction = begin(tmp_path / "d", "parquet", (), 100, "overwrite", None, {})
    written = transaction.write(iter([cn.Frame({"n": [1, 2]})]))
    transaction.commit([written])
    transaction.commit([written])
    assert cn.dataset(tmp_path / "d").read()["n"].to_numpy().tolist() == [1, 2]


def test_a_task_that_fails_leaves_nothing_visible(tmp_path: Path) -> None:
    def broken(part: pd.DataFrame) -> pd.DataFrame:
        if len(part) and part["n"].max() == 39:
            raise ZeroDivisionError
        return part

    frame = dd.from_pandas(trips(), npartitions=4).map_partitions(broken, meta=trips().iloc[:0])
    with pytest.raises(ZeroDivisionError):
        colonnade.dask.write(frame, tmp_path / "d")
    with pytest.raises(FileNotFoundError):
        cn.dataset(tmp_path / "d")


def test_jagged_arrays(tmp_path: Path) -> None:
    ak = pytest.importorskip("awkward")
    pytest.importorskip("dask_awkward")
    array = ak.Array(
        [{"muon": [{"pt": 1.0, "eta": 2.0}], "n": 1}, {"muon": [], "n": 2}, {"muon": [{"pt": 3.0, "eta": 4.0}], "n": 3}]
    )
    for i in range(2):
        cn.write(array[i * 2 : i * 2 + 2], tmp_path / f"{i}.parquet")
    found = colonnade.dask.read_awkward(tmp_path)
    assert found.npartitions == 2
    assert ak.sum(found["muon", "pt"].compute()) == 4.0
    assert found["n"].compute().to_list() == [1, 2, 3]
    assert found.compute().to_list() == array.to_list()


def test_frames_with_text_are_sent_as_they_are() -> None:
    protocol = pytest.importorskip("distributed.protocol")
    colonnade.dask.register()
    numbers = pd.DataFrame(np.random.default_rng(0).random((1000, 4)))
    for frame in (trips(), numbers, pd.DataFrame({"o": [object(), 1]})):
        header, frames = protocol.serialize(frame)
        back = protocol.deserialize(header, [bytes(each) for each in frames])
        if "o" not in frame:
            pd.testing.assert_frame_equal(back, frame)
