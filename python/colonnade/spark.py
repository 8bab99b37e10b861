"""A data source of Spark 4: ``spark.read.format("colonnade")``.

>>> import colonnade.spark  # doctest: +SKIP
>>> spark.dataSource.register(colonnade.spark.ColonnadeDataSource)  # doctest: +SKIP
>>> spark.read.format("colonnade").load("s3://bucket/trips").where("year = 2024").count()  # doctest: +SKIP
>>> frame.write.format("colonnade").mode("append").save("s3://bucket/trips")  # doctest: +SKIP

Options, all text: ``path``, ``format``, ``partitioning`` (``hive`` or ``none``), ``onSchema`` (``strict`` or
``union``),
``partitionBy`` (names with commas), ``rowsPerPart``, ``table`` (``delta``), and ``storage.NAME`` for each of
``storage_options``. Others are options of reading or writing the format.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, MutableMapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark.sql import datasource
from pyspark.sql.datasource import (
    DataSource,
    DataSourceArrowWriter,
    DataSourceReader,
    InputPartition,
    WriterCommitMessage,
)

from ._dataset.dataset import Dataset
from ._dataset.open_dataset import dataset
from ._dataset.transaction import Transaction, Written
from ._dataset.write_dataset import begin
from ._frame.frame import Frame
from ._values.conditions import Condition
from .errors import OptionError

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

__all__ = ["ColonnadeDataSource"]

_COMPARISONS = {
    "EqualTo": "==",
    "GreaterThan": ">",
    "GreaterThanOrEqual": ">=",
    "LessThan": "<",
    "LessThanOrEqual": "<=",
    "In": "in",
}
_LIST_ROWS = 1_000_000


class ColonnadeDataSource(DataSource):
    """Reads and writes datasets. Register it with ``spark.dataSource.register``."""

    @classmethod
    def name(cls) -> str:
        """The name that ``format()`` takes."""
        return "colonnade"

    def schema(self) -> StructType:
        """The columns and keys, in Spark's types.

        Raises
        ------
        ColonnadeError, OSError
            As `dataset`.
        """
        from pyspark.sql.pandas.types import from_arrow_schema

        return from_arrow_schema(self._files().to_pyarrow().schema)

    def reader(self, schema: StructType) -> DataSourceReader:
        """Reads the dataset."""
        return _Reader(self._files())

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceArrowWriter:
        """Writes a dataset, of which all parts become visible at once."""
        known = _Options(self.options)
        rows = known.take("rowsPerPart", str(_LIST_ROWS))
        keys = [name.strip() for name in known.take("partitionBy", "").split(",") if name.strip()]
        format, table = known.take("format", "parquet"), known.take("table", "") or None
        target = known.take("path", "")
        if not rows.isdigit():
            raise OptionError(f"rowsPerPart: expected a whole number, found {rows!r}.")
        mode = "overwrite" if overwrite else "append"
        return _Writer(begin(target, format, keys, int(rows), mode, table, known.rest()))

    def _files(self) -> Dataset:
        known = _Options(self.options)
        partitioning = known.take("partitioning", "hive")
        path, format = known.take("path", ""), known.take("format", "") or None
        on_schema = known.take("onSchema", "strict")
        if not path:
            raise OptionError("path: expected the folder or URL of a dataset, found none. Pass it to load().")
        return dataset(
            path,
            format=format,
            partitioning=None if partitioning == "none" else partitioning,
            on_schema=on_schema,
            **known.rest(),
        )


class _Options:
    """The options of a query, which Spark has as text."""

    def __init__(self, options: MutableMapping[str, str]) -> None:
        self._left = dict(options)

    def take(self, name: str, default: str) -> str:
        """An option, in any case of letters."""
        found = next((key for key in self._left if key.lower() == name.lower()), None)
        return default if found is None else self._left.pop(found)

    def rest(self) -> dict[str, Any]:
        """Options of stores and of formats."""
        storage = {k[len("storage.") :]: v for k, v in self._left.items() if k.lower().startswith("storage.")}
        others: dict[str, Any] = {k: _typed(v) for k, v in self._left.items() if not k.lower().startswith("storage.")}
        return others | ({"storage_options": storage} if storage else {})


def _typed(text: str) -> Any:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    return int(text) if text.lstrip("-").isdigit() else text


class _Reader(DataSourceReader):
    """Plans one partition for each part that may have rows."""

    def __init__(self, files: Dataset) -> None:
        self._files = files

    def pushFilters(self, filters: list[Any]) -> Iterable[Any]:
        """Take the conditions that hold for every row that Spark keeps. Spark evaluates all filters again."""
        schema = self._files.to_pyarrow().schema
        conditions = [found for each in filters if (found := _condition(each, schema)) is not None]
        if conditions:
            with contextlib.suppress(OptionError):  # a comparison that Spark has and a format lacks
                self._files = self._files.filter(conditions)
        return filters

    def partitions(self) -> Sequence[InputPartition]:
        return [InputPartition(self._files.only(i)) for i in range(len(self._files.parts))]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        return iter(partition.value.to_pyarrow().to_batches())


def _condition(filter: Any, schema: pa.Schema) -> Condition | None:
    """A filter of Spark as a condition that is not narrower. NaN is above every number in Spark."""
    kind = type(filter).__name__
    if kind == "Not" and isinstance(filter.child, datasource.IsNull):
        filter, kind = datasource.IsNotNull(filter.child.attribute), "IsNotNull"
    if len(getattr(filter, "attribute", ())) != 1 or filter.attribute[0] not in schema.names:
        return None
    name = filter.attribute[0]
    if kind in ("IsNull", "IsNotNull"):
        return name, "is" if kind == "IsNull" else "is not", None
    if kind not in _COMPARISONS:
        return None
    comparison = _COMPARISONS[kind]
    values = list(filter.value) if kind == "In" else [filter.value]
    dtype = str(schema.field(name).type)
    if dtype in ("double", "float", "halffloat"):
        if comparison in (">", ">=") or any(not isinstance(value, int | float) or value != value for value in values):
            return None
    elif not all(_is_of(value, dtype) for value in values):
        return None
    return name, comparison, values if kind == "In" else values[0]


def _is_of(value: Any, dtype: str) -> bool:
    """Whether a value compares with a type here as it does in Spark."""
    if isinstance(value, bool):
        return dtype == "bool"
    if isinstance(value, int):
        return dtype.startswith(("int", "uint"))
    if isinstance(value, str):
        return dtype in ("string", "large_string", "string_view")
    return type(value).__name__ == "date" and dtype == "date32[day]"


@dataclass
class _Message(WriterCommitMessage):
    """What a task wrote; None: it had no rows."""

    written: Written | None


class _Writer(DataSourceArrowWriter):
    """Writes parts in tasks, and makes them visible in the driver."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        first = next(iterator, None)
        if first is None:
            return _Message(None)

        def frames() -> Iterator[Frame]:
            yield Frame(first)
            for batch in iterator:
                yield Frame(batch)

        return _Message(self._transaction.write(frames()))

    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        self._transaction.commit(_written(messages))

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:
        self._transaction.abort(_written(messages))


def _written(messages: list[WriterCommitMessage | None]) -> list[Written]:
    return [each.written for each in messages if isinstance(each, _Message) and each.written is not None]
