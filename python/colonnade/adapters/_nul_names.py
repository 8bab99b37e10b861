"""Finds names with NUL in pyarrow's schemas and types. Arrow's C data interface ends a name at NUL."""

from collections.abc import Iterable
from typing import Any


def nul_name(fields: Iterable[Any]) -> str | None:
    """The first name with NUL among the fields and their nested fields."""
    for field in fields:
        found = field.name if "\0" in field.name else nul_name(fields_of(field.type))
        if found is not None:
            return str(found)
    return None


def fields_of(type: Any) -> Iterable[Any]:
    """The direct child fields of a type."""
    return (type.field(k) for k in range(type.num_fields))
