"""Defines a table that every report formats in its own way."""

from __future__ import annotations

from dataclasses import dataclass

from colonnade_bench.section import Section


@dataclass
class Part(Section):
    """A section with a name for links. The columns from `numbers` on are numbers."""

    name: str = ""
    numbers: int = 99
