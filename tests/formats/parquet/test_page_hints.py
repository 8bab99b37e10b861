"""Hints about pages and places of Bloom filters: what agrees leaves rows out, what contradicts something does not."""

import io
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import colonnade as cn
from tests.helpers import parquet_bytes as pb
from tests.helpers.parquet_bytes import plain, plain_bytes
from tests.helpers.parquet_hints import TYPE_ORDER, Bloom, Index, bits_of, bounds, written


def q(*values: int) -> bytes:
    return plain("q", *values)


def left(content: bytes, *filter: Any) -> list[Any]:
    """The rows of the pages that are not left out."""
    return cn.read_arrow(content, filters=list(filter), use_statistics="only")["v"].to_pylist()


def test_pages_of_version_2_without_the_value_are_left_out() -> None:
    table = pa.table({"v": pa.array([None if k % 50 == 7 else k for k in range(400)], pa.int64())})
    sink = io.BytesIO()
    options: dict[str, Any] = {"write_batch_size": 100, "data_page_size": 1, "use_dictionary": False}
    pq.write_table(table, sink, data_page_version="2.0", write_page_index=True, **options)
    assert left(sink.getvalue(), ("v", "==", 250)) == table["v"].to_pylist()[200:300]


@pytest.mark.parametrize(("nulls", "rows"), [(1, [4, 5, None]), (2, [1, None, 3, 4, 5, None])])
def test_an_index_and_a_page_of_version_2_agree_on_the_nulls(nulls: int, rows: list[int | None]) -> None:
    """Pages whose headers count other nulls than the index are all kept."""
    pages = [
        pb.data_page_v2(pb.packed([1, 0, 1], 1) + q(1, 3), 3, nulls=1, definition=2),
        pb.data_page_v2(pb.packed([1, 1, 0], 1) + q(4, 5), 3, nulls=nulls, definition=2),
    ]
    index = Index([q(1), q(4)], [q(3), q(5)], null_counts=[1, 1])
    content = with_index(pages, index)
    assert left(content, ("v", "==", 5)) == rows


def with_index(pages: list[bytes], index: Index) -> bytes:
    """A column "v" of optional INT64 in pages of three rows."""
    nrows, front = 3 * len(pages), pb.MAGIC + b"".join(pages)
    columns, offsets = index.columns(), index.offsets(pages, 3)
    told = {"index_at": len(front), "index_nbytes": len(columns)}
    told |= {"offsets_at": len(front) + len(columns), "offsets_nbytes": len(offsets)}
    column = pb.Column("v", pb.INT64, pages, nrows, pb.OPTIONAL, told=told)
    groups = pb.items(12, [pb.group(pb.items(12, [column.chunk(4)]), nrows)])
    foot = pb.footer(pb.schema_of([column]), nrows, groups)
    foot = foot[:-1] + bytes([1 << 4 | 9]) + pb.items(12, [TYPE_ORDER]).content + b"\0"
    return pb.sealed(front + columns + offsets, foot)


TEXTS = [[b"a", b"b", b"c"], [b"x1", b"x2", b"x9"]]


@pytest.mark.parametrize(
    ("high", "exact", "rows"),
    [
        (b"x", None, ["x1", "x2", "x9"]),
        (b"x", False, ["x1", "x2", "x9"]),
        (b"x", True, ["a", "b", "c", "x1", "x2", "x9"]),
        (b"w", None, ["a", "b", "c", "x1", "x2", "x9"]),
    ],
)
def test_pages_may_exceed_a_maximum_that_is_cut(high: bytes, exact: bool | None, rows: list[str]) -> None:
    """Above a maximum that is exact, or another, the pages and the column contradict each other: all rows are kept."""
    bodies = [plain_bytes(*texts) for texts in TEXTS]
    index = Index([b"a", b"x1"], [b"c", b"x9"])
    statistics = bounds(b"a", high, exact=exact)
    content = written(pb.BYTE_ARRAY, bodies, 3, kind={"converted": 0}, statistics=statistics, index=index)
    assert left(content, ("v", ">=", "x1")) == rows


@pytest.mark.parametrize("gap", [0, 8])
def test_a_bloom_filter_in_front_of_its_pages_is_used(gap: int) -> None:
    front = pb.MAGIC + Bloom(bits_of([q(1), q(9)])).content() + bytes(gap)
    content = with_bloom(front, q(1, 5, 9), 4)
    assert left(content, ("v", "==", 5)) == []
    assert left(content, ("v", "==", 9)) == [1, 5, 9]


def test_a_bloom_filter_within_the_pages_is_not_believed() -> None:
    """The values of the page look like a filter."""
    bloom = Bloom(bits_of([q(1), q(9)])).content()
    body = bloom + bytes(-len(bloom) % 8)
    at = with_bloom(pb.MAGIC, body, 0).index(bloom)
    assert len(left(with_bloom(pb.MAGIC, body, at), ("v", "==", 5))) == len(body) // 8


def with_bloom(front: bytes, body: bytes, at: int) -> bytes:
    """A column "v" of INT64 in a page behind `front`, with a Bloom filter at byte `at`."""
    nrows = len(body) // 8
    column = pb.Column("v", pb.INT64, [pb.data_page(body, nrows)], nrows, more={14: pb.i64(at)})
    groups = pb.items(12, [pb.group(pb.items(12, [column.chunk(len(front))]), nrows)])
    return pb.sealed(front + column.pages[0], pb.footer(pb.schema_of([column]), nrows, groups))
