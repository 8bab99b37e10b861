"""MessagePack that somebody else wrote: shapes, labels, and what a column becomes (`msgpack_infer` says it again)."""

from typing import Any

import pytest

from tests.helpers.each import each

pytest.importorskip("pyarrow")
pytest.importorskip("msgpack")

import hypothesis.strategies as st
import pandas as pd
import pyarrow as pa
from hypothesis import HealthCheck, given, settings

import colonnade as cn
from tests.helpers import msgpack_bytes as mp
from tests.helpers.applies import applies
from tests.helpers.msgpack_bytes import Ext, Single, Stamp, pack
from tests.helpers.msgpack_infer import MIXED, as_array, infer
from tests.helpers.msgpack_look import RECEIVED, WAYS, decoded, mixed_cells, same_cells, unpacked


# --------------------------------------------------------------------------- promotion
def _layouts(values: list[Any]) -> dict[str, bytes]:
    cells = [pack(value) for value in values]
    number = [pack(i) for i in range(len(cells))]
    key, other = mp.text("a"), mp.text("n")
    return {
        "columns": mp.mapping({"n": mp.array(*number), "a": mp.array(*cells)}),
        "records": mp.array(*[mp.mapping([(other, n), (key, cell)]) for n, cell in zip(number, cells, strict=True)]),
        "split": mp.mapping(
            {
                "columns": mp.array(other, key),
                "data": mp.array(*[mp.array(n, cell) for n, cell in zip(number, cells, strict=True)]),
            }
        ),
        "records in another order": mp.array(
            *[
                mp.mapping([(other, n), (key, cell)][:: -1 if i % 2 else 1])
                for i, (n, cell) in enumerate(zip(number, cells, strict=True))
            ]
        ),
        "records without what is null": mp.array(
            *[
                mp.mapping([(other, n)] + ([(key, cell)] if cell != mp.NIL or i == 0 else []))
                for i, (n, cell) in enumerate(zip(number, cells, strict=True))
            ]
        ),
    }


def check(values: list[Any], layout: str, content: bytes, table: Any) -> None:
    """The column `a` is what the rules say."""
    kind = infer(values)
    assert sorted(table.column_names) == ["a", "n"], layout
    assert table.column("n").to_pylist() == list(range(len(values))), layout
    if kind is MIXED:
        if pa.types.is_nested(table.schema.field("a").type):
            return  # mixed further inside
        found = [None if cell is None else unpacked(cell) for cell in mixed_cells(table, "a")]
        wanted = [None if value is None else unpacked(pack(value)) for value in values]
        assert repr(found) == repr(wanted), layout
    else:
        same_cells(table.column("a"), as_array(values, kind))


