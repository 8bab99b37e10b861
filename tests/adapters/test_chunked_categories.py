"""Categories of several chunks: one dictionary at any depth, and memory that is not shared with the caller."""

import io
from typing import Any

import numpy as np
import pytest

import colonnade as cn
from tests.helpers.each import each
from tests.helpers.ways import exactly

pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")

CHUNKED = ["arrow", "arrows", "parquet", "msgpack"]
SHAPES = ["list", "struct", "fixed", "map"]


def nested(shape: str, data: Any) -> Any:
    ends = pa.array([0, len(data)], pa.int32())
    match shape:
        case "list":
            return pa.ListArray.from_arrays(ends, data)
        case "struct":
            return pa.StructArray.from_arrays([data], ["f"])
        case "fixed":
            return pa.FixedSizeListArray.from_arrays(data, 1)
    return pa.MapArray.from_arrays(ends, pa.array(["k"] * len(data)), data)


def coded(codes: list[int | None], values: Any, ordered: bool = True) -> Any:
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int8()), values, ordered=ordered)


def categories(column: Any) -> list[Any]:
    """Of every chunk."""
    out = []
    for chunk in column.chunks:
        data = chunk
        while not isinstance(data, pa.DictionaryArray):
            data = data.field(0) if isinstance(data, pa.StructArray) else getattr(data, "items", None) or data.values
        out.append(data.dictionary.to_pylist())
    return out


def written(chunks: list[Any], format: str) -> bytes:
    sink = io.BytesIO()
    with cn.open_writer(sink, format=format) as writer:
        for chunk in chunks:
            writer.write(chunk)
    return sink.getvalue()


def joined(content: bytes, format: str) -> Any:
    with cn.open_reader(content, format=format) as reader:
        return reader.read_all().to_arrow()


VALUES = {
    "text": pa.array(["lo", "mid", "hi"]),
    "views": pa.array(["lo", "mid", "hi"], pa.string_view()),
    "numbers": pa.array([3.5, 1.5, 2.5]),
    "bytes": pa.array([b"lo-", b"mid", b"hi-"], pa.binary(3)),
}


@each("ordered", [False, True])
@each("shape", list(SHAPES))
@each("values", list(VALUES))
@each("format", list(CHUNKED), per=20)
def test_equal_dictionaries_that_lie_apart_are_one(format: str, values: str, shape: str, ordered: bool) -> None:
    """The order of categories is kept, and so are categories that no row has."""

    def chunk(code: int) -> Any:
        own = pa.array(VALUES[values].to_pylist(), VALUES[values].type)
        return pa.table({"x": nested(shape, coded([code], own, ordered))})

    chunks = [chunk(2), chunk(0)]
    found = joined(written(chunks, format), format).column("x")
    assert found.to_pylist() == pa.concat_tables(chunks).column("x").to_pylist()
    for kept in categories(found):
        assert kept == VALUES[values].to_pylist()


@pytest.mark.parametrize("format", ["npz", "parquet", "arrow", "msgpack"])
def test_one_the_beginning_of_the_other(format: str) -> None:
    tables = [
        pa.table({"x": nested("list", coded([0, None], pa.array(["lo"])))}),
        pa.table({"x": nested("list", coded([1, 0], pa.array(["lo", "mid", "hi"])))}),
    ]
    found = cn.decode(cn.encode(pa.concat_tables(tables), format), format).to_arrow().column("x")
    assert found.to_pylist() == [["lo", None], ["mid", "lo"]]
    assert all(kept == ["lo", "mid", "hi"] for kept in categories(found))


def test_many_equal_values_over_small_codes() -> None:
    texts = [f"text {k}" for k in range(100)]
    tables = [pa.table({"x": nested("list", coded([k], pa.array(texts, pa.string_view()), False))}) for k in (7, 99)]
    found = cn.decode(cn.encode(pa.concat_tables(tables), "npz"), "npz").to_arrow().column("x")
    assert found.to_pylist() == [["text 7"], ["text 99"]]
    assert found.chunk(0).values.dictionary.to_pylist() == texts


@pytest.mark.parametrize("format", CHUNKED)
def test_intervals_of_several_chunks(format: str) -> None:
    """Nested categories are compared by value, as all others are."""
    chunks = [
        pd.DataFrame({"c": pd.cut([1, 11], [0, 10, 20])}),
        pd.DataFrame({"c": pd.cut([11, 21], [10, 20, 30])}),
    ]
    if format == "parquet":
        with pytest.raises(cn.EncodeError):
            written(chunks, format)
        return
    with cn.open_reader(written(chunks, format), format=format) as reader:
        found = reader.read_all().to_pandas()["c"]
    assert found.cat.categories.tolist() == pd.interval_range(0, 30, freq=10).tolist()
    assert found.astype(object).tolist() == [v for chunk in chunks for v in chunk["c"].astype(object)]


@pytest.mark.parametrize("format", CHUNKED)
def test_dates_with_a_gap_have_no_frequency(format: str) -> None:
    days = [pd.date_range(day, periods=3) for day in ("2020-01-01", "2020-01-10")]
    chunks = [pd.DataFrame({"c": pd.Categorical.from_codes([0, 1, 2], categories=own)}) for own in days]
    with cn.open_reader(written(chunks, format), format=format) as reader:
        found = reader.read_all().to_pandas()["c"]
    assert found.cat.categories.tolist() == [*days[0], *days[1]]
    assert found.cat.categories.freq is None


