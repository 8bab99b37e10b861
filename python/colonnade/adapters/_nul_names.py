"""Names with NUL in pyarrow's schemas and types: Arrow's interface in memory ends a name there."""

from collections.abc import Iterable
from typing import Any


def nul_name(fields: Iterable[Any]) -> str | None:
    """The first name with NUL among the fields and all within them."""
    for field in fields:
        found = field.name if "\0" in field.name else nul_name(fields_of(field.type))
        if found is not None:
            return str(found)
    return None


def fields_of(type: Any) -> Iterable[Any]:
    """The fields right within a type."""
    return (type.field(k) for k in range(type.num_fields))
