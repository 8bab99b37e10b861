"""Lines and separators of CSV: which separator is found, and the place of what does not fit."""

import pyarrow as pa
import pytest

import colonnade as cn
from tests.helpers.each import each


@each("length", range(130))
def test_a_bare_return_at_the_end_is_refused_at_its_place(length: int) -> None:
    content = b"a,b\n1," + b"x" * length + b"\r"
    place = rf"at byte {len(content) - 1}: line 2, column {length + 3}: .*bare \\r"
    with pytest.raises(cn.DecodeError, match=place):
        cn.decode(content, "csv")


@each("content", [b"a,b\n1\n2,3,4", b"a,b\n1\n2,3,4\n", b"a,b\n1\n2,3,4\n5,6", b"a,b\n1\r\n2,3,4"])
def test_a_short_line_is_not_filled_from_the_next(content: bytes) -> None:
    with pytest.raises(cn.DecodeError, match="line 2, column 1: expected 2 fields as the first line has, found 1"):
        cn.decode(content, "csv")


def test_many_short_lines_are_not_a_few_long_ones() -> None:
    """A hundred lines of one field have as many fields as four of 25."""
    content = ",".join(f"c{i}" for i in range(25)).encode() + b"\n" + b"1\n" * 100
    with pytest.raises(cn.DecodeError, match="line 2, column 1: expected 25 fields"):
        cn.decode(content, "csv")
    found = cn.decode(content, "csv", on_error="null").to_arrow()
    assert (found["c0"].to_pylist(), found["c24"].null_count) == ([1] * 100, 100)


def test_a_comment_ends_where_lines_end() -> None:
    assert cn.decode(b"a,b\r#c\r1,2\r", "csv", comment="#").to_arrow().to_pydict() == {"a": [1], "b": [2]}
    assert cn.decode(b"a,b\n#c\r\n1,2\n", "csv", comment="#").to_arrow().to_pydict() == {"a": [1], "b": [2]}
    with pytest.raises(cn.DecodeError, match=r"line 3, column 1: expected \\r at line ends"):
        cn.decode(b"a,b\r#c\r\n1,2\r", "csv", comment="#")


@each(
    ("content", "names"),
    [
        (b"a,b;c\n1,2;3\n", ["a", "b;c"]),
        (b"a;b,c\n1;2,3\n", ["a;b", "c"]),
        (b"a;b\tc\n1;2\t3\n", ["a;b", "c"]),
        (b"a|b;c\n1|2;3\n", ["a|b", "c"]),
        (b"a|b;c|d\n1|2;3|4\n", ["a", "b;c", "d"]),
    ],
)
def test_of_two_separators_that_fit_the_likelier_one_is_found(content: bytes, names: list[str]) -> None:
    assert list(cn.decode(content, "csv").columns) == names


@each("cell", ["1,", ",1", "1,,000", "1,x", "1.5,000"])
def test_a_mark_of_thousands_is_between_digits_before_the_point(cell: str) -> None:
    found = cn.decode(f"a;b\n{cell};1,000\n".encode(), "csv", sep=";", thousands=",").to_arrow()
    assert found.to_pydict() == {"a": [cell], "b": [1000]}


def test_a_comma_may_be_separator_and_decimal_point() -> None:
    found = cn.decode(b'a,b\n"1,5",2\n"2,5",3\n', "csv", sep=",", decimal=",").to_arrow()
    assert found.to_pydict() == {"a": [1.5, 2.5], "b": [2, 3]}
    found = cn.decode(b'a,b\n"1,500",2\n', "csv", sep=",", thousands=",").to_arrow()
    assert found.to_pydict() == {"a": [1500], "b": [2]}


@each("end", [b"", b"\n", b"1", b"1\n"])
def test_a_last_record_without_a_line_end_is_read(end: bytes) -> None:
    """4,096 nearly empty fields are a power of two, as sizes of buffers are."""
    names = ",".join(f"c{i}" for i in range(64))
    lines = [b"1" + b"," * 63] + [b"," * 63] * 63
    found = cn.decode(names.encode() + b"\n" + b"\n".join(lines) + end, "csv").to_arrow()
    assert found.shape == (64, 64)
    assert found["c0"].to_pylist() == [1] + [None] * 63
    assert found["c63"].null_count == 64 - end.count(b"1")


@each("content", [b'a,b\n\xc3,1\n"\xa9",2\n', b'a,b\n"\xc3",1\n\xa9,2\n', b"a,b\n\xc3,1\n\xa9,2\n"])
def test_two_halves_of_a_character_in_two_fields_are_refused(content: bytes) -> None:
    with pytest.raises(cn.DecodeError, match=r"line 2, column [12]:"):
        cn.decode(content, "csv")


def test_quotes_that_are_not_doubled_enclose_a_field() -> None:
    found = cn.decode(b'a,b\n"x",1\n"",2\n"y z",3\n', "csv", doublequote=False).to_arrow()
    assert found.to_pydict() == {"a": ["x", "", "y z"], "b": [1, 2, 3]}


@each(
    ("cell", "text"),
    [
        ("\\\\", "\\"),
        ("\\\\\\\\", "\\\\"),
        ('"\\\\"', "\\"),
        ("x\\\\", "x\\"),
        ("\\,", ","),
        ('"\\""', '"'),
        ("\\\\\\,", "\\,"),
    ],
)
def test_an_escape_may_be_escaped(cell: str, text: str) -> None:
    found = cn.decode(f"a,b\n{cell},1\ny,2\n".encode(), "csv", sep=",", escapechar="\\").to_arrow()
    assert found.to_pydict() == {"a": [text, "y"], "b": [1, 2]}


def test_row_labels_without_names_have_no_name() -> None:
    pytest.importorskip("static_frame")
    frame = cn.decode(b"1,2,3\n1,3,4\n", "csv", header=None, index_col=[0, 1])
    assert frame.to_static_frame().index.name is None
    assert cn.decode(b"a,,c\n1,2,3\n", "csv", index_col=[0, 1]).to_static_frame().index.name == ("a", None)


def test_a_file_that_lost_its_last_line_end_says_how_many_bytes_are_missing() -> None:
    content = cn.encode(pa.table({"a": [1, 2], "b": [3, 4]}), "csv", schema="header")
    with pytest.raises(cn.TruncatedError, match="line 4, column 4: expected a line end") as raised:
        cn.decode(content[:-1], "csv")
    assert (raised.value.needed, raised.value.had) == (len(content), len(content) - 1)
    with pytest.raises(cn.DecodeError, match="expected 2 rows, found 1"):
        cn.decode(content[: content.rindex(b"2,4")], "csv")
