"""What is written as parquet, looked at with pyarrow's and pandas' own readers."""

import io
import os
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pandas.testing import assert_frame_equal

import colonnade as cn
from tests.helpers.each import each


def read(data: bytes) -> pd.DataFrame:
    return pd.read_parquet(io.BytesIO(data))


def table(data: bytes) -> pa.Table:
    return pq.read_table(io.BytesIO(data))


N = 1000
RANDOM = np.random.default_rng(7)
FRAMES = {
    "numbers": pd.DataFrame(
        {
            k: RANDOM.integers(0, 100, N).astype(k)
            for k in ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]
        }
    ),
    "bools": pd.DataFrame({"a": RANDOM.integers(0, 2, N) == 1}),
    "text": pd.DataFrame({"a": [f"x{i % 7}" for i in range(N)], "b": [None if i % 3 else f"é{i}" for i in range(N)]}),
    "floats": pd.DataFrame({"a": [1.5, np.nan, -0.0, np.inf] * 10}),
    "times": pd.DataFrame(
        {u: pd.to_datetime(["2020-01-01", None, "1950-03-04"]).as_unit(u) for u in ("ms", "us", "ns")}
    ),
    "spans": pd.DataFrame({u: pd.to_timedelta([1, None, 3], unit="s").as_unit(u) for u in ("s", "ms", "us", "ns")}),
    "zones": pd.DataFrame({"a": pd.to_datetime(["2020-01-01", None]).tz_localize("Europe/Berlin")}),
    "categories": pd.DataFrame({"a": pd.Categorical(["a", "b", None, "a"], categories=["z", "b", "a"], ordered=True)}),
    "masked": pd.DataFrame(
        {
            "a": pd.array([1, None, 3], "Int8"),
            "b": pd.array([True, None, False], "boolean"),
            "c": pd.array(["a", None, ""], "string"),
        }
    ),
    "index": pd.DataFrame({"a": [1, 2]}, index=pd.Index(["x", "y"], name="k")),
    "levels": pd.DataFrame({"a": [1, 2]}, index=pd.MultiIndex.from_tuples([(1, "x"), (2, "y")], names=["p", None])),
    "range": pd.DataFrame({"a": [1, 2]}, index=pd.RangeIndex(5, 9, 2)),
    "instants": pd.DataFrame({"a": [1, 2]}, index=pd.date_range("2020", periods=2, tz="UTC")),
    "strided": pd.DataFrame(np.arange(100_000.0).reshape(1000, 100)).rename(columns=str),
    "no rows": pd.DataFrame({"a": np.array([], "i8"), "s": np.array([], str)}),
    "periods": pd.DataFrame({"a": pd.period_range("2020-01", periods=3, freq="M")}),
}


@each("name", list(FRAMES))
def test_pandas_sees_what_was_written(name: str) -> None:
    frame = FRAMES[name]
    assert_frame_equal(read(cn.encode(frame, "parquet")), frame, check_freq=False)


@each("codec", [None, "auto", "snappy", "gzip", "brotli", "lz4", "zstd"])
@each("version", [1, 2])
def test_every_codec_and_page(codec: str | None, version: int) -> None:
    n = 30_000
    frame = pd.DataFrame(
        {
            "a": np.arange(n) % 1000,
            "s": [f"k{i % 50}" for i in range(n)],
            "n": [None if i % 5 else "x" for i in range(n)],
        }
    )
    data = cn.encode(frame, "parquet", compression=codec, data_page_version=version)
    assert_frame_equal(read(data), frame)


ARROW: dict[str, pa.Array] = {
    "time32": pa.array([1, None], pa.time32("ms")),
    "time64": pa.array([1, None], pa.time64("ns")),
    "date32": pa.array([1, None], pa.date32()),
    "duration": pa.array([1, None], pa.duration("s")),
    "decimal of 5": pa.array([Decimal("1.25"), None, Decimal("-999.99")], pa.decimal128(5, 2)),
    "decimal of 15": pa.array([Decimal("-1.25"), None], pa.decimal128(15, 2)),
    "decimal of 38": pa.array([Decimal("-1.25"), None], pa.decimal128(38, 2)),
    "decimal of 76": pa.array([Decimal("-1.25"), None], pa.decimal256(76, 2)),
    "null": pa.array([None, None], pa.null()),
    "list": pa.array([[1, None], None, []]),
    "map": pa.array([[("a", 1)], None], pa.map_(pa.string(), pa.int64())),
    "struct": pa.array([{"a": 1}, None]),
    "list of lists": pa.array([[[1]], None]),
    "binary": pa.array([b"x\0", None]),
    "fixed binary": pa.array([b"xy", None], pa.binary(2)),
    "views": pa.array(["a" * 20, None], pa.string_view()),
    "large text": pa.array(["a", None], pa.large_string()),
    "dictionary": pa.array(["a", None]).dictionary_encode(),
}


