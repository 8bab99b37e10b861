"""Runs one operation of one cell, timed."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from colonnade_bench.cell import READS, Cell
from colonnade_bench.datasets import DATASETS
from colonnade_bench.engines import ENGINES
from colonnade_bench.engines.leaves import field_of_items
from colonnade_bench.libraries import LIBRARIES
from colonnade_bench.maxima import measure_columns, same
from colonnade_bench.measure import measure_read, measure_write, trim_heap
from colonnade_bench.transports import TRANSPORTS, Session


@dataclass
class Contestant:
    """One cell and one operation."""

    cell: Cell
    operation: str
    directory: Path
    data: Any = None

    def __post_init__(self) -> None:
        self.engine = ENGINES[self.cell.engine]
        self.library = LIBRARIES[self.cell.library]
        self.session = TRANSPORTS[self.cell.transport](self.engine, self.cell, self.directory)

    def prepare(self) -> None:
        """Sets up the state that each call must find. Not timed.

        A write needs a free name, a replace needs a file to replace, a read needs a file to read.
        """
        if self.operation in READS:
            self.session.prepare()
        elif self.operation == "write":
            self.session.clear()
        elif self.operation == "replace" and not self.session.exists():
            self.session.write(self.data)

    def call(self) -> dict[str, Any]:
        """Runs one timed call. The result of a read is dropped afterwards, untimed."""
        if self.operation in READS:
            return self.timed_read(self.session)
        out = measure_write(lambda: self.session.write(self.data), self.engine.self_timed)
        return {**out, "wire_nbytes": self.session.wire_nbytes()}

    def timed_read(self, session: Session) -> dict[str, Any]:
        """Times one call that reads an existing file."""
        dataset: Any = DATASETS[self.cell.dataset]
        if self.operation == "columns":
            return measure_columns(partial(session.by_column, dataset.names))
        if self.operation == "leaf":
            return measure_columns(lambda: iter([session.leaf(dataset.leaf)]))
        # Finding the buffers of a million small chunks takes ten times as long as the read. For such libraries they are
        # not touched.
        touched = self.library.collect_timed or self.cell.transport != "given"
        return measure_read(session.read, self.library, self.engine.self_timed, touched)[1]

    def compare(self, call: str) -> str | None:
        """Describes how the result of a call differs from the written data, or returns None."""
        dataset: Any = DATASETS[self.cell.dataset]
        if call == "columns":
            read = zip(dataset.names, self.session.by_column(dataset.names), strict=True)
            wrong = [name for name, column in read if not same(column, self.data[name])]
            return f"by column: {', '.join(wrong[:8])} differ" if wrong else None
        if call == "leaf":
            column, field = dataset.leaf
            whole = field_of_items(self.data[column], field)
            return None if same(self.session.leaf(dataset.leaf), whole) else f"the leaf {column}[].{field} differs"
        return self.library.difference(self.session.read(), self.session.expected(self.data))

    def rehearse(self) -> None:
        """Runs the same call on four rows, then empties all caches.

        Afterwards imports and code are warm, but memory is not.
        """
        scratch = self.directory / f"rehearsal-{os.getpid()}"
        scratch.mkdir(exist_ok=True)
        # The four rows have few columns. Their library is the one that writes the file.
        cell = replace(self.cell, options=tuple(pair for pair in self.cell.options if pair[0] != "columns"))
        session = TRANSPORTS[cell.transport](self.engine, cell, scratch)
        library, few = getattr(session, "writer", cell).library, getattr(DATASETS[cell.dataset], "few", None)
        session.write(LIBRARIES[library].tiny() if few is None else few(library))
        if self.operation in READS:
            self.timed_read(session)
        session.clear()
        scratch.rmdir()
        self.engine.forget()
        trim_heap()
