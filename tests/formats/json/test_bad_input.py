"""Bad JSON and NDJSON, byte by byte: each with the error it provokes and its place."""

import pytest

import colonnade as cn
from tests.helpers.each import each

D, T, L, U = cn.DecodeError, cn.TruncatedError, cn.LimitError, cn.UnsupportedError

JSON: dict[str, tuple[bytes, type[Exception], str]] = {
    "nothing": (b"", D, "json"),
    "spaces alone": (b" \n ", D, "json"),
    "an array that never ends": (b'[{"a": 1}', T, "line 1"),
    "a text that never ends": (b'[{"a": "x', T, "line 1"),
    "a key without a value": (b'[{"a"}]', D, "line 1, column 6"),
    "a trailing comma": (b'[{"a": 1},]', D, "line 1, column 11"),
    "a comment": (b'[{"a": 1}] // done', D, "line 1, column 12"),
    "more after the end": (b'[{"a": 1}]\n[2]', D, "line 2, column 1"),
    "single quotes": (b"[{'a': 1}]", D, "line 1, column 3"),
    "a leading zero": (b'[{"a": 01}]', D, "line 1"),
    "a plus": (b'[{"a": +1}]', D, "line 1, column 8"),
    "a bare dot": (b'[{"a": 1.}]', D, "line 1"),
    "hexadecimal": (b'[{"a": 0x1F}]', D, "line 1"),
    "NaN": (b'[{"a": NaN}]', D, "line 1, column 8"),
    "Infinity": (b'[{"a": -Infinity}]', D, "line 1"),
    "a word": (b'[{"a": nul}]', D, "line 1"),
    "NUL": (b'[{"a": 1}\x00]', D, "byte 9"),
    "NUL in text": (b'[{"a": "x\x00y"}]', D, "line 1"),
    "a line end in text": (b'[{"a": "x\ny"}]', D, "line 1"),
    "an unknown escape": (b'[{"a": "\\q"}]', D, "line 1"),
    "half an escape": (b'[{"a": "\\u12"}]', D, "line 1"),
    "a lone surrogate": (b'[{"a": "\\ud800"}]', D, "line 1"),
    "surrogates the wrong way": (b'[{"a": "\\udc00\\ud800"}]', D, "line 1"),
    "no UTF-8": (b'[{"a": "\xff"}]', D, "line 1, column 9"),
    "an overlong form": (b'[{"a": "\xc0\xaf"}]', D, "line 1"),
    "a surrogate as UTF-8": (b'[{"a": "\xed\xa0\x80"}]', D, "line 1"),
    "a key that stands twice": (b'[\n{"a": 1, "b": 2, "a": 3}]', D, "line 2"),
    "a column that stands twice": (b'{"a": [1], "a": [2]}', D, '"a"'),
    "columns of unequal length": (b'{"a": [1, 2], "b": [1]}', D, '"b"'),
    "a number": (b"17", U, "line 1, column 1"),
    "a text": (b'"abc"', U, "line 1, column 1"),
    "an integer over 64 bits": (b'[{"a": 18446744073709551616}]', D, "line 1, column 8"),
    "a float that overflows": (b'[{"a": 1e999}]', D, "line 1, column 8"),
    "a header of a later version": (b'{"__colonnade__": {"version": 99}, "a": [1]}', U, "version"),
    "a header that is no object": (b'{"__colonnade__": 7, "a": [1]}', D, "header"),
    "a header without a schema": (
        b'{"__colonnade__": {"version": 1, "orient": "columns", "nrows": 1}, "a": [1]}',
        D,
        "schema",
    ),
}

