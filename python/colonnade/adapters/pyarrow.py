"""pyarrow: Table, RecordBatch and RecordBatchReader, shared without a copy in both directions.

A table written from pyarrow is restored equal: types, nullability, metadata of the schema and of the fields. The batch
boundaries may differ. A reader is restored as a Table. A frame of another library becomes the table that `colonnade`'s
Arrow files hold: one field for each column, then the stored row labels as fields. The table has pandas' metadata, so
``to_pandas()`` restores the original. NaN stays NaN and does not become null.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from .._core import ArrowColumn, Axis, CoreFrame, DecodeError, EncodeError, import_arrow
from .._values import tagged_labels
from .._values.record_batches import Batches, with_origin
from ._arrow_streams import Exported, read_lazily
from ._extension_types import false_extensions
from ._nul_names import nul_name

LIBRARY = "pyarrow"
WRITABLE = False
LAYOUT = "arrow"

_ACCEPTED = "a Table, RecordBatch or RecordBatchReader"


def to_frame(obj: Any, *, options: Mapping[str, Any] | None = None) -> CoreFrame | Batches:
    """A core frame over the record batches of a table.

    Parameters
    ----------
    obj
        A `pyarrow.Table`, a `RecordBatch`, or a `RecordBatchReader`, which is read to its end.
    options
        None are known.

    Returns
    -------
    CoreFrame or Batches
        Columns in Arrow's layout, without a copy. Fields that pandas' metadata names as index become row labels.

    Raises
    ------
    EncodeError
        A field whose name holds NUL.
    TypeError
        Another object of pyarrow. The message names the method to call.
    """
    if not isinstance(obj, pa.Table | pa.RecordBatch | pa.RecordBatchReader):
        raise TypeError(f"pyarrow: expected {_ACCEPTED}, found a {type(obj).__qualname__}. {_advice(obj)}")
    _check_names(obj.schema)
    frames = import_arrow(obj)
    return with_origin(frames, _origin(obj, frames[0]))


def _check_names(fields: Any) -> None:
    """Refuses names with NUL, nested names too: Arrow's C data interface ends a name at NUL."""
    name = nul_name(fields)
    if name is not None:
        raise EncodeError(
            f"pyarrow: field {name!r}: expected a name without NUL, where Arrow's C interface would cut it. "
            "Rename the field."
        )


def to_frames(obj: Any, *, options: Mapping[str, Any] | None = None) -> Iterator[CoreFrame] | None:
    """The batches of a `RecordBatchReader`, converted lazily; None for any other object."""
    return _read(obj) if isinstance(obj, pa.RecordBatchReader) else None


def _read(reader: Any) -> Iterator[CoreFrame]:
    _check_names(reader.schema)
    origin = None
    for frame in read_lazily(reader):
        origin = origin or _origin(reader, frame)
        yield frame.with_meta(frame.name, frame.attrs, origin)


def _origin(obj: Any, frame: CoreFrame) -> str:
    schema = obj.schema
    origin: dict[str, Any] = {"library": LIBRARY}
    if isinstance(obj, pa.RecordBatch):
        origin["class"] = "RecordBatch"
    origin["schema_metadata"] = [[_text(key), _text(value)] for key, value in (schema.metadata or {}).items()]
    index_fields = _index_fields(schema, frame)
    if index_fields:
        origin["index_fields"] = index_fields
    return tagged_labels.encode(origin)


def from_frames(frames: Sequence[CoreFrame]) -> Any:
    """A `pyarrow.Table` over the memory of `frames`; a RecordBatch if the frame was written from a RecordBatch.

    Raises
    ------
    EncodeError
        A column that Arrow cannot hold.

    Notes
    -----
    If an extension type does not fit the storage of its column (``arrow.json`` on a list), the column gets its storage
    type.
    """
    table = pa.RecordBatchReader.from_stream(Exported(frames, storage=false_extensions(frames[0]))).read_all()
    origin = None if frames[0].origin is None else tagged_labels.decode(frames[0].origin)
    if not isinstance(origin, dict) or "schema_metadata" not in origin:
        return table
    try:
        return _as_it_was(table, frames[0], origin)
    except (KeyError, IndexError, ValueError, TypeError, AttributeError) as error:
        raise DecodeError(
            f"pyarrow: the origin {frames[0].origin!s:.80} does not fit the data: {error!r}. Use to_polars(), or "
            "take the frame as a stream: pyarrow.table(frame)."
        ) from error


