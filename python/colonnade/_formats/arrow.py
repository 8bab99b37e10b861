"""Options of Arrow's two formats: the random-access file and the stream."""

from dataclasses import dataclass, field
from typing import ClassVar, Literal, get_args

from .._values.option_checks import READ, WRITE, Common, check_choice, check_count, check_flag, check_level

Codec = Literal["lz4", "zstd"]
CODECS = get_args(Codec)


@dataclass(frozen=True, kw_only=True)
class ArrowOptions(Common):
    """Options of `arrow`: Arrow's random-access file (Feather V2), ``.arrow``, ``.ipc``, ``.feather``.

    `threads`, `progress`, `limits`, `timeout_s`, `mmap`, `filters`, `fsync`, `mkdir`, `densify_sparse` and
    `batch_rows` are the same as in `NpzOptions`.

    Parameters
    ----------
    verify : bool
        Reading. Check offsets, text and dictionary codes of all batches before anything is returned, instead of when a
        batch is decoded. Arrow has no checksums.
    allow_truncated : bool
        Reading. Accept a file or stream whose end is missing. Otherwise the error is a TruncatedError with the number
        of received batches and rows.
    compression : one of {"lz4", "zstd"}, optional
        Writing. None: buffers are not compressed and can be mapped. A buffer that does not shrink is stored
        uncompressed.
    compression_level : int, optional
        Writing. 1 to 22 for zstd, 0 to 12 for lz4.
    batch_nbytes : int, optional
        Writing. The approximate size of a record batch, to which chunks are split or joined. Default: 1 MiB in a
        stream, 4 MiB in a compressed file. An uncompressed file has one batch per chunk.

    Raises
    ------
    OptionError
        A value outside its range.

    Examples
    --------
    >>> import colonnade as cn
    >>> cn.ArrowOptions(compression="zstd", compression_level=3).compression_level
    3
    >>> cn.ArrowOptions(compression="deflate")
    Traceback (most recent call last):
    colonnade.OptionError: compression: expected None, 'lz4', 'zstd', found 'deflate'.
    """

    _FORMAT: ClassVar[str] = "arrow"
    allow_truncated: bool = field(default=False, metadata=READ)
    compression: Codec | None = field(default=None, metadata=WRITE)
    compression_level: int | None = field(default=None, metadata=WRITE)
    batch_nbytes: int | None = field(default=None, metadata=WRITE)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_flag("allow_truncated", self.allow_truncated)
        check_choice("compression", self.compression, CODECS)
        check_level(self.compression_level, () if self.compression is None else (self.compression,))
        check_count("batch_nbytes", self.batch_nbytes)


@dataclass(frozen=True, kw_only=True)
class ArrowsOptions(ArrowOptions):
    """Options of `arrows`: Arrow's stream of record batches, ``.arrows``, pipes and sockets.

    All options are the same as in `ArrowOptions`.

    Raises
    ------
    OptionError
        A value outside its range.

    Examples
    --------
    >>> import colonnade as cn
    >>> cn.ArrowsOptions(batch_nbytes=1 << 18).batch_nbytes
    262144
    """

    _FORMAT: ClassVar[str] = "arrows"