NDJSON: dict[str, tuple[bytes, type[Exception], str]] = {
    "a line that never ends": (b'{"a": 1}\n{"a": ', D, "line 2"),
    "two values in a line": (b'{"a": 1}\n{"a": 1} {"a": 2}\n', D, "line 2, column 10"),
    "an array": (b"[1, 2]\n", U, "line 1"),
    "a comma between lines": (b'{"a": 1},\n{"a": 2}\n', D, "line 1, column 9"),
    "a key that stands twice": (b'{"a": 1}\n\n{"a": 1, "a": 2}\n', D, "line 3"),
    "no UTF-8": (b'{"a": "x"}\n{"a": "\xff"}\n', D, "line 2, column 8"),
    "NUL": (b'{"a": 1}\n\x00\n', D, "line 2"),
    "an integer over 64 bits": (b'{"a": 1}\n{"a": 18446744073709551616}\n', D, "line 2, column 7"),
    "a header twice": (b'{"__colonnade__": {}}\n{"a": 1}\n', D, "ndjson"),
}


def told(content: bytes, format: str) -> str:
    """What comes of it: a frame, or the words of a typed error."""
    try:
        return f"frame of {cn.decode(content, format).to_arrow().num_rows} rows"
    except cn.ColonnadeError as error:
        return str(error)


@each("name", list(JSON))
def test_json(name: str) -> None:
    content, error, place = JSON[name]
    with pytest.raises(error) as raised:
        cn.decode(content, "json").to_arrow()
    assert str(raised.value).startswith("json: ")
    assert place in str(raised.value)


@each("name", list(NDJSON))
def test_ndjson(name: str) -> None:
    content, error, place = NDJSON[name]
    with pytest.raises(error) as raised:
        cn.decode(content, "ndjson").to_arrow()
    assert str(raised.value).startswith("ndjson: ")
    assert place in str(raised.value)


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'[{"a":'])
def test_depth_is_bounded(opening: bytes) -> None:
    for closing in (b"", b"]" * 100_000):
        with pytest.raises((cn.LimitError, cn.DecodeError)):
            cn.decode(opening * 100_000 + closing, "json")
    deep = b'{"a": [' + b"[" * 70 + b"]" * 70 + b"]}"
    with pytest.raises(cn.LimitError, match="max_depth"):
        cn.decode(deep, "json")
    assert cn.decode(deep, "json", limits=cn.Limits(max_depth=100)).shape == (1, 1)


@pytest.mark.parametrize("format", ["json", "ndjson"])
def test_literals_are_taken_where_they_are_allowed(format: str) -> None:
    content = b'{"a": NaN}\n{"a": -Infinity}\n{"a": 1}\n'
    content = content if format == "ndjson" else b"[" + content.replace(b"}\n{", b"},{") + b"]"
    found = cn.decode(content, format, allow_nonfinite=True)["a"].to_numpy().tolist()
    assert found[0] != found[0]
    assert found[1:] == [float("-inf"), 1.0]


def test_a_line_of_many_bytes_is_read() -> None:
    long = b"x" * (8 << 20)
    content = b'{"a": "y"}\n{"a": "' + long + b'"}\n{"a": "z"}\n'
    assert cn.decode(content, "ndjson").to_arrow().column("a")[1].as_py() == long.decode()
    with pytest.raises(cn.LimitError):
        cn.decode(content, "ndjson", limits=cn.Limits(max_nbytes=1 << 20))


@pytest.mark.parametrize("format", ["json", "ndjson", "csv", "yaml"])
def test_random_bytes_are_refused_or_read(format: str) -> None:
    import numpy as np

    random = np.random.default_rng(11)
    alphabet = np.frombuffer(b"{}[]\",:\n\r\\ue0123456789.-+ \ttrufalsn\x00\xff\xc3\xa9#'|&*!<~", dtype="u1")
    for length in random.integers(0, 60, 600):
        content = random.choice(alphabet, length).tobytes()
        assert told(content, format).startswith(("frame", f"{format}: "))


@pytest.mark.parametrize("format", ["json", "ndjson", "csv", "yaml"])
def test_every_cut_and_every_flip_is_refused_or_read(format: str) -> None:
    import numpy as np

    options = {"schema": "header"} if format == "csv" else {}
    whole = cn.encode({"a": np.array([1, 2, 3]), "b": np.array(["x", "é", 'y"'])}, format, **options)
    for end in range(len(whole)):
        for content in (whole[:end], whole[:end] + bytes([whole[end] ^ 0x15]) + whole[end + 1 :]):
            assert told(content, format)
