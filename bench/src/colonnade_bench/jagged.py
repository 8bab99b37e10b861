"""Awkward Arrays: made of a table, and when two of them are the same."""

from __future__ import annotations

from typing import Any


def from_table(table: Any) -> Any:
    """An Awkward Array of a pyarrow Table, over its memory: of option type only what has missing cells.

    That is what a program of Awkward's own makes; `ak.from_arrow` calls all optional that a schema does not declare
    otherwise.
    """
    import awkward as ak

    return ak.Array(without_idle_options(ak.from_arrow(table.combine_chunks()).layout))


def without_idle_options(layout: Any) -> Any:
    """The layout less the option types that nothing makes use of."""
    from awkward import contents

    if isinstance(layout, contents.UnmaskedArray):
        return without_idle_options(layout.content)
    if isinstance(layout, contents.RecordArray):
        return layout.copy(contents=[without_idle_options(content) for content in layout.contents])
    if hasattr(layout, "content") and layout.parameter("__array__") not in ("string", "bytestring"):
        return layout.copy(content=without_idle_options(layout.content))
    return layout


def difference(result: Any, original: Any) -> str | None:
    """Which fields of two record arrays differ, and in what."""
    names = list(original.fields)
    if list(result.fields) != names:
        return f"fields {', '.join(result.fields)}, not {', '.join(names)}"
    types = [name for name in names if str(result[name].type) != str(original[name].type)]
    values = [name for name in names if not same_values(result[name], original[name])]
    found = {"types": types, "values": values}
    told = [f"{what} differ in {', '.join(names[:8])}" for what, names in found.items() if names]
    return "; ".join(told) or None


def same_values(a: Any, b: Any) -> bool:
    """Equal cell by cell, whatever stands for the missing ones."""
    import awkward as ak

    if len(a) != len(b):
        return False
    return bool(ak.array_equal(a, b, dtype_exact=False, same_content_types=False, equal_nan=True))
