"""What few bytes may ask for: memory and work stay in proportion to what is there, whatever it claims."""

import io
import struct
from typing import Any

import numpy as np
import pytest

from tests.helpers.each import each

pytest.importorskip("pyarrow")
import pyarrow as pa

import colonnade as cn
from colonnade import _core
from tests.helpers import arrow_bytes as ab
from tests.helpers.arrow_look import batches_of, open_ipc, open_reader
from tests.sweep import arrow as sweep_arrow

_HUGE = 1 << 56


def _stream(batches: list[Any], **options: Any) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, batches[0].schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return sink.getvalue()


def _growing(count: int, nbytes: int) -> list[Any]:
    values = [f"{i:06d}".ljust(nbytes, "x") for i in range(count)]
    codes = [pa.array([i, 0], pa.int32()) for i in range(count)]
    whole = pa.array(values)
    return [
        pa.record_batch({"a": pa.DictionaryArray.from_arrays(code, whole[: i + 1])}) for i, code in enumerate(codes)
    ]


# --------------------------------------------------------------------------- dictionaries
def test_each_batch_sees_as_much_of_a_dictionary_as_had_come() -> None:
    batches = _growing(50, 8)
    content = _stream(batches, emit_dictionary_deltas=True)
    opened = open_ipc(content, "arrows")
    for found in (opened.load_arrow(), [opened.batch(i) for i in range(50)], batches_of(open_reader(content))):
        columns = [pa.array(core.column(0)) for core in found]
        assert columns == [batch["a"] for batch in batches]
        assert [len(column.dictionary) for column in columns] == list(range(1, 51))
    whole = pa.array(opened.load().column(0))
    assert whole.to_pylist() == [value for batch in batches for value in batch["a"].to_pylist()]


def test_additions_follow_their_own_replacement() -> None:
    batches = _growing(4, 8) + _growing(3, 9)
    content = _stream(batches, emit_dictionary_deltas=True)
    for found in (open_ipc(content, "arrows").load_arrow(), batches_of(open_reader(content))):
        assert [pa.array(core.column(0)) for core in found] == [batch["a"] for batch in batches]


def test_a_dictionary_that_grows_with_each_batch_is_held_once() -> None:
    content = _stream(_growing(400, 10_000), emit_dictionary_deltas=True)
    assert len(content) < 6 << 20
    results = sweep_arrow.run({"hex": {"growing": content.hex()}, "modes": [("arrows", False)]})
    assert [(result["load"], result["arrow"], result["reader"]) for result in results] == [(800, 800, 800)]


def test_codes_within_a_dictionary_that_cannot_count_all_values_are_an_error() -> None:
    def batch(prefix: str) -> Any:
        codes = pa.array(range(100), pa.int8())
        inner = pa.DictionaryArray.from_arrays(codes, pa.array([f"{prefix}{i}" for i in range(100)]))
        values = pa.StructArray.from_arrays([inner], ["inner"])
        return pa.record_batch({"a": pa.DictionaryArray.from_arrays(codes.cast("int32"), values)})

    opened = open_ipc(_stream([batch(prefix) for prefix in "abc"]), "arrows")
    assert [core.nrows for core in opened.load_arrow()] == [100, 100, 100]
    with pytest.raises(cn.ColonnadeError, match=r"arrow: .*dictionaries cannot be merged"):
        opened.load()


# --------------------------------------------------------------------------- lengths that store no bytes
def _nested(item: tuple[int, ab.Table], length: int, nodes: int = 1, children: tuple[ab.Table, ...] = ()) -> bytes:
    """Lists of one row, which holds nothing, over items that say to be `length`."""
    head = ab.schema(ab.field("a", ab.LIST, [ab.field("item", item, children)]))
    empty = [(0, 0)] * (0 if item is ab.NULL else nodes)
    return ab.stream(
        head,
        ab.batch(1, [(1, 0), *[(length, 0)] * nodes], [(0, 0), (0, 8), *empty], bytes(8)),
    )


_LENGTHS = {
    "nulls in lists": _nested(ab.NULL, _HUGE),
    "empty binary in lists": _nested(ab.fixed_binary(0), _HUGE),
    "lists too many to count": _nested(ab.fixed_list(2**31 - 1), _HUGE, nodes=2, children=(ab.field("item", ab.NULL),)),
    "nulls in a dictionary": ab.stream(
        ab.schema(ab.field("a", ab.NULL, dictionary=0, index=ab.INT32[1])),
        ab.dictionary_batch(0, ab.batch(_HUGE, [(_HUGE, 0)], [])),
        ab.batch(1, [(1, 0)], [(0, 0), (0, 4)], bytes(8)),
    ),
}


