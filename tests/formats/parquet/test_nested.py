"""Lists, structs and maps as parquet: what is written is what pyarrow reads, and comes back as it was."""

import io
import random
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import colonnade as cn
from tests.helpers.each import each


def _table(data: bytes) -> pa.Table:
    return pq.read_table(io.BytesIO(data), page_checksum_verification=True)


def _back(data: bytes) -> pa.Table:
    return cn.decode(data, "parquet").to_arrow()


def _codes(values: pa.Array) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array([1, None, 0], pa.int8()), values)


def _within(values: pa.Array) -> dict[str, pa.Array]:
    """Three values in every kind of container, nulls above them too."""
    offsets = pa.array([0, 2, None, 2, 3], pa.int32())
    parent = pa.array([False, True, False])
    return {
        "list": pa.ListArray.from_arrays(offsets, values),
        "large": pa.LargeListArray.from_arrays(offsets.cast(pa.int64()), values),
        "fixed": pa.FixedSizeListArray.from_arrays(values, 3),
        "struct": pa.StructArray.from_arrays([values, values], ["a", "b"], mask=parent),
        "map": pa.MapArray.from_arrays(offsets, pa.array(["x", "y", "z"]), values),
        "deep": pa.ListArray.from_arrays(
            pa.array([0, 0, None, 3], pa.int32()),
            pa.StructArray.from_arrays([pa.ListArray.from_arrays(pa.array([0, 1, 1, 3], pa.int32()), values)], ["a"]),
        ),
    }


LEAVES = {
    "int8": pa.array([1, None, -3], pa.int8()),
    "uint32": pa.array([1, None, 2**32 - 1], pa.uint32()),
    "int64": pa.array([1, None, -(2**62)]),
    "float16": pa.array([1.5, None, -0.0], pa.float16()),
    "double": pa.array([1.5, None, float("inf")]),
    "bool": pa.array([True, None, False]),
    "null": pa.nulls(3),
    "text": pa.array(["a", None, "é" * 40]),
    "large text": pa.array(["a", None, ""], pa.large_string()),
    "views": pa.array(["a", None, "longer than twelve bytes"], pa.string_view()),
    "binary": pa.array([b"a", None, b"\x00"]),
    "width": pa.array([b"abc", None, b"def"], pa.binary(3)),
    "date32": pa.array([date(2020, 1, 1), None, date(1900, 1, 1)]),
    "date64": pa.array([date(2020, 1, 1), None, date(1900, 1, 1)], pa.date64()),
    "time32[s]": pa.array([time(1, 2, 3), None, time(0)], pa.time32("s")),
    "time64[ns]": pa.array([time(1, 2, 3), None, time(0)], pa.time64("ns")),
    "timestamp[s]": pa.array([datetime(2020, 1, 1), None, datetime(1900, 1, 1)], pa.timestamp("s")),
    "timestamp[s, zone]": pa.array([datetime(2020, 1, 1), None, datetime(1900, 1, 1)], pa.timestamp("s", "Asia/Tokyo")),
    "timestamp[ns]": pa.array([datetime(2020, 1, 1), None, datetime(1900, 1, 1)], pa.timestamp("ns")),
    "duration[s]": pa.array([timedelta(seconds=5), None, timedelta(0)], pa.duration("s")),
    "months": pa.array([(1, 2, 3), None, (-1, 0, 2**40)], pa.month_day_nano_interval()),
    "decimal": pa.array([Decimal("1.25"), None, Decimal("-9.99")], pa.decimal128(5, 2)),
    "decimal32": pa.array([Decimal("1.25"), None, Decimal("-9.99")], pa.decimal32(5, 2)),
    "long decimal": pa.array([Decimal("1.25"), None, Decimal("-9.99")], pa.decimal256(60, 2)),
    "hundreds": pa.array([Decimal("100"), None, Decimal("-900")], pa.decimal128(5, -2)),
    "categories": _codes(pa.array(["b", "a", "unused"])),
    "numbered": _codes(pa.array([7, 9])),
    "seconds": _codes(pa.array([1, 2], pa.timestamp("s"))),
}

