"""Nested Arrow types through NPZ, with pyarrow as the oracle: types, values and nulls come back, slices bring their own
rows alone, and buffers that contradict each other are refused by member and byte."""

import io
import json
import re
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.helpers.each import each

pytest.importorskip("pyarrow")

import pyarrow as pa

from colonnade import _core
from colonnade._core import ArrowColumn, Axis, DecodeError, EncodeError, File, FrameBuilder, LimitError, Limits


def encoded(array: pa.Array, compression: str | None = None) -> bytes:
    """One column, automatic labels."""
    builder = FrameBuilder(len(array), 1)
    builder.add_arrow(0, ArrowColumn.from_arrow(array))
    frame = builder.finish(Axis.auto(0, len(array), 1), Axis.auto(0, 1, 1))
    return _core.encode(frame, _core.NpzWriteOptions(compression=compression))


def opened(data: bytes, **caps: int) -> File:
    return File.open_buffer(data, options=_core.NpzReadOptions(verify=True, limits=Limits(**caps), threads=1))


def decoded(data: bytes, rows: tuple[int, int] | None = None) -> pa.Array:
    return pa.array(opened(data).load(rows=rows).column(0))


def assert_same(found: pa.Array, expected: pa.Array) -> None:
    found.validate(full=True)
    assert found.type.equals(expected.type, check_metadata=True), f"{found.type} is not {expected.type}"
    assert str(found.type) == str(expected.type)
    assert len(found) == len(expected)
    assert found.null_count == expected.null_count
    assert found.equals(expected), f"{found}\nis not\n{expected}"


# ---------------------------------------------------------------- every type


def _map(keys: pa.DataType, items: pa.Field, values: list, *, keys_sorted: bool = False) -> pa.Array:
    return pa.array(values, pa.map_(keys, items, keys_sorted=keys_sorted))


def _views(offsets: list, sizes: list, values: pa.Array, mask: list | None = None, *, large: bool = False) -> pa.Array:
    kind, width = (pa.LargeListViewArray, pa.int64()) if large else (pa.ListViewArray, pa.int32())
    marks = None if mask is None else pa.array(mask)
    return kind.from_arrays(pa.array(offsets, width), pa.array(sizes, width), values, mask=marks)


def _struct_with_nulls() -> pa.Array:
    fields = [pa.field("a", pa.int64()), pa.field("b", pa.list_(pa.utf8())), pa.field("c", pa.bool_())]
    values = [
        {"a": 1, "b": ["x", None], "c": True},
        None,
        {"a": None, "b": None, "c": None},
        {"a": 4, "b": [], "c": False},
    ]
    return pa.array(values, pa.struct(fields))


