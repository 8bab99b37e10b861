"""Bad CSV, JSON and NDJSON: what breaks a text, and the very line, column and byte that the error names.

Columns count characters, bytes those of the source. YAML's stand in test_yaml_bad_input.py.
"""

from typing import Any

import pytest

import colonnade as cn
from tests.helpers.each import each

D, L, T, U = cn.DecodeError, cn.LimitError, cn.TruncatedError, cn.UnsupportedError
Case = tuple[bytes, type[Exception], tuple[int, int, int], str]

CSV: dict[str, Case] = {
    "no UTF-8": (b"a,b\n1,\xff\n", D, (2, 3, 6), "byte FF"),
    "no UTF-8 behind characters of two bytes": (b"\xc3\xa9,b\r\n\xc3\xa9\xff,2\r\n", D, (2, 2, 8), "byte FF"),
    "half a character at the end": (b"a\nx\xc3", D, (2, 2, 3), "byte C3"),
    "UTF-16 with a lone surrogate": (b"\xff\xfea\x00\n\x00\x00\xd8\n\x00", D, (2, 1, 6), "unpaired surrogate (D800)"),
    "UTF-16 of odd length": (b"\xff\xfea\x00\n\x001", T, (2, 1, 6), "half a unit"),
    "NUL": (b"a,b\n1,x\x00y\n", D, (2, 4, 7), "NUL"),
    "NUL in a name": (b"a\x00,b\n1,2\n", D, (1, 2, 1), "NUL"),
    "NUL behind a mark": (b"\xef\xbb\xbfa\n\x00\n", D, (2, 1, 5), "NUL"),
    "a quote that is never closed": (b'a,b\n1,"x\n2,y\n', D, (2, 3, 6), "closing quote"),
    "a quote that opens at the end": (b'a\n1\n"', D, (3, 1, 4), "closing quote"),
    "a name's quote that is never closed": (b'"a\n1\n', D, (1, 1, 0), "closing quote"),
    "characters behind a closing quote": (b'a,b\n1,"x"y\n', D, (2, 6, 9), "behind the closing quote"),
    "a field too many": (b"a,b\n1,2\n3,4,5\n", D, (3, 5, 12), "found 3 fields"),
    "a field too few": (b"a,b\n1,2\n3\n", D, (3, 1, 8), "found 1 field"),
    "a field too few behind lines in quotes": (b'a,b\r\n1,"x\r\ny"\r\n3\r\n', D, (4, 1, 15), "found 1 field"),
    "a field too few, bare returns": (b"a,b\r1,2\r3\r", D, (3, 1, 8), "found 1 field"),
    "a bare return among line feeds": (b"a,b\n1,2\r3,4\n", D, (2, 4, 7), "bare \\r"),
    "a bare return among both": (b"a,b\r\n1,2\n3,4\r5,6\n", D, (3, 4, 12), "bare \\r"),
}
TYPED: dict[str, tuple[bytes, dict[str, Any], tuple[int, int, int], str]] = {
    "an integer that overflows": (b"a,b\n1,1\n2,300\n", {"dtype": {"b": "int8"}}, (3, 3, 10), "found 300"),
    "an integer over 64 bits": (b"a\n99999999999999999999\n", {"dtype": {"a": "int64"}}, (2, 1, 2), "999999"),
    "a float that overflows": (b"a\n1\n1e400\n", {"dtype": {"a": "float64"}}, (3, 1, 4), "1e400"),
    "a number that is none": (b'a\n"1"\n"x"\n', {"dtype": {"a": "int64"}}, (3, 1, 6), '"x"'),
    "a date that is none": (b"a\n2013-13-01\n", {"parse_dates": ["a"]}, (2, 1, 2), '"2013-13-01"'),
}

JSON: dict[str, Case] = {
    "nothing": (b"", T, (1, 1, 0), "found the end"),
    "no UTF-8": (b'{"a": [1,\n "\xff"]}', D, (2, 3, 12), "byte FF"),
    "NUL": (b'[{"a": 1}]\x00', D, (1, 11, 10), "found '\\0'"),
    "NUL in text": (b'[{"a": 1},\n{"a": "x\x00"}]', D, (2, 9, 19), "0x00"),
    "a line end in text": (b'[{"a": "x\n"}]', D, (1, 10, 9), "0x0a"),
    "a quote that is never closed": (b'{"a": [1,\n"x]}', T, (2, 5, 14), "closing quote"),
    "a bracket that is never closed": (b'[{"a":1}', T, (1, 9, 8), "found the end"),
    "a comma at the end": (b'[{"a":1},', T, (1, 10, 9), "found the end"),
    "half a word": (b'[{"a":tru', T, (1, 10, 9), "the word true"),
    "half a number": (b'[{"a":1.', T, (1, 9, 8), "a digit"),
    "half an escape": (b'[{"a":"\\', T, (1, 8, 7), "an escape"),
    "a lone surrogate": (b'[{"a": "\\ud800"}]', D, (1, 9, 8), "surrogate"),
    "a key that stands twice": (b'[{"a": 1,\n "a": 2}]', D, (2, 2, 11), '"a" twice'),
    "a key that stands twice, as an escape": (b'[{"a": 1, "\\u0061": 2}]', D, (1, 11, 10), '"a" twice'),
    "an integer over 64 bits": (b'[{"a":\r 99999999999999999999}]', D, (2, 2, 8), "64 bits"),
    "an integer under 64 bits": (b'[{"a":-9223372036854775809}]', D, (1, 7, 6), "64 bits"),
    "a float that overflows": (b'[{"a": 1e400}]', D, (1, 8, 7), "1e400"),
    "bare returns": (b'[{"a":1},\r{"a":]', D, (2, 6, 15), "found ']'"),
    "mixed line ends": (b'[{"a":\r\n1},\n{"a":\r]', D, (4, 1, 18), "found ']'"),
    "too deep": (b'{"a": ' + b"[" * 70, L, (1, 70, 69), "max_depth"),
}

