"""Makes Awkward Arrays from tables, and compares two of them."""

from __future__ import annotations

from typing import Any


def from_table(table: Any) -> Any:
    """Makes an Awkward Array from a pyarrow Table, over its memory. Only columns with missing cells get an option type.

    A program that uses Awkward directly makes such arrays. `ak.from_arrow` makes every column optional unless the
    schema says otherwise.
    """
    import awkward as ak

    return ak.Array(without_idle_options(ak.from_arrow(table.combine_chunks()).layout))


def without_idle_options(layout: Any) -> Any:
    """Removes option types without missing cells from the layout."""
    from awkward import contents

    if isinstance(layout, contents.UnmaskedArray):
        return without_idle_options(layout.content)
    if isinstance(layout, contents.RecordArray):
        return layout.copy(contents=[without_idle_options(content) for content in layout.contents])
    if hasattr(layout, "content") and layout.parameter("__array__") not in ("string", "bytestring"):
        return layout.copy(content=without_idle_options(layout.content))
    return layout


def difference(result: Any, original: Any) -> str | None:
    """Names the fields in which two record arrays differ, and how they differ."""
    names = list(original.fields)
    if list(result.fields) != names:
        return f"fields {', '.join(result.fields)}, not {', '.join(names)}"
    types = [name for name in names if str(result[name].type) != str(original[name].type)]
    values = [name for name in names if not same_values(result[name], original[name])]
    found = {"types": types, "values": values}
    told = [f"{what} differ in {', '.join(names[:8])}" for what, names in found.items() if names]
    return "; ".join(told) or None


def same_values(a: Any, b: Any) -> bool:
    """Whether two arrays are equal cell by cell, however they represent missing cells."""
    import awkward as ak

    if len(a) != len(b):
        return False
    return bool(ak.array_equal(a, b, dtype_exact=False, same_content_types=False, equal_nan=True))
