"""Pages of texts with further bytes behind the last text, which the header of the page counts too."""

import io

import pyarrow.parquet as pq

import colonnade as cn
from tests.helpers import parquet_bytes as pb
from tests.helpers.each import each

NROWS = 1000
TEXT = b"x" * 300


@each("behind", [0, 8, 4000])
def test_the_texts_are_paid_for_once(behind: int) -> None:
    """The size in the header is taken at first. The texts are then measured, which costs no more."""
    body = pb.plain_bytes(*[TEXT] * NROWS) + bytes(behind)
    column = pb.Column("s", pb.BYTE_ARRAY, [pb.data_page(body, NROWS)], NROWS, kind={"converted": 0})
    content = pb.file([column], NROWS)
    found = cn.read_arrow(content, limits=cn.Limits(max_nbytes=len(body)))["s"].to_pylist()
    assert found == pq.read_table(io.BytesIO(content))["s"].to_pylist() == [TEXT.decode()] * NROWS
