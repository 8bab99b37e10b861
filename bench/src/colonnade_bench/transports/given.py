"""Gives every engine the same bytes, made once and held in memory: a stream of record batches, or an array of maps.

A file keeps them between processes. In a process they are one `bytes` object, like received data. Every engine reads it
without a copy.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from colonnade_bench import pandas_to_objects
from colonnade_bench.datasets import DATASETS
from colonnade_bench.transports.base import Session

HELD: dict[Path, bytes] = {}
"""Streams in the memory of this process. Contestants that alternate share them."""


class GivenSession(Session):
    """A session that only reads. With option ``of="colonnade"``, Colonnade writes the stream instead of pyarrow.

    Format ``msgpack`` is an array of maps, written by msgspec.
    """

    persistent = True

    @property
    def maker(self) -> str:
        return str(self.cell.option.get("of", "msgspec" if self.cell.format == "msgpack" else "pyarrow"))

    @property
    def path(self) -> Path:
        return self.directory / f"{self.cell.dataset}.{self.cell.size:g}.{self.maker}.{self.cell.format}"

    def write(self, data: Any) -> None:
        """Writes the stream, in chunks of the dataset's size. Not timed, and not part of any cell."""
        dataset = DATASETS[self.cell.dataset]
        if self.cell.format == "msgpack":
            part = self.path.with_suffix(f".{os.getpid()}")
            by_msgspec(data, part)
            part.rename(self.path)
            return
        if not hasattr(data, "iloc"):
            data = data.to_pandas()  # the stream is that of the pandas DataFrame, whichever engine comes first
        part = self.path.with_suffix(f".{os.getpid()}")
        if self.maker == "pyarrow":
            by_pyarrow(data, part, getattr(dataset, "chunk_rows", None))
        else:
            by_colonnade(data, part, getattr(dataset, "chunk_nbytes", None))
        part.rename(self.path)

    def establish(self, data: Any) -> None:
        if not self.exists():
            self.write(data)
        self.prepare()

    def prepare(self) -> None:
        if self.path not in HELD:
            HELD[self.path] = self.path.read_bytes()
        self.engine.foresee(HELD[self.path], self.cell)

    def read(self) -> Any:
        self.prepare()
        return self.engine.decode(HELD[self.path], self.cell)

    def exists(self) -> bool:
        return self.path.exists()

    def clear(self) -> None:
        HELD.pop(self.path, None)
        self.path.unlink(missing_ok=True)

    def wire_nbytes(self) -> int:
        return self.path.stat().st_size


def by_pyarrow(data: Any, path: Path, rows: int | None) -> None:
    """Writes record batches of `rows` rows."""
    import pyarrow as pa

    table = pa.Table.from_pandas(data)
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=rows)


def by_msgspec(data: Any, path: Path) -> None:
    """Writes rows: times are MessagePack timestamps, missing text is nil, missing numbers are NaN."""
    import msgspec

    frame = data.to_pandas() if hasattr(data, "to_pandas") else data
    rows = pandas_to_objects.to_maps(frame) if hasattr(frame, "iloc") else frame
    path.write_bytes(msgspec.msgpack.encode(rows))


def by_colonnade(data: Any, path: Path, nbytes: int | None) -> None:
    """Writes record batches of about `nbytes` bytes."""
    import colonnade as cn

    cn.write(data, path, format="arrows", batch_nbytes=nbytes)
