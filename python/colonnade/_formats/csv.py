"""Options of CSV: dialect, null values, column types, and the schema."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, get_args

from .._values.option_checks import BOTH, READ, WRITE, check_choice, check_count, check_flag, check_word
from ..errors import OptionError
from .csv_columns import Header, IndexColumns, dtype_names, header_lines, index_columns
from .text_options import ENCODINGS, Encoding, Text, check_character, check_differ, check_encoding

Decimal = Literal[".", ","]
Schema = Literal["header", "sidecar", "ignore"]
Quoting = Literal["minimal", "nonnumeric", "all"]
LineEnd = Literal["\n", "\r\n"]
OnError = Literal["raise", "null", "skip"]
BigInts = Literal["text", "decimal", "error"]
CsvEncoding = Encoding | Literal["utf-8-sig"]
# The numbers of the csv module, which pandas takes.
_QUOTING_NUMBERS = {0: "minimal", 1: "all", 2: "nonnumeric"}


@dataclass(frozen=True, kw_only=True)
class CsvOptions(Text):
    r"""Options of `csv`: one record per line, ``.csv`` and ``.tsv``, also ``.gz`` and ``.zst``.

    `threads`, `progress`, `limits`, `timeout_s`, `mmap`, `filters`, `fsync`, `mkdir`, `densify_sparse` and
    `batch_rows` are the same as in `NpzOptions`.

    Parameters
    ----------
    verify : bool
        Reading. No effect: opening CSV decodes and checks all of it.
    sep : str, optional
        Reading and writing. The separator, one ASCII character. Default of reading: detected among ``,``, ``;``, tab
        and ``|``. Default of writing: ``,``, or a tab if the target is a ``.tsv``.
    quotechar : str or None
        Reading and writing. The quote character. None, for reading: no field is quoted.
    decimal : one of {".", ","}
        Reading and writing. The decimal mark.
    encoding : one of {"utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1"}
        Reading and writing. A byte order mark of UTF-8 or UTF-16 takes precedence on reading.
    schema : one of {"header", "sidecar", "ignore"}, optional
        Reading and writing. The place of names, data types, axes and attrs, which CSV itself cannot store. Writing:
        ``"header"`` stores them as a comment in the first line, ``"sidecar"`` in the file ``FILE.schema.json``; None
        does not store them. Reading detects both places; ``"ignore"`` does not use them.
    on_loss : one of {"warn", "raise", "ignore"}
        Writing without a schema. What happens if reading the file with default options would not return the same
        values. ``"warn"``: one `LossWarning` names up to five columns. ``"raise"``: an `EncodeError`, before anything
        is written.
    compression : one of {"gzip", "zstd"}, optional
        Writing. Default: by the suffix. Reading detects it by the first bytes.
    compression_level : int, optional
        Writing. 1 to 22 for zstd, 1 to 9 for gzip.
    header : bool, int, sequence of int or None
        Reading and writing. Writing: whether the column names are the first line. Hierarchical labels are written as
        the text of a tuple. Reading, as in pandas: True for names in the first line, False or None for no names, the
        number of the line with names, from 0, or consecutive numbers such as ``[0, 1]`` for hierarchical columns. Other
        options name columns by the last of these lines. Without names, columns are numbered.
    index : bool, optional
        Writing. Whether row labels are the first columns. Default: if they are not automatic.
    quoting : one of {"minimal", "nonnumeric", "all"}
        Writing. The fields that are quoted; also ``csv.QUOTE_MINIMAL``, ``QUOTE_NONNUMERIC`` and ``QUOTE_ALL``.
    lineterminator : one of {"\\n", "\\r\\n"}
        Writing. The line end.
    na_rep : str
        Writing. The text of null.
    escapechar : str, optional
        Reading. The escape character, after which the next character is literal.
    doublequote : bool
        Reading. Whether two quotes inside a quoted field stand for one.
    comment : str, optional
        Reading. The character at the start of lines that are skipped.
    thousands : str, optional
        Reading. The mark between groups of digits.
    na_values : sequence of str
        Reading. Additional null values.
    keep_default_na : bool
        Reading. Whether the default null values apply (empty, ``NA``, ``NaN``, ``null``, ``None``...).
    index_col : int, str or sequence of these, optional
        Reading. The columns of row labels: positions from 0, or names. False and None: row labels are numbers.
    skiprows : int
        Reading. The number of lines to skip at the beginning.
    dtype : dtype or mapping of str to dtype, optional
        Reading. The type of all columns, or types by column name, instead of inferred types: `str`, NumPy's and pandas'
        dtypes, or names such as ``"int32"``, ``"Int64"`` and those of `Frame.dtypes` (``"<i4"``, ``"large_utf8"``...).
        ``"category"``: sorted categories of the inferred type.
    parse_dates : bool or sequence of str
        Reading. True: columns with only ISO 8601 dates and times become timestamps. False: they stay text. Names: only
        these columns become timestamps, and must hold nothing else.
    date_format : str
        Reading. ``"iso"``, or a format of strptime.
    on_error : one of {"raise", "null", "skip"}
        Reading. The treatment of a record with too many or too few fields, or of a value that does not fit its type:
        raise an error, read nulls, or skip the record. `Info` and a warning of the logger count them.
    big_ints : one of {"text", "decimal", "error"}
        Reading. The type of a column with integers over 64 bits, or with numbers beyond the range of floats.
        Default: text.
    chunk_rows : int, optional
        Reading with `open_reader`. The number of records per chunk. Default 65,536.

    Raises
    ------
    OptionError
        A value is outside its range, or two options exclude each other.

    Examples
    --------
    >>> import colonnade as cn
    >>> cn.CsvOptions(sep=";", decimal=",").decimal
    ','
    >>> cn.CsvOptions(quoting="none")
    Traceback (most recent call last):
    colonnade.OptionError: quoting: expected 'minimal' or 'nonnumeric' or 'all', found 'none'.
    """

    _FORMAT: ClassVar[str] = "csv"
    sep: str | None = field(default=None, metadata=BOTH)
    quotechar: str | None = field(default='"', metadata=BOTH)
    decimal: Decimal = field(default=".", metadata=BOTH)
    encoding: CsvEncoding = field(default="utf-8", metadata=BOTH)
    schema: Schema | None = field(default=None, metadata=BOTH)
    header: Header = field(default=True, metadata=BOTH)
    index: bool | None = field(default=None, metadata=WRITE)
    quoting: Quoting | int = field(default="minimal", metadata=WRITE)
    lineterminator: LineEnd = field(default="\n", metadata=WRITE)
    na_rep: str = field(default="", metadata=WRITE)
    escapechar: str | None = field(default=None, metadata=READ)
    doublequote: bool = field(default=True, metadata=READ)
    comment: str | None = field(default=None, metadata=READ)
    thousands: str | None = field(default=None, metadata=READ)
    na_values: Sequence[str] = field(default=(), metadata=READ)
    keep_default_na: bool = field(default=True, metadata=READ)
    index_col: IndexColumns = field(default=None, metadata=READ)
    skiprows: int = field(default=0, metadata=READ)
    dtype: Any = field(default=None, metadata=READ)
    parse_dates: bool | Sequence[str] = field(default=True, metadata=READ)
    date_format: str = field(default="iso", metadata=READ)
    on_error: OnError = field(default="raise", metadata=READ)
    big_ints: BigInts = field(default="text", metadata=READ)
    chunk_rows: int | None = field(default=None, metadata=READ)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("sep", "quotechar", "escapechar", "comment", "thousands"):
            check_character(name, getattr(self, name))
        check_word("decimal", self.decimal, get_args(Decimal))
        check_differ(sep=self.sep, quotechar=self.quotechar, escapechar=self.escapechar, comment=self.comment)
        check_differ(decimal=self.decimal, thousands=self.thousands)
        check_encoding(self.encoding, (*ENCODINGS, "utf-8-sig"))
        check_choice("schema", self.schema, get_args(Schema))
        if isinstance(self.quoting, int) and self.quoting in _QUOTING_NUMBERS:
            object.__setattr__(self, "quoting", _QUOTING_NUMBERS[self.quoting])
        check_word("quoting", self.quoting, get_args(Quoting))
        check_word("lineterminator", self.lineterminator, get_args(LineEnd))
        for name in ("doublequote", "keep_default_na"):
            check_flag(name, getattr(self, name))
        check_flag("index", self.index, optional=True)
        check_count("chunk_rows", self.chunk_rows)
        check_word("on_error", self.on_error, get_args(OnError))
        check_word("big_ints", self.big_ints, get_args(BigInts))
        self._check_null_words()
        self._check_columns()

    def _check_null_words(self) -> None:
        if not isinstance(self.na_rep, str) or any(mark in self.na_rep for mark in '\r\n"'):
            raise OptionError(f"na_rep: expected text without quotes and line ends, found {self.na_rep!r}.")
        check_words("na_values", self.na_values)

    def _check_columns(self) -> None:
        header_lines(self.header)
        index_columns(self.index_col)
        dtype_names(self.dtype)
        check_count("skiprows", self.skiprows, least=0, optional=False)
        if not isinstance(self.parse_dates, bool):
            check_words("parse_dates", self.parse_dates)
        if not isinstance(self.date_format, str) or not self.date_format:
            raise OptionError(f"date_format: expected 'iso' or a format of strptime, found {self.date_format!r}.")


def check_words(name: str, value: object) -> None:
    """A sequence of texts. A single text is refused, because it is a sequence of letters."""
    if isinstance(value, str) or not isinstance(value, Sequence) or not all(isinstance(word, str) for word in value):
        raise OptionError(f"{name}: expected a sequence of text, found {value!r}.")
