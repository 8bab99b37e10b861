"""Properties of Parquet files in `cn.inspect`."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from .. import _core
from .._values.amounts import nbytes_text


@dataclass(frozen=True)
class ParquetInfo:
    """Properties of a Parquet file.

    Attributes
    ----------
    row_groups : list of dict
        Keys: ``nrows``, ``nbytes``, ``compressed_nbytes`` and ``offset``.
    encodings : dict
        Each encoding, by its name in the specification, with the number of column chunks that have it.
    created_by : str or None
        The program that wrote the file, as the file states it.
    format_version : int
        The version in the footer: 1 or 2.
    statistics, page_index, bloom_filters, encrypted : int
        The numbers of column chunks that have minimum and maximum values, a page index, a bloom filter, and encryption.
    """

    row_groups: list[dict[str, Any]]
    encodings: dict[str, int]
    created_by: str | None
    format_version: int
    statistics: int
    page_index: int
    bloom_filters: int
    encrypted: int

    @classmethod
    def of(cls, file: _core.File, members: list[dict[str, Any]]) -> "ParquetInfo":
        """The description of an opened file, whose column chunks are `members`."""
        encodings = Counter(encoding for member in members for encoding in member["encodings"])
        facts = file.facts()
        return cls(
            row_groups=file.batches(),
            encodings=dict(encodings.most_common()),
            created_by=facts["created_by"],
            format_version=facts["format_version"],
            statistics=sum(_has_values(member) for member in members),
            page_index=sum(bool(member["page_index"]) for member in members),
            bloom_filters=sum(bool(member["bloom_filter"]) for member in members),
            encrypted=sum(bool(member["encrypted"]) for member in members),
        )

    def facts(self) -> list[tuple[str, str]]:
        """Return the lines of the summary as pairs (name, text)."""
        counts = sorted({group["nrows"] for group in self.row_groups})
        rows = f" of {counts[0]:,}" if len(counts) == 1 else f" of {counts[0]:,} to {counts[-1]:,}" if counts else ""
        groups = f"{len(self.row_groups):,}{rows} rows" if counts else "none"
        largest = max((group["nbytes"] for group in self.row_groups), default=0)
        if largest:
            groups += f", up to {nbytes_text(largest)} encoded"
        more = {
            "statistics": self.statistics,
            "a page index": self.page_index,
            "a bloom filter": self.bloom_filters,
            "encryption": self.encrypted,
        }
        having = [f"{count:,} with {what}" for what, count in more.items() if count]
        found = [
            ("row groups", groups),
            ("encodings", ", ".join(f"{name} {count:,}" for name, count in self.encodings.items()) or "none"),
        ]
        if having:
            found.append(("chunks", ", ".join(having)))
        if self.created_by:
            found.append(("program", self.created_by))
        return found


def _has_values(member: dict[str, Any]) -> bool:
    statistics = member["statistics"]
    return bool(statistics) and statistics.get("min") is not None
