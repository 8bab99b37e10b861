"""What stands in a Parquet file of ours, as pyarrow sees it: types, statistics, encodings, codecs, sizes, checksums."""

import re

import numpy as np
import pytest

from tests.helpers.each import each

pytest.importorskip("pyarrow")
pytest.importorskip("pandas")

import pandas as pd
import pyarrow as pa

import colonnade as cn
from colonnade.testing._arrow_cells import cells
from tests.helpers.parquet_look import checked_table, common, footer, plain_cells

# --------------------------------------------------------------------------- Spark and other readers that are not here
# Encodings that Spark's vectorized reader has since 3.3 (BYTE_STREAM_SPLIT came in 2026, lz4 with 3.5); fastparquet's.
EVERYBODYS = {"PLAIN", "RLE", "RLE_DICTIONARY", "PLAIN_DICTIONARY", "BIT_PACKED", "DELTA_BINARY_PACKED"}
CODECS = {"UNCOMPRESSED", "SNAPPY", "ZSTD"}


def test_defaults_are_what_spark_3_reads() -> None:
    found = footer(cn.encode(common(20_000), "parquet"))
    chunks = [found.row_group(g).column(c) for g in range(found.num_row_groups) for c in range(found.num_columns)]
    assert {encoding for chunk in chunks for encoding in chunk.encodings} <= EVERYBODYS
    assert {chunk.compression for chunk in chunks} <= CODECS
    assert "INT96" not in {chunk.physical_type for chunk in chunks}
    assert all(chunk.num_values > 0 for chunk in chunks)


def test_no_row_group_is_empty() -> None:
    """Spark takes a column chunk without values for damage."""
    found = footer(cn.encode(common(0), "parquet"))
    assert (found.num_rows, found.num_row_groups, found.num_columns) == (0, 0, 12)


def test_the_writer_is_named_as_others_parse_it() -> None:
    """Readers know bugs of writers by this name; the pattern is that of parquet-java's VersionParser."""
    name = footer(cn.encode({"x": np.arange(3)}, "parquet")).created_by
    found = re.fullmatch(r"(.*?)\s+version\s*(?:([^(]*?)\s*(?:\(\s*build\s*([^)]*?)\s*\))?)?", name)
    assert found is not None
    assert found[1] == "colonnade"
    assert found[2] == cn.__version__


_LOGICAL = {
    "b": "BOOLEAN None",
    "i1": "INT32 Int(bitWidth=8, isSigned=true)",
    "u8": "INT64 Int(bitWidth=64, isSigned=false)",
    "i4": "INT32 None",
    "i8": "INT64 None",
    "f2": "FIXED_LEN_BYTE_ARRAY Float16",
    "f8": "DOUBLE None",
    "s": "BYTE_ARRAY String",
    "raw": "BYTE_ARRAY None",
    "day": "INT32 Date",
    "us": "INT64 Timestamp(isAdjustedToUTC=false, timeUnit=microseconds, ...)",
    "ns": "INT64 Timestamp(isAdjustedToUTC=false, timeUnit=nanoseconds, ...)",
    "zone": "INT64 Timestamp(isAdjustedToUTC=true, timeUnit=milliseconds, ...)",
    "clock": "INT64 Time(isAdjustedToUTC=..., timeUnit=microseconds)",
    "d4": "INT32 Decimal(precision=9, scale=2)",
    "d8": "INT64 Decimal(precision=18, scale=2)",
    "d16": "FIXED_LEN_BYTE_ARRAY Decimal(precision=38, scale=2)",
}


def test_types_are_the_closest_ones() -> None:
    table = pa.table(
        {
            "b": [True],
            "i1": pa.array([1], pa.int8()),
            "u8": pa.array([1], pa.uint64()),
            "i4": pa.array([1], pa.int32()),
            "i8": [1],
            "f2": pa.array([np.float16(1)], pa.float16()),
            "f8": [0.5],
            "s": ["a"],
            "raw": [b"a"],
            "day": pa.array([1], pa.date32()),
            "us": pa.array([1], pa.timestamp("us")),
            "ns": pa.array([1], pa.timestamp("ns")),
            "zone": pa.array([1], pa.timestamp("ms", "Europe/Berlin")),
            "clock": pa.array([1], pa.time64("us")),
            "d4": pa.array([1], pa.decimal128(9, 2)),
            "d8": pa.array([1], pa.decimal128(18, 2)),
            "d16": pa.array([1], pa.decimal128(38, 2)),
        }
    )
    schema = footer(cn.encode(table, "parquet")).schema
    for position, (name, wanted) in enumerate(_LOGICAL.items()):
        column = schema.column(position)
        assert column.name == name
        pattern = re.escape(f"{wanted}").replace(re.escape("..."), ".*")
        assert re.fullmatch(pattern, f"{column.physical_type} {column.logical_type}"), (name, str(column.logical_type))


