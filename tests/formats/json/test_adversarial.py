"""JSON and NDJSON that is legal and odd, or nearly legal: beside the standard library's reader, orjson and pandas."""

import io
import json
import math
import struct
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import colonnade as cn
from tests.helpers.each import each

orjson = pytest.importorskip("orjson")

FORMATS = ("json", "ndjson")


def as_records(row: str, format: str) -> bytes:
    return (row if format == "ndjson" else f"[{row}]").encode()


def cells(content: str | bytes, format: str = "json", **options: Any) -> list[dict[str, Any]]:
    raw = content.encode() if isinstance(content, str) else content
    rows: list[dict[str, Any]] = cn.decode(raw, format, **options).to_arrow().to_pylist()
    return rows


# --------------------------------------------------------------------------- keys
TWICE = [
    '{"a": 1, "a": 2}',
    '{"a": 1, "b": 3, "a": 1}',
    '{"a": 1, "\\u0061": 2}',
    '{"é": 1, "\\u00e9": 2}',
    '{"\\ud83d\\ude00": 1, "😀": 2}',
    '{"/": 1, "\\/": 2}',
    '{"": 1, "": 2}',
    '{"x": {"a": 1, "\\u0061": 2}}',
    '{"x": [1, {"y": [{"a": 1, "a": 2}]}]}',
    "{" + ", ".join(f'"k{i}": 1' for i in range(40)) + ', "k7": 2}',
    '{"x": {' + ", ".join(f'"k{i}": 1' for i in range(40)) + ', "k\\u0037": 2}}',
]


@each("row", list(TWICE))
@each("format", list(FORMATS))
def test_a_key_twice_is_refused_at_every_level(row: str, format: str) -> None:
    first = "{}" if format == "json" else "{}\n"
    content = f"[{first},{row}]" if format == "json" else first + row
    with pytest.raises(cn.DecodeError, match=r"line \d+, column \d+.*twice"):
        cells(content, format)


@each(
    "content",
    [
        '{"a": [1], "\\u0061": [2]}',
        '{"columns": ["a"], "index": [0], "data": [[1]], "\\u0064ata": [[2]]}',
        '{"schema": {"fields": []}, "data": [], "data": []}',
        '{"a": {"x": 1, "\\u0078": 2}}',
        '{"x": {"a": 1}, "\\u0078": {"a": 2}}',
        '{"p": [{"a": 1}], "p": [{"a": 2}]}',
    ],
)
def test_a_key_twice_is_refused_in_every_orient(content: str) -> None:
    for orient in (None, "index") if content.startswith('{"x"') else (None,):
        with pytest.raises(cn.ColonnadeError, match=r"twice|once|schema"):
            cn.read_bundle(content.encode(), format="json") if '"p"' in content else cells(content, orient=orient)


def test_keys_are_what_their_escapes_mean() -> None:
    rows = ['{"a": 1, "é\\n": "x"}', '{"\\u0061": 2, "\\u00e9\\u000a": "y"}', '{"\\u00E9\\n": "z", "a": 3}']
    wanted = [json.loads(row) for row in rows]
    assert cells("[" + ",".join(rows) + "]") == wanted
    assert cells("\n".join(rows), "ndjson") == wanted
    labelled = cn.decode(b'{"p": {"x": 1, "y\\"": 2}, "q": {"\\u0078": 3, "y\\u0022": 4}}', "json").to_pandas()
    assert labelled.index.tolist() == ["x", 'y"']
    assert labelled["q"].tolist() == [3, 4]


@each("text", ["😀", "\U0010ffff", "\ud7ff", "\ue000", "\x7f", "\u2028", "\x00", "\\", '"', "/", "\ufeff"])
def test_every_spelling_of_a_character(text: str) -> None:
    units = text.encode("utf-16-be", "surrogatepass")
    escaped = "".join(f"\\u{units[i]:02x}{units[i + 1]:02X}" for i in range(0, len(units), 2))
    for spelled in {json.dumps(text), json.dumps(text, ensure_ascii=False), f'"{escaped}"'}:
        # Arrow's names have no NUL.
        key = spelled if text != "\x00" else '"k"'
        content = f'[{{{key}: {spelled}, "z": "-{spelled[1:-1]}-"}}]'
        assert cells(content) == json.loads(content) == orjson.loads(content)


LONE = [
    "\\ud800",
    "\\udfff",
    "\\ud800\\ud800",
    "\\ud800x",
    "\\ud800\\n",
    "\\udc00\\ud800",
    "\\ud83d\\\\ude00",
    "\\ud83d\\u0041",
]


@each("text", list(LONE))
@each("template", ['[{"a": "%s"}]', '[{"%s": 1}]', '[{"a": ["%s", 1]}]', '[{"a": {"%s": 1}}]'])
def test_half_a_surrogate_pair_is_refused(text: str, template: str) -> None:
    with pytest.raises(cn.DecodeError, match=r"line 1, column \d+.*surrogate"):
        cells(template % text)


