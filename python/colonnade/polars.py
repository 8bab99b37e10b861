"""Datasets in queries of polars.

>>> import colonnade as cn, os, polars as pl, tempfile
>>> folder = os.path.join(tempfile.mkdtemp(), "trips")
>>> cn.write_dataset({"year": [2023, 2024, 2024], "fare": [7.5, 9.0, 1.0]}, folder, partition_by="year")
>>> cn.scan_polars(folder).filter(pl.col("year") == 2024).select(pl.col("fare").sum()).collect().item()
10.0
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import polars as pl
from polars.io.plugins import register_io_source

from ._dataset.dataset import Dataset
from ._dataset.open_dataset import dataset
from ._dataset.write_dataset import write_dataset
from ._engines.polars_predicate import conditions_of
from ._frame.frame import Frame
from .errors import OptionError

__all__ = ["scan", "scan_polars", "sink"]


def scan(source: Any, **options: Any) -> pl.LazyFrame:
    """A query over files in any format of Colonnade. `colonnade.scan_polars` is the same function.

    Columns and predicates of the query decide what is read: predicates on keys leave out files, those on columns
    leave out
    row groups and rows. polars evaluates each predicate again, so one that cannot be told to a format costs time, not
    rows.

    Parameters
    ----------
    source
        A `Dataset`, or what `dataset` takes: a file, a folder, a pattern, a list, a prefix in a store.
    **options
        As for `dataset`.

    Returns
    -------
    polars.LazyFrame
        Its columns are those that `Frame.to_polars` gives.

    Raises
    ------
    ColonnadeError, OSError
        As `dataset`; as `Dataset.scan` when the query is collected.

    Examples
    --------
    >>> import colonnade as cn, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "t.npz")
    >>> cn.write({"a": [1, 2, 3], "b": [1.5, 2.5, 3.5]}, path)
    >>> cn.scan_polars(path).filter(pl.col("a") > 1).select("b").collect().to_series().to_list()
    [2.5, 3.5]
    """
    files = source if isinstance(source, Dataset) else dataset(source, **options)
    schema = files.head(0).to_polars().schema
    named = {str(label): label for label in files.head(0).columns}

    def read(
        columns: list[str] | None, predicate: pl.Expr | None, n_rows: int | None, batch_size: int | None
    ) -> Iterator[pl.DataFrame]:
        asked = files
        if columns is not None:
            needed = dict.fromkeys([*columns, *(predicate.meta.root_names() if predicate is not None else ())])
            asked = asked.select([named[name] for name in needed if name in named])
        if predicate is not None:
            asked = _filtered(asked, predicate, schema)

        def made(frame: Frame) -> pl.DataFrame:
            found = frame.to_polars()
            if predicate is not None:
                found = found.filter(predicate)
            return found if columns is None else found.select(columns)

        left = n_rows
        for found in asked.scan_ahead(made):
            if left is not None:
                found = found.head(left)
                left -= len(found)
            yield found
            if left is not None and left <= 0:
                return

    return register_io_source(read, schema=schema, is_pure=True)


scan_polars = scan


def sink(
    query: pl.LazyFrame,
    target: Any,
    *,
    format: str = "parquet",
    partition_by: Hashable | Sequence[Hashable] = (),
    chunk_rows: int | None = None,
    **options: Any,
) -> None:
    """Write the result of a query as a dataset, batch by batch, so it may be larger than memory.

    Parameters
    ----------
    query
        The query.
    target, format, partition_by, **options
        As for `write_dataset`.
    chunk_rows : int, optional
        Rows of a batch of polars.

    Raises
    ------
    ColonnadeError, OSError
        As `write_dataset`. Nothing is visible after an error of the query either.

    Examples
    --------
    >>> import colonnade as cn, colonnade.polars, os, tempfile
    >>> folder = os.path.join(tempfile.mkdtemp(), "t")
    >>> colonnade.polars.sink(pl.LazyFrame({"a": [1, 2, 3]}).filter(pl.col("a") > 1), folder)
    >>> cn.dataset(folder).count_rows()
    2
    """
    if not isinstance(query, pl.LazyFrame):
        raise OptionError(f"query: expected a polars LazyFrame, found {type(query).__name__}. Pass frame.lazy().")
    # Lazy: the arguments and the target are checked before the query begins.
    batches = query.collect_batches(chunk_size=chunk_rows, engine="streaming", lazy=True)
    write_dataset(_batches(query, iter(batches)), target, format=format, partition_by=partition_by, **options)


def _batches(query: pl.LazyFrame, batches: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    found = False
    for batch in batches:
        found = True
        yield batch
    if not found:
        yield query.collect_schema().to_frame()


def _filtered(files: Dataset, predicate: pl.Expr, schema: pl.Schema) -> Dataset:
    conditions = conditions_of(predicate, schema)
    if conditions is None:
        return files
    try:
        return files.narrowed(conditions)
    except OptionError:  # a comparison that polars has and a format lacks
        return files