# What others see of types that they have no word for.
SEEN: dict[str, Callable[[pa.DataType], bool]] = {
    "date64": pa.types.is_date32,
    "time32[s]": lambda t: t == pa.time32("ms"),
    "timestamp[s]": lambda t: t == pa.timestamp("ms"),
    "timestamp[s, zone]": lambda t: t == pa.timestamp("ms", "Asia/Tokyo"),
    "months": lambda t: t == pa.binary(16),
    "hundreds": lambda t: t == pa.binary(16),
    "seconds": pa.types.is_int64,
}


@each("version", [1, 2])
@each("leaf", list(LEAVES))
def test_every_type_within_every_other_comes_back(leaf: str, version: int) -> None:
    for kind, values in _within(LEAVES[leaf]).items():
        frame = pa.table({"x": pa.chunked_array([values, values])})
        for options in ({}, {"row_group_size": 2}, {"data_page_size": 1, "compression": "zstd"}):
            data = cn.encode(frame, "parquet", data_page_version=version, **options)
            back = _back(data)
            assert back.schema.types == frame.schema.types
            assert back.to_pylist() == frame.to_pylist()
            seen = _table(data)
            if leaf not in SEEN:
                assert seen.to_pylist() == frame.to_pylist()
            elif kind in ("list", "large", "fixed"):
                assert SEEN[leaf](seen["x"].type.value_type), seen.schema
            assert seen.num_rows == len(frame)


def test_categories_within_others_keep_their_order_and_the_unused() -> None:
    structs = _within(LEAVES["categories"])["struct"]
    back = _back(cn.encode(pa.table({"x": structs}), "parquet"))["x"].combine_chunks()
    assert back.field(0).dictionary.to_pylist() == ["b", "a", "unused"]


def test_what_no_leaf_of_another_type_holds_keeps_its_own_bytes() -> None:
    far = pa.array([[2**62], None, [None, 5]], pa.list_(pa.timestamp("s")))
    half = pa.StructArray.from_arrays([pa.array([1, None, 86_400_000], pa.date64())], ["day"])
    frame = pa.table({"far": far, "half": half})
    data = cn.encode(frame, "parquet")
    assert _back(data).equals(frame)
    schema = pq.ParquetFile(io.BytesIO(data)).schema
    assert [schema.column(i).physical_type for i in range(2)] == ["INT64", "INT64"]
    assert [schema.column(i).logical_type.type for i in range(2)] == ["NONE", "NONE"]


def test_later_values_that_do_not_fit_are_refused_and_others_may_follow(tmp_path: Any) -> None:
    def chunk(value: int) -> pa.Table:
        return pa.table({"x": pa.array([[value, None], None], pa.list_(pa.timestamp("s")))})

    path = tmp_path / "chunks.parquet"
    with cn.open_writer(path) as writer:
        writer.write(chunk(1))
        with pytest.raises(cn.EncodeError, match=r'"x".*first chunk\'s of "x.list.element"'):
            writer.write(chunk(2**62))
        writer.write(chunk(2))
    assert cn.read(path).to_arrow()["x"].to_pylist() == chunk(1)["x"].to_pylist() + chunk(2)["x"].to_pylist()


def test_slices_leave_what_they_do_not_show() -> None:
    lists = pa.array([[1, 2], None, [3], [], [4, 5, 6]])
    structs = pa.StructArray.from_arrays([lists, pa.array(["a", "b", "c", "d", "e"])], ["l", "t"])
    views = pa.ListViewArray.from_arrays(pa.array([3, 0, 1], pa.int32()), pa.array([2, 3, 0], pa.int32()), lists)
    whole = pa.table({"l": lists, "s": structs})
    for start in range(6):
        part = whole.slice(start, 3)
        for data in (cn.encode(part, "parquet"), cn.encode(part, "parquet", data_page_size=1)):
            assert _table(data).to_pylist() == part.to_pylist()
            assert _back(data).equals(part)
    assert _table(cn.encode(pa.table({"v": views}), "parquet"))["v"].to_pylist() == views.to_pylist()


