"""Each inner part of a file that a library decodes, damaged byte by byte: data or a typed error, and nothing else.

An inner part is what metadata carry as text or bytes of another format: a stream of column labels, the schema of
Parquet's `ARROW:schema`, dictionaries, footers. Each byte becomes its eight single-bit flips and 00, 7f, 80, ff.
"""

from __future__ import annotations

import base64
import io
import re
import struct
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import colonnade as cn
from tests.helpers.each import each
from tests.helpers.ways import exactly

FORMATS = ("arrow", "arrows", "parquet", "msgpack", "csv", "json", "ndjson", "yaml")


def damages(part: bytes) -> Iterator[bytes]:
    """The part with each byte changed in twelve ways."""
    room = bytearray(part)
    for at, byte in enumerate(part):
        changed = {byte ^ (1 << bit) for bit in range(8)} | {0x00, 0x7F, 0x80, 0xFF}
        for other in sorted(changed - {byte}):
            room[at] = other
            yield bytes(room)
        room[at] = byte


def outcome(content: bytes, format: str) -> str:
    """ "read" or "refused"; whatever else is raised passes."""
    try:
        cn.read(content, format=format, verify=True)
    except cn.InternalError:
        raise
    except cn.ColonnadeError:
        return "refused"
    return "read"


def sweep(part: bytes, whole: Callable[[bytes], bytes], format: str) -> dict[str, int]:
    """The outcomes of all damages; `whole` makes the file of the damaged part."""
    found = {"read": 0, "refused": 0}
    assert outcome(whole(part), format) == "read"
    for damaged in damages(part):
        found[outcome(whole(damaged), format)] += 1
    return found


STREAM = re.compile(rb"/////[A-Za-z0-9+/]{200,}=*")
END = struct.pack("<II", 0xFFFFFFFF, 0)


def texts(content: bytes) -> Iterator[bytes]:
    """Each text in base64 that begins like a message, also those within another."""
    for match in STREAM.finditer(content):
        yield match[0]
        yield from texts(base64.b64decode(match[0]))


def replaced(content: bytes, old: bytes, new: bytes) -> bytes:
    """The content with one text of base64 replaced by another of its length, also within other texts."""

    def within(match: re.Match[bytes]) -> bytes:
        if match[0] == old:
            return new
        inner = base64.b64decode(match[0])
        return match[0] if old not in inner else base64.b64encode(replaced(inner, old, new))

    assert len(old) == len(new)
    return STREAM.sub(within, content)


def stream_in(content: bytes) -> tuple[bytes, Callable[[bytes], bytes]]:
    """The one stream within the metadata, and what makes the file with another in its places."""
    found = {text for text in texts(content) if base64.b64decode(text).endswith(END)}
    [old] = found
    return base64.b64decode(old), lambda part: replaced(content, old, base64.b64encode(part))


def hierarchical(labels: Any = (("a", 1), ("ü", 2))) -> pd.DataFrame:
    columns = pd.MultiIndex.from_tuples(labels, names=["x", None])
    return pd.DataFrame(np.arange(4.0).reshape(2, 2), columns=columns)


@each("format", list(FORMATS))
def test_a_stream_of_column_labels(format: str) -> None:
    part, whole = stream_in(cn.encode(hierarchical(), format, **exactly(format)))
    found = sweep(part, whole, format)
    assert found["refused"] > 1000


def test_a_stream_of_categorical_column_labels() -> None:
    frame = hierarchical()
    levels = [pd.CategoricalIndex(["a", "ü"], ordered=True), pd.Index([1, 2])]
    frame.columns = pd.MultiIndex.from_arrays(levels)
    part, whole = stream_in(cn.encode(frame, "arrows"))
    assert sweep(part, whole, "arrows")["refused"] > 1000


@pytest.mark.parametrize("values", [[True, False], [{"a": 1}, {"a": 2}]], ids=["bool", "struct"])
def test_a_dictionary_in_the_metadata_of_parquet(values: list[Any]) -> None:
    codes = pa.array([0, 1, 1, None], pa.int8())
    table = pa.table({"c": pa.DictionaryArray.from_arrays(codes, pa.array(values))})
    part, whole = stream_in(cn.encode(table, "parquet"))
    assert sweep(part, whole, "parquet")["refused"] > 500


def parquet_of_pyarrow() -> bytes:
    table = pa.table(
        {
            "t": pa.array([1, None], pa.timestamp("us", "Asia/Tokyo")),
            "c": pa.array(["a", "b"]).dictionary_encode(),
            "l": pa.array([[1], None], pa.large_list(pa.duration("s"))),
            "s": pa.array([{"f": b"ab"}, None], pa.struct({"f": pa.binary(2)})),
        }
    )
    sink = io.BytesIO()
    pq.write_table(table, sink)
    return sink.getvalue()


def test_the_arrow_schema_of_parquet() -> None:
    content = parquet_of_pyarrow()
    [old] = set(texts(content))
    sweep(base64.b64decode(old), lambda part: replaced(content, old, base64.b64encode(part)), "parquet")


def test_the_text_of_the_arrow_schema_of_parquet() -> None:
    content = parquet_of_pyarrow()
    [old] = set(texts(content))
    at = content.index(old)
    sweep(old, lambda part: content[:at] + part + content[at + len(old) :], "parquet")


def table_with_dictionaries() -> pa.Table:
    values = pa.array(["a", "bc", None, "a"]).dictionary_encode()
    nested = pa.StructArray.from_arrays([values], ["d"])
    return pa.table({"c": values, "n": nested})


def of_pyarrow(maker: Any) -> bytes:
    sink = io.BytesIO()
    table = table_with_dictionaries()
    with maker(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def test_dictionary_batches() -> None:
    content = of_pyarrow(pa.ipc.new_stream)
    reader = pa.ipc.MessageReader.open_stream(content)
    messages = [message.serialize().to_pybytes() for message in reader]
    start = len(messages[0])
    stop = start + sum(len(message) for message in messages[1:-1])
    assert b"bc" in content[start:stop]
    found = sweep(content[start:stop], lambda part: content[:start] + part + content[stop:], "arrows")
    assert found["refused"] > 1000


def test_the_footer_of_an_arrow_file() -> None:
    content = of_pyarrow(pa.ipc.new_file)
    (nbytes,) = struct.unpack("<i", content[-10:-6])
    start = len(content) - 10 - nbytes
    found = sweep(content[start:], lambda part: content[:start] + part, "arrow")
    assert found["refused"] > 1000


def test_yaml() -> None:
    content = b"""%YAML 1.2
---
- &r {a: 1, "b\\u00e9": !!str 2, c: [~, .inf, 0x1f]}
- *r
- ? a
  : 'it''s'
  b: |+2
    block

  c: >-
    folded
     more
...
"""
    assert outcome(content, "yaml") in ("read", "refused")
    found = {outcome(damaged, "yaml") for damaged in damages(content)}
    assert found == {"read", "refused"}
