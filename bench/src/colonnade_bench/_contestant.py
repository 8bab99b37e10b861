"""One cell and one call, ready to be timed."""

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
    """One cell and one operation, ready to be called."""

    cell: Cell
    operation: str
    directory: Path
    data: Any = None

    def __post_init__(self) -> None:
        self.engine = ENGINES[self.cell.engine]
        self.library = LIBRARIES[self.cell.library]
        self.session = TRANSPORTS[self.cell.transport](self.engine, self.cell, self.directory)

    def prepare(self) -> None:
        """The state each call must find: no file to write onto, or one, or one to read. Not timed."""
        if self.operation in READS:
            self.session.prepare()
        elif self.operation == "write":
            self.session.clear()
        elif self.operation == "replace" and not self.session.exists():
            self.session.write(self.data)

    def call(self) -> dict[str, Any]:
        """One timed call. A read's result is dropped afterwards, untimed."""
        if self.operation in READS:
            return self.timed_read(self.session)
        out = measure_write(lambda: self.session.write(self.data), self.engine.self_timed)
        return {**out, "wire_nbytes": self.session.wire_nbytes()}

    def timed_read(self, session: Session) -> dict[str, Any]:
        """One timed call of those that need a file that is there."""
        dataset: Any = DATASETS[self.cell.dataset]
        if self.operation == "columns":
            return measure_columns(partial(session.by_column, dataset.names))
        if self.operation == "leaf":
            return measure_columns(lambda: iter([session.leaf(dataset.leaf)]))
        # Reaching the buffers of a million small chunks takes ten times the read: such libraries are not touched.
        touched = self.library.collect_timed or self.cell.transport != "given"
        return measure_read(session.read, self.library, self.engine.self_timed, touched)[1]

    def compare(self, call: str) -> str | None:
        """What a call gives back that was not written."""
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
        """The same call on four rows, then all caches emptied: imports and code are warm, memory is not."""
        scratch = self.directory / f"rehearsal-{os.getpid()}"
        scratch.mkdir(exist_ok=True)
        # The four rows have few columns, and are of the library that makes the file.
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
