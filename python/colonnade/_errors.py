"""The error classes themselves; the core raises them too. Users import them from `colonnade` or `colonnade.errors`."""


class ColonnadeError(Exception):
    """The base of every error that is Colonnade's own; what the system refuses stays an `OSError`."""

    __slots__ = ()  # `InternalError` becomes a base of PyO3's exception, which has no place for more.


class DecodeError(ColonnadeError, ValueError):
    """The bytes break the format's specification."""


class TruncatedError(DecodeError, EOFError):
    """The bytes end before the structure does: the message says how many were needed and found."""


class LimitError(ColonnadeError, ValueError):
    """A declared size is over a cap of `Limits`, or over what the bytes could hold. Nothing was allocated for it."""


class UnsupportedError(ColonnadeError, NotImplementedError):
    """Legal, but not implemented or not built into this version."""


class EncodeError(ColonnadeError, TypeError):
    """The format cannot hold this column exactly; the message names the column. Nothing was written."""


class OptionError(ColonnadeError, ValueError):
    """An option is unknown or outside its range: the message names the near ones, or the range and the value."""


class ColumnNotFound(ColonnadeError, KeyError):
    """A column, member or frame that is not there; the message names the nearest."""

    # KeyError shows its message as repr(), in quotes and with escapes: right for a bare key, unreadable for a sentence.
    __str__ = Exception.__str__


class InternalError(ColonnadeError, RuntimeError):
    """Colonnade's own code failed, or a library that it uses: a bug. Please report it with the input."""

    __slots__ = ()


class PanicMethods:
    """Text and pickle of PyO3's own exception of a panic, to which the core gives `InternalError` as a base."""

    args: tuple[object, ...]

    def __str__(self) -> str:
        text = " ".join(str(part) for part in self.args)
        if text.startswith("internal error: "):
            return text  # it passed through Rust more than once
        return f"internal error: {text}. This is a bug in Colonnade: please report it with the input."

    def __reduce__(self) -> tuple[type[InternalError], tuple[str]]:
        return InternalError, (str(self),)


# One public name an object: tracebacks say colonnade.DecodeError, and pickled exceptions find their class there.
for _error in (
    ColonnadeError,
    DecodeError,
    TruncatedError,
    LimitError,
    UnsupportedError,
    EncodeError,
    OptionError,
    ColumnNotFound,
    InternalError,
):
    _error.__module__ = "colonnade"
del _error
