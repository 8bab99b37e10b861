"""Decides whether a frame is written as a single NPY file or as a directory of members."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from .._io.targets import AnyTarget, PathTarget
from .._values.tagged_labels import decode_optional
from ..errors import EncodeError, OptionError

if TYPE_CHECKING:
    from .npy import NpyOptions


def is_directory(core: _core.CoreFrame, where: AnyTarget | None, options: NpyOptions) -> bool:
    """Whether `core` is written to `where` (None: to bytes) as a directory.

    Raises
    ------
    OptionError, EncodeError
        A directory would be necessary, but the target is no path.
    """
    if isinstance(where, PathTarget):
        if options.directory is not None:
            return options.directory
        return where.is_directory or not _is_lone_array(core)
    if options.directory:
        raise OptionError("directory: expected False or None where the target is no path, found True.")
    if options.directory is None and not _is_lone_array(core):
        raise EncodeError(
            "npy: a frame with labels, names or several dtypes is a directory of members, which needs a path. "
            "Use format='npz', or directory=False for a frame of one dtype with automatic labels."
        )
    return False


def _is_lone_array(core: _core.CoreFrame) -> bool:
    """Whether a single .npy file is read back as the same frame."""
    if core.ncols == 0 or core.name != "null" or core.attrs is not None:
        return False
    origin = decode_optional(core.origin)
    if isinstance(origin, dict) and origin.get("class") == "structured":
        # A single file cannot store the class of record arrays or fields of objects.
        plain = set(origin) == {"library", "class", "dtype"} and not core.arrow_columns()
        return plain and _is_packed(origin["dtype"], core.ncols)
    for axis, length in ((core.index, core.nrows), (core.columns, core.ncols)):
        if not axis.is_auto or axis.range != (0, length, 1) or axis.name != "null" or axis.meta is not None:
            return False
    # A single file cannot store that the array was a DataFrame.
    if isinstance(origin, dict) and origin.get("library") != "numpy":
        return False
    dtypes = set(core.dtypes())
    return len(dtypes) == 1 and dtypes.pop()[:1] in "<>|="


def _is_packed(described: Any, ncols: int) -> bool:
    """Whether a structured dtype is packed. A single file stores no other offsets."""
    if not isinstance(described, dict) or described.get("aligned") or any(described.get("titles") or ()):
        return False
    sizes = [np.dtype(text).itemsize for text in described["formats"]]
    offsets = [sum(sizes[:i]) for i in range(len(sizes))]
    return len(sizes) == ncols and described["offsets"] == offsets and described["itemsize"] == sum(sizes)
