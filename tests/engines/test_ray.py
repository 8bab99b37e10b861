"""Datasets in Ray Data."""

import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray")
pytest.importorskip("ray.data")

import pandas as pd
import ray
from ray.data.expressions import col

import colonnade as cn
import colonnade.ray
from colonnade.testing.sources import SourceContract, plain_rows, trips

pytestmark = pytest.mark.engines


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Any:
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, ignore_reinit_error=True)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()


class TestRay(SourceContract):
    def rows(
        self, source: Path, columns: list[str] | None = None, where: str | None = None, limit: int | None = None
    ) -> list[dict[str, Any]]:
        found = colonnade.ray.read(source)
        found = found if where is None else found.filter(expr=_in_rays_words(where))
        found = found if columns is None else found.select_columns(columns)
        found = found if limit is None else found.limit(limit)
        tables = [ray.get(ref) for ref in found.to_arrow_refs()]
        return [row for table in tables for row in plain_rows(table)]

    def count(self, source: Path, where: str | None = None) -> int:
        found = colonnade.ray.read(source)
        return (found if where is None else found.filter(expr=_in_rays_words(where))).count()


def _in_rays_words(where: str) -> Any:
    """The conditions as an expression of Ray."""
    words = re.sub(r"(\w+) in \((.*?)\)", r"\1.is_in([\2])", where)
    words = words.replace(" is not null", ".is_not_null()").replace(" is null", ".is_null()")
    words = f"({words.replace(' and ', ') & (').replace(' or ', ') | (')})"
    return eval(words, {name: col(name) for name in trips().columns})  # noqa: S307 - conditions of the contract


def test_tasks_write_and_the_driver_commits(tmp_path: Path) -> None:
    frame = trips()
    colonnade.ray.write(ray.data.from_pandas(frame).repartition(3), tmp_path / "d", partition_by="year")
    back = cn.dataset(tmp_path / "d").to_pandas().sort_values("n", ignore_index=True)
    pd.testing.assert_frame_equal(back[frame.columns], frame, check_dtype=False)


def test_a_task_that_fails_leaves_nothing_visible(tmp_path: Path) -> None:
    def broken(batch: Any) -> Any:
        if 39 in batch["n"].tolist():
            raise ZeroDivisionError
        return batch

    with pytest.raises(Exception, match="ZeroDivisionError"):
        colonnade.ray.write(
            ray.data.from_pandas(trips()).repartition(4).map_batches(broken, batch_format="pandas"), tmp_path / "d"
        )
    with pytest.raises(FileNotFoundError):
        cn.dataset(tmp_path / "d")
