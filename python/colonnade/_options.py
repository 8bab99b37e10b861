"""Each format's options: one class a format, checked when it is made.

`read` and `write` take the fields as keywords; the class is there to document them, and to make a set of options once
and check it early. A field belongs to reading, to writing or to both; a keyword on the wrong side is an error too.
"""

import dataclasses
import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ._formats import BUILT
from ._nearest import nearest_hint
from ._option_checks import WRITE, Common, check_choice, check_flag, check_level
from ._options_arrow import ArrowOptions, ArrowsOptions
from ._options_csv import CsvOptions
from ._options_json import JsonOptions, NdjsonOptions, YamlOptions
from ._options_msgpack import MsgpackOptions
from ._options_parquet import ParquetOptions
from .errors import OptionError

CODECS = ("zstd", "deflate")
FILTERS = ("auto", "none", "shuffle", "delta", "delta-shuffle", "dictionary")
PROFILES = ("fast", "balanced", "small")


@dataclass(frozen=True, kw_only=True)
class NpzOptions(Common):
    """Options of `.npz`: a ZIP of NPY members and one JSON member.

    Parameters
    ----------
    threads : int, optional
        Both ways. Default: the cores this process may use (affinity and cgroup), the environment variable
        ``COLONNADE_THREADS`` where it is set, 1 inside a Dask or Ray worker.
    progress : True or callable, optional
        Both ways. True draws a bar on stderr; a function is called with ``(done_nbytes, total_nbytes)``.
    limits : Limits, optional
        Reading. Caps on what a file may ask for.
    timeout_s : float, optional
        Reading, of ``http://`` and ``https://``. How many seconds connecting, the answer or the next bytes may take.
        Default 30.
    mmap : bool, optional
        Reading. Map a local file rather than read it. Default: yes, but not on network file systems. A file that
        other programs shorten or rewrite in place must be read with ``mmap=False``.
    verify : bool
        Reading. Check every CRC-32 and label before anything is returned.
    fsync : bool
        Writing. Wait until the disk has the bytes before the file takes its name; of an open file or the descriptor of
        one, before the call ends. Elsewhere (pipes, sockets, memory) it means nothing.
    densify_sparse : bool
        Writing. Write pandas' sparse columns as dense ones; without it they are refused by name.
    batch_rows : int, optional
        Writing. Where data is rows: how many are transposed at once. Default 65,536.
    compression : {"zstd", "deflate"} or mapping, optional
        Writing. None stores the bytes as they lie, ready to be mapped. A mapping from column label (or group prefix) to
        "zstd", "deflate" or None compresses the columns it names alone.
    level : int, optional
        Writing. 1 to 22 for zstd, 1 to 9 for deflate.
    filter : {"auto", "none", "shuffle", "delta", "delta-shuffle", "dictionary"} or mapping, optional
        Writing, of compressed columns. What is done to numbers first: bytes of equal weight side by side, differences,
        both, codes for the values that occur; ``auto`` takes for each column what makes a sample of it smallest. A
        mapping from column label (or group prefix) as for `compression`. NumPy still loads each member, but as what the
        filter made of it: Colonnade alone undoes it. Default: nothing is done.
    profile : {"fast", "balanced", "small"}, optional
        Writing. How much work size is worth: which filters are tried, and the level where `level` names none. Where
        `compression` and `filter` are not given, they are ``zstd`` and ``auto``.
    compat : {"static-frame"}, optional
        Writing. Write only what StaticFrame reads in full; what it could not hold is refused by name.

    Raises
    ------
    OptionError
        A value outside its range.

    Examples
    --------
    >>> import colonnade as cn
    >>> cn.NpzOptions(compression="zstd", level=3).level
    3
    >>> cn.NpzOptions(profile="balanced").codec
    'zstd'
    >>> cn.NpzOptions(compression="deflate", level=12)
    Traceback (most recent call last):
    colonnade.OptionError: level: expected 1 to 9 for deflate, found 12.
    """

    compression: str | Mapping[Any, str | None] | None = field(default=None, metadata=WRITE)
    level: int | None = field(default=None, metadata=WRITE)
    filter: str | Mapping[Any, str | None] | None = field(default=None, metadata=WRITE)
    profile: str | None = field(default=None, metadata=WRITE)
    compat: str | None = field(default=None, metadata=WRITE)

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_by_column("compression", self.compression, CODECS)
        _check_by_column("filter", self.filter, FILTERS)
        check_choice("profile", self.profile, PROFILES)
        if self.filter is not None and not self._codecs():
            raise OptionError(
                f"filter: expected None where nothing is compressed, found {self.filter!r}. Pass compression= too."
            )
        check_choice("compat", self.compat, ("static-frame",))
        check_level(self.level, self._codecs())
        if self.compat is not None and self._codecs():
            raise OptionError(
                "compression: StaticFrame reads stored members only; leave compression or compat='static-frame' out."
            )

    @property
    def codec(self) -> str | Mapping[Any, str | None] | None:
        """`compression`, or what `profile` means where there is none."""
        return "zstd" if self.compression is None and self.profile is not None else self.compression

    @property
    def filtering(self) -> str | Mapping[Any, str | None] | None:
        """`filter`, or what `profile` means where there is none."""
        return "auto" if self.filter is None and self.profile is not None else self.filter

    def _codecs(self) -> tuple[str, ...]:
        """The codecs asked for."""
        asked = self.codec.values() if isinstance(self.codec, Mapping) else [self.codec]
        return tuple(dict.fromkeys(codec for codec in asked if codec is not None))