# --------------------------------------------------------------------------- numbers
BOUNDS = [2**k + d for k in (7, 8, 15, 16, 31, 32, 53, 63, 64) for d in (-1, 0, 1)]
INTEGERS = [str(n) for n in (*BOUNDS, *(-n for n in BOUNDS)) if -(2**63) <= n < 2**64] + ["0", "-0"]
FLOATS = [
    "-0.0", "0.0", "1E5", "1e+5", "1e-5", "0E0", "-0e-0", "0.1e-400", "-0.1e-400", "1e-400", "0e99999999999",
    "0e-99999999999", "1.0", "100.0e-2", "9007199254740993.0", "9007199254740992.5", "9223372036854775808.0",
    "18446744073709551616.0", "1e22", "1e23", "8.5e22", "4.9e-324", "2.4703282292062327e-324",
    "2.4703282292062328e-324", "2.2250738585072011e-308", "2.2250738585072014e-308", "1.7976931348623157e308",
    "0.000001e313", "123456789012345678901234567890.0", "0.30000000000000004",
    "179769313486231570000000000000000000000e270", "1.5e00000000000000000000001",
    f"0.{'0' * 400}1", f"1.{'0' * 800}1", f"{'9' * 300}.0", f"0.{'3' * 1100}", f"1{'0' * 100}e-100",
]  # fmt: skip
REFUSED = [
    "1e400", "-1e400", "1.7976931348623159e308", "1e99999999999", f"{'9' * 310}.0", "+1", "01", "-01", "1.", ".5", "-",
    "-.5", "1e", "1e+", "1.e5", "0x10", "1_000", "1 2", "--1", "00", "-00", "١", "1٢", "1f", "Infinity1", "1,000",
]  # fmt: skip


@each("text", list(INTEGERS))
@each("format", list(FORMATS))
def test_integers_at_every_bound(text: str, format: str) -> None:
    found = cells(as_records(f'{{"x": {text}, "y": [{text}]}}', format), format)[0]
    assert found == {"x": int(text), "y": [int(text)]}
    assert isinstance(found["x"], int)


@each("text", list(FLOATS))
@each("format", list(FORMATS))
def test_floats_are_the_bits_that_python_has(text: str, format: str) -> None:
    found = cells(as_records(f'{{"x": {text}, "y": [{text}]}}', format), format)[0]
    for value in (found["x"], found["y"][0]):
        assert struct.pack("<d", value) == struct.pack("<d", json.loads(text))


@each("text", list(REFUSED))
@each("format", list(FORMATS))
def test_what_is_no_number_of_float64_is_refused(text: str, format: str) -> None:
    for row in (f'{{"x": {text}}}', f'{{"x": [{text}]}}', f'{{"a": 0.5, "x": {{"y": {text}}}}}'):
        with pytest.raises(cn.DecodeError, match=r"line 1, column \d+"):
            cells(as_records(row, format), format)
    with pytest.raises(cn.DecodeError):
        cells(f'{{"x": [0.5, {text}]}}')


@pytest.mark.parametrize("text", ["18446744073709551616", "-9223372036854775809", "1" + "0" * 60])
def test_integers_over_64_bits_are_refused_or_decimals(text: str) -> None:
    for content in (f'{{"x": [1, {text}]}}', f'[{{"x": 1}}, {{"x": {text}}}]', f'{{"x": [0.5, {text}]}}'):
        with pytest.raises(cn.DecodeError, match=r"line 1, column \d+.*big_ints"):
            cells(content)
    found = cells(f'{{"x": [1, {text}]}}', big_ints="decimal")
    assert [int(row["x"]) for row in found] == [1, int(text)]


def test_integers_no_double_holds_do_not_become_doubles() -> None:
    for big in (2**53 + 1, 2**63 + 1, -(2**53) - 1):
        for values in ([big, 0.5], [0.5, big], [1, big, None, 0.5]):
            found = cn.decode(json.dumps({"x": values}).encode(), "json").to_pandas()["x"].tolist()
            assert [value for value in found if value is not None] == [value for value in values if value is not None]
            assert [type(value) for value in found] == [type(value) for value in values]


# --------------------------------------------------------------------------- ends
ENDS = [
    "]",
    "}",
    ",",
    "x",
    "[]",
    "{}",
    "1",
    '"',
    "null",
    "\x00",
    "\ufeff",
    "\u00a0",
    "\x0b",
    "\x0c",
    "//",
    "[1]",
    "\n[1]",
]


