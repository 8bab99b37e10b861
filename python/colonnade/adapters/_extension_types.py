"""Extension types that a file claims for its fields, held against the storage that is there.

pyarrow asks the registered type, and types may answer anything: those of pyarrow refuse what does not fit them with
errors of several classes, pandas' periods take any storage for 64-bit integers and read past its end.
"""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from .._core import CoreFrame, arrow_extensions
from .._values.pyarrow_values import is_of_storage
from ._arrow_streams import Exported


def false_extensions(frame: CoreFrame) -> list[int]:
    """Positions of the fields whose extension types, as pyarrow knows them, are not of the storage that is there."""
    claimed = arrow_extensions(frame)
    if not claimed:
        return []
    empty = frame.slice(0, 0)
    refused = _refused_fields(empty, claimed, claimed)
    accepted = [position for position in claimed if position not in set(refused)]
    if not accepted:
        return refused
    found, storage = _schema(empty, refused), _schema(empty, claimed)
    return refused + [at for at in accepted if not is_of_storage(found.field(at).type, storage.field(at).type)]


def _schema(frame: CoreFrame, storage: Sequence[int]) -> Any:
    return pa.RecordBatchReader.from_stream(Exported([frame], storage=storage)).schema


def _refused_fields(frame: CoreFrame, fields: list[int], claimed: list[int]) -> list[int]:
    """Which of the fields `asked` pyarrow refuses with their extension types."""
    among = set(fields)
    try:
        _schema(frame, [position for position in claimed if position not in among])
    except MemoryError:
        raise
    except Exception:  # extension types that others register raise errors of every class
        if len(fields) == 1:
            return fields
        half = len(fields) // 2
        return [*_refused_fields(frame, fields[:half], claimed), *_refused_fields(frame, fields[half:], claimed)]
    return []