def _check_by_column(name: str, asked: str | Mapping[Any, str | None] | None, choices: tuple[str, ...]) -> None:
    if not isinstance(asked, Mapping):
        return check_choice(name, asked, choices)
    for label, choice in asked.items():
        check_choice(f"{name} of {label!r}", choice, choices)


@dataclass(frozen=True, kw_only=True)
class NpyOptions(Common):
    """Options of `npy`: one array as a lone `.npy` file, or a frame as a directory of NPY members.

    Parameters
    ----------
    threads, progress, limits, timeout_s, mmap, verify, fsync, densify_sparse, batch_rows
        As in `NpzOptions`.
    directory : bool, optional
        Writing. True: a directory, as StaticFrame's ``to_npy`` writes it. False: a lone file; only for a frame of one
        dtype with automatic labels and without names. Default: a lone file where the frame is one and the target is
        not an existing directory, else a directory.
    compat : {"static-frame"}, optional
        Writing. As in `NpzOptions`; of a lone `.npy`, which any library reads in full, it changes nothing.

    Raises
    ------
    OptionError
        A value outside its range.

    Examples
    --------
    >>> import colonnade as cn
    >>> cn.NpyOptions(directory=True).directory
    True
    """

    directory: bool | None = field(default=None, metadata=WRITE)
    compat: str | None = field(default=None, metadata=WRITE)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_flag("directory", self.directory, optional=True)
        check_choice("compat", self.compat, ("static-frame",))


# ArrowsOptions are ArrowOptions.
Options = (
    NpzOptions
    | NpyOptions
    | ArrowOptions
    | ParquetOptions
    | MsgpackOptions
    | CsvOptions
    | JsonOptions
    | NdjsonOptions
    | YamlOptions
)
_TEXT: dict[str, type[Options]] = {
    "csv": CsvOptions,
    "json": JsonOptions,
    "ndjson": NdjsonOptions,
    "yaml": YamlOptions,
}
CLASSES: dict[str, type[Options]] = {
    "npz": NpzOptions,
    "npy": NpyOptions,
    "arrow": ArrowOptions,
    "arrows": ArrowsOptions,
    "msgpack": MsgpackOptions,
} | {name: made for name, made in ({"parquet": ParquetOptions} | _TEXT).items() if name in BUILT}


def format_of(options: object) -> str | None:
    """The format that an options object is of; None for a mapping."""
    return _NAMES.get(type(options))


_NAMES: dict[type, str] = {made: name for name, made in CLASSES.items()}


