"""Footers: a limit of their size, and files of a few bytes that end like Parquet."""

import io
import struct

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import colonnade as cn


def test_a_footer_over_the_limit_is_refused() -> None:
    sink = io.BytesIO()
    pq.write_table(pa.table({f"column {k}": [k] for k in range(20)}), sink)
    content = sink.getvalue()
    (nbytes,) = struct.unpack("<I", content[-8:-4])
    assert cn.read(content, limits=cn.Limits(max_meta_nbytes=nbytes)).shape == (1, 20)
    for limit in (nbytes - 1, 100):
        with pytest.raises(cn.LimitError, match=rf"footer has {nbytes} bytes, over the limit of {limit}\."):
            cn.read(content, limits=cn.Limits(max_meta_nbytes=limit))


@pytest.mark.parametrize("front", [b"", b"x", b"xxx", b"xxxx", b"xxxxxxx"])
def test_a_few_bytes_that_end_like_parquet_are_none(front: bytes) -> None:
    """The shortest file has twelve bytes."""
    if front:
        with pytest.raises(cn.DecodeError, match="This is no Parquet file"):
            cn.decode(front + b"PAR1", "parquet")
    else:
        with pytest.raises(cn.TruncatedError, match="needs 12 bytes, found 4"):
            cn.decode(b"PAR1", "parquet")
