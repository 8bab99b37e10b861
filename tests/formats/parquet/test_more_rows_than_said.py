"""Pages that hold other numbers of rows than the row group says are refused, whichever rows are asked for."""

import io

import pyarrow.parquet as pq
import pytest

import colonnade as cn
from tests.helpers import parquet_bytes as pb
from tests.helpers.each import each

LIST = pb.list_schema(pb.INT64, pb.OPTIONAL)


def lists(found: int, said: int) -> bytes:
    """Lists of a number each: a page begins so many of them, and the row group says another number."""
    levels = pb.levels(pb.run(0, found, 1)) + pb.levels(pb.run(3, found, 2))
    page = pb.data_page(levels + pb.plain("q", *range(found)), found)
    column = pb.Column("a", pb.INT64, [page], found, path=("a", "list", "element"))
    return pb.file([column], said, schema=LIST)


@each("rows", [slice(0, 1), slice(1, 3), slice(0, 3), slice(None)])
def test_a_page_begins_more_lists(rows: slice) -> None:
    assert cn.read_arrow(lists(3, 3), format="parquet", rows=rows)["a"].to_pylist() == [[0], [1], [2]][rows]
    with pytest.raises(cn.DecodeError, match=r"column a.*its levels begin 5 rows, its row group has 3"):
        cn.read_arrow(lists(5, 3), format="parquet", rows=rows)


def bools(n: int, nbytes: int) -> bytes:
    return pb.file([pb.Column("a", pb.BOOLEAN, [pb.data_page(b"\x55" * nbytes, n)], n)], n)


@each("rows", [slice(0, 100), slice(50, 100), slice(90, 99), slice(3, 97)])
def test_bools_that_end_early(rows: slice) -> None:
    whole = bools(100, 13)
    expected = pq.read_table(io.BytesIO(whole))["a"].to_pylist()[rows]
    assert cn.read_arrow(whole, format="parquet", rows=rows)["a"].to_pylist() == expected
    assert cn.read(whole, format="parquet", rows=rows).to_numpy()[:, 0].tolist() == expected
    damaged = bools(100, 11)
    with pytest.raises(cn.DecodeError, match=r"column a.*needs \d+ bytes, found 11"):
        cn.read_arrow(damaged, format="parquet", rows=rows)
    with pytest.raises(cn.DecodeError, match=r"column a.*needs \d+ bytes, found 11"):
        cn.read(damaged, format="parquet", rows=rows).to_numpy()
