"""The integration JSON of Arrow: a schema and batches spelled out buffer by buffer, read into cells and type texts.

A parser of its own, so that the golden files are not judged by the library under test. Cells are those of
`colonnade.testing._arrow_cells`, types a text in pyarrow's spelling with children, nullability and metadata.

Source: https://arrow.apache.org/docs/format/Integration.html#json-test-data-format
"""

from __future__ import annotations

import gzip
import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

_UNITS = {"SECOND": "s", "MILLISECOND": "ms", "MICROSECOND": "us", "NANOSECOND": "ns"}
_FLOATS = {"HALF": ("halffloat", "f2"), "SINGLE": ("float", "f4"), "DOUBLE": ("double", "f8")}
_INTERVALS = {
    "YEAR_MONTH": "month_interval",
    "DAY_TIME": "day_time_interval",
    "MONTH_DAY_NANO": "month_day_nano_interval",
}
_BARE = {
    "null": "null",
    "bool": "bool",
    "utf8": "string",
    "largeutf8": "large_string",
    "binary": "binary",
    "largebinary": "large_binary",
}


@dataclass(frozen=True)
class Golden:
    """One golden: its fields, its metadata, and the cells of each batch (one list a column)."""

    fields: list[dict[str, Any]]
    metadata: dict[str, str]
    batches: list[list[list[Any]]]
    nrows: list[int]

    def columns(self) -> list[list[Any]]:
        """The cells of each column, all batches in a row."""
        return [[cell for batch in self.batches for cell in batch[i]] for i in range(len(self.fields))]


def read_golden(path: Path) -> Golden:
    """The golden of a `.json.gz`."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        held = json.load(file)
    columns = {entry["id"]: entry["data"] for entry in held.get("dictionaries", [])}
    of_id = dict(_dictionary_fields(held["schema"]["fields"]))
    known: dict[int, list[Any]] = {}

    def dictionary(number: int) -> list[Any]:
        if number not in known:
            known[number] = _cells(of_id[number] | {"dictionary": None}, columns[number]["columns"][0], dictionary)
        return known[number]

    fields = held["schema"]["fields"]
    batches = [
        [_cells(field, column, dictionary) for field, column in zip(fields, batch["columns"], strict=True)]
        for batch in held["batches"]
    ]
    return Golden(fields, _metadata(held["schema"]), batches, [batch["count"] for batch in held["batches"]])


def type_text(field: dict[str, Any]) -> str:
    """The type of a field in pyarrow's spelling, its children described as `field_text` does."""
    encoding = field.get("dictionary")
    if encoding:
        index = type_text({"type": encoding["indexType"]})
        values = type_text(field | {"dictionary": None})
        return f"dictionary<{index}, {values}, ordered={bool(encoding['isOrdered'])}>"
    kind = field["type"]
    name = kind["name"]
    children = ", ".join(field_text(child) for child in field.get("children", []))
    if name in _BARE:
        return _BARE[name]
    if name == "int":
        return f"{'' if kind['isSigned'] else 'u'}int{kind['bitWidth']}"
    if name == "floatingpoint":
        return _FLOATS[kind["precision"]][0]
    if name == "decimal":
        return f"decimal{kind.get('bitWidth', 128)}({kind['precision']}, {kind['scale']})"
    if name == "date":
        return {"DAY": "date32[day]", "MILLISECOND": "date64[ms]"}[kind["unit"]]
    if name == "time":
        return f"time{kind['bitWidth']}[{_UNITS[kind['unit']]}]"
    if name == "timestamp":
        zone = f", tz={kind['timezone']}" if kind.get("timezone") else ""
        return f"timestamp[{_UNITS[kind['unit']]}{zone}]"
    if name == "duration":
        return f"duration[{_UNITS[kind['unit']]}]"
    if name == "interval":
        return _INTERVALS[kind["unit"]]
    if name == "fixedsizebinary":
        return f"fixed_size_binary[{kind['byteWidth']}]"
    if name == "fixedsizelist":
        return f"fixed_size_list[{kind['listSize']}]<{children}>"
    if name == "map":
        return f"map[sorted={bool(kind['keysSorted'])}]<{children}>"
    if name == "union":
        return f"{kind['mode'].lower()}_union{kind['typeIds']}<{children}>"
    return {"list": "list", "largelist": "large_list", "struct": "struct"}[name] + f"<{children}>"


def field_text(field: dict[str, Any]) -> str:
    """Name, type, nullability and metadata of a field."""
    return f"{field['name']}: {type_text(field)} nullable={field['nullable']} {_metadata(field)}"


def _metadata(holder: dict[str, Any]) -> dict[str, str]:
    return dict(sorted((pair["key"], pair["value"]) for pair in holder.get("metadata") or []))


def _dictionary_fields(fields: list[dict[str, Any]]) -> Iterator[tuple[int, dict[str, Any]]]:
    for field in fields:
        if field.get("dictionary"):
            yield field["dictionary"]["id"], field
        yield from _dictionary_fields(field.get("children", []))


def _cells(field: dict[str, Any], column: dict[str, Any], dictionary: Any) -> list[Any]:
    encoding = field.get("dictionary")
    values: list[Any]
    if encoding:
        known = dictionary(encoding["id"])
        valid = column["VALIDITY"]
        values = [known[int(code)] if ok else None for code, ok in zip(column["DATA"], valid, strict=True)]
    else:
        values = _values(field, column, dictionary)
    validity = column.get("VALIDITY")
    if validity is None:
        return values
    return [value if ok else None for value, ok in zip(values, validity, strict=True)]


def _values(field: dict[str, Any], column: dict[str, Any], dictionary: Any) -> list[Any]:
    kind, count = field["type"], column["count"]
    name = kind["name"]
    pairs = zip(field.get("children", []), column.get("children", []), strict=True)
    children = [_cells(child, held, dictionary) for child, held in pairs]
    if name == "null":
        return [None] * count
    if name in ("list", "largelist", "map"):
        offsets = [int(offset) for offset in column["OFFSET"]]
        return [children[0][a:b] for a, b in itertools.pairwise(offsets)]
    if name == "fixedsizelist":
        size = kind["listSize"]
        return [children[0][i * size : (i + 1) * size] for i in range(count)]
    if name == "struct":
        return list(zip(*children, strict=True)) if children else [()] * count
    if name == "union":
        codes = column["TYPE_ID"]
        places = column["OFFSET"] if kind["mode"] == "DENSE" else range(count)
        child_of = {code: position for position, code in enumerate(kind["typeIds"])}
        return [(code, children[child_of[code]][int(place)]) for code, place in zip(codes, places, strict=True)]
    return [_scalar(kind, value) for value in column["DATA"]]


def _scalar(kind: dict[str, Any], value: Any) -> Any:
    name = kind["name"]
    if name in ("utf8", "largeutf8"):
        return value
    if name in ("binary", "largebinary", "fixedsizebinary"):
        return bytes.fromhex(value)
    if name == "bool":
        return bool(value)
    if name == "floatingpoint":
        dtype = _FLOATS[kind["precision"]][1]
        return int(np.array(float(value), dtype).view(f"u{dtype[1]}"))
    if name == "interval" and isinstance(value, dict):
        return tuple(value[part] for part in ("months", "days", "milliseconds", "nanoseconds") if part in value)
    return int(value)
