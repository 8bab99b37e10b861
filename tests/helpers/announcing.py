"""Arrow streams that say how many rows will come, truly or not."""

import dataclasses

from tests.helpers import arrow_bytes as ab
from tests.helpers.arrow_bytes import Message, Table, Vector


@dataclasses.dataclass(frozen=True)
class Announcement(Message):
    """A schema message whose own metadata says how many rows come."""

    nrows: str = ""

    def metadata(self) -> bytes:
        pair = Table({0: "colonnade.nrows", 1: self.nrows})
        slots = {0: ("h", self.version), 1: ("B", self.kind), 2: self.header, 3: ("q", 0), 4: Vector([pair])}
        return ab.flatbuffer(Table(slots))
