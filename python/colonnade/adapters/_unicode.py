"""Decides which text labels are stored as NumPy `<U` arrays, and converts them.

StaticFrame and `np.load` read `<U` labels; they cannot read Arrow's layout. So labels are stored as `<U` unless `<U`
takes too much memory or is inexact (nulls, a NUL at the end). `<U` takes four bytes for each character. Too much means
that padding makes cells four times as wide as their average text (docs/design/decisions.md).
"""

import sys
from typing import Any

import numpy as np

from .._core import ArrowColumn, EncodeError

# One page. Smaller labels save no memory in Arrow's layout, and StaticFrame could not read a short header that has one
# long label.
ALWAYS_NBYTES = 4096

# Bytes of a `<U` cell for each byte of UTF-8: four bytes a character, times the accepted padding.
MAX_RATIO = 4 * 4

_UTF32 = f"utf-32-{sys.byteorder[0]}e"


def fits_unicode(nlabels: int, max_nchars: int, utf8_nbytes: int) -> bool:
    """Whether labels of these sizes are stored as `<U` rather than in Arrow's layout."""
    return 4 * max_nchars * nlabels <= max(MAX_RATIO * utf8_nbytes, ALWAYS_NBYTES)


def unicode_from_cells(cells: list[Any], where: str) -> np.ndarray | None:
    """Python strings as a `<U` array; None if a cell is not str or the rules above refuse `<U`."""
    if not cells:
        return np.zeros(0, dtype="<U1")
    if set(map(type, cells)) != {str}:
        return None
    text = "".join(cells)
    try:
        utf8_nbytes = len(text.encode("utf-8"))
    except UnicodeEncodeError:
        bad = next(cell for cell in cells if not cell.isascii() and not _is_utf8(cell))
        raise EncodeError(
            f"{where}: expected Unicode text, found a lone surrogate in {bad!a:.60}. Replace it first."
        ) from None
    max_nchars = max(map(len, cells))
    if not fits_unicode(len(cells), max_nchars, utf8_nbytes):
        return None
    if "\0" in text and any(cell.endswith("\0") for cell in cells):
        return None
    if max_nchars and len(text) == max_nchars * len(cells):
        # All labels have one length, as generated labels often do. Their joined characters are the array.
        return np.frombuffer(text.encode(_UTF32), dtype=f"U{max_nchars}")
    return np.array(cells, dtype=f"U{max(max_nchars, 1)}")


def unicode_from_arrow(array: Any) -> np.ndarray | None:
    """A pyarrow large_string array without nulls as a `<U` array; None if the rules above refuse `<U`."""
    count = len(array)
    if count == 0:
        return np.zeros(0, dtype="<U1")
    if array.null_count:
        return None
    offsets = np.frombuffer(array.buffers()[1], np.int64, count + 1, 8 * array.offset)
    nbytes, max_nbytes = int(offsets[-1] - offsets[0]), int(np.diff(offsets).max())
    # Text never has more characters than UTF-8 bytes, so most labels need no count of characters.
    if not fits_unicode(count, max_nbytes, nbytes):
        import pyarrow.compute as pc

        if not fits_unicode(count, pc.max(pc.utf8_length(array)).as_py(), nbytes):
            return None
    if max_nbytes == 0:
        return np.zeros(count, dtype="<U1")
    try:
        return ArrowColumn.from_arrow(array).unicode()
    except EncodeError:  # a label that ends in NUL
        return None


def _is_utf8(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
