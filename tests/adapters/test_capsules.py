"""Objects that hand themselves over as Arrow capsules, and libraries that take a Frame so."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyarrow")

import pyarrow as pa

import colonnade as cn
from colonnade.adapters import find_adapter
from colonnade.testing._arrow_cells import columns_of

TABLE = pa.table({"a": pa.array([1, None, 3]), "s": ["x", "y", None]})


class Streams:
    """A producer of a library that nobody has heard of."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


class Hands:
    """One batch, without a stream."""

    def __init__(self, array: Any) -> None:
        self._array = array

    def __arrow_c_array__(self, requested_schema: object = None) -> object:
        return self._array.__arrow_c_array__(requested_schema)


def test_a_stream_is_taken() -> None:
    frame = cn.Frame(Streams(TABLE))
    assert frame.shape == (3, 2)
    assert columns_of(frame.to_arrow()) == columns_of(TABLE)
    assert frame.to_native().schema == TABLE.schema


def test_a_stream_of_several_batches_is_taken() -> None:
    table = pa.concat_tables([TABLE, TABLE.slice(1), TABLE.slice(0, 0)])
    frame = cn.Frame(Streams(table))
    assert frame.shape == (5, 2)
    assert list(frame.index) == [0, 1, 2, 3, 4]
    assert columns_of(frame.slice(2, 5).to_arrow()) == columns_of(table.slice(2))
    assert frame.equals(table)


def test_one_batch_is_taken() -> None:
    batch = TABLE.to_batches()[0]
    assert columns_of(cn.Frame(Hands(batch)).to_arrow()) == columns_of(TABLE)


@pytest.mark.parametrize("make", [lambda: Streams(pa.chunked_array([[1]])), lambda: Hands(pa.array([1]))])
def test_an_array_is_no_table(make: Any) -> None:
    with pytest.raises(TypeError, match="struct"):
        cn.Frame(make())


def test_a_producer_that_fails_says_so() -> None:
    def broken() -> Iterator[Any]:
        yield TABLE.to_batches()[0]
        raise OSError("the wire broke")

    reader = pa.RecordBatchReader.from_batches(TABLE.schema, broken())
    with pytest.raises(Exception, match="the wire broke"):
        cn.Frame(Streams(reader))


def test_an_adapter_by_name_comes_first() -> None:
    pandas = pytest.importorskip("pandas")
    assert hasattr(pandas.DataFrame, "__arrow_c_stream__")
    adapter = find_adapter(pandas.DataFrame())
    assert adapter is not None
    assert adapter.LIBRARY == "pandas"
    assert find_adapter(object()) is None


def test_a_file_is_written_from_a_stream(tmp_path: Any) -> None:
    cn.write(Streams(TABLE), tmp_path / "x.npz")
    assert columns_of(cn.read(tmp_path / "x.npz").to_arrow()) == columns_of(TABLE)


# ---------------------------------------------------------------------------- out


@pytest.fixture(params=["blocks", "arrow", "batches", "file"])
def frame(request: pytest.FixtureRequest) -> cn.Frame:
    arrays = {"n": np.arange(6), "x": np.linspace(0, 1, 6), "b": np.arange(6) % 2 == 0}
    if request.param == "blocks":
        return cn.Frame(arrays)
    if request.param == "file":
        return cn.decode(cn.encode(arrays, "npz"))
    table = pa.table(arrays)
    return cn.Frame(table if request.param == "arrow" else pa.concat_tables([table.slice(0, 4), table.slice(4)]))


def test_pyarrow_takes_a_frame(frame: cn.Frame) -> None:
    table = pa.table(frame)
    assert table.column("n").to_pylist() == list(range(6))
    assert table.column("b").to_pylist() == [True, False] * 3
    assert pa.table(frame) == table, "a frame can be handed over any number of times"


def test_duckdb_takes_a_frame(frame: cn.Frame) -> None:
    duckdb = pytest.importorskip("duckdb")
    assert duckdb.sql("select sum(n), count(x), sum(b::int) from frame").fetchall() == [(15, 6, 3)]


