"""The errors of Colonnade. Each has the base `ColonnadeError` and a builtin base, so ``except`` works with both.

========================  =====================================  ==============================================
class                     also a                                 when
========================  =====================================  ==============================================
`DecodeError`             `ValueError`                           the bytes break the format's specification
`TruncatedError`          `DecodeError`, `EOFError`              the bytes end before the structure does
`LimitError`              `ValueError`                           a declared size exceeds a limit of `cn.Limits`
`UnsupportedError`        `NotImplementedError`                  legal, but not built into this version
`InputError`              `ValueError`                           the data is no frame: its shape is wrong
`EncodeError`             `TypeError`                            the format cannot represent a column exactly
`OptionError`             `ValueError`                           an option is unknown or outside its range
`ColumnNotFound`          `KeyError`                             a label does not exist; the nearest is named
`InternalError`           `RuntimeError`                         a bug in Colonnade: report it with the input
`PluginError`             `RuntimeError`                         a plug-in of another distribution failed
`ConflictError`           `RuntimeError`                         another writer changed a dataset first
========================  =====================================  ==============================================

`LossWarning`, a `UserWarning`, lists the losses of a plain text file.

Operating-system errors are raised unchanged, as subclasses of `OSError` (`FileNotFoundError`...).
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
    """Reading a plain text file (csv, json, ndjson, yaml) would not return everything that was written.

    The message names up to five columns.

    Attributes
    ----------
    losses : tuple of (str or None, str)
        All losses: the column (None for the frame or its labels), and the description of the loss.

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


class ConflictError(ColonnadeError, RuntimeError):
    """Another writer has committed to the dataset since this one read it. Nothing of this one is visible."""


class PluginError(ColonnadeError, RuntimeError):
    """A plug-in cannot be loaded, claims a method or name that it does not have, or failed.

    The message states the next step.

    Attributes
    ----------
    plugin : str or None
        The name of the plug-in.
    distribution : str or None
        The distribution of the plug-in, with its version.
    """

    plugin: str | None = None
    distribution: str | None = None


# One public name: tracebacks say colonnade.PluginError.
PluginError.__module__ = "colonnade"
ConflictError.__module__ = "colonnade"

__all__ = [
    "ColonnadeError",
    "ColumnNotFound",
    "ConflictError",
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
