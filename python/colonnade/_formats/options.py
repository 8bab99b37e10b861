"""Each format's options: one class a format, checked when it is made.

`read` and `write` take the fields as keywords; the class is there to document them, and to make a set of options once
and check it early. A field belongs to reading, to writing or to both; a keyword on the wrong side is an error too.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from .._io.nearest import nearest_hint
from .._values.option_checks import Common
from ..errors import OptionError
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
    }
)


def format_of(options: object) -> str | None:
    """The format that an options object is of; None for a mapping."""
    return options._FORMAT if isinstance(options, Common) else None


@functools.cache
def _plain(format: str) -> Options:
    """The default options of a format. They are immutable, so all calls share one object."""
    return CLASSES[format]()


def is_plain(options: Options) -> bool:
    """Whether `options` is the shared object of defaults. An equal object that a user made is not."""
    return _plain(options._FORMAT) is options


def make_options(format: str, side: str, keywords: Mapping[str, Any]) -> Options:
    """The options object of `format` from the keywords of `read` (side "read") or `write` (side "write").

    Raises
    ------
    OptionError
        An unknown keyword (the message names the near ones), a keyword of the other side, a value outside its range.
    """
    if not keywords:
        return _plain(format)
    cls = CLASSES[format]
    fields = _sides(cls)
    ours = [name for name, owner in fields.items() if owner in (side, "both")]
    for name in keywords:
        if name not in fields:
            others = [other for other, made in CLASSES.items() if name in _sides(made)]
            elsewhere = f"; it is an option of {', '.join(others)}" if others else _hint(name, side, ours)
            raise OptionError(f"{format}: unknown option {name!r}{elsewhere}. Options here: {', '.join(ours)}.")
        if name not in ours:
            raise OptionError(f"{format}: {name!r} is an option of {_OTHER[side]}, not of {_VERB[side]}.")
    return cls(**keywords)


def _hint(name: str, side: str, ours: list[str]) -> str:
    """Name the nearest options and parameters of the call."""
    beside = [word for word in _BESIDE[side] if word != name]
    return nearest_hint(name, [*beside, *ours])


def check_keywords(side: str, keywords: Mapping[str, Any], likely: str | None = None) -> None:
    """Check keywords before the format is known: some format must take them all, with these values.

    A typo must be said before a pipe is read to find out what is in it. The message speaks of the `likely` format
    (by the suffix), where there is one.

    Raises
    ------
    OptionError
        As `make_options` does.
    """
    if not keywords:
        return
    refused = None
    # The likely format first: if it takes them, no other one is imported.
    for format in dict.fromkeys((likely, *CLASSES) if likely is not None else CLASSES):
        owners = _sides(CLASSES[format])
        if all(owners.get(name) in (side, "both") for name in keywords):
            # Formats have one word for several things: a value that one refuses may be another's.
            try:
                make_options(format, side, keywords)
                return
            except OptionError as error:
                refused = refused or error
    if refused is not None and likely is None:
        raise refused
    if likely is not None:
        make_options(likely, side, keywords)
    known = {name: owner for cls in CLASSES.values() for name, owner in _sides(cls).items()}
    ours = [name for name, owner in known.items() if owner in (side, "both")]
    for name in keywords:
        if name not in known:
            raise OptionError(
                f"unknown option {name!r}{_hint(name, side, ours)}. No format has it; "
                f"options of {_VERB[side]}: {', '.join(ours)}."
            )
        if name not in ours:
            raise OptionError(f"{name!r} is an option of {_OTHER[side]}, not of {_VERB[side]}.")
    raise OptionError(f"options: no format takes all of {', '.join(keywords)}. Pass format=, and the options it has.")


def _sides(cls: type[Common]) -> dict[str, str]:
    """The options of a format, each with its side: reading, writing or both."""
    return {item.name: item.metadata["side"] for item in dataclasses.fields(cls)}


def as_keywords(options: Mapping[str, Any] | Options | None, side: str) -> dict[str, Any]:
    """Keywords of one side from a mapping, an options object (what differs from its defaults) or None."""
    if options is None:
        return {}
    if isinstance(options, Common):
        return {
            item.name: getattr(options, item.name)
            for item in dataclasses.fields(options)
            if item.metadata["side"] in (side, "both") and getattr(options, item.name) != item.default
        }
    if isinstance(options, Mapping):
        return dict(options)
    raise TypeError(f"{side}_options: expected a mapping, an options object or None, found {type(options).__name__}.")


_VERB = {"read": "reading", "write": "writing"}
_OTHER = {"read": "writing", "write": "reading"}
_BESIDE = {"read": ("format", "columns", "rows"), "write": ("format",)}
