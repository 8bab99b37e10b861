"""Types of arguments, for annotations: sources, targets, formats, and the options of each format.

A function that passes options on takes ``**options: Unpack[CsvReading]``. `AnyReading` and `AnyWriting` have the
options of all formats. `Reading` and `Writing` have the options that every format has. Pass others as an object,
``options=``.

>>> from colonnade.typing import CsvReading, Source
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias, TypedDict

from ._core import Limits
from ._formats import arrow, csv, json, msgpack, npz, parquet, yaml
from ._formats import text_options as text
from ._formats.csv_columns import Header, IndexColumns
from ._io.progress import Progress
from ._io.sources import Source as Source
from ._io.targets import Target as Target
from ._values.option_checks import Common

Format: TypeAlias = Literal["npz", "npy", "arrow", "arrows", "parquet", "msgpack", "csv", "json", "ndjson", "yaml"]
Other: TypeAlias = Literal["npz", "npy"] | str  # a plug-in's, or one that only the running program knows
Arrow: TypeAlias = Literal["arrow", "arrows"]
Columns: TypeAlias = Hashable | Iterable[Hashable]
"""A label or labels."""


class Reading(TypedDict, total=False):
    columns: Columns | None
    rows: slice | None
    options: Common | None
    threads: int | None
    storage_options: Mapping[str, Any] | None
    filesystem: Any
    progress: Progress | bool
    limits: Limits | None
    timeout_s: float | None
    mmap: bool | None
    filters: Sequence[Any] | str | None
    verify: bool


class ArrowReading(Reading, total=False):
    allow_truncated: bool


class ParquetReading(Reading, total=False):
    categories: Sequence[str] | None
    use_statistics: bool | Literal["only"]
    int96_unit: parquet.Int96Unit
    footer_key: bytes | None
    column_keys: Mapping[str, bytes] | None
    aad_prefix: bytes | None


class MsgpackReading(Reading, total=False):
    orient: msgpack.Orient | None
    ext: msgpack.Otherwise
    invalid_utf8: msgpack.Otherwise


class CsvReading(Reading, total=False):
    sep: str | None
    quotechar: str | None
    decimal: csv.Decimal
    encoding: csv.CsvEncoding
    schema: csv.Schema | None
    header: Header
    escapechar: str | None
    doublequote: bool
    comment: str | None
    thousands: str | None
    na_values: Sequence[str]
    keep_default_na: bool
    index_col: IndexColumns
    skiprows: int
    dtype: Any
    parse_dates: bool | Sequence[str]
    date_format: str
    on_error: csv.OnError
    big_ints: csv.BigInts
    chunk_rows: int | None


class YamlReading(Reading, total=False):
    orient: yaml.Orient | None
    encoding: text.Encoding
    parse_dates: bool


class _Numbers(Reading, total=False):
    encoding: text.Encoding
    parse_dates: bool
    allow_nonfinite: bool
    big_ints: text.BigInts


class NdjsonReading(_Numbers, total=False):
    chunk_rows: int | None


class JsonReading(_Numbers, total=False):
    orient: json.Orient | None


class AnyReading(CsvReading, ArrowReading, ParquetReading, total=False):
    orient: json.Orient | None
    ext: msgpack.Otherwise
    invalid_utf8: msgpack.Otherwise
    allow_nonfinite: bool


class Writing(TypedDict, total=False):
    options: Common | None
    threads: int | None
    storage_options: Mapping[str, Any] | None
    filesystem: Any
    progress: Progress | bool
    fsync: bool
    mkdir: bool
    densify_sparse: bool
    batch_rows: int | None


class NpyWriting(Writing, total=False):
    directory: bool | None
    compat: Literal["static-frame"] | None


class NpzWriting(Writing, total=False):
    compression: npz.Codec | Mapping[Any, str | None] | None
    compression_level: int | None
    transform: npz.Transform | Mapping[Any, str | None] | None
    profile: npz.Profile | None
    compat: Literal["static-frame"] | None


class ArrowWriting(Writing, total=False):
    compression: arrow.Codec | None
    compression_level: int | None
    batch_nbytes: int | None


class _ParquetPages(Writing, total=False):
    compression_level: int | None
    use_dictionary: bool | Sequence[str]
    row_group_size: int | None
    data_page_size: int | None
    data_page_version: Literal[1, 2]
    statistics: bool
    page_index: bool
    crc: bool


class ParquetWriting(_ParquetPages, total=False):
    compression: parquet.Codec | None
    encoding: parquet.Encoding | Mapping[str, str]
    profile: parquet.Profile


class MsgpackWriting(Writing, total=False):
    orient: msgpack.Orient | None
    header: bool
    numbers: msgpack.Numbers
    compat: Literal["old-spec"] | None


class _Text(Writing, total=False):
    compression_level: int | None
    on_loss: text.OnLoss


class _Csv(_Text, total=False):
    sep: str | None
    quotechar: str | None
    decimal: csv.Decimal
    schema: csv.Schema | None
    header: Header
    index: bool | None
    quoting: csv.Quoting | int
    lineterminator: csv.LineEnd
    na_rep: str


class CsvWriting(_Csv, total=False):
    compression: text.Codec | None
    encoding: csv.CsvEncoding


class YamlWriting(_Text, total=False):
    compression: text.Codec | None
    schema: Literal["header"] | None
    orient: yaml.Orient | None


class NdjsonWriting(_Text, total=False):
    compression: text.Codec | None
    schema: Literal["header"] | None
    nonfinite: text.Nonfinite


class JsonWriting(NdjsonWriting, total=False):
    orient: json.Orient | None
    indent: int | None


class AnyWriting(_Csv, _ParquetPages, total=False):
    compression: npz.Codec | parquet.Codec | Mapping[Any, str | None] | None
    transform: npz.Transform | Mapping[Any, str | None] | None
    profile: npz.Profile | None
    compat: Literal["static-frame", "old-spec"] | None
    directory: bool | None
    batch_nbytes: int | None
    encoding: parquet.Encoding | csv.CsvEncoding | Mapping[str, str]
    orient: json.Orient | None
    numbers: msgpack.Numbers
    nonfinite: text.Nonfinite
    indent: int | None
