"""Leaves out cells of a test matrix that do not apply, so that a skip always means that something is missing here.

    @applies(lambda name, way: way.format != "npy" or name not in WIDE)
    @every_way
    @every_case
    def test_every_case_comes_back(name, way): ...

`where` is called with the parameters that it names, once for each test of the matrix.
"""

import inspect
import warnings
from collections.abc import Callable

import pytest

__all__ = ["applies", "does_apply", "works"]


def applies(where: Callable[..., object]) -> pytest.MarkDecorator:
    """Collect a test only if `where` returns true for its parameters."""
    return pytest.mark.applies.with_args(where)


def does_apply(item: pytest.Item) -> bool:
    """Whether every `applies` mark of a test is true for its parameters."""
    for mark in item.iter_markers("applies"):
        (where,) = mark.args
        params = item.callspec.params  # type: ignore[attr-defined]
        if not where(**{name: params[name] for name in inspect.signature(where).parameters}):
            return False
    return True


def works(attempt: Callable[[], object]) -> bool:
    """Whether a call of another library, which a test compares with, succeeds; it may raise any exception."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            attempt()
        except Exception:
            return False
    return True
