"""Plain pages in a column of categories: values that are no text are named by their row."""

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import colonnade as cn
from tests.helpers import parquet_bytes as pb


def texts(pages: list[bytes], nvalues: int, claim: pa.DataType) -> bytes:
    """A column "a" of texts, some of which may be null; `claim` is the type in the Arrow schema."""
    empty = cn.encode(pa.schema([("a", claim)]).empty_table(), "parquet")
    pairs = pq.read_metadata(io.BytesIO(empty)).metadata
    metadata = {key.decode(): text.decode() for key, text in pairs.items()}
    column = pb.Column("a", pb.BYTE_ARRAY, pages, nvalues, pb.OPTIONAL, kind={"converted": 0})
    return pb.file([column], nvalues, metadata=metadata)


def test_a_category_that_is_no_text() -> None:
    """Rows are counted over pages, and over nulls."""
    first = pb.data_page(pb.levels(pb.run(1, 3, 1)) + pb.plain_bytes(b"x", b"y", b"x"), 3)
    second = [pb.levels(pb.run(0, 100, 1) + pb.run(1, 2, 1)) + pb.plain_bytes(word, b"x") for word in (b"z", b"\xff")]
    kind = pa.dictionary(pa.int32(), pa.string())
    good, bad = (texts([first, pb.data_page(body, 102)], 105, kind) for body in second)
    assert cn.read_arrow(good, format="parquet")["a"].to_pylist() == ["x", "y", "x", *[None] * 100, "z", "x"]
    with pytest.raises(cn.DecodeError, match=r"column a.*row 103\b"):
        cn.read_arrow(bad, format="parquet")
