"""The errors of Colonnade: a common base, and with it the builtin that fits, so that both habits of `except` work.

========================  =====================================  ==============================================
class                     also a                                 when
========================  =====================================  ==============================================
`DecodeError`             `ValueError`                           the bytes break the format's specification
`TruncatedError`          `DecodeError`, `EOFError`              the bytes end before the structure does
`LimitError`              `ValueError`                           a declared size is over a cap of `cn.Limits`
`UnsupportedError`        `NotImplementedError`                  legal, but not built into this version
`InputError`              `ValueError`                           the data is no frame: its shape is wrong
`EncodeError`             `TypeError`                            the format cannot hold this column exactly
`OptionError`             `ValueError`                           an option is unknown or outside its range
`ColumnNotFound`          `KeyError`                             a label that is not there; the nearest is named
`InternalError`           `RuntimeError`                         a bug in Colonnade: please report it with the input
`PluginError`             `RuntimeError`                         a plug-in of another distribution failed
========================  =====================================  ==============================================

`LossWarning`, a `UserWarning`, says what a plain text file does not bring back.

What the operating system refuses stays the `OSError` subclass that it is (`FileNotFoundError`...).
"""

from collections.abc import Iterable

from ._core import (
    ColonnadeError,
    ColumnNotFound,
    DecodeError,
    EncodeError,
    InputError,
    InternalError,
    LimitError,
    OptionError,
    TruncatedError,
    UnsupportedError,
)


class LossWarning(UserWarning):
    """A plain text file (csv, json, ndjson, yaml) does not bring back everything; the message names up to five columns.

    Attributes
    ----------
    losses : tuple of (str or None, str)
        All of them: the column (None: the frame, or its labels) and what happens to it.

    Examples
    --------
    >>> import colonnade as cn, numpy as np, warnings
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     text = cn.encode({"code": np.array(["007", "008"])}, "csv")
    >>> caught[0].message.losses
    (('code', 'text whose cells all look like numbers comes back as them'),)
    """

    def __init__(self, message: str, losses: Iterable[tuple[str | None, str]] = ()) -> None:
        super().__init__(message)
        self.losses: tuple[tuple[str | None, str], ...] = tuple(losses)

    def __reduce__(self) -> tuple[type["LossWarning"], tuple[str, tuple[tuple[str | None, str], ...]]]:
        return type(self), (str(self), self.losses)


# KeyError shows its message as repr(), in quotes and with escapes: right for a bare key, unreadable for a sentence.
ColumnNotFound.__str__ = Exception.__str__  # type: ignore[method-assign]


class PluginError(ColonnadeError, RuntimeError):
    """A plug-in cannot be loaded, claims what it does not have, or failed. The message says what to do.

    Attributes
    ----------
    plugin : str or None
        The name of the plug-in.
    distribution : str or None
        The distribution that has it, with its version.
    """

    plugin: str | None = None
    distribution: str | None = None


# One public name: tracebacks say colonnade.PluginError.
PluginError.__module__ = "colonnade"

__all__ = [
    "ColonnadeError",
    "ColumnNotFound",
    "DecodeError",
    "EncodeError",
    "InputError",
    "InternalError",
    "LimitError",
    "LossWarning",
    "OptionError",
    "PluginError",
    "TruncatedError",
    "UnsupportedError",
]