@each("name", list(ARROW))
def test_arrow_sees_what_was_written(name: str) -> None:
    column = ARROW[name]
    back = table(cn.encode(pa.table({"a": column}), "parquet")).column(0)
    assert back.to_pylist() == column.to_pylist()
    assert back.type == column.type


def test_seconds_are_milliseconds_where_they_fit() -> None:
    seconds = pa.array([1, None, -5], pa.timestamp("s"))
    assert (
        table(cn.encode(pa.table({"a": seconds}), "parquet")).column(0).cast(seconds.type).to_pylist()
        == seconds.to_pylist()
    )
    far = pa.array([2**60, None], pa.timestamp("s"))
    # Nobody else has a word for these: numbers, which our own metadata explain.
    assert table(cn.encode(pa.table({"a": far}), "parquet")).column(0).to_pylist() == [2**60, None]


@pytest.mark.parametrize(
    "column",
    [
        pa.StructArray.from_arrays([pa.RunEndEncodedArray.from_arrays([1], ["x"])], ["r"]),
        pa.StructArray.from_arrays([pa.array([True]).dictionary_encode()], ["d"]),
    ],
)
def test_what_parquet_cannot_hold_is_refused_by_name(tmp_path: Any, column: pa.Array) -> None:
    path = tmp_path / "x.parquet"
    path.write_bytes(b"old")
    with pytest.raises(cn.EncodeError, match="odd"):
        cn.write(pa.table({"a": [1], "odd": column}), path)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["x.parquet"]
    sink = cn.BufferSink()
    with pytest.raises(cn.EncodeError, match="odd"):
        cn.write(pa.table({"a": [1], "odd": column}), sink, format="parquet")
    assert len(memoryview(sink)) == 0


def test_unions_are_structs_to_other_readers() -> None:
    ids, offsets = pa.array([5, 2, 5], pa.int8()), pa.array([0, 0, 1], pa.int32())
    values = [pa.array([1, 2]), pa.array(["x"])]
    dense = pa.UnionArray.from_dense(ids, offsets, values, ["n", "type_id"], [5, 2])
    nothing = pa.array([{}, None, {}], pa.struct([]))
    wanted = pa.table({"u": dense, "l": pa.ListArray.from_arrays([0, 1, 3, 3], dense), "e": nothing})
    content = cn.encode(wanted, "parquet")
    assert table(content).column("u").to_pylist() == [
        {"type_id": 5, "n": 1, "type_id_2": None},
        {"type_id": 2, "n": None, "type_id_2": "x"},
        {"type_id": 5, "n": 2, "type_id_2": None},
    ]
    assert table(content).column("e").to_pylist() == [{"no fields": None}, None, {"no fields": None}]
    frame = cn.decode(content, "parquet")
    assert frame.schema == cn.Frame(wanted).schema
    assert frame.to_arrow().equals(wanted)


@pytest.mark.parametrize("ids", [[0, 7], [0, None], [0.0, 1.0]])
def test_a_union_that_the_columns_do_not_hold_stays_a_struct(ids: list[Any]) -> None:
    union = pa.UnionArray.from_sparse(pa.array([0, 0], pa.int8()), [pa.array([1, 2])], ["n"])
    tag = table(cn.encode(pa.table({"u": union}), "parquet")).schema
    structs = pa.array([{"type_id": i, "n": 1} for i in ids])
    if ids[0] == 0 and type(ids[0]) is int:
        structs = structs.cast(pa.struct({"type_id": pa.int8(), "n": pa.int64()}))
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"u": structs}).replace_schema_metadata(tag.metadata), sink)
    assert cn.decode(sink.getvalue(), "parquet").to_arrow().column("u").to_pylist() == structs.to_pylist()


