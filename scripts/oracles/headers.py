"""Columns behind Colonnade's header: the tables of docs/formats/json.md and docs/formats/msgpack.md, written again."""

import base64
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pat

from .layouts import KEY, Laid
from .outcomes import Refused
from .typed import Read, Unfit, array, flat, integer
from .values import Pairs, is_mixed, unpacked


def schema_of(header: dict[str, Any]) -> pa.Schema:
    """The fields that a header declares."""
    stored = header.get("schema")
    if isinstance(stored, str):
        stored = base64.b64decode(stored, validate=True)
    if not isinstance(stored, bytes):
        raise Refused("a header without a schema")
    return pa.ipc.read_schema(pa.py_buffer(stored))


@dataclass(frozen=True)
class Declared:
    """A frame behind a header: the fields, and the cells of each column as `cells` has them; of mixed ones values."""

    schema: pa.Schema
    columns: list[list[Any]]


def declared(laid: Laid, is_packed: bool) -> Declared:
    """The frame with the types of its header."""
    header = laid.header or {}
    if header.get("version") != 1:
        raise Refused(f"version {header.get('version')!r:.40}")
    schema = schema_of(header)
    lists = header.get("dictionaries" if is_packed else "categories")
    dictionaries = iter(lists if isinstance(lists, list) else [])
    is_raw = header.get("numbers") == "packed"
    found = []
    for field, cells in zip(schema, columns_of(laid, schema), strict=True):
        read = reader(field, is_packed, dictionaries)
        if is_raw and isinstance(cells, bytes):
            found.append(raw_numbers(cells, field.type))
        elif isinstance(cells, list):
            found.append([None if cell is None else read(cell) for cell in cells])
        else:
            raise Unfit("a column that is no array")
        if not field.nullable and None in found[-1]:
            raise Unfit(f"null in {field.name!r:.40}")
    nrows = header.get("nrows")
    if found and nrows is not None and {len(cells) for cells in found} != {nrows}:
        raise Refused(f"{nrows!r:.40} rows, found {[len(cells) for cells in found][:9]}")
    return Declared(schema, found)


def columns_of(laid: Laid, schema: pa.Schema) -> list[list[Any]]:
    """The columns of a frame in the order of the fields."""
    if all(isinstance(name, str) for name in laid.names):
        held = dict(zip(laid.names, laid.columns, strict=True))
        if laid.nrows == 0 and not held:
            return [[] for _ in schema]
        if set(held) != set(schema.names):
            raise Refused(f"the columns {list(held)!r:.100} for {schema.names!r:.100}")
        return [held[name] for name in schema.names]
    columns = laid.columns or [[] for _ in schema]
    if len(columns) != len(schema):
        raise Refused(f"{len(columns)} columns for {len(schema)} fields")
    return columns


def mixed(value: Any) -> Any:
    """A cell of a mixed column: a value, or the MessagePack of one in base64."""
    if isinstance(value, dict) and list(value) == [KEY] and isinstance(value[KEY], str):
        return unpacked(base64.b64decode(value[KEY], validate=True))
    return value


def raw_numbers(content: bytes, kind: pa.DataType) -> list[Any]:
    """A column of numbers that is one bin."""
    if pat.is_boolean(kind):
        return [bool(byte) for byte in content]
    signed = not (pat.is_unsigned_integer(kind) or pat.is_floating(kind))
    return np.frombuffer(content, f"<{'i' if signed else 'u'}{kind.bit_width // 8}").tolist()


def reader(field: pa.Field, is_packed: bool, dictionaries: Iterator[Any], outer: bool = True) -> Read:
    """The function that makes a cell of a value."""
    kind = field.type.storage_type if isinstance(field.type, pa.BaseExtensionType) else field.type

    def inner(part: pa.Field) -> Read:
        read = reader(part, is_packed, dictionaries, False)
        return lambda value: None if value is None else read(value)

    if is_mixed(field):
        return mixed
    if pat.is_dictionary(kind):
        values = inner(pa.field("", kind.value_type))
        listed = next(dictionaries, None)
        if not isinstance(listed, list):
            raise Refused("a header without the values of a dictionary")
        categories = [values(value) for value in listed]
        by_code = is_packed or not outer or None in categories
        if by_code:
            return lambda value: code(value, categories)
        return lambda value: category(values(value), categories)
    if pat.is_run_end_encoded(kind):
        return inner(pa.field("", kind.value_type))
    if pat.is_struct(kind):
        parts = {kind.field(place).name: inner(kind.field(place)) for place in range(kind.num_fields)}
        return lambda value: struct_cell(value, parts)
    if pat.is_map(kind):
        key, item = inner(kind.key_field), inner(kind.item_field)
        return lambda value: [(key(left), item(right)) for left, right in pairs(value)]
    if pat.is_union(kind):
        children = dict(zip(kind.type_codes, [inner(kind.field(n)) for n in range(kind.num_fields)], strict=True))
        return lambda value: union_cell(value, children)
    if hasattr(kind, "value_field"):
        item = inner(kind.value_field)
        return lambda value: [item(part) for part in array(value)]
    return flat(kind, is_packed)


def code(value: Any, categories: list[Any]) -> Any:
    """The category of a code."""
    place = integer(value)
    if not 0 <= place < len(categories):
        raise Unfit("a code outside the dictionary")
    return categories[place]


def category(value: Any, categories: list[Any]) -> Any:
    """A value, which is one of the categories."""
    if value not in categories:
        raise Unfit("a value that is no category")
    return value


def struct_cell(value: Any, parts: dict[str, Read]) -> tuple[Any, ...]:
    """The fields of a struct."""
    if not isinstance(value, dict) or not value.keys() <= parts.keys():
        raise Unfit("no struct of its fields")
    return tuple(read(value.get(name)) for name, read in parts.items())


def pairs(value: Any) -> list[tuple[Any, Any]]:
    """The entries of a map."""
    if isinstance(value, dict):
        return list(value.items())
    return [tuple(pair) for pair in (value if isinstance(value, Pairs) else array(value))]


def union_cell(value: Any, children: dict[int, Read]) -> tuple[int, Any]:
    """A type code and a value."""
    if len(array(value)) != 2 or value[0] not in children:
        raise Unfit("no value of a union")
    return value[0], children[value[0]](value[1])
