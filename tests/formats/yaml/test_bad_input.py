"""Bad YAML, byte by byte: each with the error it provokes, its line, column and byte."""

import contextlib
import time
from pathlib import Path

import pytest

import colonnade as cn
from tests.helpers.ways import exactly

D, L, T, U = cn.DecodeError, cn.LimitError, cn.TruncatedError, cn.UnsupportedError
LEVELS = b"".join(b"%c: &%c [%s]\n" % (c, c, b",".join([b"*%c" % (c - 1)] * 9)) for c in b"bcdefgh")

# What it is: the bytes, the error, and line, column and byte of it (all from the start of the file), and a word of it.
CASES: dict[str, tuple[bytes, type[Exception], tuple[int, int, int], str]] = {
    "nothing": (b"", D, (1, 1, 0), "found none"),
    "comments alone": (b"# a\n# b\n", D, (1, 1, 0), "found none"),
    "no UTF-8": (b"a: 1\nb: x\xff\n", D, (2, 5, 9), "found the byte FF"),
    "an overlong form": (b"a: \xc0\xaf\n", D, (1, 4, 3), "found the byte C0"),
    "a surrogate as UTF-8": (b"a: \xed\xa0\x80\n", D, (1, 4, 3), "found the byte ED"),
    "UTF-16 of odd length": (b"\xff\xfea\x00:\x00 \x001", T, (1, 4, 8), "half a unit"),
    "UTF-16 with a lone surrogate": (
        b"\xff\xfea\x00:\x00 \x00\x00\xd8\n\x00",
        D,
        (1, 4, 8),
        "unpaired surrogate (D800)",
    ),
    "NUL": (b"a: 1\nb: \x00\n", D, (2, 4, 8), "U+0000"),
    "NUL in quotes": (b'a: "x\x00y"\n', D, (1, 6, 5), "U+0000"),
    "NUL in a comment": (b"a: 1 # \x00\n", D, (1, 8, 7), "U+0000"),
    "NUL behind the end": (b"a: 1\n...\n\x00", D, (3, 1, 9), "U+0000"),
    "an escape character": (b"a: \x1b[0m\n", D, (1, 4, 3), "U+001B"),
    "a quote that is never closed": (b"a: 1\nb: 'x\nc: 2\n", D, (2, 4, 8), "quoted scalar"),
    "double quotes that are never closed": (b'a: 1\nb: "x\nc: 2\n', D, (2, 4, 8), "quoted scalar"),
    "a quote that is never closed at the end": (b"a: 1\nb: 'x\n  c\n", D, (2, 4, 8), "end of stream"),
    "an unknown escape": (b'a: "\\q"\n', D, (1, 4, 3), "escape"),
    "half an escape": (b'a: "\\x1"\n', D, (1, 4, 3), "hex"),
    "an escaped surrogate": (b'a: "\\ud800"\n', D, (1, 4, 3), "Unicode"),
    "a bracket that is never closed": (b"a: [1, 2\nb: 3\n", D, (2, 2, 10), "break"),
    "a bracket that was never opened": (b"a: 1]\nb: ]\n", D, (2, 4, 9), "break"),
    "tabs before an entry": (b"a:\n\t- 1\n", D, (2, 2, 4), "tabs"),
    "indented too far": (b"a: 1\n b: 2\n", D, (2, 3, 7), "mapping"),
    "indented too little": (b"a:\n  - 1\n - 2\n", D, (3, 2, 10), "break"),
    "a reserved character": (b"a: @x\n", D, (1, 4, 3), "unexpected character"),
    "a key that stands twice": (b"a: [1]\nb: [2]\na: [3]\n", D, (3, 1, 14), 'the key "a"'),
    "a key that stands twice in a row": (b"- {a: 1}\n- {a: 1, b: 2, a: 3}\n", D, (2, 16, 24), 'the key "a"'),
    "a key that stands twice inside": (b"- x: {k: 1,\n    k: 2}\n", D, (2, 5, 16), 'the key "k"'),
    "a key in quotes that stands twice": (b"a: [1]\n'a': [2]\n", D, (2, 1, 7), 'the key "a"'),
    "integers that are one key": (b"0x10: [1]\n16: [2]\n", D, (2, 1, 10), 'the key "16"'),
    "zeros that are one key": (b"0: [1]\n-0: [2]\n", D, (2, 1, 7), 'the key "0"'),
    "a float as a key": (b"a: [1]\n1.5: [1]\n", U, (2, 1, 7), "found a float"),
    "a boolean as a key": (b"true: [1]\n", U, (1, 1, 0), "found a boolean"),
    "null as a key": (b"~: [1]\n", U, (1, 1, 0), "found null"),
    "nothing as a key": (b": [1]\n", U, (1, 1, 0), "found null"),
    "a collection as a key": (b"? [a, b]\n: [1]\n", U, (1, 3, 2), "found a collection"),
    "a mapping as a key": (b"- {{a: 1}: 2}\n", U, (1, 4, 3), "found a collection"),
    "keys of two kinds": (b"1: [1]\nb: [1]\n", U, (2, 1, 7), "column labels of one kind"),
    "an integer over 64 bits": (b"a: [1,\n 18446744073709551616]\n", D, (2, 2, 8), "18446744073709551616"),
    "an integer under 64 bits": (b"a: -9223372036854775809\n", D, (1, 4, 3), "-9223372036854775809"),
    "a hexadecimal over 64 bits": (b"a: 0x1ffffffffffffffff\n", D, (1, 4, 3), "36893488147419103231"),
    "a hexadecimal over 128 bits": (b"a: 0x1" + b"f" * 32 + b"\n", D, (1, 4, 3), "found 0x1fffff"),
    "an octal over 128 bits": (b"a: 0o" + b"7" * 50 + b"\n", D, (1, 4, 3), "found 0o7777"),
    "a key over 64 bits": (b"a: [1]\n18446744073709551616: [1]\n", U, (2, 1, 7), "18446744073709551616"),
    "a hexadecimal key over 128 bits": (b"0x" + b"f" * 33 + b": [1]\n", U, (1, 1, 0), "found 0xffff"),
    "a float that overflows": (b"a: [1.0,\n 1e400]\n", D, (2, 2, 10), "1e400"),
    "a tag that constructs": (b"a: !!python/object/apply:os.system [ls]\n", U, (1, 4, 3), "python/object"),
    "a tag of names": (b"a: !!python/name:os.system\n", U, (1, 4, 3), "python/name"),
    "bytes by tag": (b"a: !!binary aGk=\n", U, (1, 4, 3), "binary"),
    "a set": (b"a: !!set {x, y}\n", U, (1, 4, 3), "set"),
    "pairs in order": (b"a: !!omap [x: 1]\n", U, (1, 4, 3), "omap"),
    "a time by tag": (b"a: !!timestamp 2001-12-14\n", U, (1, 4, 3), "timestamp"),
    "a tag of somebody": (b"- a: 1\n- a: !thing 2\n", U, (2, 6, 12), "!thing"),
    "a tag of another type": (b"a: !!map [1]\n", U, (1, 4, 3), "map"),
    "what its tag does not say": (b"a: !!int x\n", D, (1, 4, 3), "int"),
    "a handle that nobody declared": (b"a: !e!thing 2\n", D, (1, 4, 3), "handle"),
    "two documents": (b"a: [1]\n---\nb: [2]\n", U, (2, 1, 7), "second one"),
    "two documents with ends": (b"---\na: [1]\n...\n---\nb: [2]\n", U, (4, 1, 15), "second one"),
    "an empty document in front": (b"---\n---\na: [1]\n", U, (2, 1, 4), "second one"),
    "another major version": (b"%YAML 2.0\n---\na: [1]\n", U, (1, 7, 6), '"2.0"'),
    "a version twice": (b"%YAML 1.2\n%YAML 1.2\n---\na: [1]\n", D, (2, 1, 10), "break"),
    "a directive without a document": (b"%YAML 1.2\na: [1]\n", D, (2, 1, 10), "break"),
    "an alias of nothing": (b"a: [1]\nb: *x\n", D, (2, 4, 10), "anchor"),
    "an anchor in a loop": (b"a: &x [1, *x]\n", D, (1, 11, 10), "a loop"),
    "a loop of mappings": (b"- &x {a: 1, b: *x}\n", D, (1, 16, 15), "a loop"),
    "a loop over two": (b"a: &x [&y [1, *x], *y]\n", D, (1, 15, 14), "a loop"),
    "aliases that explode": (b"a: &a [1,1,1,1,1,1,1,1,1]\n" + LEVELS, L, (7, 8, 208), "1048576 values"),
    "a number": (b"17\n", U, (1, 1, 0), "found an integer"),
    "a text": (b"# c\nabc\n", U, (2, 1, 4), "found text"),
    "a sequence of numbers": (b"- 1\n- 2\n", U, (1, 3, 2), "begins with an integer"),
    "columns of unequal length": (b"a: [1, 2]\nb: [1]\n", D, (2, 4, 13), "2"),
    "a row that is none": (b"- a: 1\n- 5\n", D, (2, 3, 9), "expected a map"),
    "a later header": (b'__colonnade__: {"version": 99}\na: [1]\n', U, (1, 16, 15), "version"),
    "a header that is no mapping": (b"__colonnade__: 7\na: [1]\n", D, (1, 16, 15), "header"),
}


