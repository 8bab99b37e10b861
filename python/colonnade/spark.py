"""A data source of Spark 4: ``spark.read.format("colonnade")``.

>>> import colonnade.spark  # doctest: +SKIP
>>> spark.dataSource.register(colonnade.spark.ColonnadeDataSource)  # doctest: +SKIP
>>> spark.read.format("colonnade").load("s3://bucket/trips").where("year = 2024").count()  # doctest: +SKIP
>>> frame.write.format("colonnade").mode("append").save("s3://bucket/trips")  # doctest: +SKIP

Options, all text: ``path``, ``format``, ``partitioning`` (``hive`` or ``none``), ``onSchema`` (``strict``, ``union``),
``filters`` (as `Dataset.filter` takes them), ``pushFilters`` (``true``: Spark's filters decide which parts are read),
``partitionBy`` (names with commas), ``rowsPerPart``, ``table`` (``delta``), and ``storage.NAME`` for each of
``storage_options``. Others are options of reading or writing the format.

Spark shares what one ``load()`` returns between all queries on it, and with it the filters that were pushed. With
``pushFilters``, call ``load()`` for each query, and set ``spark.sql.python.filterPushdown.enabled``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSource, DataSourceArrowWriter, DataSourceReader

from ._dataset.dataset import Dataset
from ._dataset.open_dataset import dataset
from ._dataset.write_dataset import begin
from ._engines.spark_source import PushingReader, Reader, SparkOptions, Writer, schema_of
from .errors import OptionError

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

__all__ = ["ColonnadeDataSource"]

_ROWS_PER_PART = 1_000_000


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
        return schema_of(self._files())

    def reader(self, schema: StructType) -> DataSourceReader:
        """Reads the dataset."""
        pushes = SparkOptions(self.options).take("pushFilters", "false").lower() == "true"
        return (PushingReader if pushes else Reader)(self._files(), schema)

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceArrowWriter:
        """Writes a dataset, of which all parts become visible at once."""
        known = SparkOptions(self.options)
        rows = known.take("rowsPerPart", str(_ROWS_PER_PART))
        keys = [name.strip() for name in known.take("partitionBy", "").split(",") if name.strip()]
        format, table = known.take("format", "parquet"), known.take("table", "") or None
        target = known.take("path", "")
        if not rows.isdigit():
            raise OptionError(f"rowsPerPart: expected a whole number, found {rows!r}.")
        mode = "overwrite" if overwrite else "append"
        return Writer(begin(target, format, keys, int(rows), mode, table, known.rest()), schema)

    def _files(self) -> Dataset:
        known = SparkOptions(self.options)
        known.take("pushFilters", "")
        partitioning = known.take("partitioning", "hive")
        path, format = known.take("path", ""), known.take("format", "") or None
        on_schema, filters = known.take("onSchema", "strict"), known.take("filters", "")
        if not path:
            raise OptionError("path: expected the folder or URL of a dataset, found none. Pass it to load().")
        found = dataset(
            path,
            format=format,
            partitioning=None if partitioning == "none" else partitioning,
            on_schema=on_schema,
            **known.rest(),
        )
        return found.filter(filters) if filters else found
