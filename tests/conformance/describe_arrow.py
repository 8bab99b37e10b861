"""What an Arrow table or a polars frame holds, as the record that `cases.json` keeps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pat

from colonnade.testing._arrow_cells import cells
from tests.conformance.describe import auto, levels, record
from tests.conformance.values import cells as spelled
from tests.helpers import arrow_c_data


def of_pyarrow(table: Any) -> dict[str, Any]:
    """Shape, metadata and every column: its field in full, and its cells."""
    fields, metadata = arrow_c_data.schema_texts(table.schema)
    more = {"metadata": metadata} if metadata else {}
    columns = [
        {
            "dtype": _name(table.schema.field(position).type),
            "field": field.partition(": ")[2],
            "values": _values(table.column(position)),
        }
        for position, field in enumerate(fields)
    ]
    labels = [{"dtype": "large_utf8", "values": table.column_names}]
    return _record("pyarrow", table.shape, labels, columns, **more)


def of_polars(frame: Any) -> dict[str, Any]:
    """Shape and every column: polars' name of its type, and its cells."""
    import polars

    arrays = [series.to_arrow(compat_level=polars.CompatLevel.newest()) for series in frame.get_columns()]
    columns = [
        {"dtype": _name(array.type), "field": str(series.dtype), "values": _values(array)}
        for series, array in zip(frame.get_columns(), arrays, strict=True)
    ]
    return _record("polars", frame.shape, [{"dtype": "large_utf8", "values": frame.columns}], columns)


def _record(library: str, shape: tuple[int, int], labels: Any, columns: list[Any], **more: Any) -> dict[str, Any]:
    index = auto(0, shape[0], 1)
    return record(library, shape, index, levels("Index", None, [("Index", each) for each in labels]), columns, **more)


# Where our name of a type is not pyarrow's.
_NAMES = {"string": "utf8", "large_string": "large_utf8", "string_view": "utf8_view"}


def _name(kind: Any) -> str:
    """The type as `Frame.dtypes` names it."""
    if isinstance(kind, pa.BaseExtensionType):
        return _name(kind.storage_type)
    if pat.is_dictionary(kind):
        return f"dictionary<{_name(kind.index_type)}, {_name(kind.value_type)}, ordered={str(kind.ordered).lower()}>"
    if pat.is_map(kind):
        return f"map<{_name(kind.key_type)}, {_name(kind.item_type)}{', keys_sorted' if kind.keys_sorted else ''}>"
    children = [_child(kind.field(position)) for position in range(kind.num_fields)]
    if pat.is_union(kind):
        children = [f"{child}={code}" for child, code in zip(children, kind.type_codes, strict=True)]
        return f"{kind.mode}_union<{', '.join(children)}>"
    if pat.is_fixed_size_list(kind):
        return f"fixed_size_list<{children[0]}>[{kind.list_size}]"
    if children or pat.is_struct(kind):
        return f"{str(kind).partition('<')[0]}<{', '.join(children)}>"
    text = str(kind).replace(", tz=", ", ")
    return _NAMES.get(text, text)


def _child(field: Any) -> str:
    return f"{field.name}: {_name(field.type)}{'' if field.nullable else ' not null'}"


def _values(column: Any) -> list[Any]:
    return [_spell(column.type, cell) for cell in cells(column)]


def _spell(kind: Any, cell: Any) -> Any:
    """A cell as JSON: floats as everywhere in `cases.json`, bytes as hexadecimal text."""
    if cell is None:
        return None
    if isinstance(kind, pa.BaseExtensionType):
        return _spell(kind.storage_type, cell)
    if pat.is_dictionary(kind):
        return _spell(kind.value_type, cell)
    if pat.is_floating(kind):
        width = kind.bit_width // 8
        return spelled(np.array([cell], f"u{width}").view(f"f{width}"))[0]
    if isinstance(cell, bytes):
        return cell.hex()
    if pat.is_map(kind):
        return [[_spell(kind.key_type, key), _spell(kind.item_type, value)] for key, value in cell]
    if pat.is_struct(kind):
        return [_spell(kind.field(position).type, part) for position, part in enumerate(cell)]
    if pat.is_union(kind):
        code, value = cell
        return [code, _spell(kind.field(list(kind.type_codes).index(code)).type, value)]
    if pat.is_run_end_encoded(kind):
        return _spell(kind.value_type, cell)
    if isinstance(cell, list):
        return [_spell(kind.value_type, part) for part in cell]
    return list(cell) if isinstance(cell, tuple) else cell
