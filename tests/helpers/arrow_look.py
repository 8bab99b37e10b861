"""What an opened Arrow file or stream of ours holds, as cells and types: the column by column view of the core."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from colonnade import Limits, _core
from colonnade.testing._arrow_cells import cells
from tests.helpers import arrow_c_data

_OPTIONS = {"arrow": _core.ArrowReadOptions, "arrows": _core.ArrowsReadOptions}


def open_ipc(source: Any, format: str | None = None, mmap: bool = True, **options: Any) -> Any:
    """A File over a path or bytes-like; what its first bytes say where no format is named."""
    settings: dict[str, Any] = {"limits": Limits()} | options
    in_memory = isinstance(source, bytes | bytearray | memoryview)
    if format is None:
        head = bytes(source[:6]) if in_memory else Path(source).read_bytes()[:6]
        format = "arrow" if head == b"ARROW1" else "arrows"
    made = _OPTIONS[format](**settings)
    if in_memory:
        return _core.File.open_buffer(source, options=made)
    return _core.File.open_path(str(source), mmap=mmap, options=made)


def open_reader(source: bytes, **options: Any) -> Any:
    """A Reader of a stream that is fed from memory."""
    settings: dict[str, Any] = {"limits": Limits()} | options
    return _core.Reader.open_callable(io.BytesIO(source).readinto, options=_core.ArrowsReadOptions(**settings))


def batches_of(reader: Any) -> list[Any]:
    """All batches of a Reader."""
    return list(iter(reader.next_batch, None))


# Values that their type does not allow, unions out of order: Arrow leaves them to those who write.
_VALUES = re.compile(r"does not fit in precision|whole number of days|not within the acceptable range|non-monotonic")


def validate(array: Any) -> None:
    """pyarrow's full validation, the range of values and the order of unions aside. Raises pyarrow.ArrowInvalid."""
    array.validate()
    try:
        array.validate(full=True)
    except pa.ArrowInvalid as error:
        if not _VALUES.search(str(error)):
            raise


def column_cells(column: Any) -> list[Any]:
    """The cells of what `CoreFrame.column` answers."""
    if not isinstance(column, np.ndarray):
        months = arrow_c_data.interval_cells(column)
        if months is not None:
            return months
        array = pa.array(column)
        validate(array)
        return cells(array)
    if column.dtype.kind in "mM":
        return column.view(column.dtype.str.replace(column.dtype.kind, "i", 1).partition("[")[0]).tolist()
    if column.dtype.kind == "f":
        return column.view(f"u{column.itemsize}").tolist()
    assert column.dtype.kind in "biu", column.dtype
    return column.tolist()


def frame_cells(core: Any) -> list[list[Any]]:
    """The cells of each column of a CoreFrame."""
    return [column_cells(core.column(position)) for position in range(core.ncols)]


def joined_cells(cores: Iterable[Any], ncols: int) -> list[list[Any]]:
    """The cells of each column over many CoreFrames."""
    each = [frame_cells(core) for core in cores]
    return [[cell for columns in each for cell in columns[position]] for position in range(ncols)]


def field_of(column: Any) -> tuple[str, bool, dict[str, str]]:
    """Type, nullability and metadata of an ArrowColumn."""
    tag = json.loads(column.tag) if column.tag else {}
    if tag.get("kind") != "field":
        return arrow_c_data.type_text(column), True, {}
    return arrow_c_data.type_text(column), tag["nullable"], dict(sorted(map(tuple, tag["metadata"])))
