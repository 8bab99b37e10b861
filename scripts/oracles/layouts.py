"""Which frames a value is: the tables of layouts in docs/formats/json.md and docs/formats/msgpack.md."""

from dataclasses import dataclass
from typing import Any

from .outcomes import NotCompared, Refused
from .values import Pairs

KEY = "__colonnade__"


@dataclass(frozen=True)
class Laid:
    """A frame as a document holds it: labels, and the values of each column."""

    names: list[Any]
    columns: list[list[Any]]
    nrows: int
    header: dict[str, Any] | None = None


def frames_of(value: Any, format: str) -> dict[str | None, Laid]:
    """The frames of a document by label; one that is no bundle has the label None."""
    if format == "ndjson":
        return {None: of_lines(value)}
    if is_own(value):
        return {None: with_header(value)}
    shape = json_shape(value) if format == "json" else packed_shape(value)
    if shape != "bundle":
        return {None: MAKERS[shape](value)}
    return {label: one(part, format) for label, part in labelled(value)}


def one(value: Any, format: str) -> Laid:
    """A frame of a bundle."""
    found = frames_of(value, format)
    if None not in found:
        raise Refused("a bundle in a bundle")
    return found[None]


def labelled(value: Any) -> list[tuple[str, Any]]:
    """The frames of a bundle, whose labels are text."""
    if not isinstance(value, dict) or not all(isinstance(label, str) for label in value) or KEY in value:
        raise Refused("labels of frames")
    return list(value.items())


def is_own(value: Any) -> bool:
    """Whether the value begins with Colonnade's header."""
    return isinstance(value, dict) and next(iter(value), None) == KEY


def json_shape(value: Any) -> str:
    """The layout of a JSON value, by the first entry that says it."""
    if isinstance(value, list):
        if value and not isinstance(value[0], dict | list):
            raise Refused("an array of single values")
        return "values" if value and isinstance(value[0], list) else "records"
    if not isinstance(value, dict):
        raise Refused("a single value")
    if next(iter(value), None) in ("schema", "columns", "index", "data") and (found := parts(value)):
        return found
    for entry in value.values():
        if not isinstance(entry, dict | list):
            return "row"
        if entry:
            first = next(iter(entry.values())) if isinstance(entry, dict) else None
            of_frames = is_own(entry) or isinstance(first, dict | list)
            return "bundle" if of_frames or (isinstance(entry, list) and isinstance(entry[0], dict)) else "columns"
    return "columns"


def parts(value: dict[str, Any]) -> str | None:
    """Whether an object is of the orient `split` or `table`."""
    kinds = {"schema": dict, "columns": list, "index": list, "data": list}
    if not all(key in kinds and isinstance(part, kinds[key]) for key, part in value.items()) or "data" not in value:
        return None
    first = value["data"][0] if value["data"] else None
    if isinstance(first, dict | None) and "schema" in value and "columns" not in value:
        return "table"
    return "split" if isinstance(first, list | None) and "columns" in value and "schema" not in value else None


def packed_shape(value: Any) -> str:
    """The layout of a value of MessagePack or YAML."""
    if isinstance(value, list):
        if value and not isinstance(value[0], dict | Pairs):
            raise Refused("an array whose first item is no map")
        return "records"
    if not isinstance(value, dict):
        raise Refused("no table")
    if is_split(value):
        return "split"
    frames = 0
    for entry in value.values():
        if isinstance(entry, dict | Pairs) or (isinstance(entry, list) and entry and is_map(entry[0])):
            frames += 1
        elif isinstance(entry, list):
            if entry:
                return "columns"
        else:
            return "columns" if frames else "scalars"
    return "bundle" if frames else "columns"


def is_map(value: Any) -> bool:
    """Whether a value is a map."""
    return isinstance(value, dict | Pairs)


def is_split(value: dict[Any, Any]) -> bool:
    """Whether a map has `columns`, `data` and perhaps `index`, and rows as wide as the columns."""
    if not {"columns", "data"} <= value.keys() <= {"columns", "data", "index"}:
        return False
    if not all(isinstance(part, list) for part in value.values()):
        return False
    rows = value["data"]
    return not rows or (isinstance(rows[0], list) and len(rows[0]) == len(value["columns"]))


