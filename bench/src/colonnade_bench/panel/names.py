"""Names engines, formats and codecs for readers: short in a row of a table, in words within a sentence.

Records keep the names of the registry, such as ``R serialize serialize none``. A reader sees no word twice, and the
label that an engine gives to a format whose own name says little.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from colonnade_bench.engines import ENGINES

USUAL = ("pandas", "data.frame")
"""The libraries that are not named, but where an engine's users have frames of its own."""
PLAIN = ("none", "auto", "default")
"""Codecs that a reader need not see where they are the engine's own default."""

FORMATS = {
    "npz": "NPZ", "npy": "NPY", "arrow": "Arrow file", "arrows": "Arrow stream", "feather": "Feather", "ipc": "IPC",
    "parquet": "Parquet", "msgpack": "MessagePack", "csv": "CSV", "ndjson": "NDJSON", "json": "JSON", "yaml": "YAML",
    "hdf": "HDF5", "hdf5": "HDF5", "rds": "RDS", "rntuple": "ROOT RNTuple", "ttree": "ROOT TTree",
    "cframe": "Blosc2 frame",
}  # fmt: skip
"""Formats as their specifications spell them. Others are written as their engine calls them."""


def row_name(
    engine: str, format: str, codec: str = "none", options: Iterable[tuple[str, Any]] = (), library: str = "pandas"
) -> str:
    """Returns the name in a table: engine, format, codec, each word once. A codec that says nothing is left out.

    >>> row_name("pickle", "pickle"), row_name("pyarrow", "feather", "lz4")
    ('pickle', 'pyarrow feather lz4')
    >>> row_name("colonnade", "parquet", "auto"), row_name("colonnade", "parquet", "none")
    ('colonnade parquet', 'colonnade parquet none')
    >>> row_name("R dput", "dput hexNumeric"), row_name("R serialize", "serialize")
    ('R dput hexNumeric', 'R serialize (big-endian)')
    >>> row_name("polars", "ipc", "zstd", library="pandas"), row_name("polars", "ipc", library="polars")
    ('polars ipc zstd from pandas', 'polars ipc')
    """
    silent = codec in PLAIN and codec == usual_codec(engine, format)
    words = [*first_words(engine, format), *(() if silent else (codec,))]
    words += [f"{key}={value}" for key, value in options]
    return " ".join([*words, *source_of(engine, library)])


def sentence_name(
    engine: str, format: str, codec: str = "none", options: Iterable[tuple[str, Any]] = (), library: str = "pandas"
) -> str:
    """Returns the name within a sentence: the format, its codec, the engine in brackets.

    >>> sentence_name("colonnade", "parquet", "zstd"), sentence_name("pandas", "feather", "none")
    ('Parquet with zstd (colonnade)', 'Feather without compression (pandas)')
    >>> sentence_name("pickle", "pickle"), sentence_name("colonnade", "parquet", "auto")
    ('pickle', 'Parquet (colonnade)')
    """
    aside = [f"{key}={value}" for key, value in options] + source_of(engine, library)
    if repeats(engine, format) or label_of(engine, format):
        named = " ".join(first_words(engine, format))
    else:
        named, aside = title_of(format), [engine, *aside]
    if codec == "none" and usual_codec(engine, format) != "none":
        named += " without compression"
    elif codec not in PLAIN:
        named += f" with {codec}"
    return named + (f" ({', '.join(aside)})" if aside else "")


def source_of(engine: str, library: str) -> list[str]:
    """Returns from which library's frames a row starts, where these are not the usual ones of the engine's users.

    >>> source_of("polars", "polars"), source_of("polars", "pandas"), source_of("pyarrow", "pandas")
    ([], ['from pandas'], [])
    """
    known = ENGINES.get(engine)
    usual = USUAL if known is None or known.panel_libraries[0] in USUAL else known.panel_libraries[:1]
    return [] if library in usual else [f"from {library}"]


def usual_codec(engine: str, format: str) -> str:
    """Returns the codec that an engine uses for a format by default: that of its first row in a panel.

    >>> usual_codec("pandas", "feather"), usual_codec("polars", "ipc")
    ('lz4', 'none')
    """
    known = ENGINES.get(engine)
    if known is None:
        return "none"
    found = [codec for name, codec in known.panel if name == format]
    return (found or known.formats.get(format, ("none",)))[0]


def title_of(format: str) -> str:
    """Returns a format in words.

    >>> title_of("arrows"), title_of("ipc-stream"), title_of("json digits=NA"), title_of("fst")
    ('Arrow stream', 'IPC stream', 'JSON digits=NA', 'fst')
    """
    first, *options = format.split()
    stem, *kind = first.split("-", 1)
    return " ".join([FORMATS.get(stem, stem), *kind, *options])


def first_words(engine: str, format: str) -> list[str]:
    """Returns the words for engine and format, without a format that repeats the engine."""
    if label := label_of(engine, format):
        return [engine, f"({label})"]
    return [engine, *format.split()[repeats(engine, format) :]]


def repeats(engine: str, format: str) -> bool:
    """Whether the format's name is the engine's last word."""
    return format.split()[0] == engine.split()[-1]


def label_of(engine: str, format: str) -> str:
    """Returns the engine's label for a format, or an empty text."""
    known = ENGINES.get(engine)
    return known.labels.get(format, "") if known is not None else ""
