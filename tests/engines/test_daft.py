"""Datasets in Daft."""

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("daft")

import daft
import pyarrow as pa

import colonnade as cn
import colonnade.daft
from colonnade.testing.sources import SourceContract, in_sql, plain_rows, trips

pytestmark = pytest.mark.engines


class TestDaft(SourceContract):
    def rows(
        self, source: Path, columns: list[str] | None = None, where: str | None = None, limit: int | None = None
    ) -> list[dict[str, Any]]:
        found = colonnade.daft.read(source)
        found = found if where is None else found.where(in_sql(where))
        found = found if columns is None else found.select(*columns)
        found = found if limit is None else found.limit(limit)
        return plain_rows(found.to_arrow())

    def count(self, source: Path, where: str | None = None) -> int:
        found = colonnade.daft.read(source)
        return (found if where is None else found.where(in_sql(where))).count_rows()


def test_tasks_write_and_one_commits(tmp_path: Path) -> None:
    frame = trips()
    colonnade.daft.write(daft.from_pandas(frame), tmp_path / "d", partition_by="year")
    back = cn.dataset(tmp_path / "d").select(list(frame)).to_arrow().sort_by("n")
    assert plain_rows(back) == plain_rows(pa.Table.from_pandas(frame))
