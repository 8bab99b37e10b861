"""The `pandas` key of an Arrow schema, in which pandas or pyarrow describes the columns and labels of a DataFrame.

pandas documents the layout (developer guide, "Storing pandas DataFrame objects in Apache Parquet format"): a JSON
object with ``index_columns``, ``column_indexes``, ``columns`` and, in newer files, ``attributes``.
"""

import functools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from .._core import ArrowColumn, CoreFrame, DecodeError

# Values of `numpy_type` that name no extension dtype. (Zoned times have one, but their Arrow type determines it.)
_INTEGERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
_TIMES = [f"{kind}64[{unit}]" for kind in ("datetime", "timedelta") for unit in ("s", "ms", "us", "ns")]
UNKNOWN = object()
_SUPPORTED = frozenset(["bool", "object", "float16", "float32", "float64", *_INTEGERS, *_TIMES])


@dataclass(frozen=True)
class PandasMetadata:
    """One parsed `pandas` key."""

    columns: dict[str, dict[str, Any]]  # by field name
    index_fields: list[str]
    column_indexes: list[dict[str, Any]]
    attributes: dict[str, Any]
    # Whether the Arrow types of all columns already determine the dtypes and zones that the metadata names.
    plain: bool
    renamed: bool  # whether a label differs from the name of its field


def read_metadata(pairs: Sequence[Sequence[str]]) -> PandasMetadata | None:
    """The `pandas` metadata among a schema's key-value pairs; None if there is none. DecodeError if it is broken."""
    text: Any = pairs
    try:
        text = next((value for key, value in pairs if key == "pandas"), None)
        if text is None:
            return None
        metadata = json.loads(text)
        entries = metadata["columns"]
        columns = {entry["field_name"] if "field_name" in entry else str(entry["name"]): entry for entry in entries}
        return PandasMetadata(
            columns=columns,
            index_fields=[item for item in metadata["index_columns"] if isinstance(item, str)],
            column_indexes=list(metadata.get("column_indexes") or []),
            attributes=dict(metadata.get("attributes") or {}),
            plain=all(
                entry["numpy_type"] in _SUPPORTED and entry["pandas_type"] != "datetimetz" for entry in columns.values()
            ),
            renamed=any(entry["name"] != name for name, entry in columns.items()),
        )
    except (KeyError, ValueError, TypeError, AttributeError, RecursionError) as error:
        shown = text if len(text := str(text)) <= 80 else text[:77] + "..."
        raise DecodeError(
            f"pandas: schema metadata 'pandas': expected what pandas' guide describes, found {shown} ({error!r}). "
            "Drop the key, or read the data with to_arrow()."
        ) from error


def field_names(core: CoreFrame) -> list[str] | None:
    """Names of the fields behind the columns; None if the labels are not plain text."""
    axis = core.columns
    if axis.is_auto or axis.depth != 1:
        return None
    level = axis.level(0)
    names = (level.objects() if isinstance(level, ArrowColumn) else level).tolist()
    return names if all(type(name) is str for name in names) else None


@functools.lru_cache(maxsize=256)
def extension_dtype(numpy_type: str) -> Any:
    """The extension dtype that `numpy_type` names, if pandas converts Arrow columns to it; else None.

    UNKNOWN for a name that pandas cannot parse, such as an `ArrowDtype` with parameters.
    """
    if numpy_type in _SUPPORTED:
        return None
    try:
        dtype = pd.api.types.pandas_dtype(numpy_type)
    except Exception:  # Each pandas dtype raises its own errors.
        return UNKNOWN
    extension = isinstance(dtype, pd.api.extensions.ExtensionDtype) and hasattr(dtype, "__from_arrow__")
    return dtype if extension else None


def zone_told(entry: dict[str, Any]) -> str | None:
    """The time zone that the entry of a column names."""
    if entry["pandas_type"] != "datetimetz" or not entry["metadata"]:
        return None
    zone = entry["metadata"].get("timezone")
    return zone if isinstance(zone, str) else None
