"""Declares the fields of a specification's dataclasses, and makes a dataclass from a TOML table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, field, fields
from typing import Any, TypeVar

from colonnade_bench.registry import unknown

T = TypeVar("T")


def made(cls: type[T], values: Mapping[str, Any], what: str) -> T:
    """Makes a dataclass from a TOML table.

    Raises KeyError that names the nearest key, and ValueError for a value of another type.
    """
    if not isinstance(values, Mapping):
        raise ValueError(f"bench: {what} must be a table, found {values!r}")
    known = {one.name: one for one in fields(cls)}  # type: ignore[arg-type]
    for name, value in values.items():
        if name not in known:
            raise unknown(f"key of {what}", name, list(known))
        kind = known[name].metadata.get("of")
        listed = isinstance(value, list) and known[name].metadata.get("listed", False)
        for one in value if listed else [value]:
            if kind is not None and (not isinstance(one, kind) or (isinstance(one, bool) and kind is not bool)):
                raise ValueError(f"bench: {name} of {what} cannot be {one!r}")
    for name, one in known.items():
        if one.default is MISSING and one.default_factory is MISSING and name not in values:
            raise ValueError(f"bench: {what} needs {name}")
    return cls(**values)


def one(kind: Any, default: Any = MISSING) -> Any:
    """Declares a field that holds one value."""
    return field(default=default, metadata={"of": kind})


def some(kind: Any = str, default: Sequence[Any] | None = ()) -> Any:
    """Declares a field that holds one value or a list of them."""
    metadata = {"of": kind, "listed": True}
    return (
        field(metadata=metadata) if default is None else field(default_factory=lambda: list(default), metadata=metadata)
    )


def listed(value: Any) -> list[Any]:
    """Returns a list unchanged, and one value as a list of it."""
    return list(value) if isinstance(value, list | tuple) else [value]