ITEM = pa.field("item", pa.int64(), nullable=False, metadata={"unit": "kg", "a": "ä"})
ARRAYS = {
    "list": pa.array([[1, None], None, [], [3]], pa.list_(pa.int64())),
    "list of strings": pa.array([["a", None, "ccc"], None, [], [""]], pa.list_(pa.utf8())),
    "list of text views": pa.array([["a", None, "c" * 30], None, [], ["d" * 13]], pa.list_(pa.string_view())),
    "list of not null with metadata": pa.array([[1, 2], None, []], pa.list_(ITEM)),
    "list of bools": pa.array([[True, None, False] * 4, None, [True]], pa.list_(pa.bool_())),
    "list of null": pa.array([[None, None], None, []], pa.list_(pa.null())),
    "large list": pa.array([[1.5, None], None, []], pa.large_list(pa.float64())),
    "list of list of list": pa.array(
        [[[[1], None], []], None, [None, [[None, 2]]]], pa.list_(pa.list_(pa.list_(pa.int8())))
    ),
    "fixed size list": pa.array([[1, 2], None, [None, 4]], pa.list_(pa.float32(), 2)),
    "fixed size list of size 0": pa.array([[], None, []], pa.list_(pa.int8(), 0)),
    "fixed size list of not null": pa.array(
        [["a", "b"], ["c", "d"]], pa.list_(pa.field("x", pa.utf8(), nullable=False), 2)
    ),
    "list view": _views([4, 0, 0, 2], [1, 2, 0, 3], pa.array([1, 2, None, 4, 5]), [False, False, True, False]),
    "large list view": _views([3, 1, 1], [1, 2, 3], pa.array(["a", None, "c", "d"]), large=True),
    "struct": _struct_with_nulls(),
    "struct without fields": pa.array([{}, None, {}], pa.struct([])),
    "struct of not null": pa.StructArray.from_arrays(
        [pa.array([1, 2])], fields=[pa.field("", pa.int64(), nullable=False)]
    ),
    "map": _map(pa.utf8(), pa.field("value", pa.int64()), [[("a", 1), ("b", None)], None, []]),
    "map sorted": _map(pa.int8(), pa.field("value", pa.utf8(), nullable=False), [[(1, "x")], []], keys_sorted=True),
    "dense union": pa.UnionArray.from_dense(
        pa.array([5, 7, 5, 7], pa.int8()),
        pa.array([0, 0, 1, 1], pa.int32()),
        [pa.array([1, None]), pa.array(["x", None])],
        ["i", "s"],
        [5, 7],
    ),
    "sparse union": pa.UnionArray.from_sparse(
        pa.array([0, 1, 0], pa.int8()), [pa.array([1, 2, None]), pa.array([[1], None, []])], ["i", "l"]
    ),
    "run end encoded": pa.RunEndEncodedArray.from_arrays(pa.array([2, 3, 7], pa.int32()), pa.array(["a", None, "b"])),
    "run ends of 16 bits": pa.RunEndEncodedArray.from_arrays(pa.array([1, 300], pa.int16()), pa.array([[1], [None]])),
    "run ends of 64 bits": pa.RunEndEncodedArray.from_arrays(pa.array([4], pa.int64()), pa.array([None], pa.int8())),
    "interval": pa.array([pa.MonthDayNano([1, -2, 3]), None], pa.month_day_nano_interval()),
    "dictionary of lists": pa.DictionaryArray.from_arrays(pa.array([1, None, 0], pa.int8()), pa.array([[1], [None]])),
    "struct of an ordered dictionary": pa.StructArray.from_arrays(
        [pa.DictionaryArray.from_arrays(pa.array([1, None, 0], pa.int8()), pa.array(["a", "b"]), ordered=True)], ["d"]
    ),
    "list of structs of maps": pa.array(
        [[{"m": [("k", [1, None])]}, None], None, [{"m": None}]],
        pa.list_(pa.struct([pa.field("m", pa.map_(pa.utf8(), pa.list_(pa.int32())))])),
    ),
    "list of decimals": pa.array([[None, 1]], pa.list_(pa.decimal128(5, 2))),
    "list of zoned times": pa.array([[0, None]], pa.list_(pa.timestamp("ns", "Europe/Berlin"))),
}


@each("name", list(ARRAYS))
def test_every_type_comes_back(name: str) -> None:
    assert_same(decoded(encoded(ARRAYS[name])), ARRAYS[name])


@each("compression", ["zstd", "deflate"])
@each("name", list(ARRAYS))
def test_every_type_comes_back_compressed(name: str, compression: str) -> None:
    array = pa.concat_arrays([ARRAYS[name]] * 20) if "union" not in name else ARRAYS[name]
    assert_same(decoded(encoded(array, compression)), array)


@each("name", list(ARRAYS))
def test_a_slice_is_written_as_its_rows(name: str) -> None:
    array = ARRAYS[name]
    for start in range(len(array) + 1):
        for stop in range(start, len(array) + 1):
            part = array.slice(start, stop - start)
            assert_same(decoded(encoded(part)), part)
            if len(array) > 20:
                return