_BIG, _NOT_DOUBLE = 1 << 63, (1 << 53) + 1
PROMOTIONS: dict[str, list[Any]] = {
    "nothing but nil": [None, None],
    "bool": [True, None, False],
    "int of every width": [1, 200, 70_000, 1 << 40, -1, -200, -70_000, -(1 << 40), None],
    "int and UInt64": [0, _BIG, 5],
    "late UInt64": [*range(40), _BIG],
    "late negative after UInt64": [_BIG, -1],
    "negative and late UInt64": [-1, *range(40), _BIG],
    "int and float": [1, 2.5, None],
    "float and int": [2.5, 1, None],
    "late float": [*range(300), 0.5],
    "late int": [*[0.5] * 300, 7],
    "int that no double is": [_NOT_DOUBLE, 0.5],
    "late int that no double is": [0.5, *range(30), _NOT_DOUBLE],
    "late float after an int that no double is": [_NOT_DOUBLE, *range(30), 0.5],
    "UInt64 and float": [_BIG, 0.5],
    "UInt64 that no double is, and float": [(1 << 64) - 1, 0.5],
    "float and UInt64 that is a double": [0.5, 1 << 63],
    "single and double": [0.25, 1e300],
    "text": ["", None, "é", "x" * 300],
    "bytes": [b"", None, b"\xff" * 300],
    "text and bytes": ["x", b"x"],
    "int and text": [1, "x", None],
    "late text": [*range(300), "x"],
    "late text after nil": [*[None] * 300, "x"],
    "late list after nil": [*[None] * 300, [1]],
    "bool and int": [True, 1],
    "int and bool": [0, False],
    "bool and float": [True, 0.5],
    "late bool": [*range(300), True],
    "late mix after nil": [None, None, 1, "x"],
    "float and text": [0.5, "x"],
    "text and float": ["x", 0.5, None],
    "timestamps": [Stamp(0), Stamp(-1, 999_999_999), None, Stamp(1 << 32, 1)],
    "timestamps of microseconds, far": [Stamp(1 << 40), Stamp(0, 1000)],
    "timestamps of milliseconds, farther": [Stamp(1 << 50), Stamp(0, 5_000_000)],
    "timestamps of seconds, farthest": [Stamp(1 << 62)],
    "timestamps too far for their nanoseconds": [Stamp(1 << 40), Stamp(0, 1)],
    "timestamps and text": [Stamp(0), "x"],
    "timestamps and int": [Stamp(0), 1],
    "lists": [[1, None], [], None, [2.5]],
    "lists of nothing": [[], None, [None]],
    "lists of lists": [[[1], []], [], None],
    "lists with a late type": [[None], [], *[[]] * 40, ["x"]],
    "lists and int": [[1], 1],
    "lists of maps": [[{"x": 1}, {"y": "a"}], [], None],
    "maps": [{"x": 1}, {"y": "a"}, {}, None, {"x": 2.5}],
    "maps of nothing": [{}, None],
    "maps and lists": [{"x": 1}, [1]],
    "maps of maps": [{"x": {"y": 1}}, {"x": {"z": None}}, {"x": None}],
    "maps with other keys": [{1: "x"}, {2: "y"}],
    "maps with text and other keys": [{"a": 1, 2: 3}],
    "lists of a mix": [[1, "x"]],
    "maps of a mix": [{"x": 1}, {"x": "a"}],
    "a mix of everything": [None, True, 1, -1, 0.5, "x", b"y", [1, "z"], {"k": [None]}, Stamp(5), _BIG],
    "empty text and nil": ["", None],
}


@each("threads", [1, 2])
@each("name", list(PROMOTIONS))
def test_promotion(name: str, threads: int) -> None:
    values = PROMOTIONS[name]
    for layout, content in _layouts(values).items():
        check(values, layout, content, decoded(content, threads=threads))


@each("way", [*WAYS, *RECEIVED])
@applies(lambda way: way != "verify")
def test_promotion_by_every_way_in(way: str) -> None:
    for values in PROMOTIONS.values():
        for layout, content in _layouts(values).items():
            check(values, layout, content, (WAYS | RECEIVED)[way](content))


@each("name", [name for name, values in PROMOTIONS.items() if infer(values) is MIXED])
@applies(lambda name: not (any(isinstance(v, Stamp) for v in PROMOTIONS[name]) or "lists" in name or "maps" in name))
def test_a_mix_is_objects_to_pandas(name: str) -> None:
    values = PROMOTIONS[name]
    found = cn.decode(_layouts(values)["columns"], "msgpack").to_pandas()["a"]
    assert found.dtype == object
    assert [(type(each), each) for each in found] == [(type(each), each) for each in values]


def test_floats_of_four_bytes_are_widened() -> None:
    values = [Single(0x3F000000), Single(0x80000000), Single(0x7FC00123), None, 0.1]
    table = decoded(_layouts(values)["columns"])
    assert table.schema.field("a").type == pa.float64()
    bits = [0x3FE0000000000000, 0x8000000000000000, 0x7FF8002460000000, None, 0x3FB999999999999A]
    same_cells(
        table.column("a").combine_chunks().view(pa.int64()),
        pa.array([None if each is None else each - (each >> 63 << 64) for each in bits], pa.int64()),
    )


# --------------------------------------------------------------------------- random documents
_leaves = {
    "bool": st.booleans(),
    "small int": st.integers(-40, 140),
    "int": st.integers(-(1 << 63), (1 << 64) - 1),
    "float": st.floats(allow_nan=False),
    "text": st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
    "bytes": st.binary(max_size=40),
    "stamp": st.builds(Stamp, st.integers(-(1 << 33), 1 << 33), st.integers(0, 999_999_999)),
}
_columns = st.sampled_from([["bool"], ["small int"], ["int"], ["float"], ["text"], ["bytes"], ["stamp"]]) | st.lists(
    st.sampled_from(sorted(_leaves)), min_size=2, max_size=3
)


