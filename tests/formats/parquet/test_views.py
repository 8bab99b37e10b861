"""Text of dictionary pages to polars: views into the dictionaries, equal to what polars reads itself."""

import itertools
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from polars.testing import assert_frame_equal

import colonnade as cn
from tests.helpers.each import each

NROWS = 3000
WORDS = ["", "short", "twelve bytes", "thirteen byte", "zw\u00f6lf \U0001f600", "a text that is too long for a view"]


def table(nrows: int = NROWS) -> pa.Table:
    """Few texts, with and without nulls; bytes; distinct texts; numbers."""
    words = list(itertools.islice(itertools.cycle(WORDS), nrows))
    some = [None if k % 7 < 3 else word for k, word in enumerate(words)]
    return pa.table(
        {
            "words": pa.array(words, pa.string()),
            "some": pa.array(some, pa.large_string()),
            "bytes": pa.array([None if word is None else word.encode() for word in some], pa.binary()),
            "none": pa.array([None] * nrows, pa.string()),
            "distinct": pa.array([f"text number {k} of all" for k in range(nrows)], pa.large_string()),
            "number": pa.array(range(nrows)),
        }
    )


@each("row_group_size", [NROWS, 700])
@each("options", [{}, {"dictionary_pagesize_limit": 600}, {"data_page_version": "2.0"}, {"use_dictionary": False}])
def test_polars_reads_the_same(tmp_path: Path, row_group_size: int, options: dict[str, object]) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(table(), path, row_group_size=row_group_size, **options)
    expected = pl.read_parquet(path)
    frame = cn.read(path)
    assert_frame_equal(frame.to_polars(), expected)
    assert_frame_equal(frame.slice(650, 2150).to_polars(), expected[650:2150])
    assert_frame_equal(cn.read(path, columns=["some", "words"]).to_polars(), expected.select("some", "words"))
    filtered = cn.read(path, filters="number >= 1234").to_polars()
    assert_frame_equal(filtered, expected.filter(pl.col("number") >= 1234))
    assert_frame_equal(cn.read(path, threads=1).slice(0, 0).to_polars(), expected[:0])


def test_other_libraries_get_the_types_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(table(), path)
    frame = cn.read(path)
    assert frame.to_polars()["some"].dtype == pl.String
    found = frame.to_arrow()
    assert found.schema.types == table().schema.types
    assert found.equals(table())


def test_row_labels_of_text_become_a_column(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pandas = table(100).to_pandas().set_index("words")
    pandas.to_parquet(path)
    found = cn.read(path).to_polars()
    assert found["words"].to_list() == pandas.index.to_list()
    assert found["some"].to_list() == [None if word is None or word != word else word for word in pandas["some"]]


def test_a_code_beyond_the_dictionary_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"s": ["b", "a"]}), path, compression="NONE")
    data = path.read_bytes()
    # Codes of one bit, bit-packed: one group of eight, of which the second is 1.
    assert data.count(b"\x01\x03\x02") == 1
    path.write_bytes(data.replace(b"\x01\x03\x02", b"\x02\x03\x0c"))
    with pytest.raises(cn.DecodeError, match="dictionary"):
        cn.read(path).to_polars()
