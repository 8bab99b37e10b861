"""The data source of Spark: its options, its reader and its writer."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql import datasource
from pyspark.sql.datasource import (
    DataSourceArrowWriter,
    DataSourceReader,
    InputPartition,
    WriterCommitMessage,
)
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.types import StructType

from .._dataset.dataset import Dataset
from .._dataset.transaction import Transaction, Written
from .._frame.frame import Frame
from .._values.conditions import Condition
from ..errors import OptionError

_COMPARISONS = {
    "EqualTo": "==",
    "GreaterThan": ">",
    "GreaterThanOrEqual": ">=",
    "LessThan": "<",
    "LessThanOrEqual": "<=",
    "In": "in",
}
# Spark has no unsigned numbers, no large offsets, no dictionaries, and times of microseconds.
_WIDER = {
    pa.uint8(): pa.int16(),
    pa.uint16(): pa.int32(),
    pa.uint32(): pa.int64(),
    pa.uint64(): pa.decimal128(20, 0),
    pa.float16(): pa.float32(),
    pa.large_string(): pa.string(),
    pa.string_view(): pa.string(),
    pa.large_binary(): pa.binary(),
    pa.binary_view(): pa.binary(),
}


class SparkOptions:
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


def schema_of(files: Dataset) -> StructType:
    """The columns and keys in Spark's types."""
    fields = [pa.field(field.name, _spark_type(field.type)) for field in files.to_pyarrow().schema]
    return from_arrow_schema(pa.schema(fields), prefer_timestamp_ntz=True)


def _spark_type(dtype: pa.DataType) -> pa.DataType:
    if pa.types.is_dictionary(dtype):
        return _spark_type(dtype.value_type)
    if pa.types.is_timestamp(dtype):
        return pa.timestamp("us", dtype.tz)
    if pa.types.is_large_list(dtype) or pa.types.is_list(dtype) or pa.types.is_fixed_size_list(dtype):
        return pa.list_(_spark_type(dtype.value_type))
    if pa.types.is_struct(dtype):
        return pa.struct([pa.field(field.name, _spark_type(field.type)) for field in dtype])
    return _WIDER.get(dtype, dtype)


class Reader(DataSourceReader):
    """Plans one partition for each part."""

    def __init__(self, files: Dataset, schema: StructType) -> None:
        self._files: Dataset | None = files
        self._schema = schema

    def __getstate__(self) -> dict[str, Any]:
        # Each partition has its own part. The list of all of them would go to each task.
        return {**self.__dict__, "_files": None}

    def partitions(self) -> Sequence[InputPartition]:
        assert self._files is not None
        return [InputPartition(self._files.only(i)) for i in range(len(self._files.parts))]

    def read(self, partition: InputPartition | None) -> Iterator[pa.RecordBatch]:
        if partition is None:  # Spark's partition where there is none
            return
        schema = to_arrow_schema(self._schema)
        for batch in partition.value.to_pyarrow().to_batches(columns=schema.names):
            # Spark takes columns by their place.
            yield from pa.Table.from_batches([batch]).select(schema.names).cast(schema).to_batches()


class PushingReader(Reader):
    """The same, which takes Spark's filters."""

    def __init__(self, files: Dataset, schema: StructType) -> None:
        super().__init__(files, schema)
        self._types = {field.name: str(field.type) for field in files.to_pyarrow().schema}

    def pushFilters(self, filters: list[Any]) -> Iterable[Any]:
        """Take the conditions that hold for every row that Spark keeps. Spark evaluates all filters again."""
        assert self._files is not None
        conditions = [found for each in filters if (found := condition_of(each, self._types)) is not None]
        if conditions:
            with contextlib.suppress(OptionError):  # a comparison that Spark has and a format lacks
                self._files = self._files.narrowed(conditions)
        return filters


def condition_of(filter: Any, types: dict[str, str]) -> Condition | None:
    """A filter of Spark as a condition that is not narrower. NaN is above every number in Spark."""
    kind = type(filter).__name__
    if kind == "Not" and isinstance(filter.child, datasource.IsNull):
        filter, kind = datasource.IsNotNull(filter.child.attribute), "IsNotNull"
    if len(getattr(filter, "attribute", ())) != 1 or filter.attribute[0] not in types:
        return None
    name = filter.attribute[0]
    if kind in ("IsNull", "IsNotNull"):
        return name, "is" if kind == "IsNull" else "is not", None
    if kind not in _COMPARISONS:
        return None
    comparison, dtype = _COMPARISONS[kind], types[name]
    values = list(filter.value) if kind == "In" else [filter.value]
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
    """What a task wrote."""

    written: Written


class Writer(DataSourceArrowWriter):
    """Writes parts in tasks, and makes them visible in the driver."""

    def __init__(self, transaction: Transaction, schema: StructType) -> None:
        self._transaction = transaction
        self._schema = schema

    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        def frames() -> Iterator[Frame]:
            found = False
            for batch in iterator:
                found = True
                yield Frame(batch)
            if not found:  # a task without rows has the columns
                yield Frame(to_arrow_schema(self._schema).empty_table())

        return _Message(self._transaction.write(frames()))

    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        self._transaction.commit(_written(messages))

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:
        self._transaction.abort(_written(messages))


def _written(messages: list[WriterCommitMessage | None]) -> list[Written]:
    return [each.written for each in messages if isinstance(each, _Message)]
