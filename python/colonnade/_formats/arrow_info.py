"""Properties of Arrow files and streams in `cn.inspect`."""

from dataclasses import dataclass
from typing import Any

from .. import _core


@dataclass(frozen=True)
class ArrowInfo:
    """Properties of an Arrow file or stream.

    Attributes
    ----------
    batches : list of int
        The number of rows of each record batch.
    dictionaries : int
        The number of dictionary messages, including deltas and replacements.
    metadata_version : int
        The version of Arrow's metadata: 4 or 5.
    big_endian : bool
        Whether values are big-endian.
    truncated : bool
        Whether the end is missing (``allow_truncated=True``).
    """

    batches: list[int]
    dictionaries: int
    metadata_version: int
    big_endian: bool
    truncated: bool

    @classmethod
    def of(cls, file: _core.File, members: list[dict[str, Any]]) -> "ArrowInfo":
        """The description of an opened file, whose messages are `members`."""
        facts = file.facts()
        return cls(
            batches=file.batch_rows() or [],
            dictionaries=sum(str(member["name"]).startswith("dictionary") for member in members),
            metadata_version=facts["metadata_version"],
            big_endian=facts["big_endian"],
            truncated=facts["truncated"],
        )

    def __str__(self) -> str:
        counts = sorted(set(self.batches))
        rows = f" of {counts[0]:,}" if len(counts) == 1 else f" of {counts[0]:,} to {counts[-1]:,}" if counts else ""
        parts = [f"{len(self.batches):,}{rows} rows" if counts else "none"]
        if self.dictionaries:
            parts.append(f"{self.dictionaries:,} dictionaries")
        parts.append(f"metadata V{self.metadata_version}")
        parts += ["big-endian"] * self.big_endian + ["the end is missing"] * self.truncated
        return ", ".join(parts)
