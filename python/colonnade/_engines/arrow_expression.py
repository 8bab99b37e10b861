"""Expressions of pyarrow as conditions, from their text: pyarrow shows no tree of them.

pyarrow filters the rows again, so a condition may keep more rows than the expression, and never fewer. Text that can be
read in two ways is not taken: names that are not plain, floats that are not printed exactly, nested fields.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc

from .conjunctions import Conjunctions, both, either, single

if TYPE_CHECKING:
    import pyarrow as pa

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_WORDS = {"and", "or", "true", "false", "null", "invert", "cast", "is_in", "is_null", "is_valid", "if_else", "FieldRef"}
_TOKEN = re.compile(
    r"""\s*(?:(?P<text>"(?:[^"\\]|\\.)*")
    |(?P<time>\d{4}-\d\d-\d\d(?:\ \d\d:\d\d:\d\d(?:\.\d+)?Z?)?)
    |(?P<number>-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<sign>==|!=|<=|>=|<|>|\(|\)|,|\{|\}|\[|\]|:|=))""",
    re.VERBOSE,
)
_COMPARISONS = {"==", "!=", "<", "<=", ">", ">="}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\"}
_SET = re.compile(
    r"is_in\((\w+), \{value_set=(u?int\d+|(?:large_)?string):\[\n(.*?)\n\], null_matching_behavior=MATCH\}\)", re.S
)


class _Unreadable(Exception):
    """Text of another grammar."""


def conditions_of(expression: pc.Expression, schema: pa.Schema) -> Conjunctions | None:
    """The conditions that every row meets that `expression` keeps; None if there are none."""
    if not all(_NAME.fullmatch(name) and name not in _WORDS for name in schema.names):
        return None
    sets: list[Conjunctions | None] = []

    def put_aside(match: re.Match[str]) -> str:
        sets.append(_among(match[1], match[2], match[3], schema))
        return f"is_in({len(sets) - 1})"

    try:
        return _Parser(_SET.sub(put_aside, str(expression)), sets, schema).whole()
    except _Unreadable:
        return None


def names_in(expression: pc.Expression, schema: pa.Schema) -> set[str]:
    """The fields of a schema that an expression may use."""
    text = str(expression)
    words = set(re.findall(r"\w+", text))
    return {name for name in schema.names if name in (words if _NAME.fullmatch(name) else text)}


class _Parser:
    def __init__(self, text: str, sets: list[Conjunctions | None], schema: pa.Schema) -> None:
        self._tokens = list(_tokens(text))
        self._at = 0
        self._sets = sets
        self._schema = schema

    def whole(self) -> Conjunctions | None:
        found = self._expression()
        if self._at != len(self._tokens):
            raise _Unreadable
        return found

    def _expression(self) -> Conjunctions | None:
        if self._peek() == ("sign", "("):
            return self._pair()
        kind, name = self._next()
        if kind != "name":
            raise _Unreadable
        if self._peek() != ("sign", "("):  # a column of bools
            return self._compared(("name", name), "==", ("name", "true")) if name in self._schema.names else None
        return self._call(name)

    def _pair(self) -> Conjunctions | None:
        """``(a > 1)`` or ``(one and other)``."""
        self._expect("(")
        if self._peek()[0] in ("text", "time", "number", "name") and self._peek(1)[1] in _COMPARISONS:
            left, (_, sign), right = self._next(), self._next(), self._next()
            found = self._compared(left, sign, right)
            if self._peek() != ("sign", ")"):  # null[bool], an expression
                self._skip_to_end()
                found = None
            self._expect(")")
            return found
        one = self._expression()
        _, word = self._next()
        if word in _COMPARISONS:
            self._skip_to_end()
            self._expect(")")
            return None
        other = self._expression()
        self._expect(")")
        if word not in ("and", "or"):
            return None
        return both(one, other) if word == "and" else either(one, other)

    def _call(self, name: str) -> Conjunctions | None:
        self._expect("(")
        begin = self._at
        self._skip_to_end()
        inner = self._tokens[begin : self._at]
        self._expect(")")
        match name, [word for _, word in inner]:
            case "is_in", [number] if number.isdigit():
                return self._sets[int(number)]
            case "is_valid", [field] if field in self._schema.names:
                return single((field, "is not", None))
            case "is_null", [field, ",", "{", "nan_is_null", "=", "false", "}"] if field in self._schema.names:
                return single((field, "is", None))
            case "invert", ["is_null", "(", field, ",", "{", "nan_is_null", "=", "false", "}", ")"]:
                return single((field, "is not", None)) if field in self._schema.names else None
            case "if_else", [
                "is_valid",
                "(",
                field,
                ")",
                ",",
                "is_in",
                "(",
                number,
                ")",
                ",",
                "null",
                "[",
                "bool",
                "]",
            ]:
                # How DuckDB writes IN: null is in no list.
                return self._sets[int(number)] if field in self._schema.names else None
        return None

    def _compared(self, left: tuple[str, str], sign: str, right: tuple[str, str]) -> Conjunctions | None:
        if left[0] != "name" or left[1] not in self._schema.names:
            left, right, sign = right, left, _TURNED[sign]
        if left[0] != "name" or left[1] not in self._schema.names:
            return None
        value = _value(right, str(self._schema.field(left[1]).type), sign)
        return None if value is None else single((left[1], sign, value))

    def _skip_to_end(self) -> None:
        """To the bracket that closes this one."""
        depth = 0
        while depth or self._peek() != ("sign", ")"):
            _, word = self._next()
            depth += {"(": 1, ")": -1}.get(word, 0)

    def _peek(self, ahead: int = 0) -> tuple[str, str]:
        at = self._at + ahead
        return self._tokens[at] if at < len(self._tokens) else ("end", "")

    def _next(self) -> tuple[str, str]:
        found = self._peek()
        if found[0] == "end":
            raise _Unreadable
        self._at += 1
        return found

    def _expect(self, sign: str) -> None:
        if self._next() != ("sign", sign):
            raise _Unreadable


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None or match.end() == at:
            raise _Unreadable
        at = match.end()
        kind = str(match.lastgroup)
        yield kind, match[kind]


def _value(token: tuple[str, str], dtype: str, sign: str) -> Any:
    """The literal as a value of the column's type; None if its text may mean another one."""
    kind, text = token
    if kind == "text" and dtype in ("string", "large_string", "string_view"):
        return _unescaped(text)
    if kind == "number" and re.fullmatch(r"u?int\d+", dtype):
        return int(text) if re.fullmatch(r"-?\d+", text) else None
    if kind == "number" and dtype == "double" and sign != "!=":
        return float(text) if _prints_floats_exactly() else None
    if kind == "name" and dtype == "bool" and text in ("true", "false") and sign in ("==", "!="):
        return text == "true"
    if kind == "time" and dtype == "date32[day]" and len(text) == 10:
        return np.datetime64(text, "D")
    unit = re.fullmatch(r"timestamp\[(s|ms|us|ns)\]", dtype)
    if kind == "time" and unit and len(text) > 10 and not text.endswith("Z"):
        return np.datetime64(text.replace(" ", "T"))
    return None


