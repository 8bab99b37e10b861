"""The common options of all formats, and checks of values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from .._core import Limits
from .._io.nearest import nearest_hint
from .._io.progress import Progress, check_progress
from .._io.threads import check_threads
from ..errors import OptionError
from .conditions import Condition, conjunctions

READ = {"side": "read"}
WRITE = {"side": "write"}
BOTH = {"side": "both"}

LEVELS = {"zstd": (1, 22), "deflate": (1, 9), "gzip": (1, 9), "lz4": (0, 12), "brotli": (0, 11)}


def check_flag(name: str, value: object, *, optional: bool = False) -> None:
    if not isinstance(value, bool) and not (optional and value is None):
        expected = "True, False or None" if optional else "True or False"
        raise OptionError(f"{name}: expected {expected}, found {value!r}.")


def is_one_of(value: object, choices: tuple[str, ...]) -> bool:
    """Whether `value` is one of the words. Arrays, NA and others are equal to words in ways of their own."""
    return isinstance(value, str) and str.__str__(value) in choices


def check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if value is not None and not is_one_of(value, choices):
        near = nearest_hint(value, choices)
        raise OptionError(f"{name}: expected None, {', '.join(map(repr, choices))}, found {value!r}{near}.")


def check_word(name: str, value: object, choices: tuple[str, ...]) -> None:
    """As `check_choice`, but None is not allowed."""
    if not is_one_of(value, choices):
        near = nearest_hint(value, choices)
        raise OptionError(f"{name}: expected {' or '.join(map(repr, choices))}, found {value!r}{near}.")


def check_count(name: str, value: object, *, least: int = 1, optional: bool = True) -> None:
    if optional and value is None:
        return
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        expected = f"a whole number of at least {least}" + (" or None" if optional else "")
        raise OptionError(f"{name}: expected {expected}, found {value!r}.")


def check_mapping(name: str, value: object) -> None:
    if value is not None and not isinstance(value, Mapping):
        raise OptionError(f"{name}: expected a mapping or None, found {type(value).__name__}.")


def check_timeout(value: object) -> float | None:
    """Returns `value` as a number of seconds, or None. OptionError for any other value."""
    if value is None:
        return None
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < float("inf"):
        raise OptionError(f"timeout_s: expected more than 0 seconds or None, found {value!r}.")
    return float(value)


def check_level(level: object, codecs: tuple[str, ...]) -> None:
    if level is None:
        return
    if not codecs:
        raise OptionError(
            f"compression_level: expected None where nothing is compressed, found {level!r}. Pass compression= too."
        )
    for codec in codecs:
        low, high = LEVELS[codec]
        if not isinstance(level, int) or isinstance(level, bool) or not low <= level <= high:
            raise OptionError(f"compression_level: expected {low} to {high} for {codec}, found {level!r}.")


@dataclass(frozen=True, kw_only=True)
class Common:
    """Options of all formats."""

    _FORMAT: ClassVar[str]

    threads: int | None = field(default=None, metadata=BOTH)
    storage_options: Mapping[str, Any] | None = field(default=None, metadata=BOTH, repr=False)
    filesystem: Any = field(default=None, metadata=BOTH, repr=False)
    progress: Progress | bool = field(default=None, metadata=BOTH)
    limits: Limits | None = field(default=None, metadata=READ)
    timeout_s: float | None = field(default=None, metadata=READ)
    mmap: bool | None = field(default=None, metadata=READ)
    verify: bool = field(default=False, metadata=READ)
    filters: Sequence[Any] | str | None = field(default=None, metadata=READ)
    fsync: bool = field(default=False, metadata=WRITE)
    mkdir: bool = field(default=False, metadata=WRITE)
    densify_sparse: bool = field(default=False, metadata=WRITE)
    batch_rows: int | None = field(default=None, metadata=WRITE)

    def __post_init__(self) -> None:
        check_threads(self.threads)
        check_mapping("storage_options", self.storage_options)
        check_progress(self.progress)
        if self.limits is not None and not isinstance(self.limits, Limits):
            raise OptionError(f"limits: expected colonnade.Limits or None, found {type(self.limits).__name__}.")
        check_timeout(self.timeout_s)
        check_flag("mmap", self.mmap, optional=True)
        check_flag("verify", self.verify)
        _ = self.conditions
        check_flag("fsync", self.fsync)
        check_flag("mkdir", self.mkdir)
        check_flag("densify_sparse", self.densify_sparse)
        check_count("batch_rows", self.batch_rows)

    @cached_property
    def conditions(self) -> list[list[Condition]] | None:
        """`filters` as lists of conditions: those of one list must all hold, and those of one list must."""
        return None if self.filters is None else conjunctions(self.filters)
