"""Translates errors of other libraries in conversions to an `EncodeError` that names the column.

Known limits of a library are checked before a conversion, so this handles only unforeseen errors.
"""

from collections.abc import Callable, Sequence
from typing import Any

from .._core import Axis, ColonnadeError, CoreFrame, EncodeError
from .axes import Labels

# Errors that are raised unchanged: of Colonnade, of a missing library, of the system, and warnings as errors.
PASSED = (ColonnadeError, ImportError, MemoryError, OSError, Warning)

_MAX_SHOWN = 200


def foreign_error(
    library: str, convert: Callable[[Sequence[CoreFrame]], Any], frames: Sequence[CoreFrame], error: Exception
) -> EncodeError:
    """The error to raise for `error`, which `convert` raised for `frames`. Each column is converted
    separately to find its name.

    Parameters
    ----------
    library : str
        The target: ``"pandas"``.
    convert : callable
        The conversion that failed.
    frames : sequence of CoreFrame
        The converted frames, one per record batch.
    error : Exception
        The error of the library.
    """
    first = frames[0]
    advice = "to_numpy()" if library == "pyarrow" else "to_arrow()"
    for position, dtype in enumerate(first.dtypes()):
        try:
            convert([_column_alone(frame, position) for frame in frames])
        except PASSED:
            continue
        except Exception as found:
            return EncodeError(
                f"{library}: column {_label(first, position)} ({dtype}): expected values that {library} takes, found "
                f"what it refuses ({_shown(found)}). Leave the column out with select(), or use {advice}."
            )
    return EncodeError(
        f"{library}: the labels, names or attributes: expected what {library} takes, found what it refuses "
        f"({_shown(error)}). Use {advice}."
    )


def _column_alone(frame: CoreFrame, position: int) -> CoreFrame:
    return frame.select([position]).with_axes(Axis.auto(0, frame.nrows, 1), None)


def _label(frame: CoreFrame, position: int) -> str:
    try:
        return repr(Labels(frame.columns)[position])
    except Exception:  # a label that cannot be decoded: the position names the column as well
        return f"at position {position}"


def _shown(error: Exception) -> str:
    text = f"{type(error).__name__}: {error}".partition("\n")[0]
    return text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 3] + "..."
