"""Properties of text files in `cn.inspect`."""

import json
from dataclasses import dataclass
from typing import Any

from .. import _core


@dataclass(frozen=True)
class TextInfo:
    """Properties of a CSV, JSON or YAML file.

    Attributes
    ----------
    packing : str or None
        ``gzip`` or ``zstd``, if the file is compressed.
    dialect : dict
        The dialect of CSV (delimiter, quotes...), detected or from the options.
    dropped, nulled : int
        For CSV: the numbers of skipped records and of values that became null, because they do not fit (``on_error``).
    """

    packing: str | None
    dialect: dict[str, Any]
    dropped: int
    nulled: int

    @classmethod
    def of(cls, file: _core.File, members: list[dict[str, Any]]) -> "TextInfo":
        """The description of an opened file."""
        facts = file.facts()
        return cls(
            packing=facts["packing"],
            dialect=json.loads(facts["dialect"] or "{}"),
            dropped=facts["dropped"],
            nulled=facts["nulled"],
        )

    def __str__(self) -> str:
        parts = [f"{name} {value!r}" for name, value in self.dialect.items() if value is not None]
        parts += [self.packing] if self.packing else []
        parts += [f"{self.dropped:,} records left out"] if self.dropped else []
        parts += [f"{self.nulled:,} values made null"] if self.nulled else []
        return ", ".join(parts) or "plain"