def test_hidden_values_are_not_written() -> None:
    # A null list over two values, a null struct over one.
    values = pa.array([1, 2, 3, 4])
    lists = pa.ListArray.from_arrays(pa.array([0, 1, 3, 4], pa.int32()), values, mask=pa.array([False, True, False]))
    structs = pa.StructArray.from_arrays([pa.array([1, 2, 3])], ["a"], mask=pa.array([False, True, False]))
    chunks = pq.ParquetFile(io.BytesIO(cn.encode(pa.table({"l": lists, "s": structs}), "parquet"))).metadata
    for column, (most, nulls) in enumerate([(4, 1), (3, 1)]):
        statistics = chunks.row_group(0).column(column).statistics
        assert (statistics.max, statistics.null_count) == (most, nulls)
    assert chunks.row_group(0).column(0).num_values == 3


def test_leaves_have_statistics_indexes_and_checksums() -> None:
    rows = [[{"pt": i + j / 8, "q": j % 2} for j in range(i % 4)] for i in range(4000)]
    frame = pa.table(
        {"n": range(4000), "jet": pa.array(rows, pa.list_(pa.struct({"pt": pa.float64(), "q": pa.int8()})))}
    )
    data = cn.encode(frame, "parquet", data_page_size=2000)
    group = pq.ParquetFile(io.BytesIO(data)).metadata.row_group(0)
    chunks = [group.column(i) for i in range(group.num_columns)]
    assert [chunk.path_in_schema for chunk in chunks] == ["n", "jet.list.element.pt", "jet.list.element.q"]
    assert all(chunk.has_offset_index and chunk.has_column_index for chunk in chunks)
    assert (chunks[1].statistics.min, chunks[1].statistics.max) == (1.0, 3999.25)
    assert "RLE_DICTIONARY" in chunks[2].encodings
    assert _table(data).equals(frame)
    assert _back(data).equals(frame)
    cn.verify(data)
    for place in range(group.column(1).data_page_offset + 40, group.column(1).data_page_offset + 1000, 200):
        bad = bytearray(data)
        bad[place] ^= 1
        with pytest.raises(cn.DecodeError):
            cn.verify(bytes(bad))


def test_encodings_by_path() -> None:
    rows = [[{"pt": j, "name": "x"} for j in range(i % 4)] for i in range(400)]
    frame = pa.table({"jet": pa.array(rows, pa.list_(pa.struct({"pt": pa.int64(), "name": pa.string()})))})

    def encodings(**options: Any) -> list[set[str]]:
        group = pq.ParquetFile(io.BytesIO(cn.encode(frame, "parquet", **options))).metadata.row_group(0)
        return [set(group.column(i).encodings) - {"RLE"} for i in range(2)]

    dictionary = {"RLE_DICTIONARY", "PLAIN"}
    assert encodings() == [dictionary, dictionary]
    pt = "jet.list.element.pt"
    assert encodings(encoding={pt: "delta_binary_packed"}) == [{"DELTA_BINARY_PACKED"}, dictionary]
    assert encodings(encoding={"jet": "plain"}) == [{"PLAIN"}, {"PLAIN"}]
    assert encodings(encoding={"jet": "plain", pt: "dictionary"}) == [dictionary, {"PLAIN"}]
    assert encodings(encoding={"jet": "delta_binary_packed"}) == [{"DELTA_BINARY_PACKED"}, dictionary]
    assert encodings(encoding="delta_length_byte_array") == [dictionary, {"DELTA_LENGTH_BYTE_ARRAY"}]
    assert encodings(use_dictionary=["jet.list.element.name"], encoding={pt: "plain"}) == [{"PLAIN"}, dictionary]
    assert encodings(use_dictionary=["jet"]) == [dictionary, dictionary]
    with pytest.raises(cn.OptionError, match=r'"jet.list.element.name".*not for values stored as BYTE_ARRAY'):
        encodings(encoding={"jet.list.element.name": "byte_stream_split"})
    with pytest.raises(cn.OptionError, match=r'"jet.list.element.eta", which is none'):
        encodings(encoding={"jet.list.element.eta": "plain"})
    flags = pa.table({"flags": [[True], None]})
    with pytest.raises(cn.OptionError, match=r'"flags".*not for any of its values'):
        cn.encode(flags, "parquet", encoding={"flags": "dictionary"})


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (_codes(pa.array([True, False])), "dictionary of bools"),
        (_codes(pa.array([[1], [2]])), "dictionary of nested values"),
    ],
)
def test_what_has_no_place_within_others_is_refused_by_name(values: pa.Array, said: str) -> None:
    lists = pa.ListArray.from_arrays(pa.array([0, len(values)], pa.int32()), values)
    with pytest.raises(cn.EncodeError, match=f'"x": .*{said}'):
        cn.encode(pa.table({"x": lists}), "parquet")


