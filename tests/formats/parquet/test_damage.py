"""Every cut of a file is refused, and every flipped byte gives data or a typed error, in little memory."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("pandas")

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

import colonnade as cn
from tests.helpers import parquet_bytes as pb
from tests.helpers.parquet_bytes import Column, data_page, levels, packed, plain
from tests.sweep import parquet as sweep_parquet

_FRAME = pd.DataFrame(
    {
        "i": [1, -200, 70_000],
        "f": [0.5, None, -0.0],
        "s": ["x", None, "é"],
        "c": pd.Categorical(["u", "v", "u"]),
        "t": pd.to_datetime(["2024-01-01", None, "1969-12-31"]),
    },
    index=pd.Index(["p", "q", "r"], name="k"),
)
_TABLE = pa.table({"i": [1, None, 3] * 4, "b": [True, False, None] * 4, "s": ["x", "yy", None] * 4})
_NESTED = pa.table({"l": [[1, None], [], None, [2]], "m": [{"x": 1, "y": "a"}, None, {"x": None, "y": ""}, None]})


def _pyarrow(table: Any, **options: Any) -> Callable[[], bytes]:
    def make() -> bytes:
        sink = pa.BufferOutputStream()
        pq.write_table(table, sink, store_schema=False, write_statistics=False, **options)
        return sink.getvalue().to_pybytes()

    return make


def _ours(frame: Any, **options: Any) -> Callable[[], bytes]:
    return lambda: cn.encode(frame, "parquet", **options)


SOURCES: dict[str, Callable[[], bytes]] = {
    "bare": lambda: pb.file(
        [
            Column("a", pb.INT64, [data_page(levels(packed([1, 0, 1], 1)) + plain("q", 1, 2), 3)], 3, pb.OPTIONAL),
            Column("b", pb.DOUBLE, [data_page(plain("d", 0.5, 1.5, -0.0), 3)], 3),
        ],
        3,
    ),
    "dictionaries, snappy": _pyarrow(_TABLE, compression="snappy", write_page_checksum=True),
    "version 2, zstd": _pyarrow(_TABLE, compression="zstd", data_page_version="2.0", use_dictionary=False),
    "differences, gzip": _pyarrow(
        _TABLE,
        compression="gzip",
        use_dictionary=False,
        column_encoding={"i": "DELTA_BINARY_PACKED", "b": "RLE", "s": "DELTA_BYTE_ARRAY"},
    ),
    "lengths, lz4": _pyarrow(
        _TABLE.select(["s"]), compression="lz4", use_dictionary=False, column_encoding={"s": "DELTA_LENGTH_BYTE_ARRAY"}
    ),
    "split, brotli": _pyarrow(
        pa.table({"f": [0.5, None, 1.5] * 4}),
        compression="brotli",
        use_dictionary=False,
        column_encoding={"f": "BYTE_STREAM_SPLIT"},
    ),
    "nested": _pyarrow(_NESTED, compression="none"),
    "page index": _pyarrow(_TABLE.select(["i"]), compression="none", write_page_index=True, row_group_size=5),
    "as pandas writes it": lambda: _FRAME.to_parquet(index=True, compression=None),
    "ours": _ours(_FRAME),
    "ours, small": _ours(_FRAME[["i", "s"]], profile="small"),
}


@pytest.mark.parametrize("damage", ["cut", pytest.param("flip", marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("name", SOURCES)
def test_damage(name: str, damage: str, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_bytes(SOURCES[name]())
    results = sweep_parquet.run({"source": str(source), "damage": damage})
    assert len(results) == source.stat().st_size * (1 if damage == "cut" else 3)
    if damage == "cut":
        for result in results:
            found = {result[step] for step in sweep_parquet.STEPS}
            assert found <= {"TruncatedError", "DecodeError", "UnsupportedError"}, result


@pytest.mark.parametrize("name", ["dictionaries, snappy", "ours"])
def test_a_flipped_page_is_found_by_its_checksum(name: str, tmp_path: Path) -> None:
    """Of the bytes that hold values, each one."""
    whole = SOURCES[name]()
    path = tmp_path / "source.parquet"
    path.write_bytes(whole)
    cn.verify(path)
    missed = 0
    bodies = _bodies(whole)
    for offset in bodies:
        flipped = bytearray(whole)
        flipped[offset] ^= 0x10
        try:
            cn.verify(bytes(flipped))
        except cn.DecodeError:
            continue
        missed += 1
    assert bodies
    assert missed == 0


def _bodies(content: bytes) -> list[int]:
    """Where the bodies of pages stand: a page is found by pyarrow's own reading of its chunk's place."""
    out: list[int] = []
    metadata = pq.ParquetFile(pa.BufferReader(content)).metadata
    for group in range(metadata.num_row_groups):
        for column in range(metadata.num_columns):
            chunk = metadata.row_group(group).column(column)
            start = chunk.dictionary_page_offset or chunk.data_page_offset
            end = start + chunk.total_compressed_size
            while start < end:
                header, nbytes = _page_header(content, start)
                out += range(start + header, start + header + nbytes)
                start += header + nbytes
    return out


def _page_header(content: bytes, start: int) -> tuple[int, int]:
    """Bytes of a page's header and of its body: the compact protocol, read as far as needed."""
    at, numbers = start, {}
    depth, last = 0, [0]

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = content[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while True:
        head = content[at]
        at += 1
        if head == 0:
            if depth == 0:
                return at - start, numbers[3]
            depth -= 1
            last.pop()
            continue
        kind = head & 15
        last[-1] = last[-1] + (head >> 4) if head >> 4 else varint() >> 1
        if kind in (4, 5, 6):
            value = varint()
            if depth == 0:
                numbers[last[-1]] = value >> 1 ^ -(value & 1)
        elif kind == 8:
            nbytes = varint()
            at += nbytes
        elif kind == 12:
            depth += 1
            last.append(0)
        elif kind not in (1, 2):
            raise AssertionError(f"a value of kind {kind} in a page header")
