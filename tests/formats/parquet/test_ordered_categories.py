"""Ordered categories whose row groups have other categories: their order is one that all row groups agree with."""

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import colonnade as cn
from tests.helpers.each import each

KIND = pa.dictionary(pa.int8(), pa.string(), ordered=True)


def groups(*dictionaries: list[str]) -> bytes:
    """A row group of each dictionary; its rows are all of its values, backwards."""
    sink = io.BytesIO()
    with pq.ParquetWriter(sink, pa.schema([("a", KIND)])) as writer:
        for values in dictionaries:
            codes = pa.array(range(len(values))[::-1], pa.int8())
            column = pa.DictionaryArray.from_arrays(codes, pa.array(values), ordered=True)
            writer.write_table(pa.table({"a": column}))
    return sink.getvalue()


@each(
    "dictionaries, expected",
    [
        ([["a", "c"], ["a", "b", "c"]], ["a", "b", "c"]),
        ([["c", "d"], ["a", "c"]], ["a", "c", "d"]),
        ([["y"], ["x", "y", "z"], ["w", "x"]], ["w", "x", "y", "z"]),
        ([["b", "a"], ["b", "a"]], ["b", "a"]),
    ],
)
def test_row_groups_agree_about_the_order(dictionaries: list[list[str]], expected: list[str]) -> None:
    content = groups(*dictionaries)
    rows = [value for values in dictionaries for value in values[::-1]]
    assert pq.read_table(io.BytesIO(content))["a"].to_pylist() == rows
    found = cn.read_arrow(content, format="parquet")["a"].combine_chunks()
    assert found.type.ordered
    assert found.dictionary.to_pylist() == expected
    assert found.to_pylist() == rows
    frame = cn.read_pandas(content, format="parquet")["a"]
    assert frame.cat.categories.tolist() == expected
    assert frame.tolist() == rows


def test_row_groups_that_contradict_each_other() -> None:
    with pytest.raises(cn.DecodeError, match=r'column a.*"(a|b)".*"(a|b)"'):
        cn.read_arrow(groups(["a", "b"], ["b", "a", "c"]), format="parquet")
