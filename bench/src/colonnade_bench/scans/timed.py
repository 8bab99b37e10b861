"""The result of a call that is not timed as a whole, or whose memory is that of other processes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Timed:
    """A result, with the seconds and the peak of memory that count instead of those of the call's process."""

    result: Any
    seconds: float | None = None
    peak_nbytes: int | None = None
