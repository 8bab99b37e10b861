"""Calls methods of plug-ins, and translates what they raise to errors that name them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..errors import ColonnadeError, DecodeError, EncodeError, PluginError, TruncatedError, UnsupportedError
from .discovery import Loaded, shown


@contextmanager
def reading(loaded: Loaded[Any], method: str, name: str | None) -> Iterator[None]:
    """Translate errors of a reading method. `name`: the source.

    ``ValueError`` and an ``OSError`` without errno (as pyarrow raises) are faults of the bytes. Errors of the system,
    of Colonnade and of missing libraries are raised unchanged. All others are faults of the plug-in.
    """
    what = f"{loaded}: {name!r}" if name else str(loaded)
    try:
        yield
    except (ColonnadeError, ImportError, MemoryError, Warning):
        raise
    except EOFError as error:
        raise TruncatedError(f"{what}: the bytes end too early ({shown(error)}).") from error
    except NotImplementedError as error:
        raise UnsupportedError(f"{what}: the plug-in does not read this ({shown(error)}).") from error
    except OSError as error:
        if error.errno is not None:
            raise
        raise DecodeError(_malformed(what, loaded, error)) from error
    except ValueError as error:
        raise DecodeError(_malformed(what, loaded, error)) from error
    except Exception as error:
        raise loaded.error(f"{method}() raised {shown(error)}") from error


@contextmanager
def writing(loaded: Loaded[Any], method: str, advice: str, place: Callable[[], str] | None = None) -> Iterator[None]:
    """Translate errors of a method that gets a frame or other data.

    `advice`: the advice for refused data. `place`: finds the refused column, as ``"column 'price': "``, or nothing.
    """
    try:
        yield
    except (ColonnadeError, ImportError, MemoryError, Warning):
        raise
    except OSError as error:
        if error.errno is not None:
            raise
        raise loaded.error(f"{method}() raised {shown(error)}") from error
    except (TypeError, ValueError, NotImplementedError) as error:
        where = "" if place is None else place()
        raise EncodeError(
            f"{loaded}: {where}expected data that {loaded.name} holds, found what it refuses ({shown(error)}). {advice}"
        ) from error
    except Exception as error:
        raise loaded.error(f"{method}() raised {shown(error)}") from error


def no_frame(loaded: Loaded[Any], method: str, found: object) -> PluginError:
    """The error of a method that returned `found` in place of a frame."""
    return loaded.error(
        f"{method}() returned {type(found).__qualname__}: expected a pyarrow Table or another object that "
        "colonnade.Frame takes"
    )


def _malformed(what: str, loaded: Loaded[Any], error: Exception) -> str:
    return f"{what}: expected the bytes of {loaded.name}, found what the plug-in refuses ({shown(error)})."