@pytest.mark.parametrize("name", _LENGTHS)
def test_lengths_within_that_no_byte_stands_behind(name: str) -> None:
    content = _LENGTHS[name]
    with pytest.raises((cn.LimitError, cn.DecodeError), match="arrow: "):
        open_ipc(content, "arrows").load()
    with pytest.raises((cn.LimitError, cn.DecodeError), match="arrow: "):
        batches_of(open_reader(content))


# --------------------------------------------------------------------------- headers
def test_text_shared_a_thousand_times_is_not_read_a_thousand_times() -> None:
    text = ab.Table({0: "key", 1: "x" * 100_000})
    head = ab.schema(ab.field("a", ab.INT64))
    head.slots[2] = ab.Vector([text] * 4000)
    with pytest.raises(cn.DecodeError, match="expected a flatbuffer"):
        open_ipc(ab.stream(head), "arrows")


def test_a_number_that_is_an_offset_too_is_not_changed_unseen() -> None:
    """The endianness lies in the upper half of the offset to the fields: made little-endian, it points elsewhere."""
    head = ab.schema(ab.field("a", ab.INT64), endianness=1, metadata=[("k", "x" * 70_000)])
    metadata = bytearray(ab.schema_message(head).metadata())

    def slot(table: int, i: int) -> tuple[int, int]:
        entry = table - struct.unpack_from("<i", metadata, table)[0] + 4 + 2 * i
        return entry, table + struct.unpack_from("<H", metadata, entry)[0]

    at = slot(struct.unpack_from("<I", metadata, 0)[0], 2)[1]
    table = at + struct.unpack_from("<I", metadata, at)[0]
    fields = slot(table, 1)[1]
    assert struct.unpack_from("<I", metadata, fields)[0] >> 16 == 1
    struct.pack_into("<H", metadata, slot(table, 0)[0], fields + 2 - table)
    content = b"\xff\xff\xff\xff" + struct.pack("<i", len(metadata)) + metadata + ab.END
    with pytest.raises(cn.DecodeError, match="the schema is no flatbuffer"):
        open_ipc(bytes(content), "arrows")


def test_a_schema_that_never_comes_is_not_waited_for() -> None:
    reader = open_reader(ab.END)
    for _ in range(3):
        with pytest.raises(cn.DecodeError, match="schema"):
            reader.schema()


def test_bytes_that_a_function_took_away_again_are_not_made_up() -> None:
    def read_into(view: memoryview) -> int:
        lent, count = view.obj, len(view)
        view.release()
        lent.clear()
        return count

    options = _core.ArrowsReadOptions(limits=cn.Limits())
    with pytest.raises(ValueError, match="no longer there"):
        _core.Reader.open_callable(read_into, options=options).schema()


def test_blocks_that_share_bytes_are_refused_before_they_are_followed() -> None:
    head = ab.schema(ab.field("a", ab.INT64))
    two = ab.batch(2, [(2, 0)], [(0, 0), (0, 16)], struct.pack("<qq", 1, 2))
    start, nbytes = 8 + len(ab.as_message(head).encode()), 8 + len(two.metadata())
    for block in [(start, nbytes, 16), (start + 8, nbytes - 8, 16), (start + nbytes, 8, 0)]:
        with pytest.raises(cn.DecodeError, match="two blocks point at the bytes"):
            open_ipc(ab.file(head, two, two, blocks={1: block}), "arrow")


# --------------------------------------------------------------------------- limits
@each("codec", [None, "lz4", "zstd"])
@each("text", [False, True])
def test_bodies_become_no_more_than_the_limit(codec: str | None, text: bool) -> None:
    column = pa.array(["x" * 1000] * 1000) if text else pa.array(np.zeros(125_000))
    content = _stream([pa.record_batch({"a": column})] * 3, compression=codec)
    enough, few = cn.Limits(max_nbytes=4 << 20), cn.Limits(max_nbytes=2 << 20)
    assert open_ipc(content, "arrows", limits=enough).load().nrows == 3 * len(column)
    with pytest.raises(cn.LimitError, match=r"decoded, the limit for .* or pass limits=Limits\(max_nbytes="):
        open_ipc(content, "arrows", limits=few)
    # Batch by batch only one is held.
    assert len(batches_of(open_reader(content, limits=few))) == 3
    with pytest.raises(cn.LimitError):
        batches_of(open_reader(content, limits=cn.Limits(max_nbytes=1 << 19)))
