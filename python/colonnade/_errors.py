"""The error classes themselves; the core raises them too. Users import them from `colonnade` or `colonnade.errors`."""


class ColonnadeError(Exception):
    """The base of all errors of Colonnade. Operating-system errors are raised unchanged, as `OSError`.

    An attribute is None if its value is unknown.

    Attributes
    ----------
    format : str or None
        The format of the bytes, or a part of the format (``zip``).
    member : str or None
        The member of an archive, the column of a file or the path in it.
    column : object
        The label of the column that cannot be written, or that does not exist.
    offset, line : int or None
        The byte in the file, from 0, and the line in text, from 1.
    needed, had : int or None
        The number of bytes that a structure needs, and the number that exist (`TruncatedError`).
    hint : str or None
        The next step: the text after the first sentence of the message, or the nearest names.
    """

    __slots__ = ()  # `InternalError` becomes a base of PyO3's exception, which has no place for more.

    format: str | None = None
    member: str | None = None
    column: object = None
    offset: int | None = None
    line: int | None = None
    needed: int | None = None
    had: int | None = None

    @property
    def hint(self) -> str | None:
        text = str(self)
        _, nearest, names = text.partition("; nearest: ")
        return f"nearest: {names.rstrip('.')}" if nearest else text.partition(". ")[2] or None


class DecodeError(ColonnadeError, ValueError):
    """The bytes break the format's specification."""


class TruncatedError(DecodeError, EOFError):
    """The bytes end before the structure does. `needed` and `had` count the bytes."""


class LimitError(ColonnadeError, ValueError):
    """A declared size exceeds a limit of `Limits`, or the size that the bytes can hold. Nothing was allocated."""


class UnsupportedError(ColonnadeError, NotImplementedError):
    """The bytes or the request are legal, but not implemented or not built into this version."""


class InputError(ColonnadeError, ValueError):
    """The data is no frame: columns of several lengths, an array of three dimensions. Nothing was written."""


class EncodeError(ColonnadeError, TypeError):
    """The format cannot represent a column exactly. The message names the column. Nothing was written."""


class OptionError(ColonnadeError, ValueError):
    """An option is unknown or outside its range. The message names the nearest options, or the range and the value."""


class ColumnNotFound(ColonnadeError, KeyError):
    """A column, member or frame does not exist. The message has the nearest names."""

    # KeyError shows its message as repr(), in quotes and with escapes: right for a bare key, unreadable for a sentence.
    __str__ = Exception.__str__


def not_found(message: str, label: object) -> ColumnNotFound:
    """The error of a label that does not exist."""
    error = ColumnNotFound(message)
    error.column = label
    return error


class InternalError(ColonnadeError, RuntimeError):
    """Code of Colonnade, or of a library in it, failed. This is a bug: report it with the input."""

    __slots__ = ()


class PanicMethods:
    """Text and pickle of PyO3's exception of a panic, to which the core adds `InternalError` as a base."""

    args: tuple[object, ...]

    def __str__(self) -> str:
        text = " ".join(str(part) for part in self.args)
        if text.startswith("internal error: "):
            return text  # it passed through Rust more than once
        return f"internal error: {text}. This is a bug in Colonnade. Report it with the input."

    def __reduce__(self) -> tuple[type[InternalError], tuple[str]]:
        return InternalError, (str(self),)


# One public name an object: tracebacks say colonnade.DecodeError, and pickled exceptions find their class there.
for _error in (
    ColonnadeError,
    DecodeError,
    TruncatedError,
    LimitError,
    UnsupportedError,
    InputError,
    EncodeError,
    OptionError,
    ColumnNotFound,
    InternalError,
):
    _error.__module__ = "colonnade"
del _error
