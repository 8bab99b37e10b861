"""Warnings through the standard library's logger of the package."""


def warn(message: str, *values: object) -> None:
    """Log a warning. `logging` is imported by the first one: most programs log none."""
    import logging

    logging.getLogger("colonnade").warning(message, *values, stacklevel=2)
