"""Each pair of data in a file and a header that says another type: the data's values, or a typed error.

The header of one file goes before the data of another. What is read is written again in the same format, and the cells
that then stand in the file, read by the standard library, PyYAML and msgpack, must be those that stood there; or the
values are those to which pyarrow casts the cells.
"""

import contextlib
import csv
import decimal
import io
import json
from typing import Any

import msgpack
import pyarrow as pa
import pytest
import yaml

import colonnade as cn
from tests.helpers.claims import COLUMNS
from tests.helpers.each import each
from tests.helpers.ways import exactly

TYPES = {
    name: array
    for name, array in COLUMNS.items()
    if "without" not in name and not name.startswith(("struct of v", "struct of t", "struct against", "struct turned"))
} | {
    "int8 beyond": pa.array([300, None, -300]),
    "decimal beyond": pa.array([decimal.Decimal("123456789.123"), None, decimal.Decimal("0.001")]),
    "wide decimal": pa.array([decimal.Decimal("1.50"), None, decimal.Decimal("-2.25")], pa.decimal128(5, 1 + 1)),
    "timestamp ns": pa.array([1582977600123456789, None, 1], pa.timestamp("ns")),
    "timestamp ns utc": pa.array([1582977600123456789, None, 1], pa.timestamp("ns", "UTC")),
}


def _json(content: bytes) -> tuple[Any, Any]:
    whole = json.loads(content)
    header = whole.pop("__colonnade__")
    return header, whole["x"]


def _json_of(header: Any, cells: Any, other: Any) -> bytes:
    return json.dumps({"__colonnade__": header, "x": cells}).encode()


def _yaml(content: bytes) -> tuple[Any, Any]:
    header, _, rest = content.partition(b"\n")
    return header, rest


def _yaml_of(header: Any, cells: Any, other: Any) -> bytes:
    return bytes(header) + b"\n" + bytes(cells)


def _msgpack(content: bytes) -> tuple[Any, Any]:
    whole = msgpack.unpackb(content, strict_map_key=False, timestamp=0)
    return whole["__colonnade__"], whole["x"]


def _msgpack_of(header: Any, cells: Any, other: Any) -> bytes:
    packed = msgpack.packb(cells)
    told = {**header, "nbytes": other["nbytes"], "nulls": other["nulls"]}
    return msgpack.packb({"__colonnade__": told, "x": cells}) if packed else b""


def _yaml_cells(content: bytes) -> list[Any]:
    cells = [record["x"] for record in yaml.load(content, yaml.BaseLoader)["records"]]
    return [None if cell == "null" else cell for cell in cells]


def _csv_cells(content: bytes) -> list[Any]:
    rows = list(csv.reader(io.StringIO(content.decode(), newline="")))[1:]
    return [row[0] if row and row[0] not in ("", "NA") else None for row in rows]


PARTS = {
    "json": (_json, _json_of),
    "yaml": (_yaml, _yaml_of),
    "csv": (_yaml, _yaml_of),
    "msgpack": (_msgpack, _msgpack_of),
}
CELLS = {"yaml": _yaml_cells, "csv": _csv_cells}


def _plain(cell: Any) -> Any:
    """A cell in which 1, 1.0 and the decimal text of neither differ by their spelling alone."""
    if isinstance(cell, bool):
        return ("bool", cell)
    if isinstance(cell, int | float):
        return decimal.Decimal(repr(cell)) if cell == cell else "nan"
    if isinstance(cell, list):
        return [_plain(part) for part in cell]
    if isinstance(cell, dict):
        return {key: _plain(part) for key, part in cell.items()}
    return cell


def _casts(array: pa.Array, kind: pa.DataType) -> list[Any]:
    """What pyarrow makes of the array in that type, by way of int32 where it needs that."""
    found = []
    for first in (kind, pa.int32()):
        with contextlib.suppress(pa.ArrowException):
            found.append(array.cast(first).cast(kind).to_pylist())
    return found


def _equal(cells: list[Any], values: list[Any]) -> bool:
    """Whether both are the same numbers, in whatever text."""
    try:
        return all(
            cell is value is None or decimal.Decimal(str(cell)) == decimal.Decimal(value)
            for cell, value in zip(cells, values, strict=True)
        )
    except (decimal.InvalidOperation, TypeError, ValueError):
        return False


def _meanings(cells: list[Any], held: pa.Array, kind: pa.DataType) -> list[Any]:
    """The values that these cells may have in a column of that type: those that pyarrow's casts give.

    Integers count units of a time since 1970, also as text; instants are in UTC.
    """
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    found = _casts(held, kind)
    for first in (pa.int64(), pa.uint64(), pa.float64(), pa.string(), pa.binary()):
        with contextlib.suppress(pa.ArrowException, TypeError, OverflowError):
            found += _casts(pa.array(cells, first), kind)
    with contextlib.suppress(ValueError, TypeError, OverflowError):
        found += _casts(pa.array([None if cell is None else int(cell) for cell in cells], pa.int64()), kind)
    return found


@each("format", list(PARTS))
@each("held", list(TYPES), per=20)
def test_a_header_never_changes_what_the_data_say(held: str, format: str) -> None:
    apart, together = PARTS[format]
    options = exactly(format)
    cells_of = CELLS.get(format, lambda cells: cells)
    other, data = apart(cn.encode(pa.table({"x": TYPES[held]}), format, **options))
    cells = cells_of(data)
    for claimed, array in TYPES.items():
        header, _ = apart(cn.encode(pa.table({"x": array}), format, **options))
        content = together(header, data, other)
        try:
            table = cn.decode(content, format).to_arrow()
        except cn.ColonnadeError:
            continue
        try:
            table.validate(full=True)
        except pa.ArrowInvalid:
            # Values that the type has no room for are kept as they are, and found by `verify`.
            with pytest.raises(cn.DecodeError, match="row"):
                cn.verify(content, format=format)
            continue
        cn.verify(content, format=format)
        again = cells_of(apart(cn.encode(table, format, **options))[1])
        values = table["x"].combine_chunks().to_pylist()
        if _plain(again) == _plain(cells) or _equal(cells, values):
            continue
        assert values in _meanings(cells, TYPES[held], array.type), f"{held} under the header of {claimed}: {values}"
