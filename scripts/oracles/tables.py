"""Tables of pyarrow: what a frame exports, and where two tables differ."""

import json
import re
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

import colonnade as cn
from colonnade.testing._arrow_cells import cells, same_column

from .outcomes import NotCompared, Refused

SYMBOL_OF_NUL = "\u2400"


# Values that their type does not allow, and counts of nulls: pyarrow reads them, and its validation refuses them.
VALUES = re.compile(r"does not fit in precision|whole number of days|not within the acceptable range|null_count value")


@dataclass(frozen=True)
class Exported:
    """A frame of Colonnade as a table: its columns, then its stored row labels. Repeated names have numbers."""

    table: pa.Table
    labels: list[Any]

    def named(self, names: list[str]) -> bool:
        """Whether these are the names of the columns. Stored row labels may have the name of their level, or none."""
        labels = [shown(label) if isinstance(label, str) else label for label in self.labels]
        columns = names[: len(labels)]
        return columns in (labels, self.table.column_names[: len(labels)])


def exported(frame: cn.Frame) -> Exported:
    """The frame as a table."""
    stream = frame.__arrow_c_stream__()
    try:
        table = pa.RecordBatchReader._import_from_c_capsule(stream).read_all()
        for column in table.columns:
            for chunk in column.chunks:
                validate(chunk)
    except KeyError as error:
        raise NotCompared("pyarrow has no intervals of months") from error
    except (pa.ArrowException, ValueError) as error:
        raise NotCompared(f"pyarrow cannot take the frame: {error}") from error
    return Exported(table, list(frame.columns))


def validate(array: pa.Array) -> None:
    """The full validation of pyarrow without that of `VALUES`, and of the order of unions."""
    array.validate()
    try:
        array.validate(full=True)
    except pa.ArrowInvalid as error:
        is_order = "non-monotonic" in str(error) and pa.types.is_union(array.type)
        if not is_order and not VALUES.search(str(error)):
            raise


def valid_or_refused(table: pa.Table) -> pa.Table:
    """The table of another reader, which may have read what its own validation refuses."""
    try:
        for column in table.columns:
            for chunk in column.chunks:
                validate(chunk)
    except pa.ArrowException as error:
        raise Refused(f"pyarrow's validation: {error}") from error
    return table


def difference(ours: Exported, theirs: pa.Table) -> str | None:
    """Where two tables differ: rows, names, types or cells."""
    theirs = ordered(theirs, ours)
    found = difference_of_shape(ours, theirs)
    if found is not None:
        return found
    for position, name in enumerate(ours.table.column_names):
        left, right = ours.table.column(position), theirs.column(position)
        if not left.type.equals(right.type):
            return f"type of column {position} {name!r}: {left.type}, theirs {right.type}"
        # pyarrow's own comparison, which is quick, believes the counts of nulls that the file declares.
        if not same_column(left, right) and cells(left) != cells(right):
            return f"column {position} {name!r} of {left.type}: {difference_of_cells(cells(left), cells(right))}"
    return None


def difference_of_shape(ours: Exported, theirs: pa.Table) -> str | None:
    """Where the numbers of rows or the names of columns differ."""
    if ours.table.shape != theirs.shape:
        return f"shape: {ours.table.shape}, theirs {theirs.shape}"
    names = [shown(name) for name in theirs.column_names]
    if not ours.named(names):
        return f"names: {ours.labels}, {ours.table.column_names}, theirs {names}"
    return None


def difference_of_cells(ours: list[Any], theirs: list[Any]) -> str:
    """The first cell that differs."""
    if len(ours) != len(theirs):
        return f"{len(ours)} cells, theirs {len(theirs)}"
    for row, (left, right) in enumerate(zip(ours, theirs, strict=True)):
        if left != right:
            return f"row {row}: {left!r:.200}, theirs {right!r:.200}"
    return "no cell"


def shown(name: str) -> str:
    """A name as Arrow's C interface carries it, which ends names at NUL."""
    return name.replace("\0", SYMBOL_OF_NUL)


def ordered(theirs: pa.Table, ours: Exported) -> pa.Table:
    """Their table with the fields that are row labels to pandas behind the others, as ours has them."""
    labels = set(label_fields(theirs.schema.metadata or {}))
    names = theirs.column_names
    order = sorted(range(len(names)), key=lambda place: names[place] in labels)
    moved = theirs.select(order)
    return moved if ours.named([shown(name) for name in moved.column_names]) else theirs


def label_fields(metadata: dict[bytes, bytes]) -> list[str]:
    """The fields that the metadata of pandas names as row labels."""
    try:
        listed = json.loads(metadata[b"pandas"])["index_columns"]
    except (KeyError, TypeError, ValueError):
        return []
    return [name for name in listed if isinstance(name, str)] if isinstance(listed, list) else []
