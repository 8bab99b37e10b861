"""Options of NPZ: codec and filter by column, profile, level."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from .._values.option_checks import WRITE, Common, check_choice, check_level
from ..errors import OptionError

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

    _FORMAT: ClassVar[str] = "npz"
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