@each("tail", list(ENDS))
@each(
    "whole", ['[{"a": 1}]', '{"a": [1]}', "[[1]]", '{"columns": ["a"], "data": [[1]]}', '{"a": {"x": 1}}', '{"a": 1}']
)
def test_nothing_may_follow(whole: str, tail: str) -> None:
    assert len(cells(whole + " \t\r\n")) == 1
    for content in (whole + tail, whole + " \n" + tail):
        with pytest.raises((ValueError, TypeError)):
            json.loads(content)
        with pytest.raises(cn.DecodeError, match=r"line \d, column \d+"):
            cells(content)


@pytest.mark.parametrize("between", ["", " ", "\t", "\r"])
def test_documents_in_a_row_are_no_document(between: str) -> None:
    one = '{"a": 1}'
    for format in FORMATS:
        # A carriage return alone ends lines for people, not for NDJSON.
        with pytest.raises(cn.DecodeError, match=r"line [12], column"):
            cells(one + between + one, format)
    assert cells(one + "\r\n" + one, "ndjson") == [{"a": 1}] * 2


def test_depth_is_counted_alike_for_every_reader() -> None:
    for depth in range(1, 70):
        cell = "[" * depth + "]" * depth
        for content, format, around in ((f'[{{"a": {cell}}}]', "json", 2), (f'{{"a": {cell}}}', "ndjson", 1)):
            for limit in (depth + around - 1, depth + around):
                try:
                    cn.decode(content.encode(), format, limits=cn.Limits(max_depth=limit))
                    assert limit == depth + around
                except cn.LimitError:
                    assert limit == depth + around - 1


# --------------------------------------------------------------------------- any value
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
names = texts.filter(lambda text: "\0" not in text)  # Arrow's have none
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    texts,
)
kinds = st.sampled_from(
    [st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False, allow_infinity=False), texts]
)
spaces = st.sampled_from(["", " ", "\t", "  ", "\r"])


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[dict[str, Any]], str]:
    """Rows whose columns are each of one kind with nulls, and how they are spelled."""
    columns = draw(st.dictionaries(names, kinds, min_size=1, max_size=4))
    columns.pop("__colonnade__", None)
    rows = [
        {name: draw(st.one_of(st.none(), kind)) for name, kind in columns.items()}
        for _ in range(draw(st.integers(1, 5)))
    ]
    space, ascii_only = draw(spaces), draw(st.booleans())
    spelled = [
        json.dumps(row, ensure_ascii=ascii_only, separators=(f"{space},{space}", f"{space}:{space}")) for row in rows
    ]
    return rows, f"{space}\n".join(spelled)


def same(found: list[dict[str, Any]], wanted: list[dict[str, Any]]) -> bool:
    def bits(value: Any) -> Any:
        return struct.pack("<d", value) if isinstance(value, float) else (type(value), value)

    return [{k: bits(v) for k, v in row.items()} for row in found] == [
        {k: bits(v) for k, v in row.items()} for row in wanted
    ]


@settings(max_examples=150, deadline=None)
@given(tables())
def test_rows_are_what_the_standard_library_reads(table: tuple[list[dict[str, Any]], str]) -> None:
    rows, lines = table
    assert same([json.loads(line) for line in lines.split("\n")], rows)
    array = "[" + lines.replace("\n", ",\n") + "]"
    by_column = json.dumps({name: [row[name] for row in rows] for name in rows[0]})
    assert same(cells(lines, "ndjson"), rows)
    assert same(cells(array), rows)
    if rows[0]:
        assert same(cells(by_column, orient="columns"), rows)
    assert same(orjson.loads(array), rows)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.recursive(scalars, lambda inner: st.lists(inner, max_size=3), max_leaves=6), min_size=1, max_size=5))
def test_cells_of_any_kind_are_what_the_standard_library_reads(values: list[Any]) -> None:
    def plain(value: Any) -> Any:
        if hasattr(value, "tolist"):
            value = value.tolist()
        if isinstance(value, list):
            return [plain(item) for item in value]
        if value is pd.NA or (isinstance(value, float) and value != value):
            value = None
        return (isinstance(value, bool), value)

    pd = pytest.importorskip("pandas")
    found = cn.decode(json.dumps({"x": values}).encode(), "json", orient="columns").to_pandas()["x"].tolist()
    assert plain(found) == plain(values)


def test_pandas_reads_the_same_cells() -> None:
    pd = pytest.importorskip("pandas")
    rows = [
        {"i": i * 7919 - 50, "f": math.sin(i) * 10.0 ** (i % 60 - 30), "s": f"é{i}\n", "b": i % 3 == 0}
        for i in range(500)
    ]
    for content, format, how in (
        (json.dumps(rows), "json", {"orient": "records"}),
        ("\n".join(map(json.dumps, rows)), "ndjson", {"lines": True}),
    ):
        theirs = pd.read_json(io.StringIO(content), precise_float=True, **how)
        pd.testing.assert_frame_equal(cn.decode(content.encode(), format).to_pandas(), theirs)