@pytest.mark.parametrize("name", CASES)
def test_it_is_refused_with_its_place(name: str) -> None:
    content, error, (line, column, byte), word = CASES[name]
    with pytest.raises(cn.ColonnadeError) as raised:
        cn.decode(content, "yaml").to_arrow()
    message = str(raised.value)
    assert message.startswith("yaml: ")
    assert f"at byte {byte}: line {line}, column {column}: " in message
    assert word in message.split(f"column {column}: ")[1]
    assert type(raised.value) is error


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_line_ends(end: bytes) -> None:
    content = b"- a: 1\n  b: |\n    x\n    y\n- a: 2\n  b: 'one\n    two'\n"
    found = cn.decode(content.replace(b"\n", end), "yaml").to_arrow().to_pylist()
    assert found == [{"a": 1, "b": "x\ny\n"}, {"a": 2, "b": "one two"}]
    with pytest.raises(cn.DecodeError, match=r"at byte \d+: line 3, column 4: "):
        cn.decode(b"a: 1\nb: 2\nc: 1e999\n".replace(b"\n", end), "yaml")


def test_mixed_line_ends() -> None:
    content = b"- a: 1\r\n- a: 2\r- a: 3\n\r- a: 4\n"
    assert cn.decode(content, "yaml")["a"].to_numpy().tolist() == [1, 2, 3, 4]
    with pytest.raises(cn.DecodeError, match="at byte 16: line 4, column 1: expected YAML"):
        cn.decode(b"a: 1\r\nb: 2\rc: [\n", "yaml")


