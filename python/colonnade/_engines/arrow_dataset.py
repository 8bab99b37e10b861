"""A dataset as a ``pyarrow.dataset.Dataset``, which DuckDB, DataFusion and polars query."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as pads

from .._dataset.dataset import Dataset
from .._frame.frame import Frame
from ..errors import OptionError, UnsupportedError
from .arrow_expression import conditions_of, names_in

Columns = list[str] | dict[str, Any] | None


class ArrowDataset(pads.Dataset):
    """A `Dataset` with the methods of pyarrow's that read.

    Columns and filters decide what is read. pyarrow evaluates each filter again. Types that are extensions are given as
    the types that they are stored in, because engines cannot compare extensions.
    """

    def __init__(self, files: Dataset, kept: pc.Expression | None = None) -> None:
        # The object of C++ that the base class holds is not there, so each method that would use it is replaced.
        self._files = files
        self._kept = kept
        self._empty = _plain(files.head(0).to_arrow())

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        return ArrowDataset, (self._files, self._kept)

    @property
    def schema(self) -> pa.Schema:
        """The fields of the columns, then those of stored row labels."""
        return self._empty.schema

    @property
    def partition_expression(self) -> pc.Expression:
        """True: nothing is known of all rows."""
        return pc.scalar(True)

    def scanner(
        self,
        columns: Columns = None,
        filter: pc.Expression | None = None,
        batch_size: int | None = None,
        **options: Any,
    ) -> pads.Scanner:
        """A scanner of these columns of the rows that `filter` keeps."""
        return _scanner(self._files, self._empty, columns, _both(self._kept, filter), batch_size, options)

    def filter(self, expression: pc.Expression) -> ArrowDataset:
        """The rows that an expression keeps, as a dataset."""
        return ArrowDataset(self._files, _both(self._kept, expression))

    def to_batches(self, columns: Columns = None, filter: Any = None, **options: Any) -> Iterator[pa.RecordBatch]:
        """The rows as record batches."""
        return iter(self.scanner(columns=columns, filter=filter, **options).to_batches())

    def to_table(self, columns: Columns = None, filter: Any = None, **options: Any) -> pa.Table:
        """The rows in memory."""
        return self.scanner(columns=columns, filter=filter, **options).to_table()

    def head(self, num_rows: int, columns: Columns = None, filter: Any = None, **options: Any) -> pa.Table:
        """The first rows."""
        return self.scanner(columns=columns, filter=filter, **options).head(num_rows)

    def count_rows(self, filter: Any = None, **options: Any) -> int:
        """The number of rows."""
        if filter is None and self._kept is None:
            return self._files.count_rows()
        return int(self.scanner(columns=[], filter=filter, **options).count_rows())

    def get_fragments(self, filter: pc.Expression | None = None) -> Iterator[ArrowFragment]:
        """The parts that may have rows that `filter` keeps."""
        files = _filtered(self._files, _both(self._kept, filter), self.schema)
        for i in range(len(files.parts)):
            yield ArrowFragment(files.only(i), self._empty, self._kept)

    _get_fragments = get_fragments

    def take(self, indices: Any, **options: Any) -> pa.Table:
        """Rows by their positions. All rows are read."""
        return self.to_table(**options).take(indices)

    def sort_by(self, sorting: Any, **options: Any) -> pads.InMemoryDataset:
        """The rows in memory, sorted."""
        return self._in_memory().sort_by(sorting, **options)

    def join(self, *arguments: Any, **options: Any) -> pads.InMemoryDataset:
        """The rows in memory, joined with another dataset."""
        return self._in_memory().join(*arguments, **options)

    def join_asof(self, *arguments: Any, **options: Any) -> pads.InMemoryDataset:
        """The rows in memory, joined with another dataset by nearness."""
        return self._in_memory().join_asof(*arguments, **options)

    def replace_schema(self, schema: pa.Schema) -> Any:
        """UnsupportedError: convert the result of a query instead."""
        raise UnsupportedError(
            "replace_schema: expected a query, found a new schema. Cast the table that to_table returns."
        )

    def _in_memory(self) -> pads.InMemoryDataset:
        return pads.InMemoryDataset(self.to_table())

    def __repr__(self) -> str:
        return f"<ArrowDataset: {self._files!r}>"


class ArrowFragment:
    """One part, for engines that plan by parts."""

    def __init__(self, files: Dataset, empty: pa.Table, kept: pc.Expression | None) -> None:
        self._files = files
        self._empty = empty
        self._kept = kept
        self.physical_schema = empty.schema
        self.partition_expression = pc.scalar(True)

    def scanner(
        self,
        schema: pa.Schema | None = None,
        columns: Columns = None,
        filter: pc.Expression | None = None,
        batch_size: int | None = None,
        **options: Any,
    ) -> pads.Scanner:
        """As `ArrowDataset.scanner`, of this part."""
        return _scanner(self._files, self._empty, columns, _both(self._kept, filter), batch_size, options)

    def to_batches(self, schema: pa.Schema | None = None, **options: Any) -> Iterator[pa.RecordBatch]:
        """The rows as record batches."""
        return iter(self.scanner(**options).to_batches())

    def to_table(self, schema: pa.Schema | None = None, **options: Any) -> pa.Table:
        """The rows in memory."""
        return self.scanner(**options).to_table()

    def count_rows(self, **options: Any) -> int:
        """The number of rows."""
        return int(self.scanner(columns=[], **options).count_rows())


def _scanner(
    files: Dataset,
    empty: pa.Table,
    columns: Columns,
    filter: pc.Expression | None,
    batch_size: int | None,
    options: dict[str, Any],
) -> pads.Scanner:
    schema = empty.schema
    asked = _filtered(files, filter, schema)
    if columns is not None:
        names = _needed(columns, filter, schema)
        # A scan without columns still counts rows, which pyarrow counts by a column.
        names = names or set(schema.names[:1])
        named = dict(zip(schema.names, files.head(0).columns, strict=False))
        asked = asked.select([label for name, label in named.items() if name in names])
    plain = _plain(asked.head(0).to_arrow()).schema
    size = {} if batch_size is None else {"batch_size": batch_size}
    known = {name: options[name] for name in ("use_threads", "memory_pool", "batch_readahead") if name in options}
    return pads.Scanner.from_batches(
        _batches(asked, plain, batch_size), schema=plain, columns=columns, filter=filter, **size, **known
    )


def _batches(asked: Dataset, schema: pa.Schema, batch_size: int | None) -> Iterator[pa.RecordBatch]:
    def made(frame: Frame) -> pa.Table:
        table = _plain(pa.table(frame))
        return table if table.schema == schema else table.cast(schema)

    tables = asked.scan_ahead(made) if batch_size is None else map(made, asked.scan(batch_size))
    for table in tables:
        yield from table.to_batches()


def _both(one: pc.Expression | None, other: pc.Expression | None) -> pc.Expression | None:
    if one is None or other is None:
        return one if other is None else other
    return one & other


def _needed(columns: list[str] | dict[str, Any], filter: pc.Expression | None, schema: pa.Schema) -> set[str]:
    names: set[str] = set()
    for column in columns.values() if isinstance(columns, dict) else columns:
        names |= names_in(column, schema) if isinstance(column, pc.Expression) else {column}
    if filter is not None:
        names |= names_in(filter, schema)
    return names & set(schema.names)


def asked_by(files: Dataset, filter: pc.Expression | None) -> Dataset:
    """The dataset with the conditions that a filter of pyarrow has, as far as they are known."""
    return files if filter is None else _filtered(files, filter, _plain(files.head(0).to_arrow()).schema)


def _filtered(files: Dataset, filter: pc.Expression | None, schema: pa.Schema) -> Dataset:
    conditions = None if filter is None else conditions_of(filter, schema)
    if conditions is None:
        return files
    try:
        return files.narrowed(conditions)
    except OptionError:  # a comparison that pyarrow has and a format lacks
        return files


def _plain(table: pa.Table) -> pa.Table:
    """The table with the stored types of extensions, and without metadata, which DataFusion would compare."""
    fields, arrays = [], []
    for field, array in zip(table.schema, table.columns, strict=True):
        while isinstance(field.type, pa.BaseExtensionType):
            field = pa.field(field.name, field.type.storage_type, field.nullable)
            array = pa.chunked_array([chunk.storage for chunk in array.chunks], field.type)
        fields.append(field.remove_metadata())
        arrays.append(array)
    return pa.table(arrays, schema=pa.schema(fields))
