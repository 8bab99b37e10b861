"""Options of NPZ: codec and transform by column, profile, level."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, get_args

from .._values.option_checks import WRITE, Common, check_choice, check_level
from ..errors import OptionError

Codec = Literal["zstd", "deflate"]
Transform = Literal["auto", "none", "shuffle", "delta", "delta-shuffle", "dictionary"]
Profile = Literal["fast", "balanced", "small"]


@dataclass(frozen=True, kw_only=True)
class NpzOptions(Common):
    """Options of `npz`: a ZIP of NPY members and one JSON member, ``.npz``.

    Parameters
    ----------
    threads : int, optional
        Reading and writing. Default: the environment variable ``COLONNADE_THREADS`` if it is set; otherwise 1 inside a
        Dask or Ray worker; otherwise the cores that this process may use (affinity and cgroup).
    progress : True or callable, optional
        Reading and writing. True draws a bar on stderr. A function is called with ``(done_nbytes, total_nbytes)``.
    limits : Limits, optional
        Reading. Limits on the resources of a file.
    timeout_s : float, optional
        Reading from ``http://`` and ``https://``. The maximum seconds for connecting, for the response and between
        bytes. Default 30.
    mmap : bool, optional
        Reading. Map a local file instead of reading it. Default: yes, except on network file systems. Use
        ``mmap=False`` for a file that other programs shorten or rewrite in place.
    verify : bool
        Reading. Check every CRC-32 and label before anything is returned.
    filters : sequence or str, optional
        Reading. The rows to keep, as in ``pandas.read_parquet(filters=)``: tuples (column, comparison, value) that must
        all hold, or a list of such lists, of which one must hold. Or text: ``"price > 3 and kind in ('a', 'b')"``.
        Comparisons are ``==``, ``!=``, ``<``, ``<=``, ``>``, ``>=``, ``in`` and ``not in``. No comparison keeps a null;
        ``("x", "is", None)`` and ``("x", "is not", None)`` select nulls. See docs/guides/filters.md.
    fsync : bool
        Writing. Sync the file to the disk before it is renamed. An open file or its descriptor is synced before the
        call returns. No effect for pipes, sockets and memory.
    mkdir : bool
        Writing. Make the folder of the target, and those above it, if they are missing.
    densify_sparse : bool
        Writing. Make pandas' sparse columns dense. Otherwise they come back sparse.
    batch_rows : int, optional
        Writing rows. The number of rows that are transposed at once. Default 65,536.
    compression : one of {"zstd", "deflate"} or mapping, optional
        Writing. None: members are stored uncompressed, so the file can be mapped. A mapping from column label (or group
        prefix) to "zstd", "deflate" or None compresses only these columns.
    compression_level : int, optional
        Writing. 1 to 22 for zstd, 1 to 9 for deflate.
    transform : one of {"auto", "none", "shuffle", "delta", "delta-shuffle", "dictionary"} or mapping, optional
        Writing compressed columns. A reversible change of numbers before compression: ``shuffle`` groups bytes of equal
        significance, ``delta`` stores differences, ``dictionary`` stores codes. ``auto`` chooses for each column the
        transform with the smallest sample. A mapping works as for `compression`. NumPy loads the transformed bytes of
        such a member. Only Colonnade reverses the transform. Default: none.
    profile : one of {"fast", "balanced", "small"}, optional
        Writing. The trade-off of speed and size: the transforms to try, and the default of `compression_level`. The
        defaults of `compression` and `transform` become ``zstd`` and ``auto``.
    compat : "static-frame", optional
        Writing. Write only files that StaticFrame reads in full. A column that it cannot read is an error that names
        the column.

    Raises
    ------
    OptionError
        A value outside its range.

    Examples
    --------
    >>> import colonnade as cn
    >>> cn.NpzOptions(compression="zstd", compression_level=3).compression_level
    3
    >>> cn.NpzOptions(profile="balanced").codec
    'zstd'
    >>> cn.NpzOptions(compression="deflate", compression_level=12)
    Traceback (most recent call last):
    colonnade.OptionError: compression_level: expected 1 to 9 for deflate, found 12.
    """

    _FORMAT: ClassVar[str] = "npz"
    compression: Codec | Mapping[Any, str | None] | None = field(default=None, metadata=WRITE)
    compression_level: int | None = field(default=None, metadata=WRITE)
    transform: Transform | Mapping[Any, str | None] | None = field(default=None, metadata=WRITE)
    profile: Profile | None = field(default=None, metadata=WRITE)
    compat: Literal["static-frame"] | None = field(default=None, metadata=WRITE)

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_by_column("compression", self.compression, get_args(Codec))
        _check_by_column("transform", self.transform, get_args(Transform))
        check_choice("profile", self.profile, get_args(Profile))
        if self.transform is not None and not self._codecs():
            raise OptionError(
                f"transform: expected None where nothing is compressed, found {self.transform!r}. "
                "Pass compression= too."
            )
        check_choice("compat", self.compat, ("static-frame",))
        check_level(self.compression_level, self._codecs())
        if self.compat is not None and self._codecs():
            raise OptionError(
                "compression: StaticFrame reads stored members only; leave compression or compat='static-frame' out."
            )

    @property
    def codec(self) -> str | Mapping[Any, str | None] | None:
        """`compression`, or the codec of `profile`."""
        return "zstd" if self.compression is None and self.profile is not None else self.compression

    @property
    def transforming(self) -> str | Mapping[Any, str | None] | None:
        """`transform`, or the transform of `profile`."""
        return "auto" if self.transform is None and self.profile is not None else self.transform

    def _codecs(self) -> tuple[str, ...]:
        """The requested codecs."""
        by_column = self.codec.values() if isinstance(self.codec, Mapping) else [self.codec]
        return tuple(dict.fromkeys(codec for codec in by_column if codec is not None))


def _check_by_column(name: str, by_column: str | Mapping[Any, str | None] | None, choices: tuple[str, ...]) -> None:
    if not isinstance(by_column, Mapping):
        return check_choice(name, by_column, choices)
    for label, choice in by_column.items():
        check_choice(f"{name} of {label!r}", choice, choices)
