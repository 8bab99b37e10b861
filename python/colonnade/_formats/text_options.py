"""Options of all text formats: compression by suffix, encodings, and checks of characters."""

from dataclasses import dataclass, field
from typing import Literal, get_args

from .._values.option_checks import READ, WRITE, Common, check_choice, check_flag, check_level, check_word
from ..errors import OptionError

Codec = Literal["gzip", "zstd"]
Encoding = Literal["utf-8", "utf-16", "utf-16-le", "utf-16-be", "latin-1"]
Nonfinite = Literal["null", "literal", "error"]
BigInts = Literal["error", "decimal"]
OnLoss = Literal["warn", "raise", "ignore"]
CODECS, ENCODINGS, NONFINITE, BIG_INTS, ON_LOSS = map(get_args, (Codec, Encoding, Nonfinite, BigInts, OnLoss))
_TABBED = (".tsv", ".tsv.gz", ".tsv.zst")


@dataclass(frozen=True, kw_only=True)
class Text(Common):
    """Options of all text formats."""

    compression: Codec | None = field(default=None, metadata=WRITE)
    compression_level: int | None = field(default=None, metadata=WRITE)
    on_loss: OnLoss = field(default="warn", metadata=WRITE)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("compression", self.compression, CODECS)
        check_word("on_loss", self.on_loss, ON_LOSS)
        if self.compression is not None:
            check_level(self.compression_level, (self.compression,))
        elif self.compression_level is not None:
            # The codec of the suffix is known only with the target.
            check_level(self.compression_level, ("zstd",))


def is_tabbed(name: str | None) -> bool:
    """Whether the suffix of a file name means tab-separated values."""
    return name is not None and name.lower().endswith(_TABBED)


def check_encoding(value: object, choices: tuple[str, ...] = ENCODINGS) -> None:
    check_word("encoding", value, choices)


def check_character(name: str, value: object, *, optional: bool = True) -> None:
    """Check a single ASCII character that is no line end."""
    if value is None and optional:
        return
    if not isinstance(value, str) or len(value) != 1 or not value.isascii() or value in "\r\n\0":
        expected = "one ASCII character" + (" or None" if optional else "")
        raise OptionError(f"{name}: expected {expected}, found {value!r}.")


def check_differ(**characters: str | None) -> None:
    """Characters with a meaning of their own must not be one."""
    seen: dict[str, str] = {}
    for name, value in characters.items():
        if value is None:
            continue
        if value in seen:
            raise OptionError(f"{name}: expected another character than {seen[value]}, found {value!r} for both.")
        seen[value] = name


@dataclass(frozen=True, kw_only=True)
class HeadedText(Text):
    """The options that JSON, NDJSON and YAML share."""

    encoding: Encoding = field(default="utf-8", metadata=READ)
    parse_dates: bool = field(default=True, metadata=READ)
    schema: Literal["header"] | None = field(default=None, metadata=WRITE)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_encoding(self.encoding)
        check_flag("parse_dates", self.parse_dates)
        check_choice("schema", self.schema, ("header",))
