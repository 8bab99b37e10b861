"""Leaves out cells of a test matrix that do not apply, so that a skip always means that something is missing here.

    @every_way
    @every_case
    @applies(lambda name, way: way.format != "npy" or name not in WIDE)
    def test_every_case_comes_back(name, way): ...

`where` is called with the parameters that it names, once for each cell of the matrix. Below loops of `each` it is asked
in the innermost one; where pytest has all of its parameters, the test is not even collected.
"""

import inspect
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pytest

__all__ = ["applies", "does_apply", "refused", "works"]


def applies(where: Callable[..., object]) -> pytest.MarkDecorator:
    """Collect a test only if `where` returns true for its parameters."""
    return pytest.mark.applies.with_args(where)


def does_apply(item: pytest.Item) -> bool:
    """Whether every `applies` mark of a test is true for its parameters."""
    params = item.callspec.params if hasattr(item, "callspec") else {}
    return not _is_refused(item.iter_markers("applies"), params)


def refused(test: object, arguments: Mapping[str, Any]) -> bool:
    """Whether an `applies` mark of a function is false for these arguments."""
    marks = (mark for mark in getattr(test, "pytestmark", ()) if mark.name == "applies")
    return _is_refused(marks, arguments)


def _is_refused(marks: Iterable[pytest.Mark], arguments: Mapping[str, Any]) -> bool:
    for mark in marks:
        (where,) = mark.args
        asked = inspect.signature(where).parameters
        if asked.keys() <= arguments.keys() and not where(**{name: arguments[name] for name in asked}):
            return True
    return False


def works(attempt: Callable[[], object]) -> bool:
    """Whether a call of another library, which a test compares with, succeeds; it may raise any exception."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            attempt()
        except Exception:
            return False
    return True