def test_polars_takes_a_frame(frame: cn.Frame) -> None:
    polars = pytest.importorskip("polars")
    assert polars.DataFrame(frame)["n"].sum() == 15


def test_pandas_takes_a_frame(frame: cn.Frame) -> None:
    pandas = pytest.importorskip("pandas")
    if not hasattr(pandas.DataFrame, "from_arrow"):
        pytest.skip("this pandas has no DataFrame.from_arrow")
    assert pandas.DataFrame.from_arrow(frame)["n"].tolist() == list(range(6))


def test_duckdb_relations_are_taken() -> None:
    duckdb = pytest.importorskip("duckdb")
    relation = duckdb.sql("select range::int as i, 'r' || range as s, [range] as l from range(5000)")
    if not hasattr(relation, "__arrow_c_stream__"):
        pytest.skip("this duckdb has no stream")
    made = cn.Frame(relation)
    assert made.shape == (5000, 3)
    assert made["i"].to_numpy().tolist() == list(range(5000))
    assert made["s"].to_numpy()[4999] == "r4999"
    assert made["l"].to_numpy()[3] == [3]


def test_selection_reaches_the_stream(frame: cn.Frame) -> None:
    table = pa.table(frame.select(["x", "n"]).slice(3, 5))
    assert table.column_names == ["x", "n"]
    assert table.column("n").to_pylist() == [3, 4]
    assert pa.schema(frame.select(["b"])).names == ["b"]


# ---------------------------------------------------------------------------- metadata that no longer fits


def test_what_a_user_changes_in_pyarrow_is_what_comes_back() -> None:
    pandas = pytest.importorskip("pandas")
    original = pandas.DataFrame(
        {"a": [1, 2], "b": [1.5, 2.5], "c": ["x", "y"]}, index=pandas.Index(["r", "s"], name="k")
    )
    table = cn.Frame(original).to_arrow()
    for changed in (
        table.drop_columns(["b"]),
        table.rename_columns(["k", "b", "a", "q"]),
        table.select(["k", "c", "b", "a"]),
        table.append_column("d", pa.array([1, 2])),
        table.set_column(0, "a", pa.array(["one", "two"])),
    ):
        frame = cn.Frame(changed)
        out = frame.to_native()
        assert out.schema.equals(changed.schema, check_metadata=True)
        assert columns_of(out) == columns_of(changed)
        for format in ("npz", "arrow"):
            assert columns_of(cn.decode(cn.encode(changed, format)).to_native()) == columns_of(changed)


# ---------------------------------------------------------------------------- rows


def test_rows_are_taken() -> None:
    frame = cn.Frame([{"a": 1, "s": "x"}, {"a": 2, "s": None}])
    assert frame.shape == (2, 2)
    assert frame.to_arrow().to_pydict() == {"a": [1, 2], "s": ["x", None]}
    assert cn.Frame((i, i * 0.5) for i in range(3)).shape == (3, 2)


# ---------------------------------------------------------------------------- batch by batch


def test_a_producer_is_asked_for_one_batch_at_a_time(tmp_path: Any) -> None:
    made = 0

    def batches() -> Iterator[Any]:
        nonlocal made
        for i in range(5):
            made += 1
            yield pa.record_batch({"i": [i, i]})

    reader = pa.RecordBatchReader.from_batches(pa.schema([("i", pa.int64())]), batches())
    for producer in (reader, Streams(reader)):
        frames = find_adapter(producer).to_frames(producer)  # type: ignore[union-attr]
        assert frames is not None
    first = next(frames)
    assert first.nrows == 2
    assert made <= 2
    assert [frame.index.range for frame in frames] == [(2 * i, 2 * i + 2, 1) for i in range(1, 5)]


def test_an_open_writer_takes_a_reader(tmp_path: Any) -> None:
    table = pa.table({"i": list(range(10)), "s": [str(i) for i in range(10)]})
    with cn.open_writer(tmp_path / "x.arrows") as writer:
        writer.write(table.to_reader(max_chunksize=3))
        writer.write(Streams(table.slice(0, 0)))
    out = cn.read(tmp_path / "x.arrows")
    assert out.to_arrow().to_pydict() == table.to_pydict()
