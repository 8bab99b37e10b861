"""Options of NPY: a single array, or a directory of members."""

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from .._values.option_checks import WRITE, Common, check_choice, check_flag


@dataclass(frozen=True, kw_only=True)
class NpyOptions(Common):
    """Options of `npy`: one array as a single ``.npy`` file, or a frame as a directory of NPY members.

    `threads`, `progress`, `limits`, `timeout_s`, `mmap`, `verify`, `filters`, `fsync`, `mkdir`, `densify_sparse`
    and `batch_rows` are the same as in `NpzOptions`.

    Parameters
    ----------
    directory : bool, optional
        Writing. True: a directory, as StaticFrame's ``to_npy`` writes it. False: a single file, only for a frame of one
        dtype with automatic labels and without names. Default: a single file if the frame is such a frame and the
        target is not an existing directory, else a directory.
    compat : "static-frame", optional
        Writing. As in `NpzOptions`. It changes nothing in a single ``.npy``, which any library reads in full.

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

    _FORMAT: ClassVar[str] = "npy"
    directory: bool | None = field(default=None, metadata=WRITE)
    compat: Literal["static-frame"] | None = field(default=None, metadata=WRITE)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_flag("directory", self.directory, optional=True)
        check_choice("compat", self.compat, ("static-frame",))