def _as_it_was(table: Any, frame: CoreFrame, origin: dict[str, Any]) -> Any:
    """The table with the original metadata, field names and field order."""
    metadata = {_bytes(key): _bytes(value) for key, value in origin["schema_metadata"]}
    # The original is a table: its field names may repeat, and it has its own metadata.
    ncols = frame.ncols
    names = None if b"colonnade" in metadata else _text_labels(frame.columns)
    if names is not None:
        listed, levels = _listed(metadata), table.schema.names[ncols:]
        names += listed if len(listed) == len(levels) else levels
        table = table if names == table.schema.names else table.rename_columns(names)
    table = _replace_index(table, ncols, origin.get("index_fields"))
    table = table.replace_schema_metadata(metadata or None) if table.num_columns else _rows_alone(table, metadata)
    return _one_batch(table) if origin.get("class") == "RecordBatch" else table


def _advice(obj: Any) -> str:
    if isinstance(obj, pa.Array | pa.ChunkedArray | pa.Scalar):
        return "Give the column a name first: pyarrow.table({'name': array})."
    if hasattr(obj, "to_table"):
        return "Call .to_table() first."
    if hasattr(obj, "read_all"):
        return "Call .read_all() first."
    return "Make a table of it first."


def _index_fields(schema: Any, frame: CoreFrame) -> list[list[Any]]:
    """Positions and names of the row label fields; empty if they equal the default ones."""
    if frame.ncols == len(schema):
        return []
    names = schema.names
    found = [[names.index(name), name] for name in _listed(schema.metadata or {}) if name in names]
    last = list(range(frame.ncols, len(schema)))
    natural = [[position, f"__index_level_{level}__"] for level, position in enumerate(last)]
    return [] if found == natural else found


def _listed(metadata: Mapping[bytes, bytes]) -> list[str]:
    """The fields that pandas' metadata names as row labels."""
    try:
        listed = json.loads(metadata[b"pandas"])["index_columns"]
        return [name for name in listed if isinstance(name, str)]
    except (KeyError, TypeError, ValueError):
        return []


def _replace_index(table: Any, ncols: int, index_fields: Any) -> Any:
    nlevels = table.num_columns - ncols
    if not isinstance(index_fields, list) or len(index_fields) != nlevels:
        return table
    fields, columns = list(table.schema), table.columns
    order = list(range(ncols))
    # In ascending order, so that all earlier fields are in place at each insertion.
    for level, (position, name) in sorted(enumerate(index_fields), key=lambda entry: entry[1][0]):
        order.insert(position, ncols + level)
        fields[ncols + level] = fields[ncols + level].with_name(name)
    return pa.table([columns[i] for i in order], schema=pa.schema([fields[i] for i in order]))


def _text_labels(axis: Axis) -> list[str] | None:
    """The labels of an axis with one level of text; None for any other axis."""
    if axis.is_auto or axis.depth != 1:
        return None
    level = axis.level(0)
    if isinstance(level, ArrowColumn):
        return level.objects().tolist() if level.tag is None and level.type.endswith("utf8") else None
    return level.tolist() if level.dtype.kind == "U" else None


def _rows_alone(table: Any, metadata: dict[bytes, bytes]) -> Any:
    """A table without columns, with this metadata. `replace_schema_metadata` of pyarrow would lose its row count."""
    rows = pa.StructArray.from_buffers(pa.struct([]), table.num_rows, [None])
    return pa.Table.from_batches([pa.RecordBatch.from_struct_array(rows).replace_schema_metadata(metadata or None)])


def _one_batch(table: Any) -> Any:
    batches = table.to_batches()
    if len(batches) != 1:
        arrays = [_one_array(column) for column in table.columns]
        return pa.RecordBatch.from_arrays(arrays, schema=table.schema)
    return batches[0]


def _one_array(column: Any) -> Any:
    joined = column.combine_chunks()
    return pa.concat_arrays(joined.chunks) if isinstance(joined, pa.ChunkedArray) else joined


def _text(value: bytes) -> str | bytes:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value


def _bytes(value: str | bytes) -> bytes:
    return value.encode("utf-8") if isinstance(value, str) else value
