"""Datasets in Daft.

>>> import colonnade.daft  # doctest: +SKIP
>>> colonnade.daft.read("s3://bucket/trips").where("year = 2024").sum("fare")  # doctest: +SKIP
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Hashable, Iterator, Sequence
from typing import Any

import daft
from daft.io.pushdowns import Pushdowns
from daft.io.sink import DataSink, WriteResult
from daft.io.source import DataSource, DataSourceTask
from daft.recordbatch import MicroPartition, RecordBatch
from daft.schema import Schema

from ._dataset.dataset import Dataset
from ._dataset.open_dataset import dataset
from ._dataset.transaction import Transaction, Written
from ._dataset.write_dataset import begin
from ._engines.arrow_dataset import asked_by
from ._frame.frame import Frame

__all__ = ["ColonnadeDataSink", "ColonnadeDataSource", "read", "write"]


def read(source: Any, **options: Any) -> daft.DataFrame:
    """A Daft DataFrame over files in any format of Colonnade. Each part is a task.

    Daft hands down the columns, the filters and the limit of the query.

    Parameters
    ----------
    source
        A `Dataset`, or what `dataset` takes.
    **options
        As for `dataset`.

    Returns
    -------
    daft.DataFrame
        Lazy.

    Raises
    ------
    ColonnadeError, OSError
        As `dataset`; as `Dataset.scan` when it is collected.
    """
    files = source if isinstance(source, Dataset) else dataset(source, **options)
    return ColonnadeDataSource(files).read()


def write(
    frame: daft.DataFrame,
    target: Any,
    *,
    format: str = "parquet",
    partition_by: Hashable | Sequence[Hashable] = (),
    rows_per_part: int = 1_000_000,
    mode: str = "error",
    table: str | None = None,
    **options: Any,
) -> None:
    """Write a Daft DataFrame as a dataset. Its tasks write the parts; then all of them become visible at once.

    Parameters
    ----------
    frame : daft.DataFrame
        The frame.
    target, format, partition_by, rows_per_part, mode, table, **options
        As for `write_dataset`.

    Raises
    ------
    ColonnadeError, OSError
        As `write_dataset`. Parts of tasks that failed or were killed are never visible; `remove_leftovers` removes
        them.
    """
    frame.write_sink(ColonnadeDataSink(begin(target, format, partition_by, rows_per_part, mode, table, options)))


class ColonnadeDataSource(DataSource):
    """Reads the parts of a `Dataset`. `read` makes it."""

    def __init__(self, files: Dataset) -> None:
        self._files = files
        self._schema = Schema.from_pyarrow_schema(files.to_pyarrow().schema)

    @property
    def name(self) -> str:
        """The name in Daft's plans."""
        return "Colonnade"

    @property
    def schema(self) -> Schema:
        """The columns and keys."""
        return self._schema

    async def get_tasks(self, pushdowns: Pushdowns) -> AsyncIterator[DataSourceTask]:
        """One task for each part that may have rows."""
        expression = None
        if pushdowns.filters is not None:
            try:
                expression = pushdowns.filters.to_arrow_expr()
            except Exception:  # a filter that pyarrow lacks: Daft evaluates it
                expression = None
        asked = asked_by(self._files, expression)
        columns = None
        if pushdowns.columns is not None:
            # Daft takes columns by their place in the schema of the source, in whatever order it asks.
            needed = {*pushdowns.columns, *pushdowns.filter_required_column_names()}
            columns = [name for name in self._schema.column_names() if name in needed]
        for i in range(len(asked.parts)):
            yield _Task(asked.only(i), columns, pushdowns.limit if pushdowns.filters is None else None)


class _Task(DataSourceTask):
    """Reads one part. Daft pickles it."""

    def __init__(self, files: Dataset, columns: list[str] | None, limit: int | None) -> None:
        self._files = files
        self._columns = columns
        self._limit = limit

    @property
    def schema(self) -> Schema:
        scanner = self._files.to_pyarrow().scanner(columns=self._columns)
        return Schema.from_pyarrow_schema(scanner.projected_schema)

    async def read(self) -> AsyncIterator[RecordBatch]:
        import pyarrow as pa

        left = self._limit
        batches = iter(self._files.to_pyarrow().scanner(columns=self._columns).to_batches())
        # Daft reads all tasks in one event loop.
        while (batch := await asyncio.to_thread(next, batches, None)) is not None:
            if left is not None:
                batch = batch.slice(0, left)
                left -= batch.num_rows
            yield RecordBatch.from_arrow_table(pa.Table.from_batches([batch]))
            if left is not None and left <= 0:
                return


class ColonnadeDataSink(DataSink[Written]):
    """Writes parts, and commits them when all tasks are done. `write` makes it."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def name(self) -> str:
        """The name in Daft's plans."""
        return "Colonnade"

    def schema(self) -> Schema:
        """The columns of the result: the names of the parts."""
        return self._result([]).schema()

    def write(self, micropartitions: Iterator[MicroPartition]) -> Iterator[WriteResult[Written]]:
        """Write parts, which no reader sees yet."""
        for each in micropartitions:
            table = each.to_arrow()
            written = self._transaction.write([Frame(table)])
            yield WriteResult(written, sum(part.nbytes for part in written.parts), table.num_rows)

    def finalize(self, write_results: list[WriteResult[Written]]) -> MicroPartition:
        """Make the parts visible."""
        parts = [part for each in write_results for part in each.result.parts]
        self._transaction.commit([each.result for each in write_results])
        return self._result([part.name for part in parts])

    def _result(self, names: list[str]) -> MicroPartition:
        import pyarrow as pa

        return MicroPartition.from_arrow(pa.table({"part": pa.array(names, pa.large_string())}))
