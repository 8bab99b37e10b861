"""Streams that land while they arrive, with buffers of megabytes."""

import numpy as np
import pyarrow as pa

import colonnade as cn
from colonnade import _core
from tests.helpers.each import each


@each("piece", [None, 3_000_000])
def test_texts_whose_offsets_have_megabytes(piece: int | None) -> None:
    """Memory for the offsets is taken little by little. The texts follow them and must wait."""
    numbers = pa.array(np.arange(600_000))
    offsets, letters = np.arange(600_001), np.resize(np.frombuffer(b"abcdefg", np.uint8), 600_000)
    texts = pa.LargeStringArray.from_buffers(600_000, pa.py_buffer(offsets), pa.py_buffer(letters))
    table = pa.table({"number": numbers, "again": numbers, "text": texts})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        # The sender is fast: more and more bytes are wanted at a time.
        for start in range(0, 200_000, 20_000):
            writer.write_table(table.slice(start, 20_000))
        writer.write_table(table)
    expected = pa.concat_tables([table.slice(0, 200_000), table])
    options = _core.ConnectOptions(limits=_core.Limits())
    found = _core.Connection.over_buffer(sink.getvalue().to_pybytes(), "memory", options, piece).receive()
    assert isinstance(found, _core.CoreFrame)
    assert cn.Frame._make(core=found).to_arrow().equals(expected)
