"""Datasets as collections of Dask: DataFrames of pandas, and arrays of Awkward.

>>> import colonnade as cn, colonnade.dask, os, tempfile
>>> folder = os.path.join(tempfile.mkdtemp(), "trips")
>>> cn.write_dataset({"year": [2023, 2024, 2024], "fare": [7.5, 9.0, 1.0]}, folder, partition_by="year")
>>> float(colonnade.dask.read(folder, filters="year == 2024")["fare"].sum().compute())
10.0
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import dask
import dask.dataframe as dd

from ._dataset.dataset import Dataset
from ._dataset.open_dataset import dataset
from ._dataset.transaction import Transaction, Written
from ._dataset.write_dataset import begin
from ._frame.frame import Frame
from .errors import OptionError

if TYPE_CHECKING:
    import dask_awkward
    import pandas as pd

__all__ = ["read", "read_awkward", "register", "write"]


def read(
    source: Any, *, columns: Any = None, filters: Any = None, calculate_divisions: bool = False, **options: Any
) -> dd.DataFrame:
    """A Dask DataFrame over files in any format of Colonnade. Each part is a partition.

    Dask reads the columns that its expressions use. Parts whose keys cannot match `filters` are left out.

    Parameters
    ----------
    source
        A `Dataset`, or what `dataset` takes.
    columns : label or iterable of labels, optional
        The columns.
    filters : conditions, optional
        As for `read`. They are exact.
    calculate_divisions : bool
        Read the row labels of each part, so that Dask knows which labels each partition has. The labels must ascend
        through all parts, and no label may be in two of them.
    **options
        As for `dataset`.

    Returns
    -------
    dask.dataframe.DataFrame
        Lazy.

    Raises
    ------
    ColonnadeError, OSError
        As `dataset`; as `Dataset.scan` when it is computed.

    Examples
    --------
    >>> import colonnade as cn, colonnade.dask, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "t.npz")
    >>> cn.write({"a": [1, 2, 3]}, path)
    >>> int(colonnade.dask.read(path)["a"].sum().compute())
    6
    """
    files = source if isinstance(source, Dataset) else dataset(source, **options)
    if filters is not None:
        files = files.filter(filters)
    if columns is not None:
        files = files.select(columns)
    meta = files.head(0).to_pandas()
    parts = [files.only(i) for i in range(len(files.parts))]
    if not parts:
        return dd.from_pandas(meta, npartitions=1)
    divisions = None
    if calculate_divisions:
        parts, divisions = _with_divisions(parts)
        if not parts:
            return dd.from_pandas(meta, npartitions=1)
    return dd.from_map(_read_part, parts, meta=meta, divisions=divisions, label="read-colonnade")


def write(
    frame: dd.DataFrame,
    target: Any,
    *,
    format: str = "parquet",
    partition_by: Hashable | Sequence[Hashable] = (),
    rows_per_part: int = 1_000_000,
    mode: str = "error",
    table: str | None = None,
    compute: bool = True,
    **options: Any,
) -> Any:
    """Write a Dask DataFrame as a dataset. Workers write the parts; then one task makes all of them visible.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
        The frame.
    target, format, partition_by, rows_per_part, mode, table, **options
        As for `write_dataset`.
    compute : bool
        False: return a ``Delayed`` that writes when it is computed.

    Raises
    ------
    ColonnadeError, OSError
        As `write_dataset`. Parts of tasks that failed or were killed are never visible; `remove_leftovers` removes
        them.

    Examples
    --------
    >>> import colonnade as cn, colonnade.dask, os, pandas as pd, tempfile
    >>> folder = os.path.join(tempfile.mkdtemp(), "t")
    >>> colonnade.dask.write(dd.from_pandas(pd.DataFrame({"a": [1, 2, 3]}), npartitions=2), folder)
    >>> cn.dataset(folder).count_rows()
    3
    """
    if not isinstance(frame, dd.DataFrame):
        raise OptionError(f"frame: expected a dask DataFrame, found {type(frame).__name__}.")
    # One object for all tasks, which Dask does not look into.
    transaction = dask.delayed(begin(target, format, partition_by, rows_per_part, mode, table, options), traverse=False)
    write_part, commit = dask.delayed(_write_part), dask.delayed(_commit)
    done = commit([write_part(part, transaction) for part in frame.to_delayed()], transaction)
    if not compute:
        return done
    done.compute()
    return None


def read_awkward(source: Any, *, columns: Any = None, filters: Any = None, **options: Any) -> dask_awkward.Array:
    """A dask-awkward array over files in any format of Colonnade. Each part is a partition.

    dask-awkward reads the columns, and the fields in nested ones, that its expressions use.

    Parameters
    ----------
    source, columns, filters, **options
        As for `read`.

    Returns
    -------
    dask_awkward.Array
        Lazy.
    """
    from ._engines.dask_awkward_read import from_parts

    files = source if isinstance(source, Dataset) else dataset(source, **options)
    if filters is not None:
        files = files.filter(filters)
    if columns is not None:
        files = files.select(columns)
    return from_parts(files)


def register() -> None:
    """Let Dask's workers send pandas DataFrames with text through Colonnade rather than pickle.

    Call it in the client, and in the workers by ``client.run(colonnade.dask.register)`` or a preload script. Frames of
    numbers alone are sent as before.
    """
    from ._engines.dask_serialization import register_pandas

    register_pandas()


def _read_part(part: Dataset, columns: list[Hashable] | None = None) -> pd.DataFrame:
    return (part if columns is None else part.select(columns)).to_pandas()


def _write_part(part: pd.DataFrame, transaction: Transaction) -> Written:
    return transaction.write(iter([Frame(part)]))


def _commit(written: Sequence[Written], transaction: Transaction) -> None:
    transaction.commit(written)


def _with_divisions(parts: Sequence[Dataset]) -> tuple[list[Dataset], tuple[Any, ...]]:
    """The parts that have rows; the first label of each, and the last one of the last part."""
    labels = [part.select([]).read().to_pandas().index for part in parts]
    there = [i for i, index in enumerate(labels) if len(index)]
    for i in there:
        if labels[i].nlevels > 1:
            raise OptionError(f"calculate_divisions: expected one level of row labels, found {labels[i].nlevels}.")
        if not labels[i].is_monotonic_increasing:
            raise OptionError("calculate_divisions: expected labels that ascend within each part. Leave it out.")
    for one, other in pairwise(there):
        # A label in two parts would be looked for in the later one alone.
        if not labels[one][-1] < labels[other][0]:
            raise OptionError(
                f"calculate_divisions: expected labels that ascend through all parts, found {labels[one][-1]!r} before "
                f"{labels[other][0]!r}. Leave it out, and sort with set_index."
            )
    bounds = (*(labels[i][0] for i in there), labels[there[-1]][-1]) if there else ()
    return [parts[i] for i in there], bounds
