"""Each format's options: one class a format, checked when it is made.

`read` and `write` take the fields as keywords; the class is there to document them, and to make a set of options once
and check it early. A field belongs to reading, to writing or to both; a keyword on the wrong side is an error too.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ._core import Limits
from ._nearest import nearest_hint
from ._progress import Progress, check_progress
from ._threads import check_threads
from .errors import OptionError

_READ = {"side": "read"}
_WRITE = {"side": "write"}
_BOTH = {"side": "both"}

CODECS = ("zstd", "deflate")
_LEVELS = {"zstd": (1, 22), "deflate": (1, 9)}


def _check_flag(name: str, value: object, *, optional: bool = False) -> None:
    if not isinstance(value, bool) and not (optional and value is None):
        expected = "True, False or None" if optional else "True or False"
        raise OptionError(f"{name}: expected {expected}, found {value!r}.")


def _check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if value is not None and value not in choices:
        near = nearest_hint(value, choices) if isinstance(value, str) else ""
        raise OptionError(f"{name}: expected None, {', '.join(map(repr, choices))}, found {value!r}{near}.")


@dataclass(frozen=True, kw_only=True)
class _Common:
    """What every format takes."""

    threads: int | None = field(default=None, metadata=_BOTH)
    progress: Progress | bool = field(default=None, metadata=_BOTH)
    limits: Limits | None = field(default=None, metadata=_READ)
    mmap: bool | None = field(default=None, metadata=_READ)
    verify: bool = field(default=False, metadata=_READ)
    fsync: bool = field(default=False, metadata=_WRITE)
    densify_sparse: bool = field(default=False, metadata=_WRITE)

    def __post_init__(self) -> None:
        check_threads(self.threads)
        check_progress(self.progress)
        if self.limits is not None and not isinstance(self.limits, Limits):
            raise OptionError(f"limits: expected colonnade.Limits or None, found {type(self.limits).__name__}.")
        _check_flag("mmap", self.mmap, optional=True)
        _check_flag("verify", self.verify)
        _check_flag("fsync", self.fsync)
        _check_flag("densify_sparse", self.densify_sparse)


@dataclass(frozen=True, kw_only=True)
class NpzOptions(_Common):
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
    mmap : bool, optional
        Reading. Map a local file rather than read it. Default: yes, but not on network file systems. A file that
        other programs shorten or rewrite in place must be read with ``mmap=False``.
    verify : bool
        Reading. Check every CRC-32 and label before anything is returned.
    fsync : bool
        Writing. Wait until the disk has the bytes before the file takes its name.
    densify_sparse : bool
        Writing. Write pandas' sparse columns as dense ones; without it they are refused by name.
    compression : {"zstd", "deflate"} or mapping, optional
        Writing. None stores the bytes as they lie, ready to be mapped. A mapping from column label (or group prefix) to
        "zstd", "deflate" or None compresses the columns it names alone.
    level : int, optional
        Writing. 1 to 22 for zstd, 1 to 9 for deflate.
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
    >>> cn.NpzOptions(compression="deflate", level=12)
    Traceback (most recent call last):
    colonnade.OptionError: level: expected 1 to 9 for deflate, found 12.
    """

    compression: str | Mapping[Any, str | None] | None = field(default=None, metadata=_WRITE)
    level: int | None = field(default=None, metadata=_WRITE)
    compat: str | None = field(default=None, metadata=_WRITE)

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.compression, Mapping):
            for label, codec in self.compression.items():
                _check_choice(f"compression of {label!r}", codec, CODECS)
        else:
            _check_choice("compression", self.compression, CODECS)
        _check_choice("compat", self.compat, ("static-frame",))
        self._check_level()
        if self.compat is not None and self._codecs():
            raise OptionError(
                "compression: StaticFrame reads stored members only; leave compression or compat='static-frame' out."
            )

    def _codecs(self) -> tuple[str, ...]:
        """The codecs asked for."""
        asked = self.compression.values() if isinstance(self.compression, Mapping) else [self.compression]
        return tuple(dict.fromkeys(codec for codec in asked if codec is not None))

    def _check_level(self) -> None:
        if self.level is None:
            return
        codecs = self._codecs()
        if not codecs:
            raise OptionError(
                f"level: expected None where nothing is compressed, found {self.level!r}. Pass compression= too."
            )
        for codec in codecs:
            low, high = _LEVELS[codec]
            is_int = isinstance(self.level, int) and not isinstance(self.level, bool)
            if not is_int or not low <= self.level <= high:
                raise OptionError(f"level: expected {low} to {high} for {codec}, found {self.level!r}.")


@dataclass(frozen=True, kw_only=True)
class NpyOptions(_Common):
    """Options of `npy`: one array as a lone `.npy` file, or a frame as a directory of NPY members.

    Parameters
    ----------
    threads, progress, limits, mmap, verify, fsync, densify_sparse
        As in `NpzOptions`.
    directory : bool, optional
        Writing. True: a directory, as StaticFrame's ``to_npy`` writes it. False: a lone file; only for a frame of one
        dtype with automatic labels and without names. Default: a lone file where the frame is one and the target is
        not an existing directory, else a directory.
    compat : {"static-frame"}, optional
        Writing. As in `NpzOptions`.

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

    directory: bool | None = field(default=None, metadata=_WRITE)
    compat: str | None = field(default=None, metadata=_WRITE)

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_flag("directory", self.directory, optional=True)
        _check_choice("compat", self.compat, ("static-frame",))


Options = NpzOptions | NpyOptions
CLASSES: dict[str, type[NpzOptions] | type[NpyOptions]] = {"npz": NpzOptions, "npy": NpyOptions}


def make_options(format: str, side: str, keywords: Mapping[str, Any]) -> Options:
    """The options object of `format` from the keywords of `read` (side "read") or `write` (side "write").

    Raises
    ------
    OptionError
        An unknown keyword (the message names the near ones), a keyword of the other side, a value outside its range.
    """
    cls = CLASSES[format]
    fields = {item.name: item.metadata["side"] for item in dataclasses.fields(cls)}
    ours = [name for name, owner in fields.items() if owner in (side, "both")]
    for name in keywords:
        if name not in fields:
            others = [
                other for other, made in CLASSES.items() if name in {item.name for item in dataclasses.fields(made)}
            ]
            elsewhere = f"; it is an option of {', '.join(others)}" if others else nearest_hint(name, ours)
            raise OptionError(f"{format}: unknown option {name!r}{elsewhere}. Options here: {', '.join(ours)}.")
        if name not in ours:
            raise OptionError(f"{format}: {name!r} is an option of {_OTHER[side]}, not of {_VERB[side]}.")
    return cls(**keywords)


def as_keywords(options: Mapping[str, Any] | Options | None, side: str) -> dict[str, Any]:
    """Keywords of one side from a mapping, an options object (what differs from its defaults) or None."""
    if options is None:
        return {}
    if isinstance(options, _Common):
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