@functools.cache
def _plain(format: str) -> Options:
    """The options of a format where nothing is asked for: they do not change, so one object serves everybody."""
    return CLASSES[format]()


def is_plain(options: Options) -> bool:
    """Whether `options` are those where nothing was asked for. Equal ones that somebody made count as other ones."""
    return _plain(_NAMES[type(options)]) is options


def make_options(format: str, side: str, keywords: Mapping[str, Any]) -> Options:
    """The options object of `format` from the keywords of `read` (side "read") or `write` (side "write").

    Raises
    ------
    OptionError
        An unknown keyword (the message names the near ones), a keyword of the other side, a value outside its range.
    """
    if not keywords:
        return _plain(format)
    cls = CLASSES[format]
    fields = _sides(cls)
    ours = [name for name, owner in fields.items() if owner in (side, "both")]
    for name in keywords:
        if name not in fields:
            others = [other for other, made in CLASSES.items() if name in _sides(made)]
            elsewhere = f"; it is an option of {', '.join(others)}" if others else _hint(name, side, ours)
            raise OptionError(f"{format}: unknown option {name!r}{elsewhere}. Options here: {', '.join(ours)}.")
        if name not in ours:
            raise OptionError(f"{format}: {name!r} is an option of {_OTHER[side]}, not of {_VERB[side]}.")
    return cls(**keywords)


def _hint(name: str, side: str, ours: list[str]) -> str:
    """The nearest names: of options, and of the parameters that stand beside them in the call."""
    beside = [word for word in _BESIDE[side] if word != name]
    return nearest_hint(name, [*beside, *ours])


def check_keywords(side: str, keywords: Mapping[str, Any], likely: str | None = None) -> None:
    """Check keywords before the format is known: some format must take them all, with these values.

    A typo must be said before a pipe is read to find out what is in it. The message speaks of the `likely` format
    (by the suffix), where there is one.

    Raises
    ------
    OptionError
        As `make_options` does.
    """
    if not keywords:
        return
    sides = [_sides(cls) for cls in CLASSES.values()]
    refused = None
    for format, owners in zip(CLASSES, sides, strict=True):
        if all(owners.get(name) in (side, "both") for name in keywords):
            # Formats have one word for several things: a value that one refuses may be another's.
            try:
                make_options(format, side, keywords)
                return
            except OptionError as error:
                refused = refused or error
    if refused is not None and likely is None:
        raise refused
    if likely is not None:
        make_options(likely, side, keywords)
    known = {name: owner for owners in sides for name, owner in owners.items()}
    ours = [name for name, owner in known.items() if owner in (side, "both")]
    for name in keywords:
        if name not in known:
            raise OptionError(
                f"unknown option {name!r}{_hint(name, side, ours)}. No format has it; "
                f"options of {_VERB[side]}: {', '.join(ours)}."
            )
        if name not in ours:
            raise OptionError(f"{name!r} is an option of {_OTHER[side]}, not of {_VERB[side]}.")
    raise OptionError(f"options: no format takes all of {', '.join(keywords)}. Pass format=, and the options it has.")


def _sides(cls: type[Common]) -> dict[str, str]:
    """The options of a format, each with its side: reading, writing or both."""
    return {item.name: item.metadata["side"] for item in dataclasses.fields(cls)}


def as_keywords(options: Mapping[str, Any] | Options | None, side: str) -> dict[str, Any]:
    """Keywords of one side from a mapping, an options object (what differs from its defaults) or None."""
    if options is None:
        return {}
    if isinstance(options, Common):
        return {
            item.name: getattr(options, item.name)
            for item in dataclasses.fields(options)
            if item.metadata["side"] in (side, "both") and getattr(options, item.name) != item.default
        }
    if isinstance(options, Mapping):
        return dict(options)
    raise TypeError(f"{side}_options: expected a mapping, an options object or None, found {type(options).__name__}.")


_VERB = {"read": "reading", "write": "writing"}
_OTHER = {"read": "writing", "write": "reading"}
_BESIDE = {"read": ("format", "columns", "rows"), "write": ("format",)}