def test_a_first_chunk_without_rows_does_not_turn_the_others() -> None:
    def chunk(values: list[str], own: list[str]) -> Any:
        return pd.DataFrame({"c": pd.Categorical(values, categories=own, ordered=True)})

    with pytest.raises(cn.EncodeError, match="c"):
        written([chunk([], ["b", "a"]), chunk(["a", "b"], ["a", "b"])], "arrow")
    content = written([chunk([], ["a", "b"]), chunk(["a", "b"], ["a", "b"])], "arrow")
    assert cn.read(content).to_pandas()["c"].cat.categories.tolist() == ["a", "b"]


def test_categories_that_no_wanted_row_has() -> None:
    """Lists that are all empty, rows of which all are, no rows."""
    values = pa.array(["lo", "hi"])
    empty = pa.ListArray.from_arrays(pa.array([0, 0, 0], pa.int32()), coded([], values))
    found = cn.decode(cn.encode(pa.table({"x": empty}), "parquet"), "parquet").to_arrow().column("x")
    assert found.type == empty.type
    assert categories(found) == [["lo", "hi"]]
    some = pa.ListArray.from_arrays(pa.array([0, 0, 0, 2], pa.int32()), coded([1, 0], values))
    content = cn.encode(pa.table({"x": some}), "parquet")
    for rows in (slice(0, 2), slice(0, 0)):
        part = cn.read(content, rows=rows).to_arrow().column("x")
        assert part.to_pylist() == [[]] * part.length()
        assert all(kept == ["lo", "hi"] for kept in categories(part))


@each("format", ["npz", "arrow", "parquet", "msgpack", "json"])
def test_nested_categories_of_intervals_of_time(format: str) -> None:
    values = pa.array([(1, 2, 3), (0, 0, 5)], pa.month_day_nano_interval())
    table = pa.table({"x": nested("list", coded([1, 0], values))})
    found = cn.decode(cn.encode(table, format, **exactly(format)), format).to_arrow().column("x")
    assert found.type == table.column("x").type
    assert found.to_pylist() == table.column("x").to_pylist()


def test_asked_for_categories_batch_by_batch() -> None:
    """All batches have codes of one width, so that they can be written again."""
    texts = [[f"k{i % 100}" for i in range(200)], [f"k{i}" for i in range(200)]]
    sink = io.BytesIO()
    with cn.open_writer(sink, format="parquet", row_group_size=200) as writer:
        for some in texts:
            writer.write(pa.table({"s": some}))
    again = io.BytesIO()
    with cn.open_reader(sink.getvalue(), categories=["s"]) as reader:
        cn.write(reader, again, format="arrow")
    assert cn.read(again.getvalue()).to_arrow().column("s").to_pylist() == [*texts[0], *texts[1]]


@pytest.mark.parametrize("format", CHUNKED)
def test_a_chunk_that_was_written_is_the_callers_again(format: str) -> None:
    """Values that the caller writes to his memory afterwards change nothing, while chunks wait for later ones."""
    numbers = np.arange(3.0)
    codes, values = np.array([0, 1, 0], "i1"), np.array([10, 20])
    dictionary = pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(values))
    table = pa.table({"x": pa.array(numbers), "c": dictionary, "l": nested_numbers(numbers)})
    sink = io.BytesIO()
    with cn.open_writer(sink, format=format) as writer:
        writer.write(table)
        numbers[:], codes[:], values[:] = -1, 1, -1
    found = joined(sink.getvalue(), format)
    assert found.column("x").to_pylist() == [0, 1, 2]
    assert found.column("c").to_pylist() == [10, 20, 10]
    assert found.column("l").to_pylist() == [[0], [1], [2]]


def nested_numbers(data: Any) -> Any:
    return pa.ListArray.from_arrays(pa.array([0, 1, 2, 3], pa.int32()), pa.array(data))


@pytest.mark.parametrize("format", CHUNKED)
def test_a_frame_that_was_written_is_the_callers_again(format: str) -> None:
    index = pd.Index(pd.Categorical(["u", "v", "u"]), name="i")
    frame = pd.DataFrame({"c": pd.Categorical(["a", "b", "a"]), "n": pd.array([1, 2, None], dtype="Int64")}, index)
    before = frame.copy()
    sink = io.BytesIO()
    with cn.open_writer(sink, format=format) as writer:
        writer.write(frame)
        frame.iloc[0, 0] = "b"
        frame.iloc[0, 1] = 99
        writer.write(frame)
    with cn.open_reader(sink.getvalue(), format=format) as reader:
        found = reader.read_all().to_pandas()
    pd.testing.assert_frame_equal(found, pd.concat([before, frame]))


@pytest.mark.parametrize("format", CHUNKED)
def test_slices_of_structs_that_have_validity_but_no_nulls(format: str) -> None:
    """A slice keeps the validity of its children, even if all values are valid."""
    inner = pa.array([None, 1, 2, 3], pa.int8())
    struct = pa.StructArray.from_arrays([inner, pa.array(["a", "b", None, "d"])], ["n", "t"])
    table = pa.table({"x": struct}).slice(1, 1)
    assert joined(written([table, table], format), format).column("x").to_pylist() == [{"n": 1, "t": "b"}] * 2