@each("name", list(ARRAYS))
def test_rows_are_read_alone(name: str) -> None:
    array = ARRAYS[name]
    data = encoded(array)
    for start in range(0, len(array) + 1, 1 + len(array) // 10):
        for stop in range(start, len(array) + 1, 1 + len(array) // 10):
            assert_same(decoded(data, (start, stop)), array.slice(start, stop - start))


@each("name", list(ARRAYS))
def test_the_type_is_spelled_as_pyarrow_spells_it(name: str) -> None:
    ours = opened(encoded(ARRAYS[name])).dtypes()[0]
    theirs = str(ARRAYS[name].type)
    theirs = re.sub(r"dictionary<values=(.*), indices=(\w+), ordered=(\d)>", r"dictionary<\2, \1, ordered=\3>", theirs)
    theirs = theirs.replace("tz=", "").replace("ordered=0", "ordered=false").replace("ordered=1", "ordered=true")
    assert ours == re.sub(r"\b(large_)?string(_view)?\b", r"\1utf8\2", theirs)


def test_the_spelling_of_intervals_and_maps() -> None:
    keys, items = pa.field("k", pa.int8(), nullable=False), pa.field("v", pa.int8(), nullable=False)
    array = pa.array([[(1, 2)]], pa.map_(keys, items))
    assert ArrowColumn.from_arrow(array).type == str(array.type) == "map<int8 ('k'), int8 ('v')>"


def test_what_a_slice_leaves_out_is_not_written() -> None:
    words = [[f"secret{i:030}"] * 3 for i in range(64)]
    for kind in [pa.list_(pa.utf8()), pa.list_(pa.string_view()), pa.list_view(pa.utf8())]:
        whole = pa.array(words, kind)
        data = encoded(whole.slice(7, 2))
        assert data.count(b"secret") == 6
        assert f"secret{7:030}".encode() in data
        assert f"secret{6:030}".encode() not in data
        assert_same(decoded(data), whole.slice(7, 2))


@pytest.mark.parametrize("depth", [1, 16, 48])
def test_depth_to_the_cap(depth: int) -> None:
    array = pa.array([1, None])
    for level in range(depth):
        kind = pa.list_(pa.field(f"level{level}", array.type, metadata={"k": "v"}))
        array = pa.ListArray.from_arrays(pa.array([0, 2] if level == 0 else [0, 1], pa.int32()), array, type=kind)
    assert_same(decoded(encoded(array)), array)


def test_deeper_than_the_cap_is_refused_when_written() -> None:
    array = pa.array([1, None])
    for _ in range(49):
        array = pa.ListArray.from_arrays(pa.array([0, 1], pa.int32()), array)
    with pytest.raises(EncodeError, match="at most 48 deep"):
        encoded(array)


def test_nulls_where_the_field_has_none_are_refused_when_written() -> None:
    array = pa.ListArray.from_arrays(
        pa.array([0, 2], pa.int32()), pa.array([1, None]), type=pa.list_(pa.field("item", pa.int64(), nullable=False))
    )
    with pytest.raises(EncodeError, match="not nullable, but 1 of its values"):
        encoded(array)


# ---------------------------------------------------------------- random types


LEAVES = [
    (pa.int16(), st.integers(-300, 300)),
    (pa.utf8(), st.text(max_size=3)),
    (pa.large_binary(), st.binary(max_size=3)),
    (pa.string_view(), st.text(max_size=20)),
    (pa.bool_(), st.booleans()),
    (pa.float32(), st.sampled_from([0.5, -1.0])),
    (pa.null(), st.none()),
]


@st.composite
def leaves(draw: st.DrawFn, length: int) -> pa.Array:
    kind, values = draw(st.sampled_from(LEAVES))
    return pa.array(draw(st.lists(st.none() | values, min_size=length, max_size=length)), kind)


@st.composite
def arrays(draw: st.DrawFn, length: int, depth: int) -> pa.Array:
    """A random array of `length` rows, types nested at most `depth` deep, sometimes a slice of a longer one."""
    if depth == 0:
        return draw(leaves(length))
    before, after = draw(st.sampled_from([(0, 0), (0, 0), (1, 2), (9, 1)]))
    whole = draw(nested(before + length + after, depth))
    return whole.slice(before, length)


def counts(draw: st.DrawFn, length: int) -> list[int]:
    return draw(st.lists(st.integers(0, 2), min_size=length, max_size=length))


@st.composite
def nested(draw: st.DrawFn, length: int, depth: int) -> pa.Array:
    kind = draw(
        st.sampled_from(["leaf", "list", "large", "fixed", "view", "struct", "map", "dense", "sparse", "runs", "codes"])
    )
    below = depth - 1
    mask = pa.array(draw(st.lists(st.booleans(), min_size=length, max_size=length)), pa.bool_())
    sizes = counts(draw, length)
    offsets = [0, *np.cumsum(sizes, dtype=int).tolist()]

    def field(name: str, child: pa.Array) -> pa.Field:
        safe = child.null_count == 0 and not pa.types.is_null(child.type)
        nullable = not safe or draw(st.booleans())
        return pa.field(name, child.type, nullable, draw(st.sampled_from([None, {"k": "v"}])))

    if kind == "leaf":
        return draw(leaves(length))
    if kind in ("list", "large"):
        child = draw(arrays(offsets[-1], below))
        make, of, width = (
            (pa.ListArray, pa.list_, pa.int32()) if kind == "list" else (pa.LargeListArray, pa.large_list, pa.int64())
        )
        # A mask asks for offsets of their own: rows under it may still hold values, which must stay unseen.
        return make.from_arrays(pa.array(offsets, width), child, type=of(field("item", child)), mask=mask)
    if kind == "fixed":
        n = draw(st.integers(0, 2))
        if n == 0:
            return pa.array([None if null else [] for null in mask.to_pylist()], pa.list_(pa.utf8(), 0))
        child = draw(arrays(length * n, below))
        return pa.FixedSizeListArray.from_arrays(child, type=pa.list_(field("x", child), n), mask=mask)
    if kind == "view":
        child = draw(arrays(4, below))
        starts = draw(st.lists(st.integers(0, 2), min_size=length, max_size=length))
        return pa.ListViewArray.from_arrays(
            pa.array(starts, pa.int32()), pa.array(sizes, pa.int32()), child, type=pa.list_view(child.type), mask=mask
        )
    if kind == "struct":
        children = [draw(arrays(length, below)) for _ in range(draw(st.integers(1, 2)))]
        fields = [field(f"f{i}", child) for i, child in enumerate(children)]
        return pa.StructArray.from_arrays(children, fields=fields, mask=mask)
    if kind == "map":
        keys = pa.array([f"k{i}" for i in range(offsets[-1])], pa.utf8())
        return pa.MapArray.from_arrays(pa.array(offsets, pa.int32()), keys, draw(arrays(offsets[-1], below)))
    if kind in ("dense", "sparse"):
        ids = pa.array(draw(st.lists(st.sampled_from([3, 5]), min_size=length, max_size=length)), pa.int8())
        if kind == "sparse":
            both = [draw(arrays(length, below)), draw(arrays(length, below))]
            return pa.UnionArray.from_sparse(ids, both, ["a", "b"], [3, 5])
        both = [draw(arrays(3, below)), draw(arrays(3, below))]
        at = pa.array(sorted(draw(st.lists(st.integers(0, 2), min_size=length, max_size=length))), pa.int32())
        return pa.UnionArray.from_dense(ids, at, both, ["a", "b"], [3, 5])
    if kind == "runs":
        ends = sorted({length, *(end for end in counts(draw, length) if 0 < end < length)} - {0})
        values = draw(arrays(len(ends), below))
        if pa.types.is_run_end_encoded(values.type):  # pyarrow imports no runs of runs
            values = draw(leaves(len(ends)))
        return pa.RunEndEncodedArray.from_arrays(pa.array(ends, pa.int32()), values)
    codes = pa.array(draw(st.lists(st.none() | st.integers(0, 2), min_size=length, max_size=length)), pa.int8())
    return pa.DictionaryArray.from_arrays(codes, draw(leaves(3)))


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_random_types_come_back(data: st.DataObject) -> None:
    array = data.draw(arrays(data.draw(st.integers(0, 6)), data.draw(st.integers(1, 4))))
    file = encoded(array)
    same_values(decoded(file), array)
    start = data.draw(st.integers(0, len(array)))
    stop = data.draw(st.integers(start, len(array)))
    same_values(decoded(file, (start, stop)), array.slice(start, stop - start))


def same_values(found: pa.Array, expected: pa.Array) -> None:
    """As `assert_same`, through Python's values: pyarrow compares no unions within dictionaries, nor slices of some."""
    found.validate(full=True)
    assert found.type.equals(expected.type, check_metadata=True)
    assert found.to_pylist() == expected.to_pylist()


# ---------------------------------------------------------------- hostile buffers


def rewritten(data: bytes, changes: dict[str, np.ndarray | None], meta: dict | None = None) -> bytes:
    """The same members, some with other content (or none), in a plain archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "__meta__.json" and meta:
                parsed = json.loads(content)
                parsed["__colonnade__"]["arrow"][0].update(meta)
                content = json.dumps(parsed).encode()
            if name in changes:
                array = changes[name]
                if array is None:
                    continue
                sink = io.BytesIO()
                np.save(sink, array)
                content = sink.getvalue()
            new.writestr(name, content)
    return out.getvalue()


def refused(data: bytes, error: type[Exception], words: str, **caps: int) -> str:
    with pytest.raises(error) as caught:
        opened(data, **caps).load()
    text = str(caught.value)
    assert re.search(words, text), text
    return text


def i4(*values: int) -> np.ndarray:
    return np.array(values, "<i4")


HOSTILE = {
    "offsets out of order": ("list", "offsets", i4(0, 2, 1, 2, 3), 8, "in order"),
    "a negative offset": ("list", "offsets", i4(-1, 2, 2, 2, 3), 0, "no negative"),
    "offsets past the child": ("list", "offsets", i4(0, 2, 2, 2, 9), 16, r"within 0\.\.3"),
    "offsets too few": ("list", "offsets", i4(0, 2), 8, "expected 20 bytes"),
    "offsets of another dtype": ("list", "offsets", np.array([0, 2, 2, 2, 3], "<i8"), 0, "dtype <i4"),
    "a child too short": ("list", "0_values", np.array([1], "<i8"), 8, "expected 24 bytes"),
    "validity too short": ("list of bools", "0_validity", np.array([255], "|u1"), 1, "expected 2 bytes"),
    "map offsets out of order": ("map", "offsets", i4(0, 2, 1, 2), 8, "in order"),
    "a view past the child": ("list view", "offsets", i4(4, 0, 0, 4), 12, "within 5 values"),
    "a negative size": ("list view", "sizes", i4(1, 2, 0, -3), 12, "no negative"),
    "a type id of no field": ("dense union", "type_ids", np.array([5, 6, 5, 7], "|i1"), 1, "type id"),
    "a negative type id": ("sparse union", "type_ids", np.array([0, -1, 0], "|i1"), 1, "type id"),
    "a union offset past its child": ("dense union", "offsets", i4(0, 0, 2, 1), 8, "below 2"),
    "a negative union offset": ("dense union", "offsets", i4(0, 0, -1, 1), 8, "no negative"),
    "run ends that do not rise": ("run end encoded", "0_values", i4(2, 2, 7), 4, "rising"),
    "run ends that start at 0": ("run end encoded", "0_values", i4(0, 3, 7), 0, "above 0"),
    "run ends that stop short": ("run end encoded", "0_values", i4(2, 3, 6), None, "over 7 rows"),
    "too few run ends": ("run end encoded", "0_values", i4(2, 7), 8, "at least 3"),
    "a code past its lists": ("dictionary of lists", "values", np.array([1, 0, 2], "|i1"), None, "bounds"),
    "a child of a struct too short": ("struct", "0_values", np.array([1], "<i8"), 8, "expected 32"),
    "broken UTF-8 in a list": ("list of strings", "0_values", np.array([255, 1, 1, 1], "|u1"), None, "(?i)utf"),
}


@each("name", list(HOSTILE))
def test_hostile_buffers_are_refused_by_member_and_byte(name: str) -> None:
    source, path, content, byte, words = HOSTILE[name]
    member = f"__column_0_{path}__.npy"
    data = rewritten(encoded(ARRAYS[source]), {member: content})
    text = refused(data, DecodeError, words)
    assert member in text
    found = re.search(r"at byte (\d+)", text)
    assert found, text
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        info = archive.getinfo(member)
    header = int.from_bytes(data[info.header_offset + 26 : info.header_offset + 28], "little")
    extra = int.from_bytes(data[info.header_offset + 28 : info.header_offset + 30], "little")
    start = info.header_offset + 30 + header + extra
    if byte is None:
        assert start <= int(found[1]) <= start + info.file_size
    else:
        assert int(found[1]) == start + 128 + byte


@each(
    ("name", "path"),
    [
        ("list", "offsets"),
        ("list", "0_values"),
        ("list view", "sizes"),
        ("dense union", "type_ids"),
        ("run end encoded", "0_values"),
    ],
)
def test_a_missing_buffer_is_named(name: str, path: str) -> None:
    member = f"__column_0_{path}__.npy"
    assert member in refused(rewritten(encoded(ARRAYS[name]), {member: None}), DecodeError, "missing")


def test_nulls_in_a_field_that_has_none_are_refused() -> None:
    data = encoded(pa.array([[1, None]], pa.list_(pa.int64())))
    hostile = rewritten(data, {}, {"type": ["list", ["item", "int64", {"nullable": False}]]})
    assert "__column_0_0_validity__.npy" in refused(hostile, DecodeError, "not nullable")


BAD_TYPES = [
    ["list"],
    ["list", "int64"],
    ["list", ["item"]],
    ["list", ["item", "int64", []]],
    ["list", ["item", "int64", {"nullable": 1}]],
    ["list", ["item", "int64", {"metadata": [["k"]]}]],
    ["fixed_size_list", ["item", "int64"], -1],
    ["fixed_size_list", ["item", "int64"], 2**31],
    ["map", ["entries", ["struct", ["key", "utf8", {"nullable": False}]], {"nullable": False}], False],
    ["map", ["entries", "utf8", {"nullable": False}], False],
    ["map", ["entries", ["struct", ["key", "utf8"], ["value", "utf8"]], {"nullable": False}], False],
    ["dense_union", ["a", "int64"]],
    ["dense_union", ["a", "int64", {"type_id": 1}], ["b", "int64", {"type_id": 1}]],
    ["sparse_union", ["a", "int64", {"type_id": -1}]],
    ["sparse_union", ["a", "int64", {"type_id": 128}]],
    ["run_end_encoded", ["run_ends", "utf8", {"nullable": False}], ["values", "int64"]],
    ["run_end_encoded", ["run_ends", "int32"], ["values", "int64"]],
    ["interval"],
]


@each("kind", list(BAD_TYPES), ids=json.dumps)
def test_what_is_no_type_is_refused(kind: list) -> None:
    refused(rewritten(encoded(ARRAYS["list"]), {}, {"type": kind}), DecodeError, "expected an Arrow type")


@each("children", [[], [3, 3], [-1], ["3"], [2**64]])
def test_lengths_of_children_that_do_not_fit_the_type_are_refused(children: list) -> None:
    refused(
        rewritten(encoded(ARRAYS["list"]), {}, {"children": children}),
        DecodeError,
        "lengths of the children|expected columns",
    )


def test_children_without_a_byte_behind_them_are_capped() -> None:
    data = encoded(pa.array([[None] * 100], pa.list_(pa.null())))
    hostile = rewritten(data, {"__column_0_offsets__.npy": i4(0, 2**31 - 1)}, {"children": [2**31 - 1]})
    refused(hostile, LimitError, "max_unbacked_rows")
    refused(data, LimitError, "max_unbacked_rows", max_unbacked_rows=1)
    refused(rewritten(data, {}, {"children": [2**62]}), LimitError, "max_unbacked_rows")


def test_sizes_that_overflow_are_refused() -> None:
    kind = [
        "fixed_size_list",
        ["item", ["fixed_size_list", ["item", ["fixed_size_list", ["item", "null"], 2**31 - 1]], 2**31 - 1]],
        2**31 - 1,
    ]
    data = encoded(pa.array([[[[]]]], pa.list_(pa.list_(pa.list_(pa.null(), 0), 1), 1)))
    refused(rewritten(data, {}, {"type": kind, "children": []}), DecodeError, "lengths of the children")


def test_types_nested_without_end_are_refused() -> None:
    kind: object = "int8"
    for _ in range(49):
        kind = ["list", ["item", kind]]
    refused(rewritten(encoded(ARRAYS["list"]), {}, {"type": kind}), DecodeError, "expected an Arrow type")