def test_the_same_frame_gives_the_same_bytes() -> None:
    n = 300_000
    frame = pd.DataFrame({"a": np.arange(n), "b": RANDOM.random(n), "s": [f"k{i % 999}" for i in range(n)]})
    one = cn.encode(frame, "parquet", threads=1, row_group_size=70_000)
    assert all(cn.encode(frame, "parquet", threads=t, row_group_size=70_000) == one for t in (2, 3, 5))


def test_row_groups() -> None:
    n = 100_000
    frame = pd.DataFrame({"a": np.arange(n), "c": pd.Categorical([f"k{i % 50}" for i in range(n)])})
    data = cn.encode(frame, "parquet", row_group_size=30_000)
    file = pq.ParquetFile(io.BytesIO(data))
    assert [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)] == [30_000] * 3 + [10_000]
    assert file.metadata.created_by.startswith("colonnade version ")
    assert_frame_equal(read(data), frame)


def test_chunks_are_joined_to_row_groups(tmp_path: Any) -> None:
    path = tmp_path / "x.parquet"
    with cn.open_writer(path, row_group_size=250) as writer:
        for start in range(0, 1000, 100):
            chunk = np.arange(start, start + 100)
            writer.write({"a": chunk})
            chunk[:] = -1  # the caller's memory is his again
        assert writer.nrows == 1000
    file = pq.ParquetFile(path)
    assert [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)] == [250] * 4
    assert file.read().column(0).to_pylist() == list(range(1000))


def test_chunks_of_another_layout_are_refused(tmp_path: Any) -> None:
    path = tmp_path / "x.parquet"
    with cn.open_writer(path) as writer:
        writer.write({"a": np.arange(3)})
        with pytest.raises(cn.EncodeError, match="first chunk"):
            writer.write({"b": np.arange(3)})
        writer.write({"a": np.arange(3)})
    assert pq.read_table(path).num_rows == 6


def test_an_exception_leaves_the_old_file(tmp_path: Any) -> None:
    path = tmp_path / "x.parquet"
    path.write_bytes(b"old")
    with pytest.raises(ZeroDivisionError), cn.open_writer(path) as writer:
        writer.write({"a": np.arange(3)})
        raise ZeroDivisionError
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["x.parquet"]
    with pytest.raises(cn.EncodeError, match="nothing was written"), cn.open_writer(path):
        pass
    assert path.read_bytes() == b"old"


@pytest.mark.parametrize("target", ["path", "sink", "file", "callable"])
def test_every_target(tmp_path: Any, target: str) -> None:
    frame = pd.DataFrame({"a": np.arange(10)})
    expected = cn.encode(frame, "parquet")
    path = tmp_path / "x.parquet"
    if target == "path":
        cn.write(frame, path)
        found = path.read_bytes()
    elif target == "sink":
        sink = cn.BufferSink()
        cn.write(frame, sink, format="parquet")
        found = bytes(memoryview(sink))
    elif target == "file":
        with open(path, "wb") as file:
            cn.write(frame, file)
        found = path.read_bytes()
    else:
        memory = io.BytesIO()
        cn.write(frame, memory, format="parquet")
        found = memory.getvalue()
    assert found == expected


def test_encodings_by_hand() -> None:
    frame = pd.DataFrame({"a": np.arange(1000), "s": [f"k{i}" for i in range(1000)], "f": np.arange(1000.0)})

    def encodings(**options: Any) -> list[set[str]]:
        metadata = pq.ParquetFile(io.BytesIO(cn.encode(frame, "parquet", **options))).metadata.row_group(0)
        assert_frame_equal(read(cn.encode(frame, "parquet", **options)), frame)
        return [set(metadata.column(i).encodings) - {"RLE"} for i in range(3)]

    by_name = {"a": "delta_binary_packed", "s": "delta_length_byte_array", "f": "byte_stream_split"}
    assert encodings(encoding=by_name) == [{"DELTA_BINARY_PACKED"}, {"DELTA_LENGTH_BYTE_ARRAY"}, {"BYTE_STREAM_SPLIT"}]
    assert encodings(encoding="plain") == [{"PLAIN"}] * 3
    with pytest.raises(cn.OptionError, match='"x"'):
        cn.encode(frame, "parquet", encoding={"x": "plain"})
    with pytest.raises(cn.OptionError, match='"s"'):
        cn.encode(frame, "parquet", encoding={"s": "delta_binary_packed"})