# --------------------------------------------------------------------------- statistics, page index, checksums, cuts
def test_statistics_are_those_of_the_values() -> None:
    frame = common(1000)
    found = footer(cn.encode(frame, "parquet", row_group_size=250))
    assert found.num_row_groups == 4
    for group in range(4):
        part = frame.iloc[group * 250 : (group + 1) * 250]
        for position, name in enumerate(frame.columns):
            kept = found.row_group(group).column(position).statistics
            values = part[name].dropna()
            if kept.null_count is not None and name != "f8":  # NaN is a value to NumPy
                assert kept.null_count == part[name].isna().sum(), name
            if kept.has_min_max:
                least, most = values.min(), values.max()
                assert (kept.min, kept.max) == (least, most), name
            else:
                assert name in ("raw",), name


@pytest.mark.parametrize(
    ("cells", "least", "most"),
    [
        ([1.0, float("nan"), -2.0], -2.0, 1.0),
        ([0.0], -0.0, 0.0),
        ([-0.0], -0.0, 0.0),
        ([float("inf"), float("-inf")], float("-inf"), float("inf")),
    ],
)
def test_statistics_of_floats_as_the_specification_asks(cells: list[float], least: float, most: float) -> None:
    """No NaN among them; a zero at the lower end is negative, at the upper end positive."""
    kept = footer(cn.encode({"x": np.array(cells)}, "parquet")).row_group(0).column(0).statistics
    assert (repr(kept.min), repr(kept.max)) == (repr(least), repr(most))


def test_statistics_of_nan_alone_are_none() -> None:
    kept = footer(cn.encode({"x": np.array([np.nan, np.nan])}, "parquet")).row_group(0).column(0).statistics
    assert kept is None or not kept.has_min_max


def test_statistics_of_unsigned_numbers_and_text_have_their_order() -> None:
    table = pa.table({"u": pa.array([1, 2**63 + 5, 2**64 - 1], pa.uint64()), "s": ["é", "z", "a"]})
    row_group = footer(cn.encode(table, "parquet")).row_group(0)
    assert (row_group.column(0).statistics.min, row_group.column(0).statistics.max) == (1, 2**64 - 1)
    assert (row_group.column(1).statistics.min, row_group.column(1).statistics.max) == ("a", "é")


def test_statistics_and_page_index_can_be_left_out() -> None:
    frame = common(500)
    none = footer(cn.encode(frame, "parquet", statistics=False, page_index=False)).row_group(0).column(0)
    assert none.statistics is None or not none.statistics.has_min_max
    assert not none.has_column_index
    assert not none.has_offset_index
    both = footer(cn.encode(frame, "parquet", data_page_size=500)).row_group(0).column(0)
    assert both.has_offset_index
    assert both.has_column_index


def test_a_changed_byte_of_a_page_is_noticed() -> None:
    content = bytearray(cn.encode({"x": np.arange(1000)}, "parquet", encoding="plain", compression=None))
    checked_table(bytes(content))
    place = bytes(content).index(np.arange(500, 510).tobytes())
    content[place] ^= 1
    with pytest.raises(OSError, match="checksum"):
        checked_table(bytes(content))
    with pytest.raises(cn.DecodeError, match="checksum"):
        cn.decode(bytes(content), verify=True).to_arrow()


@pytest.mark.parametrize("rows", [1, 7, 1000, 5000])
def test_row_groups_are_as_large_as_was_asked(rows: int) -> None:
    found = footer(cn.encode(common(1000), "parquet", row_group_size=rows))
    sizes = [found.row_group(group).num_rows for group in range(found.num_row_groups)]
    assert sum(sizes) == 1000
    assert set(sizes[:-1]) <= {rows}
    assert sizes[-1] <= rows


