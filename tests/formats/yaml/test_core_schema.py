"""What plain scalars are: the core schema of YAML 1.2, against its own table and PyYAML where 1.1 says the same."""

import math
from typing import Any

import pytest

import colonnade as cn

INF, NAN = math.inf, math.nan

# Chapter 10.3.2 of the specification, and what readers of YAML 1.1 take for something else.
SCALARS: dict[str, Any] = {
    "null": None,
    "Null": None,
    "NULL": None,
    "~": None,
    "": None,
    "nULL": "nULL",
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
    "tRUE": "tRUE",
    "yes": "yes",
    "No": "No",
    "NO": "NO",
    "on": "on",
    "off": "off",
    "y": "y",
    "n": "n",
    "0": 0,
    "-0": 0,
    "-19": -19,
    "+12": 12,
    "007": 7,
    "010": 10,
    "0o7": 7,
    "0o17": 15,
    "0o8": "0o8",
    "0x1F": 31,
    "0xff": 255,
    "0xG": "0xG",
    "-0x1": "-0x1",
    "0b11": "0b11",
    "1_000": "1_000",
    "12:30:45": "12:30:45",
    "9223372036854775807": 2**63 - 1,
    "-9223372036854775808": -(2**63),
    "18446744073709551615": 2**64 - 1,
    "0xffffffffffffffff": 2**64 - 1,
    "1.5": 1.5,
    "-1.5e-3": -1.5e-3,
    "1e3": 1000.0,
    "+1E3": 1000.0,
    ".5": 0.5,
    "5.": 5.0,
    "-0.0": -0.0,
    "1.7976931348623157e+308": 1.7976931348623157e308,
    "5e-324": 5e-324,
    ".inf": INF,
    "+.Inf": INF,
    "-.INF": -INF,
    ".nan": NAN,
    ".NaN": NAN,
    "-.nan": "-.nan",
    "inf": "inf",
    "nan": "nan",
    ".": ".",
    "1.2.3": "1.2.3",
    "1e": "1e",
    "2001-12-14": "2001-12-14",
    "2001-12-14t21:59:43.10-05:00": "2001-12-14t21:59:43.10-05:00",
    "<<": "<<",
    "=": "=",
    "!!str 12": "12",
    "!!str": "",
    "! 12": "12",
    "!!int 12": 12,
    "!!int '12'": 12,
    "!!float 1": 1.0,
    "!!float .inf": INF,
    "!!null ''": None,
    "!!bool 'true'": True,
    "!<tag:yaml.org,2002:str> true": "true",
    "'12'": "12",
    '"null"': "null",
    '"\\x41\\u00e9\\U0001F389\\n\\0\\_\\N\\L\\P"': "Aé🎉\n\0\u00a0\u0085\u2028\u2029",
    "'it''s'": "it's",
    "one\n  two\n\n  three": "one two\nthree",
    "|\n  one\n   two\n\n  three\n": "one\n two\n\nthree\n",
    "|-\n  one\n  two\n\n": "one\ntwo",
    "|+\n  one\n": "one\n\n",
    "|2\n    one\n": "  one\n",
    ">\n  one\n  two\n\n  three\n": "one two\nthree\n",
    ">-\n  one\n    more\n  two\n": "one\n  more\ntwo",
    '"one\n  two \\\n  three"': "one two three",
    "a#b": "a#b",
    "a # comment": "a",
    "a:b": "a:b",
    "-x": "-x",
    "?x": "?x",
    "été": "été",
}
# Where YAML 1.1, which PyYAML reads, has another value; floats without a point and a sign are text to PyYAML.
OTHERWISE = {
    *("yes", "No", "NO", "on", "off", "010", "0o7", "0o17", "-0x1", "0b11", "1_000", "12:30:45", "<<", "="),
    *("2001-12-14", "2001-12-14t21:59:43.10-05:00", "1e3", "+1E3", "5e-324", "! 12", "!!float 1"),
}


def same(found: Any, wanted: Any) -> bool:
    if isinstance(wanted, float):
        return isinstance(found, float) and (repr(found) == repr(wanted))
    return type(found) is type(wanted) and found == wanted


@pytest.mark.parametrize("text", SCALARS)
def test_a_scalar(text: str) -> None:
    for line in ("\n", "\r\n"):
        content = f"row: 1\ncell: {text}\n".replace("\n", line).encode()
        (found,) = cn.decode(content, "yaml", parse_dates=False).to_arrow().column("cell").to_pylist()
        assert same(found, SCALARS[text])


@pytest.mark.parametrize("text", [text for text in SCALARS if text not in OTHERWISE])
def test_pyyaml_says_the_same(text: str) -> None:
    yaml = pytest.importorskip("yaml")
    assert same(yaml.safe_load(f"row: 1\ncell: {text}\n")["cell"], SCALARS[text])


@pytest.mark.parametrize("text", [text for text in SCALARS if "\n" not in text and text])
def test_in_flow_collections(text: str) -> None:
    content = f"[{{row: 1, cell: {text} }}]".replace("# comment", "")
    (found,) = cn.decode(content.encode(), "yaml", parse_dates=False).to_arrow().column("cell").to_pylist()
    assert same(found, SCALARS[text])


def test_keys() -> None:
    assert list(cn.decode(b"0x10: [1]\n7: [2]\n", "yaml").columns) == [16, 7]
    assert list(cn.decode(b"yes: [1]\n'true': [2]\n\"1\": [3]\n2001-12-14: [4]\n", "yaml").columns) == [
        "yes",
        "true",
        "1",
        "2001-12-14",
    ]
    assert list(cn.decode(b"? long\n: [1]\n? |\n  block\n: [2]\n", "yaml").columns) == ["long", "block\n"]


def test_aliases_are_copies() -> None:
    content = b"- &row {x: 1, y: &list [1, 2]}\n- *row\n- {x: 2, y: *list}\n"
    wanted = [{"x": 1, "y": [1, 2]}, {"x": 1, "y": [1, 2]}, {"x": 2, "y": [1, 2]}]
    assert cn.decode(content, "yaml").to_arrow().to_pylist() == wanted
    # An anchor that is given again stands for the later value.
    content = b"- x: &a 1\n- x: *a\n- x: &a 2\n- x: *a\n"
    assert cn.decode(content, "yaml")["x"].to_numpy().tolist() == [1, 1, 2, 2]


def test_merge_keys_are_keys() -> None:
    content = b"- &base {a: 1}\n- {<<: *base, b: 2}\n"
    assert cn.decode(content, "yaml").to_arrow().to_pylist() == [
        {"a": 1, "<<": None, "b": None},
        {"a": None, "<<": {"a": 1}, "b": 2},
    ]


@pytest.mark.parametrize("directive", [b"%YAML 1.2\n", b"%YAML 1.1\n", b"%YAML 1.3\n", b"%OTHER thing\n", b"# c\n\n"])
def test_directives(directive: bytes) -> None:
    found = cn.decode(directive + b"---\na: [yes]\n...\n# end\n", "yaml")
    assert found.to_arrow().to_pylist() == [{"a": "yes"}]


def test_handles_of_tags() -> None:
    content = b"%TAG !e! tag:yaml.org,2002:\n---\na: !e!str 12\n"
    assert cn.decode(content, "yaml").to_arrow().to_pylist() == [{"a": "12"}]
