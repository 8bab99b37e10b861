"""Datasets in Ray Data.

>>> import colonnade.ray, ray  # doctest: +SKIP
>>> colonnade.ray.read("s3://bucket/trips").filter(expr="year == 2024").sum("fare")  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import ray.data
from ray.data.block import BlockMetadata
from ray.data.datasource import Datasink, Datasource, ReadTask

from ._dataset.dataset import Dataset
from ._dataset.open_dataset import dataset
from ._dataset.transaction import Transaction, Written
from ._dataset.write_dataset import begin
from ._engines.arrow_dataset import asked_by
from ._frame.frame import Frame

if TYPE_CHECKING:
    import pyarrow as pa
    from ray.data.datasource.datasink import WriteResult

__all__ = ["ColonnadeDatasink", "ColonnadeDatasource", "read", "write"]


def read(source: Any, **options: Any) -> ray.data.Dataset:
    """A Ray dataset over files in any format of Colonnade. Each part is a read task.

    Ray hands down the columns and the filters of the query. They are exact.

    Parameters
    ----------
    source
        A `Dataset`, or what `dataset` takes.
    **options
        As for `dataset`.

    Returns
    -------
    ray.data.Dataset
        Lazy.

    Raises
    ------
    ColonnadeError, OSError
        As `dataset`; as `Dataset.scan` when it is executed.
    """
    files = source if isinstance(source, Dataset) else dataset(source, **options)
    return ray.data.read_datasource(ColonnadeDatasource(files))


def write(
    data: ray.data.Dataset,
    target: Any,
    *,
    format: str = "parquet",
    partition_by: Hashable | Sequence[Hashable] = (),
    rows_per_part: int = 1_000_000,
    mode: str = "error",
    table: str | None = None,
    **options: Any,
) -> None:
    """Write a Ray dataset. Its tasks write the parts; then the driver makes all of them visible.

    Parameters
    ----------
    data : ray.data.Dataset
        The data.
    target, format, partition_by, rows_per_part, mode, table, **options
        As for `write_dataset`.

    Raises
    ------
    ColonnadeError, OSError
        As `write_dataset`. Parts of tasks that failed or were killed are never visible; `remove_leftovers` removes
        them.
    """
    data.write_datasink(ColonnadeDatasink(begin(target, format, partition_by, rows_per_part, mode, table, options)))


class ColonnadeDatasource(Datasource):
    """Reads the parts of a `Dataset`. `read` makes it."""

    def __init__(self, files: Dataset) -> None:
        super().__init__()
        self._files = files
        self._projection_map: dict[str, str] | None = None

    def supports_projection_pushdown(self) -> bool:
        """True: only the columns that are asked for are read."""
        return True

    def supports_predicate_pushdown(self) -> bool:
        """True: filters are evaluated here, exactly."""
        return True

    def estimate_inmemory_data_size(self) -> int | None:
        """Four times the size of the files, which is what compressed Parquet needs."""
        known = [part.nbytes for part in self._files.parts]
        return None if None in known else 4 * sum(filter(None, known))

    def get_read_tasks(
        self, parallelism: int, per_task_row_limit: int | None = None, data_context: Any = None
    ) -> list[ReadTask]:
        """One task for each part that may have rows."""
        names = None if self._projection_map is None else list(self._projection_map)
        predicate = self._predicate_expr
        expression = None if predicate is None else predicate.to_pyarrow()
        asked = asked_by(self._files, expression)
        tasks = []
        for i, part in enumerate(asked.parts):
            nrows = None if asked.is_filtered else part.nrows
            metadata = BlockMetadata(nrows, part.nbytes, None, None, input_files=(part.name,))
            tasks.append(ReadTask(_Read(asked.only(i), names, expression), metadata, None, per_task_row_limit))
        return tasks


class _Read:
    """Reads one part. Ray pickles it."""

    def __init__(self, files: Dataset, names: list[str] | None, expression: Any) -> None:
        self._files = files
        self._names = names
        self._expression = expression

    def __call__(self) -> Iterator[pa.Table]:
        import pyarrow as pa

        scanner = self._files.to_pyarrow().scanner(columns=self._names, filter=self._expression)
        found = False
        for batch in scanner.to_batches():
            found = True
            yield self._counted(pa.Table.from_batches([batch]))
        if not found:
            yield self._counted(scanner.projected_schema.empty_table())

    def _counted(self, table: pa.Table) -> pa.Table:
        """Without columns Ray loses the number of rows, so its own sources add a column of this name to count."""
        if self._names != []:
            return table
        import pyarrow as pa

        return table.append_column("__bsp_stub", pa.nulls(table.num_rows))


class ColonnadeDatasink(Datasink[Written | None]):
    """Writes parts, and commits them when all tasks are done. `write` makes it."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction
        self._schema: pa.Schema | None = None

    def on_write_start(self, schema: pa.Schema | None = None) -> None:
        """Remember the columns: tasks without rows have none."""
        self._schema = schema

    def write(self, blocks: Iterable[Any], ctx: Any) -> Written | None:
        """Write the blocks of one task. No reader sees them yet."""
        from ray.data.block import BlockAccessor

        tables = (BlockAccessor.for_block(block).to_arrow() for block in blocks)
        frames = (Frame(table) for table in tables if table.num_rows)
        first = next(frames, None)
        if first is None and self._schema is not None:
            first = Frame(self._schema.empty_table())
        return None if first is None else self._transaction.write(chain([first], frames))

    def on_write_complete(self, write_result: WriteResult[Written | None]) -> None:
        """Make the parts of all tasks visible."""
        self._transaction.commit([each for each in write_result.write_returns if each is not None])