def _column(families: list[str]) -> Any:
    leaf = st.one_of(st.none(), *[_leaves[family] for family in families])
    cell = st.one_of(leaf, leaf, st.lists(leaf, max_size=3), st.dictionaries(st.sampled_from("xyz"), leaf, max_size=3))
    return st.lists(leaf, min_size=1, max_size=30) | st.lists(cell, min_size=1, max_size=8)


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(values=_columns.flatmap(_column))
def test_any_column(values: list[Any]) -> None:
    for layout, content in _layouts(values).items():
        check(values, layout, content, decoded(content))


# --------------------------------------------------------------------------- shapes
def _arrow(content: bytes, **options: Any) -> dict[str, list[Any]]:
    return dict(decoded(content, **options).to_pydict())


def test_rows_whose_keys_differ_are_in_order_of_first_appearance() -> None:
    rows = [{"b": 1}, {"a": "x", "b": 2}, {}, {"c": [1]}, {"c": None, "b": 3}]
    table = decoded(pack(rows))
    assert table.column_names == ["b", "a", "c"]
    assert table.to_pydict() == {
        "b": [1, 2, None, None, 3],
        "a": [None, "x", None, None, None],
        "c": [None, None, None, [1], None],
    }
    pd.testing.assert_frame_equal(
        cn.decode(pack(rows[:2]), "msgpack").to_pandas(), pd.DataFrame(rows[:2]), check_dtype=False
    )


def test_a_key_that_appears_late() -> None:
    rows: list[dict[str, Any]] = [{"n": i} for i in range(5000)] + [{"n": 5000, "late": "x"}]
    table = decoded(pack(rows))
    assert table.column("late").to_pylist() == [None] * 5000 + ["x"]
    assert table.column("n").to_pylist() == list(range(5001))


def test_a_map_of_scalars_is_one_row() -> None:
    assert _arrow(pack({"a": 1, "b": "x", "c": None})) == {"a": [1], "b": ["x"], "c": [None]}


def test_a_bundle_is_a_map_of_frames() -> None:
    frames = {"one": {"a": [1, 2]}, "two": [{"b": 1}, {"c": 2}], "three": [{"d": None}]}
    bundle = cn.read_bundle(pack(frames), format="msgpack")
    assert {label: frame.to_arrow().to_pydict() for label, frame in bundle.items()} == {
        "one": {"a": [1, 2]},
        "two": {"b": [1, None], "c": [None, 2]},
        "three": {"d": [None]},
    }


@each(
    ("value", "shape"),
    [
        ({}, (0, 0)),
        ([], (0, 0)),
        ([{}], (1, 0)),
        ([{}, {}], (2, 0)),
        ({"a": []}, (0, 1)),
        ({"columns": ["a"], "data": []}, (0, 1)),
        ({"columns": [], "data": [[], []]}, (2, 0)),
        ({"columns": ["a"], "index": [], "data": []}, (0, 1)),
    ],
)
def test_empty_shapes(value: Any, shape: tuple[int, int]) -> None:
    assert cn.decode(pack(value), "msgpack").shape == shape


def test_an_orient_that_is_said() -> None:
    split = {"columns": ["a", "b"], "data": [[1, 2], [3, 4]]}
    assert _arrow(pack(split)) == {"a": [1, 3], "b": [2, 4]}
    assert _arrow(pack(split), orient="split") == {"a": [1, 3], "b": [2, 4]}
    assert _arrow(pack(split), orient="columns") == split
    odd = {"columns": ["a", "b", "c"], "data": [1, 2, 3]}
    assert _arrow(pack(odd)) == odd


@pytest.mark.parametrize("order", [["index", "columns", "data"], ["data", "index", "columns"]])
def test_split_in_any_order(order: list[str]) -> None:
    split = {"columns": ["a", "b"], "index": [[0, "x"], [1, "y"]], "data": [[1, "p"], [2, None]]}
    frame = cn.decode(pack({key: split[key] for key in order}), "msgpack").to_pandas()
    assert frame.to_dict("list") == {"a": [1, 2], "b": ["p", None]} or frame["b"].tolist()[0] == "p"
    assert list(frame.index) in ([(0, "x"), (1, "y")], [[0, "x"], [1, "y"]])


