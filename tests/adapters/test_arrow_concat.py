"""Concatenated frames: every Arrow type, dictionaries, and frames that differ."""

import numpy as np
import pyarrow as pa
import pytest

from colonnade import DecodeError, _core
from tests.helpers.arrow_capsules import EVERY, exported, frame_of, table_of
from tests.helpers.each import each


# --------------------------------------------------------------------------- one after the other
@each("name", list(EVERY))
def test_batches_are_joined(name):
    array = EVERY[name]
    table = pa.table({"x": pa.chunked_array([array.slice(1), array.slice(0, 3), array.slice(0, 0)], array.type)})
    joined = _core.concat_frames(_core.import_arrow(table))
    got = table_of(joined)
    got.validate(full=True)
    assert got.column("x").to_pylist() == table.column("x").to_pylist()
    assert got.schema.field("x").type == array.type


def test_dictionaries_are_unified_as_pyarrow_unifies_them():
    chunks = [pa.array(words).dictionary_encode() for words in (["b", "a"], ["c", None, "a"], ["d", "b"])]
    table = pa.table({"x": pa.chunked_array(chunks)})
    got = table_of(_core.concat_frames(_core.import_arrow(table))).column("x")
    expected = table.unify_dictionaries().combine_chunks().column("x")
    assert got.chunk(0).dictionary.equals(expected.chunk(0).dictionary)
    assert got.chunk(0).equals(expected.chunk(0))


def test_frames_that_differ_are_shown_both():
    numbers, text = frame_of([np.arange(2)]), frame_of([np.array(["x", "y"])])
    for join in (lambda *frames: _core.concat_frames(list(frames)), exported):
        with pytest.raises((DecodeError, _core.EncodeError)) as caught:
            join(numbers, text)
        assert "<i8" in str(caught.value)
        assert "<U1" in str(caught.value)
    with pytest.raises(DecodeError, match="column labels"):
        _core.concat_frames([numbers, frame_of([np.arange(2)], labels=np.array(["other"]))])


def test_one_frame_is_answered_as_it_is():
    frame = frame_of([np.arange(2)])
    assert _core.concat_frames([frame]) is frame
    for call in (_core.concat_frames, _core.export_arrow_stream):
        with pytest.raises(DecodeError, match="one frame at least"):
            call([])
