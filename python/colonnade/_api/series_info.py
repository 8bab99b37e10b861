"""`cn.inspect` of a series of frames in one MessagePack file."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from .. import _core
from .._frame.axes import Labels
from .._frame.schema import Schema
from .._values.tagged_labels import decode_optional
from ..errors import ColonnadeError
from .batch_reader import Reader
from .inspection import Info

_VERSION = 1  # version of the header; files of other versions are refused


def inspected(series: Reader, file_nbytes: int, is_ours: bool) -> Info:
    """The Info of a series. Decodes it frame by frame. Columns are those of the first frame."""
    first: _core.CoreFrame | None = None
    nrows = nbytes = 0
    members: list[dict[str, Any]] = []
    for core in checked(series.cores()):
        first = first or core.slice(0, 0)
        nrows, nbytes = nrows + core.nrows, nbytes + core.nbytes
        members.append(_member(len(members), core))
    assert first is not None
    name = decode_optional(first.name)
    schema = Schema.of(name, Labels(first.index), Labels(first.columns), first.dtypes())
    return Info(
        format="msgpack",
        layout="series",
        kind="frame",
        shape=(nrows, first.ncols),
        schema=replace(schema, index=replace(schema.index, length=nrows)),
        name=name,
        attrs=decode_optional(first.attrs) or {},
        origin=decode_optional(first.origin),
        version=_VERSION if is_ours else None,
        file_nbytes=file_nbytes,
        nbytes=nbytes,
        codecs={"stored": len(members)},
        members=members,
    )


def checked(cores: Iterable[_core.CoreFrame]) -> Iterator[_core.CoreFrame]:
    """The frames of a series. An error has the number of complete frames, because the file may end there."""
    count = 0
    ahead = iter(cores)
    while True:
        try:
            core = next(ahead, None)
        except ColonnadeError as error:
            if not count:
                raise
            raise type(error)(f"{error} It is behind {count:,} {'frame' if count == 1 else 'frames'}.") from error
        if core is None:
            return
        yield core
        count += 1


def _member(number: int, core: _core.CoreFrame) -> dict[str, Any]:
    """One entry per frame, without offsets, which the reader does not know."""
    return {
        "name": str(number),
        "method": "stored",
        "nbytes": core.nbytes,
        "compressed_nbytes": core.nbytes,
        "offset": None,
        "crc32": None,
        "descr": None,
        "fortran_order": None,
        "shape": (core.nrows, core.ncols),
    }
