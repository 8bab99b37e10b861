"""JSON, NDJSON, MessagePack and YAML against Python's json, msgpack, PyYAML and libyaml."""

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

import colonnade as cn
from colonnade.testing._arrow_cells import cells

from . import headers, parsers, tables
from .layouts import Laid, frames_of
from .outcomes import File, Peer
from .texts import text_of
from .values import is_mixed, same, unpacked, value_of

# By the byte of the fuzzer's input, as the lists of options in fuzz/src/options.rs: their length, and the entry.
CHOSEN: dict[str, tuple[int, int, dict[str, Any]]] = {
    "json": (9, 4, {"allow_nonfinite": True, "big_ints": "decimal"}),
    "ndjson": (3, 1, {"allow_nonfinite": True, "big_ints": "decimal"}),
    "msgpack": (4, 1, {"ext": "bytes"}),
}
ALWAYS: dict[str, dict[str, Any]] = {
    "json": {"parse_dates": False},
    "ndjson": {"parse_dates": False},
    "yaml": {"parse_dates": False},
}
# What the error of `decode` says of a bundle.
SEVERAL = "expected one frame"


@dataclass(frozen=True)
class Ours:
    """A frame of Colonnade: its labels, and the table of its columns and row labels."""

    names: list[Any]
    table: pa.Table


Frames = dict[str | None, Ours]
Theirs = dict[str | None, Laid | headers.Declared]


def chosen(file: File) -> dict[str, Any]:
    """The options that the first byte of the input chooses."""
    count, entry, options = CHOSEN.get(file.format, (1, 1, {}))
    return options if file.choice % count == entry else {}


def our_frames(file: File) -> Frames:
    """The frames as Colonnade reads them."""
    options = {"threads": 1, **ALWAYS.get(file.format, {}), **chosen(file)}
    try:
        frames: dict[str | None, cn.Frame] = {None: cn.decode(file.content, file.format, **options)}
    except cn.ColonnadeError as error:
        if SEVERAL not in str(error):
            raise
        frames = dict(cn.read_bundle(file.content, format=file.format, **options))
    return {label: our_frame(frame) for label, frame in frames.items()}


def our_frame(frame: cn.Frame) -> Ours:
    """A frame with its labels as Python has them."""
    names = [name.item() if hasattr(name, "item") else name for name in frame.columns]
    return Ours(names, tables.exported(frame).table)


def jsons(file: File) -> Theirs:
    """The frames of the value that Python's json reads."""
    return told(parsers.json_value(text_of(file.content), bool(chosen(file))), "json")


def ndjsons(file: File) -> Theirs:
    """The frame of the values that Python's json reads, line by line."""
    return told(parsers.ndjson_values(text_of(file.content), bool(chosen(file))), "ndjson")


def msgpacks(file: File) -> Theirs:
    """The frames of the value that msgpack reads."""
    return told(unpacked(file.content), "msgpack")


def pyyamls(file: File) -> Theirs:
    """The frames of the value that PyYAML reads."""
    return told(parsers.yaml_value(file.content, parsers.CoreLoader), "yaml")


def libyamls(file: File) -> Theirs:
    """The frames of the value that libyaml reads."""
    return told(parsers.yaml_value(file.content, parsers.CoreCLoader), "yaml")


def told(value: Any, format: str) -> Theirs:
    """The frames of a value; cells behind a header are of the types that it declares."""
    frames = frames_of(value, format)
    return {
        label: laid if laid.header is None else headers.declared(laid, format == "msgpack")
        for label, laid in frames.items()
    }


def difference(ours: Frames, theirs: Theirs) -> str | None:
    """Where labels, rows or values of the frames differ."""
    if list(ours) != list(theirs):
        return f"frames: {list(ours)}, theirs {list(theirs)}"
    for label, left in ours.items():
        right = theirs[label]
        found = plain_difference(left, right) if isinstance(right, Laid) else typed_difference(left, right)
        if found is not None:
            return found if label is None else f"frame {label!r:.40}: {found}"
    return None


def plain_difference(ours: Ours, theirs: Laid) -> str | None:
    """Where a frame without a header differs."""
    if ours.names != theirs.names or ours.table.num_rows != theirs.nrows:
        ncols = len(theirs.names)
        if ours.names == theirs.names and ncols == 0 and ours.table.num_columns == 0:
            return None  # pyarrow does not carry rows without columns
        return f"shape: {ours.table.num_rows} x {ours.names!r:.2000}, theirs {theirs.nrows} x {theirs.names!r:.2000}"
    for position, cells_of_theirs in enumerate(theirs.columns):
        field = ours.table.schema.field(position)
        for row, (cell, value) in enumerate(zip(cells(ours.table.column(position)), cells_of_theirs, strict=True)):
            found = value_of(cell, field)
            if not same(found, value):
                return f"column {position} {field.name!r:.40}, row {row}: {found!r:.2000}, theirs {value!r:.2000}"
    return None


def typed_difference(ours: Ours, theirs: headers.Declared) -> str | None:
    """Where a frame behind a header differs from what the header and the values say."""
    if ours.table.num_columns != len(theirs.schema):
        return f"header: {ours.table.num_columns} columns, theirs {len(theirs.schema)}"
    for position, wanted in enumerate(theirs.columns):
        field = ours.table.schema.field(position)
        place = f"header: column {position} {field.name!r:.40} of {field.type}"
        if not field.type.equals(theirs.schema.field(position).type):
            return f"{place}: type {theirs.schema.field(position).type}"
        left = cells(ours.table.column(position))
        if is_mixed(field):
            left = [None if cell is None else unpacked(cell) for cell in left]
            if len(left) == len(wanted) and all(map(same, left, wanted)):
                continue
        if left != wanted:
            return f"{place}: {tables.difference_of_cells(left, wanted)}"
    return None


JSON: dict[str, Peer] = {"Python's json": Peer(our_frames, jsons, difference)}
NDJSON: dict[str, Peer] = {"Python's json": Peer(our_frames, ndjsons, difference)}
MSGPACK: dict[str, Peer] = {"msgpack": Peer(our_frames, msgpacks, difference)}
YAML: dict[str, Peer] = {
    "PyYAML": Peer(our_frames, pyyamls, difference),
    "libyaml": Peer(our_frames, libyamls, difference),
}
