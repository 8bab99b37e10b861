"""Binary files of odd shapes: names that end twice, empty compressed buffers, buffers over each other, cut files."""

import io
import struct

import numpy as np
import pytest

import colonnade as cn
from tests.helpers import arrow_bytes as ab
from tests.helpers.each import each


def test_arrays_whose_names_end_as_their_members_do() -> None:
    file = io.BytesIO()
    np.savez(file, **{"a": np.array([1]), "a.npy": np.array([2, 2]), "b.npy.npy": np.array([3])})
    found = {name: array.tolist() for name, array in cn.read_arrays(file.getvalue()).items()}
    assert found == {"a": [1], "a.npy": [2, 2], "b.npy.npy": [3]}


@pytest.mark.parametrize("descr", ["<U0", "|S0", "|V0"])
def test_rows_of_no_bytes_are_limited(descr: str) -> None:
    for rows in (10**10, 10**15):
        head = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({rows},), }}".encode()
        head += b" " * (118 - 1 - len(head)) + b"\n"
        data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head
        with pytest.raises(cn.LimitError, match="max_unbacked_rows"):
            cn.decode(data, "npy").to_arrow()
    few = np.zeros(5, descr)
    file = io.BytesIO()
    np.save(file, few)
    assert cn.decode(file.getvalue(), "npy").shape == (5, 1)


@pytest.mark.parametrize("codec", [0, 1])
def test_empty_compressed_buffers_that_keep_their_length(codec: int) -> None:
    """As arrow-java writes them: the length, and nothing behind it."""
    pytest.importorskip("pyarrow")
    body = struct.pack("<q", -1) + bytes(12) + bytes(4) + bytes(8)
    batch = ab.batch(2, [(2, 0)], [(0, 0), (0, 20), (24, 8)], body, compression=ab.compression(codec))
    data = ab.stream(ab.schema(ab.field("s", ab.UTF8)), batch)
    assert cn.decode(data, "arrows").to_arrow().column("s").to_pylist() == ["", ""]


def test_buffers_over_each_other_count_each() -> None:
    n, big = 1000, 1 << 20
    body = struct.pack("<ii", 0, big) + b"x" * big
    batch = ab.batch(1, [(1, 0)] * n, [(0, 0), (0, 8), (8, big)] * n, body)
    data = ab.stream(ab.schema(*[ab.field(f"c{i}", ab.BINARY) for i in range(n)]), batch, batch)
    with pytest.raises(cn.LimitError, match="max_nbytes"):
        cn.decode(data, "arrows", limits=cn.Limits(max_nbytes=16 << 20)).to_arrow()


@each("nbytes", [31, 32, 40, 255, 256, 70_000])
def test_long_names_for_readers_of_the_old_specification(nbytes: int) -> None:
    name = "x" * nbytes
    data = bytes(cn.encode({name: np.arange(2), "y": np.arange(2)}, "msgpack", compat="old-spec"))
    assert b"\xd9" + bytes([nbytes & 255]) + name.encode() not in data
    found = cn.decode(data, "msgpack")
    assert list(found.columns) == [name, "y"]
    with cn.open_reader(io.BytesIO(data), format="msgpack") as reader:
        assert [frame.shape for frame in reader] == [(2, 2)]


def test_a_file_without_its_footer_gives_its_whole_batches() -> None:
    file = io.BytesIO()
    with cn.open_writer(file, format="arrow") as writer:
        for start in (0, 10, 20):
            writer.write({"a": np.arange(start, start + 10)})
    data = file.getvalue()
    with pytest.raises(cn.TruncatedError, match="allow_truncated"):
        cn.decode(data[:-20], "arrow")
    assert cn.decode(data[:-20], "arrow", allow_truncated=True).shape == (30, 1)
    shapes = {cn.decode(data[:end], "arrow", allow_truncated=True).shape[0] for end in range(1000, len(data), 8)}
    assert shapes <= {0, 10, 20, 30}
    assert {10, 20, 30} <= shapes


def test_a_range_that_passes_64_bits_is_refused() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": [1, 2]}, index=pd.RangeIndex(0, 2**63 - 1, 2**62))
    with pytest.raises(cn.EncodeError, match="64 bits"):
        cn.encode(frame, "npz")