def records(value: Any, missing: bool = True) -> Laid:
    """Maps of cells; a key that is missing is null, or refused."""
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        raise Refused("a row that is no map")
    names = list(dict.fromkeys(name for row in value for name in row))
    if not missing and any(len(row) < len(names) for row in value):
        raise Refused("a row without a field of the header")
    return Laid(checked(names), [[row.get(name) for row in value] for name in names], len(value))


def scalars(value: Any) -> Laid:
    """One row of single values."""
    if any(isinstance(cell, list | dict | Pairs) for cell in value.values()):
        raise Refused("a row of single values and others")
    return records([value])


def columns(value: dict[Any, Any]) -> Laid:
    """Arrays of one length, or objects of cells by row label."""
    held = list(value.values())
    if held and all(isinstance(column, dict) for column in held):
        labels = list(dict.fromkeys(label for column in held for label in column))
        held = [[column.get(label) for label in labels] for column in held]
    if not all(isinstance(column, list) and len(column) == len(held[0]) for column in held):
        raise Refused("columns of several lengths or kinds")
    return Laid(checked(list(value)), held, len(held[0]) if held else 0)


def rows(value: Any, names: list[Any] | None = None) -> Laid:
    """Arrays of cells."""
    if not isinstance(value, list) or not all(isinstance(row, list) for row in value):
        raise Refused("a row that is no array")
    width = len(value[0]) if value else len(names or [])
    if any(len(row) != width for row in value) or (names is not None and len(names) != width):
        raise Refused("rows of several lengths")
    columns = [[row[place] for row in value] for place in range(width)]
    return Laid(list(range(width)) if names is None else names, columns, len(value))


def split(value: dict[str, Any]) -> Laid:
    """Names, rows and perhaps row labels."""
    names = [tuple(name) if isinstance(name, list) else name for name in value["columns"]]
    found = rows(value["data"], names)
    nrows = len(value["index"]) if "index" in value and not names and not value["data"] else found.nrows
    if "index" in value and len(value["index"]) != nrows:
        raise Refused("as many row labels as rows")
    return Laid(names, found.columns, nrows)


def table(_: Any) -> Laid:
    """A schema of Frictionless and records: its types are those of pandas."""
    raise NotCompared("orient table")


MAKERS = {
    "records": records,
    "row": lambda value: records([value]),
    "scalars": scalars,
    "columns": columns,
    "values": rows,
    "split": split,
    "table": table,
}


def checked(names: list[Any]) -> list[Any]:
    """Labels that are all text or all integers of 64 bits."""
    if all(isinstance(name, str) for name in names) or all(type(name) is int for name in names):
        return names
    raise Refused("labels of several kinds")


def of_lines(values: list[Any]) -> Laid:
    """The records of NDJSON."""
    if values and is_own(values[0]):
        header, found = as_header(values[0][KEY]), records(values[1:], missing=False)
        if header.get("orient") != "records":
            raise Refused("the orient of lines")
        return Laid(found.names, found.columns, found.nrows, header)
    return records(values)


def as_header(header: Any) -> dict[str, Any]:
    """The header, which is a map."""
    if not isinstance(header, dict):
        raise Refused("a header that is no map")
    return header


def with_header(value: dict[str, Any]) -> Laid:
    """The frame behind a header, in the layout that it names."""
    header = as_header(value[KEY])
    rest = {key: part for key, part in value.items() if key != KEY}
    orient = header.get("orient", "columns")
    if orient == "columns":
        count = header.get("nrows")
        return Laid(list(rest), list(rest.values()), count if isinstance(count, int) else 0, header)
    try:
        if orient == "records":
            found = records(rest["records"], missing=False)
        elif orient == "split":
            found = rows(rest["data"], rest["columns"])
        elif orient == "values":
            found = rows(rest["data"])
        elif orient == "index":
            found = records(list(rest["index"].values()), missing=False)
        elif orient == "table":
            found = records(rest["data"], missing=False)
        else:
            raise Refused(f"the orient {orient!r:.40}")
    except (KeyError, TypeError, AttributeError) as error:
        raise Refused(f"the parts of orient {orient}") from error
    return Laid(found.names, found.columns, found.nrows, header)
