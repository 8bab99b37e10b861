"""Checks the extension types that a file claims for its fields against the storage types of the columns.

pyarrow leaves this check to the registered extension type, and types differ. pyarrow's own types refuse wrong storage
with errors of several classes. pandas' period type takes any storage for 64-bit integers and reads past its end.
"""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from .._core import CoreFrame, arrow_extensions
from .._values.pyarrow_values import is_of_storage
from ._arrow_streams import Exported


def false_extensions(frame: CoreFrame) -> list[int]:
    """Positions of the fields whose registered extension types do not fit the storage of their columns."""
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
    """Those of `fields` that pyarrow refuses with their extension types."""
    among = set(fields)
    try:
        _schema(frame, [position for position in claimed if position not in among])
    except MemoryError:
        raise
    except Exception:  # Third-party extension types may raise any error.
        if len(fields) == 1:
            return fields
        half = len(fields) // 2
        return [*_refused_fields(frame, fields[:half], claimed), *_refused_fields(frame, fields[half:], claimed)]
    return []
