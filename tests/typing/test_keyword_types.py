"""The keywords that type checkers see are the fields of the options classes, with their types."""

from dataclasses import fields
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from colonnade import typing
from colonnade._formats.options import CLASSES
from tests.helpers.each import each

FORMATS = get_args(typing.Format)
BESIDE = {"read": {"columns", "rows", "options"}, "write": {"options"}}
SIDES = {"read": "Reading", "write": "Writing"}
COMMON = {("npz", "read"), ("npy", "read")}
"""Formats whose options are those of every format."""


def keywords(format: str, side: str) -> dict[str, Any]:
    named = {"arrows": "Arrow"}.get(format, format.title())
    name = SIDES[side] if (format, side) in COMMON else named + SIDES[side]
    return {name: kind for name, kind in get_type_hints(getattr(typing, name)).items() if name not in BESIDE[side]}


def options(format: str, side: str) -> dict[str, Any]:
    cls: Any = CLASSES[format]
    hints = get_type_hints(cls)
    return {field.name: hints[field.name] for field in fields(cls) if field.metadata["side"] in (side, "both")}


def test_every_format_is_named() -> None:
    assert set(FORMATS) == set(CLASSES)


@each("format", FORMATS)
@each("side", list(SIDES))
def test_keywords_are_the_options(format: str, side: str) -> None:
    seen, true = keywords(format, side), options(format, side)
    assert set(seen) == set(true)
    assert {name: kind for name, kind in seen.items() if _parts(kind) != _parts(true[name])} == {}


@each("side", list(SIDES))
def test_keywords_without_a_format_are_those_of_every_format(side: str) -> None:
    anyhow = get_type_hints(getattr(typing, "Any" + SIDES[side]))
    each_format = {name: options(name, side) for name in FORMATS}
    assert set(anyhow) - BESIDE[side] == {name for found in each_format.values() for name in found}
    missing = [
        (format, name)
        for format, found in each_format.items()
        for name, kind in found.items()
        if not _parts(kind) <= _parts(anyhow[name])
    ]
    assert missing == []


def _parts(kind: Any) -> set[Any]:
    """The members of a union, and the words of literals among them."""
    if get_origin(kind) is Literal:
        return set(get_args(kind))
    if get_origin(kind) in (Union, UnionType):
        return set().union(*map(_parts, get_args(kind)))
    return {kind}
