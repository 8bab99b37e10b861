"""A table that every report shows in its own way."""

from __future__ import annotations

from dataclasses import dataclass

from colonnade_bench.section import Section


@dataclass
class Part(Section):
    """A section with a name for links, whose columns from `numbers` on are numbers."""

    name: str = ""
    numbers: int = 99
