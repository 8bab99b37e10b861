"""What may come of one file and two readers, and the views of Colonnade and of the other readers."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

EQUAL = "both equal"
REFUSE = "both refuse"
ONLY_WE = "only we"
ONLY_PEER = "only peer"
DIFFERENT = "different"
RULE = "by a rule"
PEER_ENDED = "peer crashed"
NOT_COMPARED = "not compared"
FINDING = "finding"


class Refused(Exception):
    """The other reader has a value that is no table, or one that its own validation refuses."""


class NotCompared(Exception):
    """The other reader, or pyarrow between the two, cannot hold the values."""


@dataclass(frozen=True)
class Peer:
    """An independent reader: how we read for it, how it reads, and where the two differ."""

    ours: Callable[["File"], Any]
    theirs: Callable[["File"], Any]
    difference: Callable[[Any, Any], str | None]


@dataclass(frozen=True)
class File:
    """The bytes of one input, and the byte that chooses the options of reading (0 where there is none)."""

    format: str
    content: bytes
    choice: int
