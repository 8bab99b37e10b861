"""`Connection.partial`: what has come of a record batch, wherever its columns are received."""

import numpy as np
import pytest

pytest.importorskip("pyarrow")

import pyarrow as pa

from colonnade.testing.transports import PATIENCE_S
from tests.helpers.connected import facing_socket

ROWS = np.arange(10_000)
COLUMNS = {
    "numbers": ROWS + 0.5,
    "text": [f"{row:09}" for row in ROWS],
    "flags": ROWS % 3 == 0,
}


@pytest.mark.parametrize("name", list(COLUMNS))
def test_what_has_come_of_a_record_batch(name: str) -> None:
    table = pa.table({"a": ROWS, "b": COLUMNS[name], "c": ROWS})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    data = sink.getvalue().to_pybytes()
    body, sent = data.index(ROWS[:4].tobytes()), 0
    with facing_socket() as (here, theirs):
        theirs.settimeout(PATIENCE_S)
        for cut in (body + 1000, body + ROWS.nbytes + 1000, len(data) - ROWS.nbytes - 20, len(data) - 1000):
            theirs.sendall(data[sent:cut])
            sent = cut
            while len(here.partial()) < cut - body:
                assert not here.poll(0.001)
            assert here.partial() == data[body:cut]
        theirs.sendall(data[sent:])
        assert here.receive().to_arrow().equals(table)