def test_depth_is_bounded() -> None:
    deep = b"a: " + b"[" * 70 + b"]" * 70 + b"\n"
    with pytest.raises(L, match=r"at byte 66: line 1, column 67: the document nests deeper than 64. Raise max_depth"):
        cn.decode(deep, "yaml")
    assert cn.decode(deep, "yaml", limits=cn.Limits(max_depth=100)).shape == (1, 1)
    for bomb in (b"[" * 100_000, b"{a: " * 100_000, b"- " * 100_000, b"? " * 100_000, b"[{" * 100_000):
        for content in (bomb, b"a: [" + bomb):
            with pytest.raises((L, D, U), match=r"line 1, column \d+"):
                cn.decode(content, "yaml")


def test_a_raised_depth_ends_in_a_typed_error_or_a_frame() -> None:
    limits = cn.Limits(max_depth=10**9)
    dashes = b"a:\n- x\n- " + b"- " * 100_000 + b"1\n"
    frame = cn.decode(dashes, "yaml", limits=limits)
    assert frame.shape == (2, 1)
    with pytest.raises(D, match="at most 512 values in each other"):
        frame.to_pandas()
    for format in ("yaml", "json", "ndjson", "msgpack", "npz"):
        content = cn.encode(frame, format, **exactly(format))
        again = cn.decode(content, format, limits=limits)
        assert bytes(cn.encode(again, format, **exactly(format))) == bytes(content)
    with pytest.raises(L, match="line 1, column 259: brackets nest deeper than the parser goes"):
        cn.decode(b"a: " + b"[" * 100_000 + b"]" * 100_000, "yaml", limits=limits)
    # What our own header says is a cell of several kinds, written out by hand.
    own = bytes(cn.encode(frame, "yaml", schema="header"))
    deep = own.replace(b'- a: "x"\n', b"- a:\n   - " + b"- " * 600 + b"1\n")
    with pytest.raises(L, match="line 4, column 4: the value nests deeper than 512") as raised:
        cn.decode(deep, "yaml", limits=limits)
    assert len(str(raised.value)) < 400


def test_a_line_of_many_bytes() -> None:
    long = b"x" * (4 << 20)
    content = b"a: 1\nb: " + long + b"\n"
    assert cn.decode(content, "yaml").to_arrow().column("b")[0].as_py() == long.decode()
    with pytest.raises(L, match="max_nbytes"):
        cn.decode(content, "yaml", limits=cn.Limits(max_nbytes=1 << 20))
    with pytest.raises(D, match=f"at byte {8 + len(long)}: line 2, column {4 + len(long)}: "):
        cn.decode(b"a: 1\nb: " + long + b"\xff\n", "yaml")


def test_aliases_of_a_long_text() -> None:
    content = b"a: &x " + b"y" * (1 << 20) + b"\nb: [" + b"*x, " * 100 + b"]\n"
    with pytest.raises(L, match=r"line 2, column \d+: aliases stand for more than \d+ bytes of text"):
        cn.decode(content, "yaml")


LONG = [
    b"- a\n" * 50_000,
    b"a: [" + b"&x 1, " * 50_000 + b"]",
    b"# c\n" * 50_000,
    b"\n" * 200_000,
    b"a: '" + b"\n" * 100_000,
    b"a: x\n" + b"  y\n" * 50_000,
    b"- ? a\n" * 20_000,
    b"- !!str a\n" * 20_000,
    b"%A b\n" * 50_000,
    b"- -\n" * 50_000,
    b"a: |\n" + b"  y\n" * 100_000,
    b"a: [" + b"a: 1, " * 30_000 + b"]",
    b"{a: " * 60 + b"1",
    b'a: "' + b"\\x41" * 50_000,
]


@pytest.mark.parametrize("content", LONG, ids=range(len(LONG)))
def test_nothing_takes_long(content: bytes) -> None:
    began = time.process_time()
    with contextlib.suppress(cn.ColonnadeError):
        cn.decode(content, "yaml")
    assert time.process_time() - began < 10


def test_a_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(b"a: [1\n")
    with pytest.raises(D, match="line 2, column 1"):
        cn.read(path)