NDJSON: dict[str, Case] = {
    "no UTF-8": (b'{"a": 1}\n{"a": "\xff"}\n', D, (2, 8, 16), "byte FF"),
    "NUL": (b'{"a": 1}\n\x00\n', D, (2, 1, 9), "'\\0'"),
    "NUL in text": (b'{"a": 1}\n{"a": "x\x00"}\n', D, (2, 9, 17), "0x00"),
    "a quote that is never closed": (b'{"a": 1}\n{"a": "x', T, (2, 9, 17), "closing quote"),
    "a quote that ends with its line": (b'{"a": "x\ny"}\n', D, (1, 9, 8), "the end of the line"),
    "an object that ends with its line": (b'{"a": 1}\n{"a": 2\n', D, (2, 8, 16), "the end of the line"),
    "a row that is none": (b'{"a": 1}\n5\n', D, (2, 1, 9), "found '5'"),
    "two rows in a line": (b'{"a": 1}\n{"a": 1} {"a": 2}\n', D, (2, 10, 18), "the end of the line"),
    "bare returns": (b'{"a": 1}\r{"a": 2}\r', D, (2, 1, 9), "the end of the line"),
    "behind empty lines": (b'\r\n\n{"a": 1}\r\n\n{"a": x}\n', D, (5, 7, 20), "'x'"),
    "a key that stands twice": (b'{"a": 1}\n{"a": 1, "b": 2, "b": 3}\n', D, (2, 18, 26), '"b" twice'),
    "an integer over 64 bits": (b'{"a": 1}\n{"a": 99999999999999999999}\n', D, (2, 7, 15), "64 bits"),
    "a float that overflows": (b'{"a": 1}\n{"a": 1e400}\n', D, (2, 7, 15), "1e400"),
    "too deep": (b'{"a": 1}\n{"a": ' + b"[" * 100_000 + b"\n", L, (2, 70, 78), "max_depth"),
}


def check(content: bytes, format: str, place: tuple[int, int, int], word: str, **options: Any) -> Exception:
    with pytest.raises(cn.ColonnadeError) as raised:
        cn.decode(content, format, **options).to_arrow()
    message, (line, column, byte) = str(raised.value), place
    assert message.startswith(f"{format}: ")
    assert f"at byte {byte}: line {line}, column {column}: " in message
    assert word in message.split(f"column {column}: ")[1]
    return raised.value


@each("name", list(CSV))
def test_csv(name: str) -> None:
    content, error, place, word = CSV[name]
    assert type(check(content, "csv", place, word)) is error


@each("name", list(TYPED))
def test_csv_whose_types_are_told(name: str) -> None:
    content, options, place, word = TYPED[name]
    assert type(check(content, "csv", place, word, **options)) is D


@each("name", list(JSON))
def test_json(name: str) -> None:
    content, error, place, word = JSON[name]
    assert type(check(content, "json", place, word)) is error


@each("name", list(NDJSON))
def test_ndjson(name: str) -> None:
    content, error, place, word = NDJSON[name]
    assert type(check(content, "ndjson", place, word)) is error


@pytest.mark.parametrize("format", ["csv", "json", "ndjson", "yaml"])
def test_behind_a_long_line(format: str) -> None:
    """A line of many bytes is counted through, and a limit holds before anything is read."""
    long = b"x" * (6 << 20)
    content, place = {
        "csv": (b"a\n" + long + b"\n\xff\n", (3, 1, len(long) + 3)),
        "json": (b'[{"a": "' + long + b'"}\n,{"a": "\xff"}]', (2, 9, len(long) + 19)),
        "ndjson": (b'{"a": "' + long + b'"}\n{"a": "\xff"}\n', (2, 8, len(long) + 17)),
        "yaml": (b"- a: " + long + b"\n- a: \xff\n", (2, 6, len(long) + 11)),
    }[format]
    check(content, format, place, "byte FF")
    with pytest.raises(L, match=r"max_nbytes"):
        cn.decode(content, format, limits=cn.Limits(max_nbytes=1 << 20))


@pytest.mark.parametrize("format", ["csv", "json", "ndjson", "yaml"])
def test_in_sixteen_bits_a_character(format: str) -> None:
    """Columns are characters, and bytes are two or four of the source for each."""
    text, wanted = {
        "csv": ("é,b\n🎉\n", (2, 1)),
        "json": ('[{"é": "🎉",\n"b": x}]', (2, 6)),
        "ndjson": ('{"é": "🎉"}\n{"é": x}\n', (2, 7)),
        "yaml": ("é: 🎉\né: 2\n", (2, 1)),
    }[format]
    for mark, encoding in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        lines = text.split("\n")
        front = "\n".join([*lines[: wanted[0] - 1], lines[wanted[0] - 1][: wanted[1] - 1]])
        byte = len(mark) + len(front.encode(encoding))
        check(mark + text.encode(encoding), format, (*wanted, byte), "")
