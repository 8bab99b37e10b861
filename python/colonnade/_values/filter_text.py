"""Conditions on rows as text: ``price > 3 and kind in ('a', 'b')``. docs/guides/filters.md has the grammar."""

import re
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple, NoReturn

from ..errors import OptionError

_TOKENS = re.compile(
    r"""\s*(?:
    (?P<name>[^\W\d][\w.]* | "(?:[^"]|"")*" | `(?:[^`]|``)*`)
  | (?P<text>'(?:[^']|'')*')
  | (?P<number>[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])|inf\b))
  | (?P<sign>==|!=|<>|<=|>=|=|<|>|\(|\)|,)
  | (?P<end>$)
    )""",
    re.VERBOSE,
)
_COMPARISONS = {sign: sign for sign in ("==", "!=", "<", "<=", ">", ">=")} | {"=": "==", "<>": "!="}
_KEYWORDS = ("and", "or", "not", "in", "is", "null", "true", "false", "inf")
_VALUES = {"true": True, "false": False, "inf": float("inf")}
_MOST_LISTS = 1000
_MOST_CONDITIONS = 10_000
_MOST_BRACKETS = 100
"""Inside one another. Each takes some of the stack, and a text may come from a client of a server."""
_MOST_DIGITS = 4000
"""Python refuses to read more as an integer."""

Lists = list[list[tuple[Any, str, Any]]]


class _Token(NamedTuple):
    kind: str  # "name", "keyword", "text", "number", "sign", "end"
    text: str  # as written; of a keyword in small letters
    start: int


def parse(text: str) -> Lists:
    """The conditions of a text as lists of which one must hold.

    Raises
    ------
    OptionError
        The text is not of the grammar; with the number of the first character that is not.
    """
    parser = _Parser(text)
    found = parser.any()
    parser.take("end", "", "'and', 'or' or the end")
    return found


class _Parser:
    """Takes tokens from the front."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0
        self._depth = 0
        self._next = self._token()

    def any(self) -> Lists:
        """Conditions joined by ``or``."""
        found = self._all()
        while self._accept("keyword", "or"):
            found += self._all()
        return found

    def _all(self) -> Lists:
        """Conditions joined by ``and``. Each list of one side goes with each of the other."""
        found = self._one()
        while self._accept("keyword", "and"):
            token = self._next
            other = self._one()
            if len(found) * len(other) > _MOST_LISTS:
                self._fail(f"at most {_MOST_LISTS} alternatives once 'or' is outside 'and'", token, "more")
            if len(found) * _count(other) + len(other) * _count(found) > _MOST_CONDITIONS:
                self._fail(f"at most {_MOST_CONDITIONS} conditions once 'or' is outside 'and'", token, "more")
            found = [[*one, *two] for one in found for two in other]
        return found

    def _one(self) -> Lists:
        bracket = self._next
        if self._accept("sign", "("):
            self._depth += 1
            if self._depth > _MOST_BRACKETS:
                self._fail(f"at most {_MOST_BRACKETS} brackets inside one another", bracket, "more")
            found = self.any()
            self._depth -= 1
            self.take("sign", ")", "'and', 'or' or ')'")
            return found
        name = self.take("name", None, "a column or '('")
        column = _unquoted(name.text) if name.text[0] in '"`' else name.text
        token = self._next
        if token.kind == "sign" and token.text in _COMPARISONS:
            self._advance()
            return [[(column, _COMPARISONS[token.text], self._value(column))]]
        if self._accept("keyword", "is"):
            negated = self._accept("keyword", "not")
            self.take("keyword", "null", "'null'" if negated else "'null' or 'not null'")
            return [[(column, "is not" if negated else "is", None)]]
        negated = self._accept("keyword", "not")
        self.take("keyword", "in", "'in'" if negated else "a comparison (==, !=, <, <=, >, >=, in, not in, is)")
        self.take("sign", "(", "'('")
        values = [self._value(column)]
        while self._accept("sign", ","):
            values.append(self._value(column))
        self.take("sign", ")", "',' or ')'")
        return [[(column, "not in" if negated else "in", values)]]

    def _value(self, column: str) -> Any:
        token = self._next
        if token.kind == "keyword" and token.text in _VALUES:
            self._advance()
            return _VALUES[token.text]
        if token.kind == "number":
            if len(token.text) > _MOST_DIGITS:
                self._fail(f"a number of at most {_MOST_DIGITS} characters", token, f"{len(token.text)}")
            self._advance()
            return _number(token.text)
        if token.kind == "text":
            self._advance()
            return _unquoted(token.text)
        more = ""
        if token.kind == "keyword" and token.text == "null":
            more = f" Null is equal to nothing: ask for it with {column} is null."
        elif token.kind == "name":
            more = " Text is in single quotes, and a column has no value to compare with."
        self._fail("a value (a number, 'text', true or false)", token, more=more)

    def take(self, kind: str, text: str | None, expected: str) -> _Token:
        """The next token, which must be this one."""
        token = self._next
        if not self._accept(kind, text):
            self._fail(expected, token)
        return token

    def _accept(self, kind: str, text: str | None) -> bool:
        if self._next.kind != kind or text not in (None, self._next.text):
            return False
        self._advance()
        return True

    def _advance(self) -> None:
        self._next = self._token()

    def _token(self) -> _Token:
        found = _TOKENS.match(self._text, self._position)
        if found is None:
            start = re.compile(r"\s*").match(self._text, self._position).end()  # type: ignore[union-attr]
            unclosed = self._text[start] in "'\"`"
            more = " Its closing quote is missing." if unclosed else ""
            what = repr(self._text[start] if unclosed else self._text[start:].split()[0])
            self._fail("a column, a value, a comparison or a bracket", _Token("", what, start), what, more)
        kind = found.lastgroup or "end"
        text, start = found[kind], found.start(kind)
        self._position = found.end()
        if kind == "name" and text.lower() in _KEYWORDS:
            kind, text = "keyword", text.lower()
        return _Token(kind, text, start)

    def _fail(self, expected: str, token: _Token, found: str | None = None, more: str = "") -> NoReturn:
        if found is None:
            found = "the end" if token.kind == "end" else repr(token.text)
        hint = " Names that are words of the grammar are in double quotes." if token.kind == "keyword" else ""
        raise OptionError(
            f"filters: expected {expected}, found {found} at character {token.start + 1} of {self._text!r}."
            f"{more or hint}"
        )


def _count(lists: Lists) -> int:
    return sum(map(len, lists))


def _unquoted(text: str) -> str:
    quote = text[0]
    return text[1:-1].replace(quote * 2, quote)


def _number(text: str) -> int | float | Decimal:
    """Digits after the point stay as written, for columns of decimals."""
    if text.lower().endswith("inf"):
        return float(text)
    try:
        return int(text) if text.lstrip("+-").isdigit() else Decimal(text)
    except InvalidOperation:  # an exponent beyond all decimals
        return float(text)
