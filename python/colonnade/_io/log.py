"""Warnings through the standard library's logger of the package."""

from collections.abc import Callable

before_warning: Callable[[], object] | None = None
"""Called before a warning is logged. A program sets it to add its handler only then, as importing `logging` is slow."""


def warn(message: str, *values: object) -> None:
    """Log a warning. `logging` is imported by the first one: most programs log none."""
    import logging

    if before_warning is not None:
        before_warning()
    logging.getLogger("colonnade").warning(message, *values, stacklevel=2)