def test_statistics_and_page_index() -> None:
    frame = pd.DataFrame({"a": np.arange(500_000), "s": [f"k{i:06d}" for i in range(500_000)]})
    file = pq.ParquetFile(io.BytesIO(cn.encode(frame, "parquet")))
    a, s = (file.metadata.row_group(0).column(i) for i in range(2))
    assert (a.statistics.min, a.statistics.max, a.statistics.null_count) == (0, 499_999, 0)
    assert (s.statistics.min, s.statistics.max) == ("k000000", "k499999")
    assert a.has_offset_index
    assert a.has_column_index
    plain = pq.ParquetFile(io.BytesIO(cn.encode(frame, "parquet", statistics=False, page_index=False)))
    assert not plain.metadata.row_group(0).column(0).has_offset_index


@pytest.mark.parametrize(
    ("frame", "names"),
    [
        (pd.DataFrame(np.arange(6).reshape(2, 3), columns=["a", "a", "b"]), 3),
        (pd.DataFrame(np.arange(6).reshape(2, 3), columns=[1, 2.5, None]), 3),
        (pd.DataFrame(np.arange(4).reshape(2, 2), columns=pd.MultiIndex.from_tuples([("a", 1), ("a", 2)])), 2),
    ],
)
def test_labels_become_unique_names(frame: pd.DataFrame, names: int) -> None:
    found = table(cn.encode(frame, "parquet"))
    assert len(set(found.column_names)) == names
    assert [found.column(i).to_pylist() for i in range(names)] == [frame.iloc[:, i].tolist() for i in range(names)]


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (1, 1)])
def test_shapes(shape: tuple[int, int]) -> None:
    frame = pd.DataFrame(np.zeros(shape), columns=[f"c{i}" for i in range(shape[1])])
    found = table(cn.encode(frame, "parquet"))
    assert found.num_columns == shape[1]
    assert found.num_rows == shape[0]


def test_many_columns_have_a_footer_that_grows_no_faster() -> None:
    frame = pd.DataFrame(np.zeros((3, 5000)), columns=[f"c{i}" for i in range(5000)])
    metadata = pq.ParquetFile(io.BytesIO(cn.encode(frame, "parquet"))).metadata
    assert metadata.num_columns == 5000
    small = pq.ParquetFile(io.BytesIO(cn.encode(frame.iloc[:, :500], "parquet"))).metadata
    assert metadata.serialized_size < 11 * small.serialized_size


def test_run_ends_come_back() -> None:
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([2, 3, 7], pa.int32()), pa.array(["a", None, "b"]))
    data = cn.encode(pa.table({"a": runs}), "parquet")
    assert table(data).column(0).to_pylist() == runs.to_pylist()
    found = cn.decode(data).to_native().column(0)
    assert found.type == runs.type
    assert found.to_pylist() == runs.to_pylist()


@each(
    "categories",
    [[True, False], [False], pd.interval_range(0, 3), ["z", "b", "a"], [3, 1, 2], pd.to_datetime(["2021", "2020"])],
)
@each("rows", [4, 0])
def test_categories_come_back_in_their_order(categories: Any, rows: int) -> None:
    codes = ([0, -1, len(categories) - 1, 0])[:rows]
    frame = pd.DataFrame({"c": pd.Categorical.from_codes(codes, categories=categories, ordered=True)})
    assert_frame_equal(cn.decode(cn.encode(frame, "parquet")).to_pandas(), frame)


def test_a_later_chunk_that_does_not_fit_is_refused_before_it_is_lost(tmp_path: Any) -> None:
    path = tmp_path / "x.parquet"
    near, far = (pa.table({"a": pa.array([value], pa.timestamp("s"))}) for value in (1, 2**60))
    with cn.open_writer(path) as writer:
        writer.write(near)
        with pytest.raises(cn.EncodeError, match="first chunk"):
            writer.write(far)
        writer.write(near)
    assert pq.read_table(path).num_rows == 2


def test_options_of_columns_that_nest() -> None:
    frame = pa.table({"a": [1, 2], "l": [["x"], ["x"]]})
    with pytest.raises(cn.OptionError, match='"l"'):
        cn.encode(frame, "parquet", encoding={"l": "delta_binary_packed"})
    plain = pq.ParquetFile(io.BytesIO(cn.encode(frame, "parquet", use_dictionary=["a"])))
    assert "RLE_DICTIONARY" not in plain.metadata.row_group(0).column(1).encodings
    assert plain.read().column(1).to_pylist() == [["x"], ["x"]]
