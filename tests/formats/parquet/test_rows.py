"""Rows of long pages, with and without nulls, in strips; what is stored strangely but legally; claims of few bytes."""

import io
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import colonnade as cn
from tests.helpers import parquet_bytes as pb

NROWS = 120_000


def written(table: Any, **options: Any) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, **options)
    return sink.getvalue()


@pytest.fixture(scope="module")
def table() -> Any:
    random = np.random.default_rng(7)
    some = random.random(NROWS) > 0.4
    numbers = random.integers(0, 500, NROWS)
    runs = np.repeat(random.integers(0, 2, NROWS // 400), 400)[:NROWS].astype(bool)
    tens = pa.array([bytes([k % 251]) * 10 for k in range(NROWS)], pa.binary(10))
    return pa.table(
        {
            "plain": random.random(NROWS),
            "keys": numbers,
            "nulls": pa.array(numbers.astype("f8"), mask=some),
            "runs": pa.array(random.random(NROWS), mask=runs),
            "small": pa.array(numbers.astype("i2"), mask=~some),
            "bools": pa.array(numbers > 250, mask=some),
            "whole": numbers > 100,
            "fixed": tens,
            "times": pa.array(numbers, pa.timestamp("us"), mask=runs),
            "digits": pa.array(numbers).cast(pa.decimal128(20, 0)),
        }
    )


SPANS = [(0, 1), (1, 8), (3, 70_000), (65_535, 65_537), (99_991, NROWS), (NROWS - 1, NROWS), (17, 17), (20_001, 20_009)]
FORMS = [
    {"data_page_size": 1 << 26},
    {"data_page_size": 1 << 26, "use_dictionary": False, "compression": "none"},
    {"data_page_size": 4096, "data_page_version": "2.0", "row_group_size": 50_000},
    {"data_page_size": 1 << 26, "use_dictionary": False, "write_batch_size": NROWS, "compression": "zstd"},
]


@pytest.mark.parametrize("options", FORMS, ids=str)
def test_rows_of_long_pages(table: Any, options: dict[str, Any]) -> None:
    content = written(table, **options)
    for start, stop in SPANS:
        found = cn.read_arrow(content, rows=slice(start, stop))
        assert found.cast(table.schema).equals(table.slice(start, stop - start)), (start, stop)


def test_rows_that_a_filter_scatters(table: Any) -> None:
    content = written(table, data_page_size=1 << 26)
    frame = cn.read_pandas(content, filters=[("keys", "==", 77)])
    kept = table.filter(pa.compute.equal(table["keys"], 77)).to_pandas()
    assert frame["plain"].tolist() == kept["plain"].tolist()
    assert frame["nulls"].equals(kept["nulls"])


@pytest.mark.parametrize("kind", [pa.binary(3), pa.binary(16)], ids=str)
def test_fixed_size_values_with_shared_beginnings(kind: Any) -> None:
    width = kind.byte_width
    cells = [None if k % 7 == 0 else (k // 5).to_bytes(width, "big") for k in range(5000)]
    table = pa.table({"a": pa.array(cells, kind)})
    content = written(table, use_dictionary=False, column_encoding={"a": "DELTA_BYTE_ARRAY"})
    assert "DELTA_BYTE_ARRAY" in str(pq.read_metadata(io.BytesIO(content)).row_group(0).column(0).encodings)
    assert cn.read_arrow(content).equals(table)
    assert cn.read_arrow(content, rows=slice(1000, 1003)).equals(table.slice(1000, 3))


def test_half_floats_with_shared_beginnings() -> None:
    table = pa.table({"a": pa.array(np.arange(300).astype("f2"))})
    content = written(table, use_dictionary=False, column_encoding={"a": "DELTA_BYTE_ARRAY"})
    assert cn.read_arrow(content).equals(table)


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_instants_in_another_unit_keep_their_zone(unit: str) -> None:
    table = pa.table(
        {
            "a": pa.array([0, None, 86_400_000_000_000], pa.timestamp("ns", "Asia/Tokyo")).cast(
                pa.timestamp(unit, "Asia/Tokyo")
            )
        }
    )
    for options in ({}, {"coerce_timestamps": "ms"}, {"coerce_timestamps": "us"}):
        content = written(table, **options)
        assert cn.read_arrow(content).schema == pq.read_table(io.BytesIO(content)).schema


def test_a_table_without_rows_has_no_pages() -> None:
    table = pa.table({"a": pa.array([], pa.int8()), "b": pa.array([], pa.string())})
    content = written(table)
    assert cn.decode(content, verify=True).to_arrow().equals(table)


def test_extension_types_that_parquet_has() -> None:
    schema = pa.schema([pa.field("u", pa.uuid()), pa.field("j", pa.json_())])
    table = pa.table([pa.array([b"a" * 16], pa.uuid()), pa.array(["{}"], pa.json_())], schema=schema)
    assert cn.read_arrow(written(table, store_schema=False)).schema == schema


def test_gigabytes_that_a_few_bytes_claim() -> None:
    nrows = 200_000_000
    nulls = pb.data_page(pb.levels(pb.run(0, nrows, 1)), nrows)
    columns = [pb.Column(name, pb.INT64, [nulls], nrows, pb.OPTIONAL) for name in "abc"]
    with pytest.raises(cn.LimitError, match=r"200000000 rows of 3 columns take 4800000000 bytes once decoded"):
        cn.read_pandas(pb.file(columns, nrows))


def test_memory_that_no_byte_stands_behind_is_taken_where_it_is_allowed() -> None:
    nrows = 2_000_000
    nulls = pb.data_page(pb.levels(pb.run(0, nrows, 1)), nrows)
    content = pb.file([pb.Column("a", pb.INT64, [nulls], nrows, pb.OPTIONAL)], nrows)
    limits = cn.Limits(max_unbacked_nbytes=1 << 20)
    wanted = (
        r"2000000 rows of 1 columns take 16000000 bytes once decoded.*limits=Limits\(max_unbacked_nbytes=16000000\)"
    )
    with pytest.raises(cn.LimitError, match=wanted):
        cn.read_arrow(content, limits=limits)
    assert cn.read_arrow(content, limits=limits, rows=slice(5, 1000)).num_rows == 995
    assert cn.read_arrow(content, limits=cn.Limits(max_unbacked_nbytes=16_000_000))["a"].null_count == nrows
    assert cn.read_arrow(content)["a"].null_count == nrows


SHARED = {"use_dictionary": False, "column_encoding": "DELTA_BYTE_ARRAY"}


@pytest.mark.parametrize("options", [{}, SHARED], ids=["keys", "shared beginnings"])
@pytest.mark.parametrize("nested", [False, True], ids=["flat", "lists"])
def test_a_text_that_is_repeated_ten_thousand_times(nested: bool, options: dict[str, Any]) -> None:
    """It stands in the file once: a hundred megabytes of a few hundred bytes."""
    nrows, text = 10_000, "x" * 10_000
    cells: Any = pa.DictionaryArray.from_arrays(pa.array(np.zeros(nrows, "i4")), pa.array([text]))
    cells = cells.dictionary_decode()
    if nested:
        cells = pa.ListArray.from_arrays(pa.array(np.arange(0, nrows + 1, 10), pa.int32()), cells)
    content = written(pa.table({"s": cells}), store_schema=False, compression="zstd", **options)
    assert len(content) < 1000
    with pytest.raises(
        cn.LimitError, match=r"take (99\d{6}|10\d{7}) bytes once decoded, the limit for \d+ bytes of input is"
    ):
        cn.read_arrow(content, limits=cn.Limits(max_unbacked_nbytes=1 << 20))
    assert cn.read_arrow(content)["s"].combine_chunks().equals(cells)
    if not nested:
        some = cn.read_arrow(content, limits=cn.Limits(max_unbacked_nbytes=1 << 20), rows=slice(3, 5))
        assert some["s"].to_pylist() == [text] * 2
    if not nested and not options:
        found = cn.decode(content, categories=["s"], limits=cn.Limits(max_unbacked_nbytes=1 << 20)).to_pandas()["s"]
        assert (len(found), list(found.cat.categories)) == (nrows, [text])
