"""Sends a frame through pickle, which multiprocessing, Dask and Ray use.

The pickle holds an NPZ file. From protocol 5 on, the file is a buffer of its own (PEP 574). A receiver that keeps
buffers out of band uses it as it is, so the frame is copied once, by its sender. No format has pickles, and reading a
file never unpickles.
"""

from collections.abc import Callable
from pickle import PickleBuffer  # noqa: TID251 - marks a buffer; nothing is unpickled
from typing import TYPE_CHECKING, Any, Self, cast

if TYPE_CHECKING:
    from .frame import Frame

Rebuilt = tuple[Callable[[Any, bool], "Frame"], tuple[Any, bool]]
OUT_OF_BAND = 5
"""The first protocol with buffers of their own."""


class Pickled:
    """Copies and pickles of `Frame`."""

    __slots__ = ()

    def __copy__(self) -> Self:
        """Return the same frame, because frames are immutable."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "Frame":
        """Return a frame with memory of its own. Later changes of the wrapped data do not change it."""
        rebuild, arguments = reduce(cast("Frame", self), OUT_OF_BAND)
        return rebuild(*arguments)

    def __reduce_ex__(self, protocol: Any) -> Rebuilt:
        """Pickle the frame with its data, also a part of a file.

        From protocol 5 on the data is a buffer of its own, which can be sent out of band.
        """
        return reduce(cast("Frame", self), protocol)


def reduce(frame: "Frame", protocol: int) -> Rebuilt:
    """The result of ``__reduce_ex__``.

    Raises
    ------
    EncodeError
        A column that NPZ cannot hold, with its name.
    """
    from .. import BufferSink, write

    sink = BufferSink()
    write(frame, sink, format="npz")
    return restore, (PickleBuffer(sink) if protocol >= OUT_OF_BAND else bytes(sink), frame._single)


def restore(file: Any, single: bool) -> "Frame":
    """The frame of a pickle.

    Raises
    ------
    DecodeError, TruncatedError
        The bytes are damaged or were cut.
    """
    from .. import decode

    frame = decode(file, "npz")
    frame._single = single
    return frame