@each("codec", [None, "snappy", "gzip", "brotli", "lz4", "zstd"])
@each("version", [1, 2])
def test_compression_is_what_was_asked(codec: str | None, version: int) -> None:
    frame = pa.table({"x": np.zeros(10_000), "s": ["the same text"] * 10_000, "l": [[1, 2]] * 10_000})
    content = cn.encode(
        frame, "parquet", compression=codec, encoding="plain", use_dictionary=False, data_page_version=version
    )
    group = footer(content).row_group(0)
    names = {group.column(position).compression for position in range(group.num_columns)}
    assert names == {{None: "UNCOMPRESSED", "lz4": "LZ4"}.get(codec, (codec or "").upper())}
    found = checked_table(content)
    for name in frame.column_names:
        assert cells(found.column(name)) == cells(frame.column(name))


_BY_HAND = {
    "plain": ("PLAIN", ["b", "i", "f", "s", "t", "z"]),
    "dictionary": ("RLE_DICTIONARY", ["i", "f", "s", "t", "z"]),
    "delta_binary_packed": ("DELTA_BINARY_PACKED", ["i", "t"]),
    "delta_length_byte_array": ("DELTA_LENGTH_BYTE_ARRAY", ["s"]),
    "byte_stream_split": ("BYTE_STREAM_SPLIT", ["i", "f", "t", "z"]),
}


@each("version", [1, 2])
@each("word", list(_BY_HAND))
def test_encodings_are_what_was_asked(word: str, version: int) -> None:
    name, able = _BY_HAND[word]
    nrows = 3000
    data = {
        "b": np.arange(nrows) % 3 == 0,
        "i": np.arange(nrows, dtype="i4") % 50,
        "f": np.arange(nrows) % 20 * 0.5,
        "s": np.array([f"w{i % 9}" for i in range(nrows)], dtype=object),
        "t": np.arange(nrows).astype("M8[us]"),
        "z": np.arange(nrows).astype("f2"),
    }
    content = cn.encode(data, "parquet", encoding=dict.fromkeys(able, word), data_page_version=version)
    group = footer(content).row_group(0)
    for position, column in enumerate(data):
        if column in able:
            assert name in group.column(position).encodings, column
    found = checked_table(content)
    for column, values in data.items():
        assert found.column(column).to_pylist() == pa.array(values).to_pylist(), column
    for column in set(data) - set(able):
        with pytest.raises((cn.EncodeError, cn.OptionError), match=f'"{column}"'):
            cn.encode(data, "parquet", encoding={column: word})
    # One word for all is for those that can have it.
    assert checked_table(cn.encode(data, "parquet", encoding=word)).num_rows == nrows


def test_an_encoding_of_a_column_that_is_not_there_is_refused() -> None:
    with pytest.raises(cn.ColonnadeError, match='"y"'):
        cn.encode({"x": np.arange(3)}, "parquet", encoding={"y": "plain"})


def test_profiles_are_read_by_pyarrow() -> None:
    frame = common(30_000)
    sizes = {}
    for profile in ("fast", "balanced", "small"):
        content = cn.encode(frame, "parquet", profile=profile)
        assert plain_cells(checked_table(content).to_pandas()) == plain_cells(frame)
        sizes[profile] = len(content)
    assert sizes["small"] <= sizes["balanced"] <= sizes["fast"]


def test_the_same_frame_is_the_same_bytes_whatever_the_threads() -> None:
    frame = common(50_000)
    first = cn.encode(frame, "parquet", threads=1, row_group_size=9000)
    assert cn.encode(frame, "parquet", threads=2, row_group_size=9000) == first
    assert cn.encode(common(50_000), "parquet", threads=2, row_group_size=9000) == first


def test_what_stands_under_a_null_parent_is_not_compared() -> None:
    """No file keeps it: Parquet has no place for values below a null."""
    dtype = pd.ArrowDtype(pa.struct([("a", pa.int8())]))
    frame = pd.DataFrame({"x": pd.array([{"a": 1}, None, {"a": None}], dtype=dtype)})
    back = cn.decode(cn.encode(frame, "parquet"))
    assert back.identical(cn.Frame(frame))
    assert cn.Frame(frame).equals(back)
    other = pd.DataFrame({"x": pd.array([{"a": 2}, None, {"a": None}], dtype=dtype)})
    assert not back.equals(cn.Frame(other))


def test_a_later_chunk_that_does_not_fit_is_refused_as_parquet() -> None:
    sink = cn.BufferSink()
    with cn.open_writer(sink, format="parquet") as writer:
        writer.write({"a": np.arange(3)})
        with pytest.raises(cn.EncodeError, match=r"^parquet: "):
            writer.write({"b": np.arange(3)})
        writer.write({"a": np.arange(3, 6)})
    assert cn.read(sink)["a"].to_numpy().tolist() == list(range(6))