@cache
def _prints_floats_exactly() -> bool:
    """Whether this version of pyarrow prints all digits of a float, so that its text is the number."""
    return str(pc.scalar(3.0000001)) == "3.0000001" and str(pc.scalar(0.1 + 0.2)) == "0.30000000000000004"


def _unescaped(text: str) -> str | None:
    parts = re.findall(r"[^\\]+|\\.", text[1:-1], re.S)
    if any(part[0] == "\\" and part[1] not in _ESCAPES for part in parts):
        return None
    return "".join(_ESCAPES[part[1]] if part[0] == "\\" else part for part in parts)


def _among(name: str, kind: str, text: str, schema: pa.Schema) -> Conjunctions | None:
    """The conditions of a list of values, which pyarrow prints one a line, text without escapes."""
    if name not in schema.names or "..." in text:
        return None
    dtype = str(schema.field(name).type)
    lines = [line.strip() for line in text.split(",\n")]
    if kind.startswith(("int", "uint")):
        is_whole = dtype.startswith(("int", "uint")) and all(re.fullmatch(r"-?\d+", line) for line in lines)
        return single((name, "in", [int(line) for line in lines])) if is_whole else None
    if dtype not in ("string", "large_string", "string_view"):
        return None
    pieces = text.split(",\n  ")
    if not pieces[0].startswith("  ") or not all(re.fullmatch(r'"[^"]*"', piece.strip(" ")) for piece in pieces):
        return None
    # A value that itself has a quote, a comma and a line break prints like two: all readings are taken.
    values = [piece.strip(" ")[1:-1] for piece in pieces]
    merged = ['",\n  "'.join(values[i:j]) for i in range(len(values)) for j in range(i + 1, len(values) + 1)]
    return single((name, "in", merged))
