"""Options of JSON and NDJSON: the shape that a frame gets, and the numbers that are accepted."""

from dataclasses import dataclass, field
from typing import ClassVar

from .._values.option_checks import BOTH, READ, WRITE, check_choice, check_count, check_flag, check_word
from ..errors import OptionError
from .text_options import BIG_INTS, NONFINITE, HeadedText

ORIENTS = ("columns", "index", "records", "split", "values", "table")


@dataclass(frozen=True, kw_only=True)
class _Numbers(HeadedText):
    """What JSON and its lines share."""

    nonfinite: str = field(default="null", metadata=WRITE)
    allow_nonfinite: bool = field(default=False, metadata=READ)
    big_ints: str = field(default="error", metadata=READ)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_word("nonfinite", self.nonfinite, NONFINITE)
        check_flag("allow_nonfinite", self.allow_nonfinite)
        check_word("big_ints", self.big_ints, BIG_INTS)


@dataclass(frozen=True, kw_only=True)
class JsonOptions(_Numbers):
    """Options of `json`: a frame as one JSON value, ``.json``, also ``.json.gz`` and ``.json.zst``.

    Parameters
    ----------
    threads, progress, limits, timeout_s, mmap, fsync, densify_sparse, batch_rows
        As in `NpzOptions`. Of `limits`, ``max_depth`` says how deep arrays and objects may stand in each other.
    verify : bool
        Reading. JSON is decoded whole when it is opened, so nothing is left to be verified.
    orient : {"columns", "index", "records", "split", "values", "table"}, optional
        Both ways. Writing: ``"columns"`` without it. Reading tells it by the header or the look; naming it refuses
        any other.
    header : bool
        Writing. True: the first entry, ``"__colonnade__"``, holds what JSON does not say: axes, names, data types,
        attrs. False: the data alone, as pandas' ``to_json`` has it, for other programs.
    nonfinite : {"null", "literal", "error"}
        Writing without header: what NaN and the infinities are. ``"literal"``: ``NaN``, ``Infinity``, which many
        readers take though they are no JSON. With header they come back as they are.
    indent : int, optional
        Writing. Spaces for each level; default: one line.
    compression, level
        Writing. As in `CsvOptions`.
    encoding : {"utf-8", "utf-16", "utf-16-le", "utf-16-be", "latin-1"}
        Reading. A byte order mark tells UTF-8 and UTF-16 by itself.
    allow_nonfinite : bool
        Reading. Take ``NaN``, ``Infinity`` and ``-Infinity``.
    big_ints : {"error", "decimal"}
        Reading what others wrote: integers over 64 bits.

    Raises
    ------
    OptionError
        A value outside its range.

    Examples
    --------
    >>> import colonnade as cn
    >>> cn.JsonOptions(orient="records", header=False).orient
    'records'
    """

    _FORMAT: ClassVar[str] = "json"
    orient: str | None = field(default=None, metadata=BOTH)
    indent: int | None = field(default=None, metadata=WRITE)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("orient", self.orient, ORIENTS)
        check_indent(self.indent)


@dataclass(frozen=True, kw_only=True)
class NdjsonOptions(_Numbers):
    r"""Options of `ndjson`: a JSON object a line and row, ``.ndjson``, ``.jsonl``, also ``.gz`` and ``.zst``.

    Parameters
    ----------
    threads, progress, limits, timeout_s, mmap, verify, fsync, densify_sparse, batch_rows
        As in `JsonOptions`.
    header : bool
        Writing. True: the first line, ``{"__colonnade__": ...}``, holds what the others do not say. False: the data
        alone, for other programs.
    nonfinite, compression, level, encoding, allow_nonfinite, big_ints
        As in `JsonOptions`.
    chunk_rows : int, optional
        Reading, of `open_reader`. How many lines a chunk has. Default 65,536.

    Raises
    ------
    OptionError
        A value outside its range.

    Examples
    --------
    >>> import colonnade as cn
    >>> cn.NdjsonOptions(header=False).header
    False
    """

    _FORMAT: ClassVar[str] = "ndjson"
    chunk_rows: int | None = field(default=None, metadata=READ)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("chunk_rows", self.chunk_rows)


def check_indent(value: object) -> None:
    if value is not None and (not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= 16):
        raise OptionError(f"indent: expected None or 0 to 16 spaces, found {value!r}.")
