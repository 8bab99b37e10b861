"""Options of CSV: the dialect, what is null, which types columns have, and how exact return is had."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from .._values.option_checks import BOTH, READ, WRITE, check_choice, check_count, check_flag, check_word
from ..errors import OptionError
from .text_options import ENCODINGS, Text, check_character, check_differ, check_encoding

SCHEMAS = ("header", "sidecar", "ignore")
QUOTING = ("minimal", "nonnumeric", "all")


@dataclass(frozen=True, kw_only=True)
class CsvOptions(Text):
    r"""Options of `csv`: a record a line, fields between delimiters, ``.csv`` and ``.tsv``, also ``.gz`` and ``.zst``.

    Parameters
    ----------
    threads, progress, limits, timeout_s, mmap, fsync, densify_sparse, batch_rows
        As in `NpzOptions`.
    verify : bool
        Reading. CSV is decoded whole when it is opened, so nothing is left to be verified.
    delimiter : str, optional
        Both ways. One ASCII character. Reading: told by the look, among ``,``, ``;``, tab and ``|``. Writing: ``,``, or
        a tab where the target is a ``.tsv``.
    quotechar : str or None
        Both ways. What encloses fields; None on reading: nothing does.
    decimal : {".", ","}
        Both ways. The decimal mark.
    encoding : {"utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1"}
        Both ways. Reading: a byte order mark tells UTF-8 and UTF-16 by itself.
    schema : {"header", "sidecar", "ignore"}, optional
        Both ways. Where names, data types, axes and attrs stand that CSV has no place for. Writing: ``"header"``, a
        comment in the first line; ``"sidecar"``, ``FILE.schema.json`` beside the file; None: nowhere, and a frame that
        would not come back exactly is refused. Reading: both are found by themselves; ``"ignore"``: the text alone.
    compression : {"gzip", "zstd"}, optional
        Writing. Default: told by the suffix. Reading tells it by the first bytes.
    level : int, optional
        Writing. 1 to 22 for zstd, 1 to 9 for gzip.
    header : bool
        Writing. Whether the column names stand in front: a record, or one for each level of hierarchical columns.
    index : bool, optional
        Writing. Row labels as first columns. Default: where they are not automatic.
    quoting : {"minimal", "nonnumeric", "all"}
        Writing. Which fields are quoted.
    lineterminator : {"\\n", "\\r\\n"}
        Writing.
    na_rep : str
        Writing. What stands for null.
    lossy : bool
        Writing. True: write plain CSV even if it does not come back exactly.
    escapechar : str, optional
        Reading. The character that takes its meaning from the next one.
    doublequote : bool
        Reading. Whether two quotes inside a quoted field are one.
    comment : str, optional
        Reading. Lines that begin with it are skipped.
    thousands : str, optional
        Reading. The mark between groups of digits.
    na_values : sequence of str
        Reading. More words for null.
    keep_default_na : bool
        Reading. Whether the usual words for null are (empty, ``NA``, ``NaN``, ``null``, ``None``...).
    header_rows : int
        Reading. How many records at the beginning hold column names; several make hierarchical columns, 0 none. Other
        options name columns by the last of them.
    index_columns : int or sequence of str, optional
        Reading. Which columns are row labels: the first so many, or these.
    skip_rows : int
        Reading. How many lines at the beginning are skipped.
    dtypes : mapping of str to str, optional
        Reading. Data types by column name, as `Frame.dtypes` writes them (``"<i4"``, ``"bool"``, ``"large_utf8"``...),
        rather than told by the values. ``"category"``: categories of what the values are, sorted.
    dates : bool or sequence of str
        Reading. True: columns whose values are all dates of ISO 8601 are dates; names: these columns are.
    date_format : str
        Reading. ``"iso"``, or a format of strptime.
    on_error : {"raise", "null", "skip"}
        Reading. What becomes of a record with too many or too few fields, or of a value that its type cannot hold: an
        error; nulls; or the record is left out. `Info` and a warning of the logger say how many.
    big_ints : {"text", "decimal", "error"}
        Reading. What becomes of a column of integers over 64 bits, or of numbers over every float. Default: text.
    chunk_rows : int, optional
        Reading, of `open_reader`. How many records a chunk has. Default 65,536.

    Raises
    ------
    OptionError
        A value outside its range, or two that exclude each other.

    Examples
    --------
    >>> import colonnade as cn
    >>> cn.CsvOptions(delimiter=";", decimal=",").decimal
    ','
    >>> cn.CsvOptions(quoting="none")
    Traceback (most recent call last):
    colonnade.OptionError: quoting: expected 'minimal' or 'nonnumeric' or 'all', found 'none'.
    """

    _FORMAT: ClassVar[str] = "csv"
    delimiter: str | None = field(default=None, metadata=BOTH)
    quotechar: str | None = field(default='"', metadata=BOTH)
    decimal: str = field(default=".", metadata=BOTH)
    encoding: str = field(default="utf-8", metadata=BOTH)
    schema: str | None = field(default=None, metadata=BOTH)
    header: bool = field(default=True, metadata=WRITE)
    index: bool | None = field(default=None, metadata=WRITE)
    quoting: str = field(default="minimal", metadata=WRITE)
    lineterminator: str = field(default="\n", metadata=WRITE)
    na_rep: str = field(default="", metadata=WRITE)
    lossy: bool = field(default=False, metadata=WRITE)
    escapechar: str | None = field(default=None, metadata=READ)
    doublequote: bool = field(default=True, metadata=READ)
    comment: str | None = field(default=None, metadata=READ)
    thousands: str | None = field(default=None, metadata=READ)
    na_values: Sequence[str] = field(default=(), metadata=READ)
    keep_default_na: bool = field(default=True, metadata=READ)
    header_rows: int = field(default=1, metadata=READ)
    index_columns: int | Sequence[str] | None = field(default=None, metadata=READ)
    skip_rows: int = field(default=0, metadata=READ)
    dtypes: Mapping[str, str] | None = field(default=None, metadata=READ)
    dates: bool | Sequence[str] = field(default=False, metadata=READ)
    date_format: str = field(default="iso", metadata=READ)
    on_error: str = field(default="raise", metadata=READ)
    big_ints: str = field(default="text", metadata=READ)
    chunk_rows: int | None = field(default=None, metadata=READ)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("delimiter", "quotechar", "escapechar", "comment", "thousands"):
            check_character(name, getattr(self, name))
        check_word("decimal", self.decimal, (".", ","))
        check_differ(
            delimiter=self.delimiter, quotechar=self.quotechar, escapechar=self.escapechar, comment=self.comment
        )
        check_differ(decimal=self.decimal, thousands=self.thousands)
        check_encoding(self.encoding, (*ENCODINGS, "utf-8-sig"))
        check_choice("schema", self.schema, SCHEMAS)
        check_word("quoting", self.quoting, QUOTING)
        check_word("lineterminator", self.lineterminator, ("\n", "\r\n"))
        for name in ("header", "lossy", "doublequote", "keep_default_na"):
            check_flag(name, getattr(self, name))
        check_flag("index", self.index, optional=True)
        check_count("chunk_rows", self.chunk_rows)
        check_word("on_error", self.on_error, ("raise", "null", "skip"))
        check_word("big_ints", self.big_ints, ("text", "decimal", "error"))
        self._check_null_words()
        self._check_columns()

    def _check_null_words(self) -> None:
        if not isinstance(self.na_rep, str) or any(mark in self.na_rep for mark in '\r\n"'):
            raise OptionError(f"na_rep: expected text without quotes and line ends, found {self.na_rep!r}.")
        check_words("na_values", self.na_values)

    def _check_columns(self) -> None:
        for name in ("header_rows", "skip_rows"):
            check_count(name, getattr(self, name), least=0, optional=False)
        if isinstance(self.index_columns, int) and not isinstance(self.index_columns, bool):
            check_count("index_columns", self.index_columns, least=0)
        elif self.index_columns is not None:
            check_words("index_columns", self.index_columns)
        if not isinstance(self.dates, bool):
            check_words("dates", self.dates)
        if not isinstance(self.date_format, str) or not self.date_format:
            raise OptionError(f"date_format: expected 'iso' or a format of strptime, found {self.date_format!r}.")
        if self.dtypes is None:
            return
        if not isinstance(self.dtypes, Mapping):
            raise OptionError(f"dtypes: expected a mapping of names to dtypes, found {type(self.dtypes).__name__}.")
        for name, dtype in self.dtypes.items():
            if not isinstance(name, str) or not isinstance(dtype, str):
                raise OptionError(f"dtypes: expected text by text, found {name!r}: {dtype!r}.")


def check_words(name: str, value: object) -> None:
    """Some texts, but not one text, which is a sequence of its letters."""
    if isinstance(value, str) or not isinstance(value, Sequence) or not all(isinstance(word, str) for word in value):
        raise OptionError(f"{name}: expected a sequence of text, found {value!r}.")
