"""One test over many values of a parameter: all are tried, and the error names those that failed.

    @each("way", WAYS)
    @pytest.mark.parametrize("name", CASES)
    def test_every_case_comes_back(name, way, tmp_path): ...

A matrix of thousands of cells is then a test a row. Each value has a `tmp_path` of its own; other fixtures are shared.
"""

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

__all__ = ["each"]

Test = Callable[..., None]


def each(
    parameter: str, values: Mapping[str, Any] | Iterable[Any], where: Callable[..., object] | None = None
) -> Callable[[Test], Test]:
    """Run a test for each of `values`; of a mapping, the keys are their titles in the error.

    `where` is asked with the parameters that it names, and says which values apply.
    """
    titled = values.items() if isinstance(values, Mapping) else [(repr(value), value) for value in values]
    trials = list(titled)
    asked = inspect.signature(where).parameters if where else ()

    def decorate(test: Test) -> Test:
        signature = inspect.signature(test)

        @functools.wraps(test)
        def looped(**fixtures: Any) -> None:
            failed, tried = [], 0
            for number, (title, value) in enumerate(trials):
                arguments = fixtures | {parameter: value}
                if where and not where(**{name: arguments[name] for name in asked}):
                    continue
                tried += 1
                if isinstance(fixtures.get("tmp_path"), Path):
                    arguments["tmp_path"] = fixtures["tmp_path"] / str(number)
                    arguments["tmp_path"].mkdir()
                try:
                    test(**arguments)
                except Exception as error:
                    error.add_note(f"{parameter}: {title}")
                    failed.append(error)
            if failed:
                raise ExceptionGroup(f"{len(failed)} of {tried} values of {parameter!r} failed", failed)

        del looped.__wrapped__  # type: ignore[attr-defined]
        kept = [each for name, each in signature.parameters.items() if name != parameter]
        looped.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        return looped

    return decorate
