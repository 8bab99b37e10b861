"""Options of Parquet: filters and keys of reading; encodings, compression and sizes of writing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, get_args

from .._values.option_checks import (
    LEVELS,
    READ,
    WRITE,
    Common,
    check_choice,
    check_count,
    check_flag,
    check_level,
    check_word,
    is_one_of,
)
from ..errors import OptionError
from .csv import check_words

Codec = Literal["auto", "snappy", "gzip", "brotli", "lz4", "zstd"]
Encoding = Literal[
    "auto",
    "plain",
    "dictionary",
    "delta_binary_packed",
    "delta_length_byte_array",
    "byte_stream_split",
]
Profile = Literal["fast", "balanced", "small"]
Int96Unit = Literal["ns", "us", "ms"]
CODECS, ENCODINGS, PROFILES, INT96_UNITS = map(get_args, (Codec, Encoding, Profile, Int96Unit))
KEY_NBYTES = (16, 24, 32)


@dataclass(frozen=True, kw_only=True)
class ParquetOptions(Common):
    """Options of `parquet`: row groups of column chunks in pages, ``.parquet`` and ``.pq``.

    `threads`, `progress`, `limits`, `timeout_s`, `mmap`, `filters`, `fsync`, `mkdir`, `densify_sparse` and
    `batch_rows` are the same as in `NpzOptions`.

    Parameters
    ----------
    verify : bool
        Reading. Decode every page and check the CRC-32 of those that have one before anything is returned.
    categories : sequence of str, optional
        Reading. Columns that become categorical: their codes refer to the dictionaries of the file.
    use_statistics : bool or "only"
        Reading. False: `filters` compares every row, and ignores statistics, page indexes and bloom filters.
        ``"only"``: it compares no row, and returns all rows of the pages that they do not exclude, for a program that
        filters again.
    int96_unit : one of {"ns", "us", "ms"}
        Reading. The unit of timestamps of INT96, the physical type of old files of Spark, Hive and Impala. Nanoseconds
        reach from 1677 to 2262; an instant outside the unit's range is an `UnsupportedError`. Coarser units round down.
    footer_key : bytes, optional
        Reading. The key of an encrypted file's footer, and of the columns without a key in `column_keys`: 16, 24 or 32
        bytes.
    column_keys : mapping of str to bytes, optional
        Reading. The keys of encrypted columns by name. The leaf of a nested column is named by its path, ``a.b``.
    aad_prefix : bytes, optional
        Reading. The AAD prefix of an encrypted file, if the file does not store it.
    compression : one of {"auto", "snappy", "gzip", "brotli", "lz4", "zstd"}, optional
        Writing. ``"auto"`` chooses for each column by a sample of it. None stores pages uncompressed. ``"lz4"`` is
        Parquet's LZ4_RAW.
    compression_level : int, optional
        Writing. 1 to 22 for zstd, 1 to 9 for gzip, 0 to 11 for brotli.
    encoding : str or mapping of str to str
        Writing. ``"auto"`` chooses by a sample of the column. Other values are ``"plain"``, ``"dictionary"``,
        ``"delta_binary_packed"`` (integers, times), ``"delta_length_byte_array"`` (text, bytes) and
        ``"byte_stream_split"`` (numbers of fixed width). A single word applies to all columns that support it. A
        mapping of names to words refuses a column that does not support its word; ``"auto"`` chooses for all other
        columns. Within lists and structs a name is the path of a leaf (``"jet.list.element.pt"``) or of a group. The
        word of a group applies to all its leaves that support it.
    use_dictionary : bool or sequence of str
        Writing. False: ``"auto"`` never chooses dictionaries. Names: it chooses them only for these columns, or for
        these paths within nested columns.
    profile : one of {"fast", "balanced", "small"}
        Writing. The preference of ``"auto"``: the fastest decoding, the smallest file, or a balance of both.
    row_group_size : int, optional
        Writing. The number of rows of a row group. Default: 1,048,576 rows, with at most 8 MiB of each column. Chunks
        that are written one by one are joined to groups of 128 MiB, which may have fewer rows.
    data_page_size : int, optional
        Writing. The approximate size of the data in a page. Default: 1 MiB.
    data_page_version : one of {1, 2}
        Writing. Every reader supports version 1.
    statistics : bool
        Writing. Store minimum, maximum and the number of nulls of each column chunk.
    page_index : bool
        Writing. Store the same for each page, at the end of the file, so that a filter can skip pages.
    crc : bool
        Writing. Store a CRC-32 in front of each page.

    Raises
    ------
    OptionError
        A value outside its range, or two that exclude each other.

    Examples
    --------
    >>> import colonnade as cn
    >>> cn.ParquetOptions(compression="zstd", encoding={"when": "delta_binary_packed"}).compression
    'zstd'
    >>> cn.ParquetOptions(filters=[("year", "in", [2024, 2025]), ("price", ">", 10)]).filters[0][1]
    'in'
    >>> cn.ParquetOptions(compression="brotli", compression_level=12)
    Traceback (most recent call last):
    colonnade.OptionError: compression_level: expected 0 to 11 for brotli, found 12.
    """

    _FORMAT: ClassVar[str] = "parquet"
    categories: Sequence[str] | None = field(default=None, metadata=READ)
    use_statistics: bool | Literal["only"] = field(default=True, metadata=READ)
    int96_unit: Int96Unit = field(default="ns", metadata=READ)
    # Keys stay out of the repr: it ends in logs.
    footer_key: bytes | None = field(default=None, metadata=READ, repr=False)
    column_keys: Mapping[str, bytes] | None = field(default=None, metadata=READ, repr=False)
    aad_prefix: bytes | None = field(default=None, metadata=READ)
    compression: Codec | None = field(default="auto", metadata=WRITE)
    compression_level: int | None = field(default=None, metadata=WRITE)
    encoding: Encoding | Mapping[str, str] = field(default="auto", metadata=WRITE)
    use_dictionary: bool | Sequence[str] = field(default=True, metadata=WRITE)
    profile: Profile = field(default="balanced", metadata=WRITE)
    row_group_size: int | None = field(default=None, metadata=WRITE)
    data_page_size: int | None = field(default=None, metadata=WRITE)
    data_page_version: Literal[1, 2] = field(default=1, metadata=WRITE)
    statistics: bool = field(default=True, metadata=WRITE)
    page_index: bool = field(default=True, metadata=WRITE)
    crc: bool = field(default=True, metadata=WRITE)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.categories is not None:
            check_words("categories", self.categories)
        check_word("int96_unit", self.int96_unit, INT96_UNITS)
        self._check_keys()
        check_choice("compression", self.compression, CODECS)
        if self.compression_level is not None and self.compression is not None and self.compression not in _LEVELLED:
            raise OptionError(
                f"compression_level: expected None with compression={self.compression!r}, found "
                f"{self.compression_level!r}. Pass compression=, one of: {', '.join(_LEVELLED)}."
            )
        check_level(self.compression_level, () if self.compression is None else (self.compression,))
        self._check_encoding()
        check_word("profile", self.profile, PROFILES)
        check_count("row_group_size", self.row_group_size)
        check_count("data_page_size", self.data_page_size)
        version: object = self.data_page_version
        if not isinstance(version, int) or isinstance(version, bool) or version not in (1, 2):
            raise OptionError(f"data_page_version: expected 1 or 2, found {self.data_page_version!r}.")
        if not is_one_of(self.use_statistics, ("only",)):
            check_flag("use_statistics", self.use_statistics)
        for name in ("statistics", "page_index", "crc"):
            check_flag(name, getattr(self, name))

    def _check_keys(self) -> None:
        check_key("footer_key", self.footer_key)
        for name, key in _named("column_keys", "keys", self.column_keys):
            check_key(f"column_keys of {name!r}", key, optional=False)
        if self.column_keys and self.footer_key is None:
            raise OptionError("column_keys: expected footer_key too: no column can be found without the footer.")
        check_bytes("aad_prefix", self.aad_prefix)
        if self.aad_prefix is not None and self.footer_key is None:
            raise OptionError("aad_prefix: expected footer_key too: it belongs to the key of an encrypted file.")

    def _check_encoding(self) -> None:
        if isinstance(self.encoding, Mapping):
            for name, word in _named("encoding", "encodings", self.encoding):
                check_word(f"encoding of {name!r}", word, ENCODINGS)
        else:
            check_word("encoding", self.encoding, ENCODINGS)
        if not isinstance(self.use_dictionary, bool):
            check_words("use_dictionary", self.use_dictionary)
        encodings = [(None, self.encoding)] if isinstance(self.encoding, str) else list(self.encoding.items())
        for label, encoding in encodings:
            allowed = self.use_dictionary if isinstance(self.use_dictionary, bool) else label in self.use_dictionary
            if encoding == "dictionary" and not allowed:
                where = "" if label is None else f" of {label!r}"
                raise OptionError(
                    f"use_dictionary: expected True with encoding{where} 'dictionary', found {self.use_dictionary!r}."
                )


_LEVELLED = tuple(codec for codec in CODECS if codec in LEVELS and codec != "lz4")


def _named(option: str, values: str, mapping: object) -> list[tuple[str, Any]]:
    """The entries of a mapping by column name."""
    if mapping is None:
        return []
    if not isinstance(mapping, Mapping):
        raise OptionError(f"{option}: expected a mapping of names to {values}, found {type(mapping).__name__}.")
    for name in mapping:
        if not isinstance(name, str):
            raise OptionError(f"{option}: expected names of columns, found {name!r}.")
    return list(mapping.items())


def check_bytes(name: str, value: object) -> None:
    if value is not None and not isinstance(value, bytes):
        raise OptionError(f"{name}: expected bytes or None, found {type(value).__name__}.")


def check_key(name: str, key: object, *, optional: bool = True) -> None:
    """Check an AES key. The message does not show it."""
    if optional and key is None:
        return
    if not isinstance(key, bytes):
        raise OptionError(f"{name}: expected {', '.join(map(str, KEY_NBYTES))} bytes, found {type(key).__name__}.")
    if len(key) not in KEY_NBYTES:
        raise OptionError(f"{name}: expected {', '.join(map(str, KEY_NBYTES))} bytes, found {len(key)}.")
