"""Every byte of what the `parquet` crate decodes for us, damaged: data or a typed error, never a panic."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import colonnade as cn
from tests.helpers import parquet_bytes as pb
from tests.helpers.each import each

LIMITS = cn.Limits(max_unbacked_nbytes=4 << 20, max_expansion=64, max_unbacked_rows=1 << 20)


def intervals(encoding: int) -> bytes:
    """Lists of INTERVAL, of which the crate decodes the values."""
    value = (1).to_bytes(4, "little") + (2).to_bytes(4, "little") + (3).to_bytes(4, "little")
    levels = pb.levels(pb.packed([0, 1, 0, 0], 1)) + pb.levels(pb.packed([3, 2, 3, 0], 2))
    if encoding == pb.PLAIN:
        pages = [pb.data_page(levels + value * 2, 4)]
    elif encoding == pb.RLE_DICTIONARY:
        pages = [pb.dictionary_page(value * 2, 2), pb.data_page(levels + b"\1" + pb.packed([1, 0], 1), 4, encoding)]
    else:
        pages = [pb.data_page(levels + b"".join(bytes([b]) * 2 for b in value), 4, encoding)]
    schema = pb.list_schema(pb.FIXED, pb.OPTIONAL, length=12, converted=21)
    column = pb.Column(
        "a",
        pb.FIXED,
        pages,
        4,
        path=("a", "list", "element"),
        has_dictionary=len(pages) > 1,
        encodings=(0, 3, encoding),
    )
    return pb.file([column], 3, schema=schema)


def saved(cells: Any, **options: Any) -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table({"a": cells}), sink, compression="none", write_statistics=False, **options)
    return sink.getvalue()


def no_bytes() -> bytes:
    sink = io.BytesIO()
    cn.write(pa.table({"a": pa.array([b"", None, b""], pa.binary(0))}), sink, format="parquet", compression=None)
    return sink.getvalue()


def deep() -> bytes:
    """More levels than our own decoder takes."""
    kind, value = pa.int32(), 7
    cells: Any = [value, None]
    for _ in range(64):
        kind, cells = pa.list_(kind), [cells]
    return saved(pa.array(cells, kind), store_schema=False, use_dictionary=False)


def runs() -> bytes:
    """Run-ends in a list: our writer keeps them as their values."""
    sink = io.BytesIO()
    cells = pa.RunEndEncodedArray.from_arrays(pa.array([2, 5], pa.int32()), pa.array(["x", None]))
    cn.write(pa.table({"a": cells}), sink, format="parquet", compression=None)
    return sink.getvalue()


def decimals() -> bytes:
    cells = pa.array([[1, None], [2]], pa.list_(pa.decimal256(60, 2)))
    return saved(cells, use_dictionary=False, column_encoding={"a.list.element": "DELTA_BYTE_ARRAY"})


FILES = {
    "intervals": lambda: intervals(pb.PLAIN),
    "intervals by keys": lambda: intervals(pb.RLE_DICTIONARY),
    "intervals in streams": lambda: intervals(pb.SPLIT),
    "no bytes": no_bytes,
    "deep": deep,
    "runs": runs,
    "decimals": decimals,
}


def damages(byte: int) -> list[int]:
    return sorted({byte ^ 1 << k for k in range(8)} | {0x00, 0x7F, 0x80, 0xFF} - {byte})


def read(content: bytes) -> str:
    """What became of it: `verify` decodes every page. A panic is no `Exception`."""
    try:
        cn.decode(content, "parquet", limits=LIMITS, verify=True)
    except cn.ColonnadeError:
        return "refused"
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
    return "read"


@each("name", list(FILES))
def test_damage_within(name: str) -> None:
    sound = FILES[name]()
    assert read(sound) == "read"
    counts: dict[str, int] = {}
    start = len(sound) - 8 - int.from_bytes(sound[-8:-4], "little")
    # All pages, and some bytes of long footers.
    places = [*range(start), *range(start, len(sound), 1 + (len(sound) - start) // 150)]
    for at in places:
        for byte in damages(sound[at]):
            content = sound[:at] + bytes([byte]) + sound[at + 1 :]
            outcome = read(content)
            assert outcome in ("read", "refused"), (at, byte, outcome)
            counts[outcome] = counts.get(outcome, 0) + 1
    assert counts["read"] + counts["refused"] > 200


def test_random_pages() -> None:
    """Bytes of pages exchanged for any others."""
    random = np.random.default_rng(22)
    for make in (FILES["intervals"], FILES["intervals by keys"], FILES["deep"]):
        sound = make()
        start = len(sound) - 8 - int.from_bytes(sound[-8:-4], "little")
        for _ in range(2000):
            content = bytearray(sound)
            for at in random.integers(4, start, 3):
                content[at] = random.integers(256)
            outcome = read(bytes(content))
            assert outcome in ("read", "refused"), (bytes(content).hex(), outcome)