def _some(rng: random.Random, depth: int) -> tuple[pa.DataType, Callable[[], Any]]:
    """A type, and what makes values of it."""

    def maybe(make: Callable[[], Any]) -> Callable[[], Any]:
        return lambda: None if rng.random() < 0.2 else make()

    kind = rng.choice(["int", "text", "float", "bool"] if depth == 0 else ["list", "fixed", "struct", "map", "int"])
    if kind == "list":
        inner, make = _some(rng, depth - 1)
        return pa.list_(inner), maybe(lambda: [make() for _ in range(rng.choice([0, 1, 1, 2, 9]))])
    if kind == "fixed":
        inner, make = _some(rng, depth - 1)
        return pa.list_(inner, 2), maybe(lambda: [make(), make()])
    if kind == "map":
        inner, make = _some(rng, depth - 1)
        return pa.map_(pa.string(), inner), maybe(lambda: [(str(k), make()) for k in range(rng.choice([0, 1, 3]))])
    if kind == "struct":
        parts = {name: _some(rng, depth - 1) for name in "abc"[: rng.randint(1, 3)]}
        record = pa.struct([(name, inner) for name, (inner, _) in parts.items()])
        return record, maybe(lambda: {name: make() for name, (_, make) in parts.items()})
    leaves: dict[str, tuple[pa.DataType, Callable[[], Any]]] = {
        "int": (pa.int32(), lambda: rng.randint(-3, 3)),
        "text": (pa.string(), lambda: rng.choice(["", "a", "é" * 30])),
        "float": (pa.float64(), lambda: rng.choice([0.5, -0.0, 1e300])),
        "bool": (pa.bool_(), lambda: rng.random() < 0.5),
    }
    leaf, make = leaves[kind]
    return leaf, maybe(make)


@each("seed", range(60), per=50)
def test_any_nesting_of_any_values_is_what_pyarrow_reads(seed: int) -> None:
    rng = random.Random(seed)
    columns = {}
    for name in "xyz":
        data_type, make = _some(rng, rng.randint(1, 4))
        columns[name] = pa.array([make() for _ in range(120)], data_type)
    frame = pa.table(columns)
    for options in (
        {},
        {"data_page_size": 40, "row_group_size": 50},
        {"data_page_size": 9, "data_page_version": 2, "use_dictionary": False},
    ):
        data = cn.encode(frame, "parquet", **options)
        seen = _table(data)
        assert [seen[name].to_pylist() for name in "xyz"] == [frame[name].to_pylist() for name in "xyz"]
        assert _back(data).equals(frame)


