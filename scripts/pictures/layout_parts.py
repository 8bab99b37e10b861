"""The parts of a layout diagram. `layouts` describes pictures with them, `layout_drawing` draws them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Box:
    """A run of bytes, or one station of a journey.

    Attributes
    ----------
    label : str
        The first line. In backticks it is code.
    details : tuple of str
        Smaller lines below it.
    kind : str
        The class of its colour: ``metadata``, ``values``, ``labels`` or ``padding``.
    weight : float
        Its share of the width that the texts of a row leave.
    least : float
        Its least width.
    """

    label: str
    details: tuple[str, ...] = ()
    kind: str = "values"
    weight: float = 1.0
    least: float = 0.0


@dataclass(frozen=True)
class Row:
    """Boxes next to each other, with a sentence below them."""

    boxes: tuple[Box, ...]
    note: str = ""
    gap: float = 0.0


@dataclass(frozen=True)
class Words:
    """A sentence between rows."""

    text: str


@dataclass(frozen=True)
class Arrow:
    """An arrow down to the next row. It is dashed if no value is copied on this way."""

    label: str
    copies: bool


@dataclass(frozen=True)
class Arrows:
    """Arrows from one row to the next, evenly spread."""

    arrows: tuple[Arrow, ...]


@dataclass(frozen=True)
class Group:
    """Parts in a frame with a name."""

    label: str
    parts: tuple[Part, ...]


Part = Row | Words | Arrows | Group


@dataclass(frozen=True)
class Layout:
    """One picture: the name of its file, its title, what it shows for readers who do not see it, and its parts."""

    name: str
    title: str
    description: str
    parts: tuple[Part, ...]
    legend: Mapping[str, str] = field(default_factory=dict)


def metadata(label: str, *details: str, weight: float = 1.0) -> Box:
    """Returns a box of a header or of metadata."""
    return Box(label, details, "metadata", weight)


def values(label: str, *details: str) -> Box:
    """Returns a box of values."""
    return Box(label, details, "values")


def labels(label: str, *details: str) -> Box:
    """Returns a box of row or column labels."""
    return Box(label, details, "labels")
