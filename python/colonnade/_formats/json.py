"""Options of JSON and NDJSON: layout, numbers and encoding."""

from dataclasses import dataclass, field
from typing import ClassVar, Literal, get_args

from .._values.option_checks import BOTH, READ, WRITE, check_choice, check_count, check_flag, check_word
from ..errors import OptionError
from .text_options import BIG_INTS, NONFINITE, BigInts, HeadedText, Nonfinite

Orient = Literal["columns", "index", "records", "split", "values", "table"]


@dataclass(frozen=True, kw_only=True)
class _Numbers(HeadedText):
    """Options of both JSON and NDJSON."""

    nonfinite: Nonfinite = field(default="null", metadata=WRITE)
    allow_nonfinite: bool = field(default=False, metadata=READ)
    big_ints: BigInts = field(default="error", metadata=READ)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_word("nonfinite", self.nonfinite, NONFINITE)
        check_flag("allow_nonfinite", self.allow_nonfinite)
        check_word("big_ints", self.big_ints, BIG_INTS)


@dataclass(frozen=True, kw_only=True)
class JsonOptions(_Numbers):
    """Options of `json`: a frame as one JSON value, ``.json``, also ``.json.gz`` and ``.json.zst``.

    `threads`, `progress`, `limits`, `timeout_s`, `mmap`, `filters`, `fsync`, `mkdir`, `densify_sparse` and
    `batch_rows` are the same as in `NpzOptions`. ``max_depth`` of `limits` limits the nesting of arrays and
    objects. `compression` and `compression_level` are the same as in `CsvOptions`.

    Parameters
    ----------
    verify : bool
        Reading. No effect: opening JSON decodes and checks all of it.
    orient : one of {"columns", "index", "records", "split", "values", "table"}, optional
        Reading and writing. Default of writing: ``"records"``, with a schema ``"columns"``. Default of reading:
        detected. A given orient refuses data of any other.
    schema : "header", optional
        Writing. ``"header"``: the first entry, ``"__colonnade__"``, stores axes, names, data types and attrs. None:
        only the data is stored, as by pandas' ``to_json``.
    on_loss : one of {"warn", "raise", "ignore"}
        Writing. As in `CsvOptions`.
    parse_dates : bool
        Reading without a schema. Whether columns with only ISO 8601 dates and times become timestamps.
    nonfinite : one of {"null", "literal", "error"}
        Writing without a schema. The form of NaN and infinities. ``"literal"``: ``NaN`` and ``Infinity``, which are no
        JSON but accepted by many readers. With a schema they come back exactly.
    indent : int, optional
        Writing. The number of spaces for each level. Default: one line.
    encoding : one of {"utf-8", "utf-16", "utf-16-le", "utf-16-be", "latin-1"}
        Reading. A byte order mark of UTF-8 or UTF-16 takes precedence.
    allow_nonfinite : bool
        Reading. Accept ``NaN``, ``Infinity`` and ``-Infinity``.
    big_ints : one of {"error", "decimal"}
        Reading schemaless data. The treatment of integers over 64 bits: an error, or decimals.

    Raises
    ------
    OptionError
        A value outside its range.

    Examples
    --------
    >>> import colonnade as cn
    >>> cn.JsonOptions(schema="header").schema
    'header'
    """

    _FORMAT: ClassVar[str] = "json"
    orient: Orient | None = field(default=None, metadata=BOTH)
    indent: int | None = field(default=None, metadata=WRITE)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("orient", self.orient, get_args(Orient))
        check_indent(self.indent)


@dataclass(frozen=True, kw_only=True)
class NdjsonOptions(_Numbers):
    r"""Options of `ndjson`: one JSON object per row and line, ``.ndjson``, ``.jsonl``, also ``.gz`` and ``.zst``.

    `threads`, `progress`, `limits`, `timeout_s`, `mmap`, `verify`, `filters`, `fsync`, `mkdir`, `densify_sparse`,
    `batch_rows`, `on_loss`, `parse_dates`, `nonfinite`, `compression`, `compression_level`, `encoding`,
    `allow_nonfinite` and `big_ints` are the same as in `JsonOptions`.

    Parameters
    ----------
    schema : "header", optional
        Writing. ``"header"``: the first line, ``{"__colonnade__": ...}``, stores axes, names, data types and attrs.
        None: only the data is stored.
    chunk_rows : int, optional
        Reading with `open_reader`. The number of lines per chunk. Default 65,536.

    Raises
    ------
    OptionError
        A value outside its range.

    Examples
    --------
    >>> import colonnade as cn
    >>> cn.NdjsonOptions(schema="header").schema
    'header'
    """

    _FORMAT: ClassVar[str] = "ndjson"
    chunk_rows: int | None = field(default=None, metadata=READ)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("chunk_rows", self.chunk_rows)


def check_indent(value: object) -> None:
    if value is not None and (not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= 16):
        raise OptionError(f"indent: expected None or 0 to 16 spaces, found {value!r}.")
