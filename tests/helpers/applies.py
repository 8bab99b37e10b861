"""Cells of a matrix that do not apply are not collected, so that a skip always means: something is missing here.

    @applies(lambda name, way: way.format != "npy" or name not in WIDE)
    @every_way
    @every_case
    def test_every_case_comes_back(name, way): ...

`where` is asked with the parameters that it names, once for each test that would run.
"""

import inspect
import warnings
from collections.abc import Callable

import pytest

__all__ = ["applies", "does_apply", "works"]


def applies(where: Callable[..., object]) -> pytest.MarkDecorator:
    """Collect the test where `where` is true of its parameters."""
    return pytest.mark.applies.with_args(where)


def does_apply(item: pytest.Item) -> bool:
    """Whether all that a test was marked with is true of it."""
    for mark in item.iter_markers("applies"):
        (where,) = mark.args
        params = item.callspec.params  # type: ignore[attr-defined]
        if not where(**{name: params[name] for name in inspect.signature(where).parameters}):
            return False
    return True


def works(attempt: Callable[[], object]) -> bool:
    """Whether another library does what a test compares with; it may refuse in words of its own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            attempt()
        except Exception:
            return False
    return True
