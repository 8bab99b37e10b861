"""The files of Delta Lake and Iceberg tables, as their own libraries list them.

What a library leaves to the reader (deleted rows, renamed columns) is refused by name.
"""

from __future__ import annotations

import errno
import re
from typing import Any

from .._frame.frame import Frame
from ..errors import UnsupportedError
from .hive import key_columns
from .listing import Listing, Part

# Features that do not change what a reader sees in the files.
_DELTA_FEATURES = frozenset({"timestampNtz", "v2Checkpoint", "vacuumProtocolCheck", "appendOnly", "domainMetadata"})
_DELTA_TYPES = {
    "string": "str",
    "long": "int64",
    "integer": "int32",
    "short": "int16",
    "byte": "int8",
    "float": "float32",
    "double": "float64",
    "boolean": "bool",
    "date": "date",
    "timestamp_ntz": "M8[us]",
}


def parts_of_table(table: Any, library: str) -> Listing:
    """The current files of a ``deltalake.DeltaTable`` or a pyiceberg ``Table``.

    Raises
    ------
    UnsupportedError
        Another object of these libraries; deletion vectors, column mapping, delete files, renamed or removed columns.
    FileNotFoundError
        The table has no files, so there is none to take the columns from.
    """
    if library == "deltalake" and hasattr(table, "get_add_actions"):
        return _delta(table)
    if library == "pyiceberg" and hasattr(table, "scan"):
        return _iceberg(table)
    raise UnsupportedError(
        f"dataset: expected deltalake.DeltaTable or a table of pyiceberg, found {type(table).__module__}."
        f"{type(table).__qualname__}."
    )


def _delta(table: Any) -> Listing:
    metadata = table.metadata()
    if (mode := (metadata.configuration or {}).get("delta.columnMapping.mode", "none")) != "none":
        raise _refused("Delta", f"column mapping ({mode})")
    features = set(getattr(table.protocol(), "reader_features", None) or ())
    if unknown := sorted(features - _DELTA_FEATURES - {"deletionVectors", "columnMapping"}):
        raise _refused("Delta", f"the reader feature {unknown[0]!r}")
    if "deletionVectors" in features and _rows(table.deletion_vectors()):
        raise _refused("Delta", "deletion vectors")
    rows = _rows(table.get_add_actions(flatten=True))
    if not rows:
        raise FileNotFoundError(errno.ENOENT, "expected a table with rows, found none", str(table.table_uri))
    names = list(metadata.partition_columns)
    types = {field.name: str(getattr(field.type, "type", field.type)) for field in table.schema().fields}
    texts = [{name: _text(row.get(f"partition.{name}")) for name in names} for row in rows]
    unreadable = [name for name in names if types.get(name) not in _DELTA_TYPES]
    if unreadable:
        raise _refused("Delta", f"the key {unreadable[0]!r} of type {types.get(unreadable[0])}")
    uri = table.table_uri.rstrip("/")
    parts = tuple(
        Part(_below(uri, row["path"]), row["path"], row["size_bytes"], row.get("num_records")) for row in rows
    )
    keys = tuple(key_columns(texts, {name: _DELTA_TYPES[types[name]] for name in names}))
    return Listing(parts, "parquet", keys, tuple(types))


def _iceberg(table: Any) -> Listing:
    _refuse_renamed(table)
    tasks = sorted(table.scan().plan_files(), key=lambda task: str(task.file.file_path))
    if not tasks:
        raise FileNotFoundError(errno.ENOENT, "expected a table with rows, found none", str(table.name()))
    parts = []
    for task in tasks:
        file = task.file
        if task.delete_files:
            raise _refused("Iceberg", "delete files")
        format = str(getattr(file.file_format, "value", file.file_format)).lower()
        if format != "parquet":
            raise _refused("Iceberg", f"files of the format {format}")
        path = re.sub(r"^file:(//)?(?=/)", "", str(file.file_path))
        parts.append(Part(path, path.rpartition("/")[2], file.file_size_in_bytes, file.record_count))
    # The files have all columns, those of the partitions too.
    columns = tuple(field.name for field in table.schema().fields)
    return Listing(tuple(parts), "parquet", (), columns)


def _refuse_renamed(table: Any) -> None:
    """Files have the names of the schema with which they were written. Iceberg finds their columns by number."""
    current = {field.field_id: field.name for field in table.schema().fields}
    for schema in table.metadata.schemas:
        for field in schema.fields:
            if field.field_id not in current:
                raise _refused("Iceberg", f"the removed column {field.name!r}")
            if current[field.field_id] != field.name:
                raise _refused("Iceberg", f"the renamed column {field.name!r}")


def _refused(library: str, what: str) -> UnsupportedError:
    return UnsupportedError(
        f"dataset: expected a {library} table whose files are its rows, found {what}. Read it with its own "
        "library, and pass the result to Colonnade."
    )


def _rows(actions: Any) -> list[dict[str, Any]]:
    """The rows of anything with ``__arrow_c_stream__`` or ``__arrow_c_array__``."""
    rows: list[dict[str, Any]] = Frame(actions).to_arrow().to_pylist()
    return rows


def _text(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _below(uri: str, path: str) -> str:
    if "://" in path or path.startswith("/"):
        return path
    from urllib.parse import unquote

    folder = uri[len("file://") :] if uri.startswith("file://") else uri
    return f"{folder}/{unquote(path)}"
