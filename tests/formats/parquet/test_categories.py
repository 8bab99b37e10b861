"""Categories of Parquet files: of rows that are none, of row groups that do not agree, of dictionaries with nulls."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import colonnade as cn
from tests.helpers.each import each
from tests.helpers.web import Site

FRAME = pd.DataFrame(
    {
        "c": pd.Categorical(["b", "a", None, "b"] * 5, categories=["z", "b", "a"], ordered=True),
        "n": np.arange(20),
    }
)
NONE = {
    "no rows in front": {"rows": slice(0, 0)},
    "no rows in the middle": {"rows": slice(7, 7)},
    "no rows at the end": {"rows": slice(20, 20)},
    "no row group of the filter": {"filters": [("n", ">", 100)]},
    "no row of the filter": {"filters": [("n", "<", 5), ("n", "in", [2, 7]), ("c", "==", "z")]},
}


def of_pandas(frame: pd.DataFrame, **options: Any) -> bytes:
    sink = io.BytesIO()
    frame.to_parquet(sink, **options)
    return sink.getvalue()


FILES = {
    "ours": cn.encode(FRAME, "parquet", row_group_size=6),
    "of pandas": of_pandas(FRAME, row_group_size=6),
    "of values": of_pandas(FRAME, row_group_size=6, use_dictionary=False),
}


@each("content", FILES.values(), ids=FILES)
@each("none", NONE.values(), ids=NONE)
def test_no_rows_keep_their_categories(content: bytes, none: dict[str, Any], site: Site) -> None:
    wanted = pd.read_parquet(io.BytesIO(content)).dtypes["c"]
    url = site.put("/x.parquet", content)
    for found in (cn.decode(content, **none), cn.read(url, **none)):
        frame = found.to_pandas()
        assert frame.shape == (0, 2)
        assert frame.dtypes["c"] == wanted
        assert found.to_arrow()["c"].type.ordered


@pytest.mark.parametrize("content", FILES.values(), ids=FILES)
def test_some_rows_elsewhere_have_the_categories_of_all(content: bytes, site: Site) -> None:
    wanted = pd.read_parquet(io.BytesIO(content))
    url = site.put("/x.parquet", content)
    pd.testing.assert_frame_equal(cn.read(url, rows=slice(2, 5)).to_pandas(), wanted[2:5])


# --------------------------------------------------------------------------- orders
def ordered(*values: Any) -> pd.DataFrame:
    return pd.DataFrame({"c": pd.Categorical(list(values), categories=list(values), ordered=True)})


def coded(*dictionaries: list[Any], is_ordered: bool = True) -> Any:
    """A table of one row for each value, a chunk for each dictionary."""
    return pa.table(
        {
            "c": pa.chunked_array(
                [
                    pa.DictionaryArray.from_arrays(pa.array(range(len(d)), pa.int8()), pa.array(d), ordered=is_ordered)
                    for d in dictionaries
                ]
            )
        }
    )


DIFFER = {
    "text": (ordered("a", "b", "c"), ordered("a", "c", "b"), "c", "b"),
    "integers": (ordered(1, 2, 3), ordered(1, 3, 2), "3", "2"),
    "more values": (ordered("a", "c"), ordered("c", "b", "a"), "c", "a"),
    "row labels": (
        pd.DataFrame({"x": [1, 2]}, index=pd.CategoricalIndex(["u", "v"], ordered=True, name="c")),
        pd.DataFrame({"x": [1, 2]}, index=pd.CategoricalIndex(["v", "u"], ["v", "u"], ordered=True, name="c")),
        "v",
        "u",
    ),
}


@each("format", ["arrow", "arrows", "parquet"])
@each("case", list(DIFFER))
def test_chunks_of_another_order_are_refused(case: str, format: str, tmp_path: Path) -> None:
    first, second, one, other = DIFFER[case]
    path = tmp_path / f"x.{format}"
    wrong = f'c.*expected the category "{other}" before "{one}" as in earlier chunks, found it after'
    with cn.open_writer(path, format=format) as writer:
        writer.write(first)
        with pytest.raises(cn.EncodeError, match=wrong):
            writer.write(second)
        writer.write(first)
    wanted = pd.concat([first, first], ignore_index="x" not in first)
    pd.testing.assert_frame_equal(cn.read(path).to_pandas(), wanted)


@pytest.mark.parametrize("format", ["arrow", "arrows", "parquet"])
def test_chunks_of_orders_that_agree_are_one(format: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.{format}"
    chunks = [ordered("a", "b"), ordered("a", "b", "c"), ordered("b", "c", "d"), ordered("a", "d")]
    with cn.open_writer(path, format=format) as writer:
        for chunk in chunks:
            writer.write(chunk)
    found = cn.read(path).to_pandas()["c"]
    assert list(found) == list("ababcbcdad")
    assert list(found.cat.categories) == list("abcd")
    assert found.cat.ordered


def test_an_order_that_grows_at_its_front_is_one_where_codes_are_each_groups_own(tmp_path: Path) -> None:
    chunks = [ordered("b"), ordered("a", "b"), ordered("x"), ordered("x", "d"), ordered("b", "c", "d")]
    path = tmp_path / "x.parquet"
    with cn.open_writer(path) as writer:
        for chunk in chunks:
            writer.write(chunk)
        with pytest.raises(cn.EncodeError, match='expected the category "a" before "d"'):
            writer.write(ordered("d", "a"))
    found = cn.read(path).to_pandas()["c"]
    assert list(found) == list("babxxdbcd")
    assert found.cat.ordered
    places = {value: place for place, value in enumerate(found.cat.categories)}
    for chunk in chunks:
        own = [places[value] for value in chunk["c"].cat.categories]
        assert own == sorted(own)


@pytest.mark.parametrize("format", ["arrow", "arrows", "msgpack", "ndjson"])
def test_an_order_that_grows_at_its_front_is_refused_where_codes_are_those_of_all(format: str, tmp_path: Path) -> None:
    wrong = f'^{format.removesuffix("s")}: "c": expected the category "b" before "a" as in earlier chunks'
    with cn.open_writer(tmp_path / f"x.{format}") as writer:
        writer.write(ordered("b"))
        with pytest.raises(cn.EncodeError, match=wrong):
            writer.write(ordered("a", "b"))


@pytest.mark.parametrize("format", ["parquet", "npz"])
def test_chunks_of_lists_of_categories_become_one_in_an_order_that_suits_all(format: str) -> None:
    lists = [
        pa.ListArray.from_arrays(pa.array([0, 1, n], pa.int32()), chunk.column("c").chunk(0))
        for n, chunk in ((1, coded(["b"])), (2, coded(["a", "b"])), (2, coded(["b", "c"])))
    ]
    table = pa.table({"c": pa.chunked_array(lists)})
    column = cn.decode(cn.encode(table, format), format).to_arrow()["c"].combine_chunks()
    assert column.to_pylist() == [["b"], [], ["a"], ["b"], ["b"], ["c"]]
    assert column.type.value_type.ordered
    assert column.values.dictionary.to_pylist() == ["a", "b", "c"]


def written(table: Any, format: str) -> bytes:
    sink = pa.BufferOutputStream()
    if format == "parquet":
        with pq.ParquetWriter(sink, table.schema) as writer:
            for batch in table.to_batches():
                writer.write_batch(batch)
    else:
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
    return bytes(sink.getvalue())


@pytest.mark.parametrize("format", ["arrows", "parquet"])
def test_orders_of_others_that_differ_are_not_told(format: str) -> None:
    """pyarrow tells the order of the first ones for all."""
    content = written(coded(["a", "b"], ["b", "a"]), format)
    with pytest.raises(cn.DecodeError, match=r'expected the category "a" before "b".*found it after.*open_reader'):
        cn.decode(content).to_pandas()
    with cn.open_reader(content) as reader:
        found = [list(batch.to_pandas()["c"].cat.categories) for batch in reader]
    assert found == [["a", "b"], ["b", "a"]]
    free = cn.decode(written(coded(["a", "b"], ["b", "a"], is_ordered=False), format)).to_pandas()["c"]
    assert list(free) == list("abba")
    same = cn.decode(written(coded(["a", "b"], ["a", "b", "c"], ["b"]), format)).to_pandas()["c"]
    assert list(same.cat.categories) == list("abc")


def test_orders_of_lists_agree_too() -> None:
    def lists(dictionary: list[str]) -> Any:
        codes = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), pa.array(dictionary), ordered=True)
        kind = pa.list_(pa.field("item", codes.type))
        return pa.table({"c": pa.ListArray.from_arrays(pa.array([0, 2], pa.int32()), codes, type=kind)})

    sink = io.BytesIO()
    with cn.open_writer(sink, format="arrows") as writer:
        writer.write(lists(["a", "b"]))
        with pytest.raises(cn.EncodeError, match='"a" before "b"'):
            writer.write(lists(["b", "a"]))


# --------------------------------------------------------------------------- nulls among the values
NULLS = {
    "text": ["a", None, "b"],
    "integers": [30, 10, None],
    "nothing else": pa.array([None, None], pa.string()),
    "bools": [True, None, False],
    "days": pa.array([5, None], pa.date32()),
}


@each("groups", [None, 2])
@each("values", NULLS.values(), ids=NULLS)
def test_nulls_among_the_values_of_a_dictionary_stay_there(values: Any, groups: int | None) -> None:
    dictionary = values if isinstance(values, pa.Array) else pa.array(values)
    codes = pa.array([1, 0, None, len(dictionary) - 1, 1], pa.int8())
    table = pa.table({"c": pa.DictionaryArray.from_arrays(codes, dictionary)})
    content = cn.encode(table, "parquet", **({} if groups is None else {"row_group_size": groups}))
    found = cn.decode(content).to_arrow()["c"]
    assert found.type == table["c"].type
    assert found.to_pylist() == table["c"].to_pylist()
    assert all(chunk.dictionary.equals(dictionary) for chunk in found.chunks)
    others = pq.read_table(pa.BufferReader(content))["c"]
    assert others.to_pylist() == table["c"].to_pylist()