def required_within() -> dict[str, pa.Array]:
    """Values that must be there, within what must be there, within what need not."""
    numbers = pa.array([1, 2, 3, 4])
    inner = pa.StructArray.from_arrays([numbers], fields=[pa.field("g", pa.int64(), nullable=False)])
    fields = [pa.field("f", inner.type, nullable=False)]
    outer = pa.StructArray.from_arrays([inner], fields=fields, mask=pa.array([False, True, False, True]))
    pair = pa.list_(pa.field("item", pa.int32(), nullable=False), 2)
    pairs = pa.FixedSizeListArray.from_arrays(pa.array(range(8), pa.int32()), type=pair)
    mask = pa.array([False, False, True, False])
    words = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 0], pa.int32()), pa.array(["a", "b", "c"]))
    coded = pa.StructArray.from_arrays([words], fields=[pa.field("g", words.type, nullable=False)])
    gaps = pa.array([False, True, False, True])
    return {
        "lists": pa.ListArray.from_arrays(pa.array([0, 2, 3, 4], pa.int32()), outer),
        "large lists": pa.LargeListArray.from_arrays(pa.array([0, 2, 2, 4], pa.int64()), outer),
        "struct": outer,
        "words": pa.StructArray.from_arrays([coded], fields=[pa.field("f", coded.type, nullable=False)], mask=gaps),
        "pairs": pa.StructArray.from_arrays([pairs], fields=[pa.field("f", pair, nullable=False)], mask=mask),
    }


@each("kind", list(required_within()))
def test_required_values_below_nulls_are_joined(kind: str) -> None:
    table = pa.table({"a": required_within()[kind]})
    written = io.BytesIO()
    pq.write_table(table, written, row_group_size=1)
    stream = io.BytesIO()
    with pa.ipc.new_file(stream, table.schema) as writer:
        for batch in table.to_batches(max_chunksize=1):
            writer.write_batch(batch)
    for source in (written.getvalue(), cn.encode(table, "parquet", row_group_size=1), stream.getvalue()):
        got = cn.decode(source).to_arrow()
        assert got.to_pylist() == table.to_pylist()
        assert got.schema.field("a").type == table.schema.field("a").type
        got.validate(full=True)


def test_fields_of_one_name_keep_their_own_zones() -> None:
    zones = [pa.array([1, None], pa.timestamp("us", zone)) for zone in ("Europe/Berlin", "Asia/Tokyo")]
    table = pa.table({"a": pa.StructArray.from_arrays(zones, ["x", "x"])})
    written = io.BytesIO()
    pq.write_table(table, written)
    for source in (written.getvalue(), cn.encode(table, "parquet")):
        assert cn.decode(source).to_arrow().schema.field("a").type == table.schema.field("a").type


@each("asked", ["s.a", "s.empty", "s.list", ["s.empty", "s.a"]], ids=str)
def test_leaves_beside_types_that_parquet_lacks(asked: Any) -> None:
    """A selection leaves fields out, and what is left has the types, tags and nulls that it had."""
    empty, items = pa.struct([]), pa.list_(pa.struct([pa.field("e", pa.struct([]), nullable=False)]))
    fields = [pa.field("a", pa.int32()), pa.field("empty", empty, nullable=False), pa.field("list", items)]
    rows = [{"a": 1, "empty": {}, "list": [{"e": {}}]}, {"a": None, "empty": {}, "list": None}]
    table = pa.Table.from_arrays(
        [pa.array(rows, pa.struct(fields))], schema=pa.schema([pa.field("s", pa.struct(fields), nullable=False)])
    )
    found = cn.decode(cn.encode(table, "parquet"), columns=asked).to_arrow()
    wanted = cn.Frame(table).select(asked).to_arrow()
    assert found.schema.equals(wanted.schema, check_metadata=False), (found.schema, wanted.schema)
    assert found.to_pylist() == wanted.to_pylist()
