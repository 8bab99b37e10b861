"""A legal value that is no table is unsupported, in every format of values; a table with an odd row is wrong data."""

import json
from typing import Any

import msgpack
import pytest

import colonnade as cn
from tests.helpers.each import each

NO_TABLE: dict[str, Any] = {
    "an integer": 5,
    "a float": 1.5,
    "text": "x",
    "null": None,
    "true": True,
    "an array of numbers": [1, 2],
    "an array of text": ["a"],
    "an array of null": [None],
    "an array that begins with a number": [5, {"a": 1}],
}
ODD: dict[str, Any] = {
    "a number among objects": [{"a": 1}, 5],
    "an array among objects": [{"a": 1}, [1]],
    "a number beside an array": {"a": [1], "b": 2},
    "an object beside an array": {"a": [1], "b": {"x": 1}},
}
FORMATS = ("json", "yaml", "msgpack")


def encoded(value: Any, format: str) -> bytes:
    return msgpack.packb(value) if format == "msgpack" else json.dumps(value).encode()


def reads(data: bytes, format: str) -> list[Any]:
    def chunks() -> None:
        with cn.open_reader(data, format=format) as reader:
            list(reader)

    return [
        lambda: cn.decode(data, format).to_numpy(),
        lambda: cn.inspect(data, format=format),
        lambda: cn.verify(data, format=format),
        chunks,
    ]


@each("format", list(FORMATS))
@each("name", list(NO_TABLE))
def test_no_table(name: str, format: str) -> None:
    for read in reads(encoded(NO_TABLE[name], format), format):
        with pytest.raises(cn.UnsupportedError, match="expected a table"):
            read()


@each("name", list(NO_TABLE))
def test_lines_that_are_no_table(name: str) -> None:
    for read in reads(json.dumps(NO_TABLE[name]).encode() + b'\n{"a":1}\n', "ndjson"):
        with pytest.raises(cn.UnsupportedError, match="expected a table"):
            read()


@each("format", list(FORMATS))
@each("name", list(ODD))
def test_a_table_with_another_row_or_column(name: str, format: str) -> None:
    with pytest.raises(cn.DecodeError):
        cn.decode(encoded(ODD[name], format), format)


def test_a_later_line_of_another_kind() -> None:
    for line in (b"5", b"[1]", b'"x"', b"null"):
        with pytest.raises(cn.DecodeError, match="line 2"):
            cn.decode(b'{"a":1}\n' + line + b"\n", "ndjson")


@each("text", [b"[1,", b"[1", b'["a', b'"x', b"[1 2]", b"[1,]", b"tru"])
def test_what_is_no_json_is_said_first(text: bytes) -> None:
    for format in ("json", "ndjson"):
        with pytest.raises((cn.DecodeError, cn.TruncatedError)) as caught:
            cn.decode(text, format)
        assert not isinstance(caught.value, cn.UnsupportedError)


def test_a_number_beyond_float64_is_shown_whole_or_as_cut() -> None:
    """No front of such a number is beyond float64, so a cut must be seen."""
    long = "1" + "0" * 400
    for number, shown in {
        "1e400": "found 1e400,",
        f"{long}.5": f"found {long[:60]}... (403 characters),",
        f"0.{'0' * 100}1e500": f"found 0.{'0' * 58}... (107 characters),",
    }.items():
        for text, format in ((f'[{{"a":{number}}}]', "json"), (f'{{"a":{number}}}\n', "ndjson")):
            with pytest.raises(cn.DecodeError) as caught:
                cn.decode(text.encode(), format)
            assert shown in str(caught.value)


def test_other_long_texts_are_shown_as_cut() -> None:
    long = "9" * 300
    with pytest.raises(cn.DecodeError) as caught:
        cn.decode(f'[{{"a":{long}}}]'.encode(), "json", big_ints="error")
    assert f"{long[:60]}... (300 characters)" in str(caught.value)
    with pytest.raises(cn.DecodeError) as caught:
        cn.decode(f"a,b\n{long},1\n".encode(), "csv", dtype={"a": "int8"})
    assert f"found {long[:60]}... (300 characters)" in str(caught.value)
    key = "k" * 200
    with pytest.raises(cn.DecodeError) as caught:
        cn.decode(f'[{{"{key}":1,"{key}":2}}]'.encode(), "json")
    assert "k" * 80 + "..." in str(caught.value)
    with pytest.raises(cn.DecodeError) as caught:
        cn.decode(msgpack.packb([{key: 1}, 5]), "msgpack", orient="records")
    with pytest.raises(cn.DecodeError) as caught:
        cn.decode(msgpack.packb({key: [1], "b": [1, 2]}), "msgpack")
    assert "k" * 81 not in str(caught.value)
