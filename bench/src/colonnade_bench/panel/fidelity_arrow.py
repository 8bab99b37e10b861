"""Finds and names the losses of a round trip of polars DataFrames and pyarrow Tables, compared as they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from colonnade_bench.panel.loss_kinds import REORDERED, listed, reordered


def arrow_losses(original: Any, result: Any) -> list[str]:
    """Compares two polars DataFrames or pyarrow Tables: labels, types, then values as Arrow has them."""
    (types_a, a), (types_b, b) = in_arrow(original), in_arrow(result)
    out = []
    if reordered(list(types_a), list(types_b)):
        out.append(REORDERED)
    elif list(types_a) != list(types_b):
        return ["columns: labels differ"]
    if a.num_rows != b.num_rows:
        return [*out, f"{a.num_rows:,} rows became {b.num_rows:,}"]
    for name in types_a:
        if types_a[name] != types_b[name]:
            out.append(f"{name}: {types_a[name]} became {types_b[name]}")
        wrong = cells_differ(a.column(name), b.column(name))
        if wrong is None:
            out.append(f"{name}: values of another kind")
        elif wrong:
            out.append(f"{name}: values changed ({wrong:,} of {a.num_rows:,})")
    return listed(out)


def in_arrow(data: Any) -> tuple[dict[str, str], Any]:
    """Returns the library's own types by column, and the data as a pyarrow Table."""
    if hasattr(data, "to_arrow"):
        return {name: str(kind) for name, kind in data.schema.items()}, data.to_arrow()
    return {field.name: str(field.type) for field in data.schema}, data


def cells_differ(original: Any, result: Any) -> int | None:
    """Counts the cells that differ. Nulls equal nulls, NaN equals NaN. None if the types cannot be compared."""
    import pyarrow as pa
    import pyarrow.compute as pc

    a, b = as_values(original), as_values(result)
    try:
        b = b if b.type == a.type else b.cast(a.type, safe=not pa.types.is_floating(b.type))
        same = pc.fill_null(pc.equal(a, b), False)
    except pa.ArrowNotImplementedError:  # nested types have no comparison by cell
        pairs = zip(a.to_pylist(), b.to_pylist(), strict=True)
        return sum(bool(unpacked(x) != unpacked(y)) for x, y in pairs)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return None
    same = pc.or_(same, pc.and_(pc.is_null(a), pc.is_null(b)))
    if pa.types.is_floating(a.type):
        same = pc.or_(same, pc.fill_null(pc.and_(pc.is_nan(a), pc.is_nan(b)), False))
    return len(a) - int(pc.sum(same).as_py() or 0)


def as_values(column: Any) -> Any:
    """Returns the values of a column of codes, and other columns as they are."""
    import pyarrow as pa

    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def unpacked(cell: Any) -> Any:
    """Returns a jagged cell as plain lists and dicts, which compare by value. NaN equals NaN.

    >>> unpacked([{"pt": np.array([1.5, 2.5])}, None])
    [{'pt': [1.5, 2.5]}, None]
    """
    if isinstance(cell, Mapping):
        return {key: unpacked(value) for key, value in cell.items()}
    if isinstance(cell, np.ndarray | list | tuple):
        return [unpacked(value) for value in cell]
    cell = cell.item() if isinstance(cell, np.generic) else cell
    return "NaN" if isinstance(cell, float) and cell != cell else cell
