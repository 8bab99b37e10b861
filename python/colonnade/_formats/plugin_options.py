"""Options of plug-in formats: the base class, and checks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from .._plugins.discovery import FORMAT_PLUGINS, shown
from .._values.option_checks import Common
from ..errors import ColonnadeError, OptionError

if TYPE_CHECKING:
    from .options import Options


@dataclass(frozen=True, kw_only=True)
class FormatOptions(Common):
    """The base of a plug-in's options, with the options that all formats have.

    A subclass is a frozen dataclass with ``format=`` in its class statement. `option` makes its fields. Its
    ``__post_init__`` checks them and calls ``__post_init__`` of the base. It raises `colonnade.OptionError` or any
    ``ValueError``.

    `threads`, `progress`, `limits`, `timeout_s`, `mmap`, `verify`, `filters`, `fsync`, `mkdir`, `densify_sparse`
    and `batch_rows` are the same as in `colonnade.NpzOptions`. Colonnade applies all of them except `threads`.

    Raises
    ------
    OptionError
        A value outside its range.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from colonnade.plugins import FormatOptions, option
    >>> @dataclass(frozen=True, kw_only=True)
    ... class OrcOptions(FormatOptions, format="orc"):
    ...     compression: str = option("zstd", side="write")
    >>> OrcOptions(threads=2).compression
    'zstd'
    """

    _IS_OF_PLUGIN: ClassVar[bool] = True

    def __init_subclass__(cls, *, format: str | None = None, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if format is not None:
            cls._FORMAT = format


def option(default: Any, *, side: Literal["read", "write", "both"]) -> Any:
    """Make a field of a subclass of `FormatOptions`.

    Parameters
    ----------
    default
        The default, an immutable value.
    side : one of {"read", "write", "both"}
        The functions that take the option: those of reading, of writing, or both. Other functions refuse it.

    Returns
    -------
    dataclasses.Field
        The field.

    Examples
    --------
    See `FormatOptions`.
    """
    if side not in ("read", "write", "both"):
        raise ValueError(f"side: expected 'read', 'write' or 'both', found {side!r}.")
    return field(default=default, metadata={"side": side})


def options_class(format: str) -> type[Options]:
    """The class of options of a plug-in format; KeyError if there is no such format."""
    loaded = FORMAT_PLUGINS.get(format)
    if loaded is None:
        raise KeyError(format)
    own = loaded.plugin.options
    made: type[Options] = own if own is not None else _common(format)
    return made


def made_options(format: str, cls: type[Options], keywords: Mapping[str, Any]) -> Options:
    """The options object of a plug-in format.

    Raises
    ------
    OptionError
        The class refuses a value.
    PluginError
        The class itself fails.
    """
    loaded = FORMAT_PLUGINS.get(format)
    assert loaded is not None
    try:
        made: Options = cls(**keywords)
        return made
    except ColonnadeError:
        raise
    except ValueError as error:
        raise OptionError(f"{loaded}: {error}") from error
    except Exception as error:
        raise loaded.error(f"{cls.__qualname__} raised {shown(error)}") from error


def formats_with(keywords: Mapping[str, Any], side: str) -> Iterator[str]:
    """Plug-in formats whose options have all these names."""
    for loaded in FORMAT_PLUGINS.working():
        sides = {item.name: item.metadata["side"] for item in fields(options_class(loaded.name))}
        if all(sides.get(name) in (side, "both") for name in keywords):
            yield loaded.name


def _common(format: str) -> type[Options]:
    """A class without options of its own. One object a format: classes are compared by identity."""
    if format not in _COMMON:
        made: Any = type(f"{format.capitalize()}Options", (FormatOptions,), {}, format=format)
        _COMMON[format] = made
    return _COMMON[format]


_COMMON: dict[str, type[Options]] = {}
