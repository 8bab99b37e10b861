"""Layouts that are given or detected: an array or object that is not laid out so is refused."""

from typing import Any

import pytest

import colonnade as cn
from tests.helpers.each import each

ARRAY, OBJECT = b'[{"a": 1}]', b'{"a": [1]}'


@each("orient", ["columns", "index", "split", "table"])
def test_an_array_is_not_laid_out_as_an_object(orient: Any) -> None:
    message = f'line 1, column 1: expected what orient="{orient}" lays out, found an array'
    with pytest.raises(cn.DecodeError, match=message):
        cn.decode(ARRAY, "json", orient=orient)


@each("orient", ["records", "values"])
def test_an_object_is_not_laid_out_as_an_array(orient: Any) -> None:
    message = f'line 1, column 1: expected what orient="{orient}" lays out, found an object'
    with pytest.raises(cn.DecodeError, match=message):
        cn.decode(OBJECT, "json", orient=orient)


@each("orient", [None, "columns", "index", "records", "split", "table", "values"])
@each("content", [b"7", b'"text"', b"true", b"null"])
def test_a_single_value_has_no_layout(content: bytes, orient: Any) -> None:
    options: dict[str, Any] = {} if orient is None else {"orient": orient}
    with pytest.raises(cn.UnsupportedError, match="found a single value"):
        cn.decode(content, "json", **options)


@each(
    ("content", "wanted"),
    [
        (b'{"data": [[1, 2], [3]]}', {"data": [[1, 2], [3]]}),
        (b'{"data": []}', {"data": []}),
        (b'{"index": [1, 2], "data": [[1], []]}', {"index": [1, 2], "data": [[1], []]}),
        (b'{"columns": [1, 2], "index": [3, 4]}', {"columns": [1, 2], "index": [3, 4]}),
    ],
)
def test_columns_may_be_called_like_the_parts_of_other_layouts(content: bytes, wanted: dict[str, list[object]]) -> None:
    pytest.importorskip("pyarrow")
    assert cn.decode(content, "json").to_arrow().to_pydict() == wanted


@each("labels", ['[1, "a"]', '[true, "a"]', '[{"a": 1}, {"a": 2}]', '["a", [1]]'])
def test_labels_of_several_kinds_are_refused(labels: str) -> None:
    content = f'{{"columns": ["x"], "index": {labels}, "data": [[1], [2]]}}'.encode()
    with pytest.raises(cn.UnsupportedError, match="line 1, column 29: expected labels of one kind"):
        cn.decode(content, "json")


@each("content", [b'[{"a": 1, "b": 2}, {"a": 1, "c": 3, "d": 4}]', b'{"r": {"a": 1, "b": 2, "c": 3, "d": 4}}'])
def test_keys_of_rows_count_as_columns(content: bytes) -> None:
    options: dict[str, Any] = {"orient": "index"} if content.startswith(b"{") else {}
    assert cn.decode(content, "json", limits=cn.Limits(max_columns=4), **options).shape[1] == 4
    with pytest.raises(cn.LimitError, match="more than 3 columns"):
        cn.decode(content, "json", limits=cn.Limits(max_columns=3), **options)


def test_a_line_with_too_many_keys_is_refused() -> None:
    content = b'{"a": 1, "b": 2}\n{"c": 3}\n'
    with pytest.raises(cn.LimitError, match="line 2"):
        cn.decode(content, "ndjson", limits=cn.Limits(max_columns=2))


DEEP: dict[str, tuple[str, bytes, int]] = {
    "records": ("records", b'[{"a": [[1]]}]', 4),
    "values": ("values", b"[[[[1]]]]", 4),
    "columns": ("columns", b'{"a": [[[1]]]}', 4),
    "columns of labels": ("columns", b'{"a": {"x": [[1]]}}', 4),
    "index": ("index", b'{"r": {"a": [[1]]}}', 4),
    "split": ("split", b'{"columns": ["a"], "data": [[[[1]]]]}', 5),
    "table": ("table", b'{"schema": {"fields": [{"name": "a"}]}, "data": [{"a": [[1]]}]}', 5),
}


@each("name", list(DEEP))
def test_the_limit_of_depth_counts_every_array_and_object(name: str) -> None:
    orient, content, depth = DEEP[name]
    options: dict[str, Any] = {"orient": orient}
    assert cn.decode(content, "json", limits=cn.Limits(max_depth=depth), **options).shape == (1, 1)
    with pytest.raises(cn.LimitError, match=f"deeper than {depth - 1}, the limit"):
        cn.decode(content, "json", limits=cn.Limits(max_depth=depth - 1), **options)


def test_a_line_end_inside_a_value_is_an_end_only_where_lines_are_rows() -> None:
    with pytest.raises(cn.DecodeError, match=r"column 10: expected a digit after the decimal point, found '\\n'\.$"):
        cn.decode(b'[{"a": 2.\n3}]', "json")
    with pytest.raises(cn.DecodeError, match=r"column 9: .*found the end of the line"):
        cn.decode(b'{"a": 2.\n3}\n{"a": 1}\n', "ndjson")


@each("header", [b"7", b"{}", b"[1]", b"null", b'"x"'])
def test_an_object_of_a_frame_with_any_header_is_no_frame_of_its_own(header: bytes) -> None:
    with pytest.raises(cn.DecodeError, match="found a map of 1 frames: a"):
        cn.decode(b'{"a": {"__colonnade__": ' + header + b', "x": [1]}}', "json")
