"""The memory of dropped frames, which serves the next read."""

import operator

from .. import _core
from ..errors import OptionError

__all__ = ["keep_memory", "release_memory"]

_MOST = (1 << 63) - 1


def release_memory() -> int:
    """Return the memory that is kept for the next read to the system.

    Memory that was used before is several times faster to fill than fresh memory. Therefore the memory of dropped
    frames is kept, at most 2 GiB (`keep_memory`). After ten seconds without use, all above 32 MiB is returned without a
    call. Frames in use are not touched. A forked process starts without kept memory.

    Returns
    -------
    int
        The number of bytes that were returned to the system.

    Examples
    --------
    >>> import colonnade as cn, numpy as np
    >>> data = cn.encode({"x": np.zeros(1_000_000)}, "parquet")
    >>> frame = cn.decode(data).to_numpy()
    >>> del frame
    >>> cn.release_memory() > 0
    True
    >>> cn.release_memory()
    0
    """
    return _core.release_memory()


def keep_memory(nbytes: int) -> int:
    """Set how much memory of dropped frames is kept for the next read, in this process.

    Parameters
    ----------
    nbytes
        The maximum number of bytes; 0 keeps nothing. If more is kept now, all of it is returned to the system.

    Returns
    -------
    int
        The previous limit; 2 GiB at first.

    Raises
    ------
    OptionError
        `nbytes` is not an integer of at least 0.

    Examples
    --------
    >>> import colonnade as cn
    >>> before = cn.keep_memory(256 << 20)
    >>> cn.keep_memory(before)
    268435456
    """
    try:
        wanted = operator.index(nbytes)
    except TypeError:
        wanted = -1
    if not 0 <= wanted <= _MOST or isinstance(nbytes, bool):
        raise OptionError(f"keep_memory: expected a number of bytes, 0 or more, found {nbytes!r}. Pass an integer.")
    return _core.keep_memory(wanted)
