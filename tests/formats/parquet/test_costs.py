"""Small files that ask for large frames: the limits are checked before memory is taken."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import colonnade as cn
from tests.helpers import parquet_bytes as pb
from tests.helpers.each import each

NBYTES = 10_000
"""Of each long value."""
FEW = cn.Limits(max_unbacked_nbytes=1 << 20, max_expansion=1)


def saved(cells: Any, **options: Any) -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table({"s": cells}), sink, store_schema=False, **options)
    return sink.getvalue()


def repeated(n: int, value: Any, kind: Any) -> Any:
    codes = pa.array(np.zeros(n, "i4"))
    return pa.DictionaryArray.from_arrays(codes, pa.array([value], kind)).dictionary_decode()


def texts(n: int, **options: Any) -> bytes:
    return saved(repeated(n, "x" * NBYTES, pa.string()), **options)


def shared(n: int) -> bytes:
    return texts(n, use_dictionary=False, column_encoding="DELTA_BYTE_ARRAY")


def lengths(n: int) -> bytes:
    return texts(n, use_dictionary=False, column_encoding="DELTA_LENGTH_BYTE_ARRAY", compression="zstd")


def compressed(n: int) -> bytes:
    return texts(n, use_dictionary=False, compression="zstd")


def fixed(n: int) -> bytes:
    return saved(repeated(n, b"x" * NBYTES, pa.binary(NBYTES)))


def fixed_shared(n: int) -> bytes:
    cells = repeated(n, b"x" * NBYTES, pa.binary(NBYTES))
    return saved(cells, use_dictionary=False, column_encoding="DELTA_BYTE_ARRAY")


def in_lists(n: int) -> bytes:
    offsets = pa.array(np.arange(0, n + 1, 10), pa.int32())
    return saved(pa.ListArray.from_arrays(offsets, repeated(n, "x" * NBYTES, pa.string())))


def in_structs(n: int) -> bytes:
    return saved(pa.StructArray.from_arrays([repeated(n, b"x" * NBYTES, pa.binary(NBYTES))], ["f"]))


SHAPES: list[Callable[[int], bytes]] = [
    texts,
    shared,
    lengths,
    compressed,
    fixed,
    fixed_shared,
    in_lists,
    in_structs,
]


def cost(content: bytes, limits: cn.Limits = FEW, **options: Any) -> int:
    """The bytes that the refusal names."""
    with pytest.raises(cn.LimitError) as caught:
        cn.read_arrow(content, limits=limits, **options)
    told = re.search(r"take (\d+) bytes once decoded, the limit for (\d+) bytes of input is \d+\.", str(caught.value))
    assert told, caught.value
    assert int(told[2]) == len(content)
    assert "limits=Limits(max_unbacked_nbytes=" in str(caught.value)
    return int(told[1])


@each("shape", list(SHAPES))
def test_work_grows_with_the_rows(shape: Callable[[int], bytes]) -> None:
    one, two, four = (cost(shape(n)) for n in (1000, 2000, 4000))
    # Half of the bytes of all values at least, whichever part was known first; no more than twice.
    for n, found in ((1000, one), (2000, two), (4000, four)):
        assert found <= 2 * n * NBYTES
    assert two <= 2 * one
    assert four <= 2 * two


@each("shape", list(SHAPES))
def test_values_are_read_where_the_limit_allows_them(shape: Callable[[int], bytes]) -> None:
    content = shape(1000)
    expected = pq.read_table(io.BytesIO(content))
    limits = cn.Limits(max_unbacked_nbytes=32 << 20, max_expansion=1)
    assert cn.read_arrow(content, limits=limits).equals(expected)
    assert cn.read_arrow(content).equals(expected)


@pytest.mark.parametrize("shape", [texts, in_lists, fixed])
def test_rows_pay_for_what_they_decode(shape: Callable[[int], bytes]) -> None:
    content = shape(1000)
    some = cn.read_arrow(content, limits=FEW, rows=slice(3, 5))
    assert some.equals(pq.read_table(io.BytesIO(content)).slice(3, 2))


def long_text(n: int) -> bytes:
    """One text of 100 kB, and `n` codes in one run."""
    dictionary = pb.dictionary_page(pb.plain_bytes(b"x" * 100_000), 1)
    page = pb.data_page(b"\1" + pb.run(0, n, 1), n, pb.RLE_DICTIONARY)
    element = {"converted": 0}
    column = pb.Column(
        "s", pb.BYTE_ARRAY, [dictionary, page], n, has_dictionary=True, encodings=(0, 3, 8), kind=element
    )
    return pb.file([column], n)


@pytest.mark.parametrize("n", [4000, 20_000, 2_000_000_000])
def test_one_long_text_and_many_codes(n: int) -> None:
    content = long_text(n)
    assert len(content) < 101_000
    for read in (cn.read_arrow, cn.read_pandas, lambda data: cn.decode(data).to_numpy()):
        with pytest.raises(cn.LimitError, match=r"bytes once decoded|store no bytes"):
            read(content)
    if n <= 20_000:
        assert cn.read_arrow(content, rows=slice(7, 9))["s"].to_pylist() == ["x" * 100_000] * 2
    if n == 4000:
        found = cn.decode(content, categories=["s"]).to_pandas()["s"]
        assert (len(found), len(found.cat.categories)) == (n, 1)


def test_columns_pay_together() -> None:
    """Each of them is within the limit."""
    one = repeated(500, "x" * 1000, pa.string())
    sink = io.BytesIO()
    pq.write_table(pa.table({f"c{k}": one for k in range(20)}), sink, store_schema=False)
    assert cn.read_arrow(sink.getvalue(), columns=["c3"], limits=FEW).num_rows == 500
    with pytest.raises(cn.LimitError, match="the columns up to this one, of 500 texts,"):
        cn.read_arrow(sink.getvalue(), limits=FEW)


def test_categories_of_shared_beginnings() -> None:
    cells = pa.array(["x" * NBYTES + str(k) for k in range(1000)])
    content = saved(cells, use_dictionary=False, column_encoding="DELTA_BYTE_ARRAY")
    assert len(content) < 40_000
    with pytest.raises(cn.LimitError, match="the values of categorical columns take"):
        cn.decode(content, categories=["s"], limits=FEW).to_arrow()
    assert cn.decode(content, categories=["s"]).to_arrow()["s"].to_pylist() == cells.to_pylist()


@pytest.mark.parametrize("kind", ["data", "dictionary"])
def test_a_page_that_claims_more_than_its_values_need(kind: str) -> None:
    """Sizes that the codec allows, refused before memory is taken."""
    claimed = 1 << 30
    body = b"\x28\xb5\x2f\xfd" + bytes(200_000)
    data = pb.data_page(body, 2, nbytes=claimed)
    pages = [data] if kind == "data" else [pb.dictionary_page(body, 2, nbytes=claimed), pb.data_page(b"", 2)]
    column = pb.Column("s", pb.BYTE_ARRAY, pages, 2, codec=pb.ZSTD, has_dictionary=kind == "dictionary")
    with pytest.raises(cn.LimitError, match=f"the values of a page take {claimed} bytes once decoded"):
        cn.read_arrow(pb.file([column], 2))


def test_dictionaries_of_many_row_groups_pay_together() -> None:
    """A dictionary of a megabyte in each of twenty row groups of one row."""
    sink = io.BytesIO()
    text = "x" * (1 << 20)
    pq.write_table(pa.table({"s": [text] * 20}), sink, store_schema=False, row_group_size=1, compression="zstd")
    limits = cn.Limits(max_unbacked_nbytes=8 << 20, max_expansion=1)
    with pytest.raises(cn.LimitError, match="dictionaries of texts take"):
        cn.read_arrow(sink.getvalue(), limits=limits)
    assert cn.read_arrow(sink.getvalue(), limits=limits, rows=slice(2, 4))["s"].to_pylist() == [text] * 2


@pytest.mark.parametrize("ours", [False, True], ids=["pyarrow", "colonnade"])
def test_columns_of_one_number_stay_readable(ours: bool) -> None:
    """1,600,000 bytes a column, a hundred or two of them in the file."""
    zeros = pa.table({f"c{k}": pa.array(np.zeros(200_000)) for k in range(20)})
    sink = io.BytesIO()
    if ours:
        cn.write(zeros, sink, format="parquet")
    else:
        pq.write_table(zeros, sink)
    # 200 columns of a million rows have fifty times as many cells, and a limit that is fifty times as high.
    limits = cn.Limits(max_unbacked_nbytes=(128 << 20) // 50)
    assert cn.read_arrow(sink.getvalue(), limits=limits).num_rows == 200_000


def test_a_short_text_in_every_row_stays_readable() -> None:
    content = saved(repeated(1_000_000, "same", pa.string()))
    assert cn.read_arrow(content, limits=cn.Limits(max_unbacked_nbytes=1 << 20)).num_rows == 1_000_000