def test_labels_that_are_numbers() -> None:
    frame = cn.decode(pack({5: [1], -3: [2], 0: [3]}), "msgpack").to_pandas()
    pd.testing.assert_frame_equal(frame, pd.DataFrame([[1, 2, 3]], columns=[5, -3, 0]))
    rows = cn.decode(pack([{5: 1}, {7: 2}]), "msgpack").to_pandas()
    assert list(rows.columns) == [5, 7]


@each(
    ("table", "words"),
    [
        ({"a": [1], 2: [2]}, "key|label|text"),
        ({1.5: [1]}, "float"),
        ({None: [1]}, "nil"),
        ({True: [1]}, "bool"),
        ({b"a": [1]}, "bin"),
        ([{"a": 1}, {2: 2}], "key|label|text"),
    ],
)
def test_labels_of_other_kinds_are_refused(table: Any, words: str) -> None:
    for way, read in WAYS.items():
        with pytest.raises(cn.UnsupportedError, match=f"(?i){words}"):
            read(pack(table))
        assert way


def test_names_of_every_kind() -> None:
    names = ["", " ", "é ü", "\U0001f600", "a.b", "line\nbreak", "0", "__index_level_0__", "colonnade", "x" * 70_000]
    for content in (pack({name: [i] for i, name in enumerate(names)}), pack([{n: i for i, n in enumerate(names)}])):
        assert cn.decode(content, "msgpack").to_pandas().columns.tolist() == names


def test_extensions_are_kept_by_option() -> None:
    values = [Ext(5, b"abc"), None, Ext(-128, b""), Ext(127, b"x" * 300)]
    kind = pa.struct([("code", pa.int8()), ("data", pa.large_binary())])
    wanted = pa.array([value and {"code": value.code, "data": value.data} for value in values], kind)
    for layout, content in _layouts(values).items():
        table = decoded(content, ext="bytes")
        same_cells(table.column("a"), wanted)
        with pytest.raises(cn.ColonnadeError) as raised:
            decoded(content)
        assert isinstance(raised.value, cn.UnsupportedError | cn.DecodeError), layout
        assert "bytes" in str(raised.value)


def test_text_that_is_no_text_is_kept_by_option() -> None:
    cells = [mp.text("ok"), mp.NIL, mp.text(b"\xff\xfe"), mp.text("é")]
    contents = [
        mp.mapping({"a": mp.array(*cells), "b": mp.array(*[mp.text("fine")] * 4)}),
        mp.array(*[mp.mapping({"a": cell, "b": mp.text("fine")}) for cell in cells]),
    ]
    for content in contents:
        table = decoded(content, invalid_utf8="bytes")
        same_cells(table.column("a"), pa.array([b"ok", None, b"\xff\xfe", "é".encode()], pa.large_binary()))
        same_cells(table.column("b"), pa.array(["fine"] * 4, pa.large_string()))
        with pytest.raises(cn.DecodeError, match=r"(?i)utf-8.*"):
            decoded(content)


def test_many_columns_and_many_rows() -> None:
    wide = {f"c{i}": [i, i + 1] for i in range(70_000)}
    frame = cn.decode(pack(wide), "msgpack")
    assert frame.shape == (2, 70_000)
    assert frame.select(["c69999"]).to_arrow().to_pydict() == {"c69999": [69_999, 70_000]}
    rows = [{"a": i, "b": str(i)} for i in range(70_000)]
    table = decoded(pack(rows))
    assert table.to_pylist() == rows


def test_columns_and_rows_are_chosen() -> None:
    content = pack({"a": [1, 2, 3], "b": ["x", "y", "z"], "c": [None, 1.5, None]})
    assert cn.decode(content, "msgpack", columns=["c", "a"], rows=slice(1, 3)).to_arrow().to_pydict() == {
        "c": [1.5, None],
        "a": [2, 3],
    }
    with pytest.raises(cn.ColumnNotFound):
        cn.decode(content, "msgpack", columns=["d"]).to_arrow()
