"""One test over many values of a parameter: all are tried, and the error names those that failed.

    @each("way", WAYS)
    @each("name", CASES)
    def test_every_case_comes_back(name, way, tmp_path): ...

A matrix of thousands of cells is then one test, or with `per=20` a test for each twenty values. Each cell has a
`tmp_path`, a `monkeypatch` and a `capsys` of its own; other fixtures are shared.
"""

import functools
import inspect
import itertools
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.helpers.applies import applies, refused

__all__ = ["CELLS", "each", "is_long", "only"]

Test = Callable[..., None]
Titles = Callable[[Any], Any] | Iterable[Any] | None

# How many cells each test has tried in this process.
CELLS: Counter[str] = Counter()
_SKIPPED, _EXPECTED, _FAILED = pytest.skip.Exception, pytest.xfail.Exception, pytest.fail.Exception


class Value(NamedTuple):
    """What the parameters are set to, and how the error calls it; by itself, if nothing else is said."""

    arguments: dict[str, Any]
    named: str | None

    @property
    def title(self) -> str:
        """What is long is cut, for a matrix may hold megabytes."""
        if self.named is not None:
            return self.named
        parts = self.arguments.values()
        return ", ".join(repr(part[:40] if isinstance(part, str | bytes) else part)[:80] for part in parts)


class _Chosen:
    """Which cells of the loops are tried: one in `every`, and those with `text` in their titles.

    A loop of fewer cells than `every` is a test like another: if it is chosen, it tries them all.
    """

    every = 1
    text = ""
    among_cells = False


def only(every: int, text: str) -> None:
    """Try one cell in `every`, and only those that have `text` in a title."""
    _Chosen.every, _Chosen.text = every, text


def is_loop(test: object) -> bool:
    """Whether `each` made this test."""
    return hasattr(test, "values_of_loop")


def is_long(test: object, every: int) -> bool:
    """Whether a test is a loop of so many cells that one in `every` can be chosen among them."""
    return getattr(test, "values_of_loop", 0) >= every


def each(
    parameters: str | Iterable[str],
    values: Iterable[Any],
    where: Callable[..., object] | None = None,
    *,
    ids: Titles = None,
    per: int | None = None,
) -> Callable[[Test], Test]:
    """Run a test for each of `values`; of a mapping of one parameter, the keys are their titles in the error.

    `parameters`, `values` and `ids` are otherwise those of `pytest.mark.parametrize`. `where` is asked with the
    parameters that it names, and says which values apply. With `per`, every so many values are a test of their own.
    """
    names = [name.strip() for name in parameters.split(",")] if isinstance(parameters, str) else list(parameters)
    trials = [*_trials(names, values, ids)]
    part = f"part_of_{'_'.join(names)}"

    def decorate(test: Test) -> Test:
        if where:  # asked in the innermost loop, where all parameters are known
            applies(where)(getattr(test, "innermost", test))

        @functools.wraps(test)
        def looped(*self: Any, **fixtures: Any) -> None:
            first = fixtures.pop(part) if per else 0
            failed: list[BaseException] = []
            skipped: list[BaseException] = []
            expected: list[BaseException] = []
            tried = 0
            if not _path:
                _Chosen.among_cells = is_long(looped, _Chosen.every)
            for number, value in enumerate(trials[first : first + per] if per else trials, first):
                arguments = fixtures | value.arguments
                if not is_loop(test) and (refused(test, arguments) or not _is_chosen(test, number, value)):
                    continue
                tried += 1
                try:
                    with _inside(number, value), _own(arguments, number) as own:
                        test(*self, **own)
                except _SKIPPED as reason:
                    skipped.append(reason)
                except _EXPECTED as reason:
                    expected.append(reason)
                except (Exception, BaseExceptionGroup, _FAILED) as error:
                    error.add_note(f"{', '.join(names)}: {value.title}")
                    failed.append(error)
            if failed:
                raise BaseExceptionGroup(f"{len(failed)} of {tried} values of {', '.join(names)} failed", failed)
            if expected:
                raise expected[0]
            if skipped and len(skipped) == tried:
                raise skipped[0]

        # pytest must neither look behind the loop for its parameters, nor take it for a test of Hypothesis.
        for name in ("__wrapped__", "hypothesis", "is_hypothesis_test"):
            looped.__dict__.pop(name, None)
        signature = inspect.signature(test)
        kept = [one for name, one in signature.parameters.items() if name not in names]
        if per:
            kept.append(inspect.Parameter(part, inspect.Parameter.KEYWORD_ONLY))
        looped.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        looped.innermost = getattr(test, "innermost", test)  # type: ignore[attr-defined]
        length = min(per or len(trials), len(trials))
        looped.values_of_loop = length * getattr(test, "values_of_loop", 1)  # type: ignore[attr-defined]
        if not per:
            return looped
        starts = range(0, len(trials), per)
        titles = [f"{start}-{min(start + per, len(trials)) - 1}" for start in starts]
        return pytest.mark.parametrize(part, starts, ids=titles)(looped)

    return decorate


def _trials(names: list[str], values: Iterable[Any], ids: Titles) -> Iterator[Value]:
    """Each of `values` with its title."""
    titles: Iterable[Any] = itertools.repeat(None)
    if isinstance(values, Mapping) and len(names) == 1:
        titles, values = values.keys(), values.values()
    if ids is not None and not callable(ids):
        titles = ids
    for value, title in zip(values, titles, strict=False):
        parts = [value] if len(names) == 1 else value
        if isinstance(value, type(pytest.param())):
            if value.marks:
                raise TypeError(f"{value}: a value of a loop has no marks")
            parts, title = value.values, value.id
        arguments = dict(zip(names, parts, strict=True))
        if title is None and callable(ids):
            title = ", ".join(str(ids(part)) for part in parts)
        yield Value(arguments, None if title is None else str(title))


_path: list[tuple[int, Value]] = []


@contextmanager
def _inside(number: int, value: Value) -> Iterator[None]:
    """Keep the place in the loops around a test."""
    _path.append((number, value))
    try:
        yield
    finally:
        _path.pop()


def _is_chosen(test: Test, number: int, value: Value) -> bool:
    """Whether a cell is tried in this run; it is counted then."""
    name = f"{test.__module__}::{test.__qualname__}"
    place = f"{name} {[at for at, _ in _path]} {number}"
    if _Chosen.among_cells and zlib.crc32(place.encode()) % _Chosen.every:
        return False
    if _Chosen.text and not any(_Chosen.text in one.title for one in (value, *(one for _, one in _path))):
        return False
    CELLS[name] += 1
    return True


@contextmanager
def _own(arguments: dict[str, Any], number: int) -> Iterator[dict[str, Any]]:
    """The arguments of one cell: what a test changes is its own."""
    if isinstance(folder := arguments.get("tmp_path"), Path):
        arguments["tmp_path"] = folder / str(number)
        arguments["tmp_path"].mkdir()
    for capture in ("capsys", "capfd"):
        if capture in arguments:
            arguments[capture].readouterr()
    with ExitStack() as stack:
        for name, value in arguments.items():
            # A fixture with state, such as a server that counts its requests, is made again for each cell.
            if hasattr(type(value), "renewed"):
                arguments[name] = stack.enter_context(value.renewed())
        if "monkeypatch" in arguments:
            arguments["monkeypatch"] = stack.enter_context(pytest.MonkeyPatch.context())
        yield arguments
