"""Types of arguments, for annotations: what a source, a target and the options of a format are.

A function that passes options on takes ``**options: Unpack[CsvReading]``. `AnyReading` and `AnyWriting` are the options
of all formats, `Reading` and `Writing` those that every format has.

>>> from colonnade.typing import CsvReading, Source
"""

from ._formats.keyword_types import (
    AnyReading,
    AnyWriting,
    ArrowReading,
    ArrowWriting,
    Columns,
    CsvReading,
    CsvWriting,
    Format,
    JsonReading,
    JsonWriting,
    MsgpackReading,
    MsgpackWriting,
    NdjsonReading,
    NdjsonWriting,
    NpyWriting,
    NpzWriting,
    ParquetReading,
    ParquetWriting,
    Reading,
    Writing,
    YamlReading,
    YamlWriting,
)
from ._io.sources import Source
from ._io.targets import Target

__all__ = [
    "AnyReading",
    "AnyWriting",
    "ArrowReading",
    "ArrowWriting",
    "Columns",
    "CsvReading",
    "CsvWriting",
    "Format",
    "JsonReading",
    "JsonWriting",
    "MsgpackReading",
    "MsgpackWriting",
    "NdjsonReading",
    "NdjsonWriting",
    "NpyWriting",
    "NpzWriting",
    "ParquetReading",
    "ParquetWriting",
    "Reading",
    "Source",
    "Target",
    "Writing",
    "YamlReading",
    "YamlWriting",
]
