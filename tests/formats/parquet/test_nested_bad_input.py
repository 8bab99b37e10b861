"""Files whose nested columns ask for more than their bytes stand for, or for what Arrow does not allow."""

import base64
import io
import re
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import colonnade as cn
from tests.helpers.each import each


def written(array: Any, told: pa.DataType | None = None) -> bytes:
    """A file of one column; `told` is what its Arrow schema says of the type."""
    table, sink = pa.table({"x": array}), io.BytesIO()
    options = {"compression": "none", "use_dictionary": False, "write_statistics": False, "store_schema": False}
    with pq.ParquetWriter(sink, table.schema, **options) as writer:
        writer.write_table(table)
        if told is not None:
            schema = pa.schema([("x", told)]).serialize().to_pybytes()
            writer.add_key_value_metadata({"ARROW:schema": base64.b64encode(schema)})
    return sink.getvalue()


def varint(n: int) -> bytes:
    """A thrift integer that is not negative."""
    n <<= 1
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def with_footer(data: bytes, old: bytes, new: bytes) -> bytes:
    """The last `old` replaced, and the footer's length made right."""
    at = data.rindex(old)
    out = data[:at] + new + data[at + len(old) :]
    size = int.from_bytes(out[-8:-4], "little") + len(out) - len(data)
    return out[:-8] + size.to_bytes(4, "little") + out[-4:]


def nested(sizes: tuple[int, ...], item: pa.DataType) -> pa.DataType:
    for size in reversed(sizes):
        item = pa.list_(item, size)
    return item


@pytest.mark.parametrize(
    ("sizes", "nrows", "nbytes"),
    [
        ((50_000_000,), 4, 1_600_000_000),
        ((2**31 - 1,), 1000, 17_179_869_176_000),
        ((2**17, 2**17, 2**30), 1, 2**64 - 1),
    ],
)
def test_null_lists_of_a_size_that_the_schema_alone_tells(sizes: tuple[int, ...], nrows: int, nbytes: int) -> None:
    item = pa.int64()
    data = written(pa.array([None] * nrows, nested((-1,) * len(sizes), item)), nested(sizes, item))
    with pytest.raises(cn.LimitError, match=f"column x.*null lists of one size take {nbytes} bytes"):
        cn.decode(data, "parquet").to_arrow()


def test_null_lists_of_one_size_that_the_file_can_stand_for() -> None:
    data = written(pa.array([None] * 4, pa.list_(pa.int64())), pa.list_(pa.int64(), 5))
    found = cn.decode(data, "parquet").to_arrow()["x"]
    assert found.to_pylist() == [None] * 4
    assert found.type.list_size == 5


def test_values_that_are_all_null_and_a_megabyte_each() -> None:
    data = written(pa.array([[None] * 2000], pa.list_(pa.binary(8191))))
    lying = with_footer(data, varint(8191), varint(1 << 20))
    with pytest.raises(cn.LimitError, match=f"take {2000 << 20} bytes once decoded, the limit for {len(lying)} bytes"):
        cn.decode(lying, "parquet").to_arrow()


MAPS = pa.array([[(1, 10)], [(2, 20)]], pa.map_(pa.int32(), pa.int32()))


def test_a_key_of_a_map_that_is_null() -> None:
    # The key's repetition in front of its name: from required to optional, whose levels its page does not have.
    data = written(MAPS)
    at = data.rindex(b"\x18\x03key")
    assert data[at - 1] == 0
    changed = data[: at - 1] + b"\x02" + data[at:]
    with pytest.raises(cn.DecodeError, match=r"a histogram of 3 levels, expected 4"):
        cn.decode(changed, "parquet")
    # And its histogram of definition levels, of which there is one more.
    lying = with_footer(changed, b"\x36\x00\x00\x04", b"\x46\x00\x00\x00\x04")
    with pytest.raises(cn.DecodeError, match=r"column x.*2 keys of its maps are null, which Arrow does not allow"):
        cn.decode(lying, "parquet").to_arrow()
    assert cn.decode(data, "parquet").to_arrow()["x"].combine_chunks().equals(MAPS)


@each("bits", [0, 6, 7, 9, 127])
def test_integers_of_no_known_width_are_refused_as_pyarrow_refuses_them(bits: int) -> None:
    data = written(pa.array([[1, -2]], pa.list_(pa.int8())))
    at = re.search(rb"\x13\x08\x11", data)
    assert at
    changed = data[: at.start() + 1] + bytes([bits]) + data[at.start() + 2 :]
    with pytest.raises((pa.ArrowException, OSError)):
        pq.read_table(io.BytesIO(changed))
    with pytest.raises(cn.DecodeError, match=rf"column x.*INT\({bits}\)"):
        cn.decode(changed, "parquet")
