"""The options of formats: one class per format, validated by its constructor.

`read` and `write` take the fields as keywords. The class documents them, and validates a set of options early. A field
belongs to reading, to writing or to both; a keyword of the other side is an error.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

from .._io.nearest import nearest_hint
from .._values.option_checks import Common
from ..errors import OptionError
from .foreign_options import foreign_hint, near_foreign_hint
from .on_demand import OnDemand

if TYPE_CHECKING:
    from .arrow import ArrowOptions
    from .csv import CsvOptions
    from .json import JsonOptions, NdjsonOptions
    from .msgpack import MsgpackOptions
    from .npy import NpyOptions
    from .npz import NpzOptions
    from .parquet import ParquetOptions
    from .yaml import YamlOptions

    # ArrowsOptions are ArrowOptions.
    Options = (
        NpzOptions
        | NpyOptions
        | ArrowOptions
        | ParquetOptions
        | MsgpackOptions
        | CsvOptions
        | JsonOptions
        | NdjsonOptions
        | YamlOptions
    )
else:
    Options = Common


def _imported(module: str, name: str) -> Callable[[], type[Options]]:
    def import_it() -> type[Options]:
        found: type[Options] = getattr(importlib.import_module(f".{module}", __package__), name)
        return found

    return import_it


def _of_plugin(format: str) -> type[Options]:
    from .plugin_options import options_class

    return options_class(format)


CLASSES: Mapping[str, type[Options]] = OnDemand(
    {
        "npz": _imported("npz", "NpzOptions"),
        "npy": _imported("npy", "NpyOptions"),
        "arrow": _imported("arrow", "ArrowOptions"),
        "arrows": _imported("arrow", "ArrowsOptions"),
        "parquet": _imported("parquet", "ParquetOptions"),
        "msgpack": _imported("msgpack", "MsgpackOptions"),
        "csv": _imported("csv", "CsvOptions"),
        "json": _imported("json", "JsonOptions"),
        "ndjson": _imported("json", "NdjsonOptions"),
        "yaml": _imported("yaml", "YamlOptions"),
    },
    _of_plugin,
)


def format_of(options: object) -> str | None:
    """The format of an options object; None for a mapping."""
    return options._FORMAT if isinstance(options, Common) else None


@functools.cache
def _default_options(format: str) -> Options:
    """The default options of a format. They are immutable, so all calls share one object."""
    return CLASSES[format]()


def is_default(options: Options) -> bool:
    """Whether `options` is the shared object of defaults. An equal object is not."""
    return options._FORMAT in CLASSES and _default_options(options._FORMAT) is options


def make_options(format: str, side: str, keywords: Mapping[str, Any]) -> Options:
    """The options object of `format` from the keywords of `read` (side "read") or `write` (side "write").

    Raises
    ------
    OptionError
        An unknown keyword (the message names the near ones), a keyword of the other side, a value outside its range.
    """
    if not keywords and format in CLASSES:
        return _default_options(format)
    cls = CLASSES[format]
    fields = _sides(format)
    allowed = [name for name, owner in fields.items() if owner in (side, "both")]
    for name in keywords:
        if name not in fields:
            owners_of_name = [other for other in CLASSES if name in _sides(other)]
            elsewhere = f"; it is an option of {', '.join(owners_of_name)}" if owners_of_name else ""
            hint = _hint(name, side, allowed, elsewhere)
            rest = "" if hint else f". Options here: {', '.join(allowed)}"
            raise OptionError(f"{format}: unknown option {name!r}{hint}{rest}.")
        if name not in allowed:
            raise OptionError(f"{format}: {name!r} is an option of {_OTHER_VERB[side]}, not of {_VERB[side]}.")
    if format in CLASSES:
        return cls(**keywords)
    from .plugin_options import made_options

    return made_options(format, cls, keywords)


def _hint(name: str, side: str, allowed: list[str], elsewhere: str = "") -> str:
    """Colonnade's name of another library's option, else `elsewhere`, else the nearest words, or nothing."""
    words = [*(word for word in _PARAMETERS[side] if word != name), *allowed]
    return (
        foreign_hint(name, side, words)
        or elsewhere
        or nearest_hint(name, words)
        or near_foreign_hint(name, side, words)
    )


def check_keywords(side: str, keywords: Mapping[str, Any], guessed_format: str | None = None) -> None:
    """Check keywords before the format is known: some format must take them all, with these values.

    A typo must be reported before detection reads from a pipe. The message is about `guessed_format` (from the
    suffix), if there is one.

    Raises
    ------
    OptionError
        As `make_options` does.
    """
    if not keywords:
        return
    refused = None
    # The likely format first: if it takes them, no other one is imported.
    for format in _formats_for(keywords, side, guessed_format):
        owners = _sides(format)
        if all(owners.get(name) in (side, "both") for name in keywords):
            # Formats share option names: one format may accept a value that another refuses.
            try:
                make_options(format, side, keywords)
                return
            except OptionError as error:
                refused = refused or error
    if refused is not None and guessed_format is None:
        raise refused
    if guessed_format is not None:
        make_options(guessed_format, side, keywords)
    known = {name: owner for format in CLASSES for name, owner in _sides(format).items()}
    allowed = [name for name, owner in known.items() if owner in (side, "both")]
    for name in keywords:
        if name not in known:
            hint = _hint(name, side, allowed)
            rest = "" if hint else f". No format has it; options of {_VERB[side]}: {', '.join(allowed)}"
            raise OptionError(f"unknown option {name!r}{hint}{rest}.")
        if name not in allowed:
            raise OptionError(f"{name!r} is an option of {_OTHER_VERB[side]}, not of {_VERB[side]}.")
    raise OptionError(f"options: no format takes all of {', '.join(keywords)}. Pass format=, and the options it has.")


def _formats_for(keywords: Mapping[str, Any], side: str, guessed_format: str | None) -> Iterator[str]:
    """The formats that may take the keywords, the likely one first. Plug-ins only if no built-in format takes them."""
    if guessed_format is not None:
        yield guessed_format
    yield from (format for format in CLASSES if format != guessed_format)
    if guessed_format is None:
        from .plugin_options import formats_with

        yield from formats_with(keywords, side)


def _sides(format: str) -> Mapping[str, str]:
    """The options of a format, each with its side: reading, writing or both."""
    cls: Any = CLASSES[format]
    return _sides_of(cls)


@functools.cache  # the calls of a small file would spend a sixth of their time on it
def _sides_of(cls: Any) -> Mapping[str, str]:
    return {item.name: item.metadata["side"] for item in dataclasses.fields(cls)}


def spread(format: str | None, side: str, keywords: Mapping[str, Any]) -> tuple[str | None, Mapping[str, Any]]:
    """The format, and the keywords, in which those of an object replace ``options=cn.CsvOptions(...)``.

    Other keywords take precedence over the object.

    Raises
    ------
    OptionError
        ``options`` is no options object, or one of another format than `format`.
    """
    if "options" not in keywords:
        return format, keywords
    given = keywords["options"]
    if given is not None and not isinstance(given, Common):
        raise OptionError(
            f"options: expected an options object such as cn.CsvOptions(...), or None, found {type(given).__name__}. "
            "Pass single options as keywords."
        )
    rest = {name: value for name, value in keywords.items() if name != "options"}
    if given is None:
        return format, rest
    if format is not None and format != given._FORMAT and CLASSES.get(format) is not type(given):
        raise OptionError(f"options: expected those of {format}, found {type(given).__name__}.")
    return format or given._FORMAT, {**as_keywords(cast("Options", given), side), **rest}


def as_keywords(options: Mapping[str, Any] | Options | None, side: str) -> dict[str, Any]:
    """Keywords of one side from a mapping, an options object (the fields that differ from defaults) or None."""
    if options is None:
        return {}
    if isinstance(options, Common):
        return {
            item.name: getattr(options, item.name)
            for item in dataclasses.fields(options)
            if item.metadata["side"] in (side, "both") and getattr(options, item.name) != item.default
        }
    if isinstance(options, Mapping):
        keywords = dict(options)
        for name in keywords:
            if not isinstance(name, str):
                raise OptionError(f"{side}_options: expected names of options as keys, found {name!r}.")
        return keywords
    raise TypeError(f"{side}_options: expected a mapping, an options object or None, found {type(options).__name__}.")


_VERB = {"read": "reading", "write": "writing"}
_OTHER_VERB = {"read": "writing", "write": "reading"}
_PARAMETERS = {"read": ("format", "columns", "rows"), "write": ("format",)}
