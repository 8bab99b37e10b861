"""Conditions as text: what is written is what is read, and errors name character, found and expected."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import colonnade as cn
from colonnade._values.conditions import conjunctions
from tests.helpers.each import each

_WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
_VALUES = st.integers() | st.decimals(allow_nan=False, allow_infinity=False) | st.booleans() | _WORDS
_COMPARISONS = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])
_TERMS = (
    st.tuples(_WORDS, _COMPARISONS, _VALUES)
    | st.tuples(_WORDS, st.sampled_from(["in", "not in"]), st.lists(_VALUES, min_size=1, max_size=3))
    | st.tuples(_WORDS, st.sampled_from(["is", "is not"]), st.none())
)


def _written(value: Any) -> str:
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, list):
        return f"({', '.join(map(_written, value))})"
    return "null" if value is None else str(value)


@given(st.lists(st.lists(_TERMS, min_size=1, max_size=3), min_size=1, max_size=3))
def test_what_is_written_is_read(lists: list[list[tuple[str, str, Any]]]) -> None:
    quoted = [['"{}" {} {}'.format(c.replace('"', '""'), op, _written(v)) for c, op, v in terms] for terms in lists]
    found = conjunctions(" or ".join(" AND ".join(terms) for terms in quoted))
    assert repr(found) == repr([[(c, op, _number(v)) for c, op, v in terms] for terms in lists])


def _number(value: Any) -> Any:
    """A number of Python as its digits are read: without a point or an exponent it is an integer."""
    if isinstance(value, list):
        return [_number(one) for one in value]
    return int(value) if isinstance(value, Decimal) and str(value).lstrip("-").isdigit() else value


def test_and_goes_into_brackets() -> None:
    a, b, c, d = (("x", "==", n) for n in range(4))
    assert conjunctions("(x=0 or x=1) and (x=2 or x=3)") == [[a, c], [a, d], [b, c], [b, d]]
    assert conjunctions("a.b <> 1e3 and `i``n` >= -inf") == [
        [("a.b", "!=", Decimal(1000)), ("i`n", ">=", -float("inf"))]
    ]


def test_numbers_and_brackets_without_end() -> None:
    """A text may come from a client of a server, so it must not exhaust the stack."""
    assert conjunctions("(" * 100 + "a=1" + ")" * 100) == [[("a", "==", 1)]]
    assert conjunctions(" or ".join(["(a=1)"] * 200)) == [[("a", "==", 1)]] * 200
    assert conjunctions(f"a < 1e{'9' * 30} and a > -{'9' * 3000}") == [
        [("a", "<", float("inf")), ("a", ">", -int("9" * 3000))]
    ]


@each(
    ("text", "error"),
    [
        ("", "expected a column or '\\(', found the end at character 1 of ''"),
        ("a >", "expected a value .*, found the end at character 4 of"),
        ("a > null", "found 'null' at character 5 .* a is null"),
        ("a > x", "found 'x' at character 5 .* single quotes"),
        ("a > 2 b", "expected 'and', 'or' or the end, found 'b' at character 7"),
        ("a like 'x'", "expected a comparison .*, found 'like' at character 3"),
        ("a in ()", r"found '\)' at character 7"),
        ("(a > 2", "expected 'and', 'or' or '\\)', found the end at character 7"),
        ("in > 2", "found 'in' at character 1 .* double quotes"),
        ("a > 'b", "closing quote is missing"),
        ("a > 12b", "found '12b' at character 5"),
        (" and ".join(["(a=1 or a=2)"] * 12), "at most 1000 alternatives"),
        (" and ".join(["(a=1 or a=2)"] * 9 + ["a=1"] * 100), "at most 10000 conditions"),
        ("(" * 5000 + "a=1", "at most 100 brackets inside one another, found more at character 101"),
        ("a = " + "9" * 5000, "expected a number of at most 4000 characters, found 5000 at character 5"),
    ],
)
def test_errors_name_the_place(text: str, error: str) -> None:
    with pytest.raises(cn.OptionError, match=f"^filters: .*{error}"):
        cn.NpzOptions(filters=text)
