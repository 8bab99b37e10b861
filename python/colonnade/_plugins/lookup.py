"""Which plug-in claims a suffix, first bytes, or a class. Called where no built-in format or adapter does."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterable
from typing import Any

from ..errors import PluginError
from .claims import RESERVED_SUFFIXES, packages_of
from .contract import AdapterPlugin, FormatPlugin
from .discovery import ADAPTER_PLUGINS, FORMAT_PLUGINS, Loaded, PluginT, shown


def format_of_suffix(suffix: str) -> Loaded[FormatPlugin] | None:
    """The plug-in that claims a suffix such as ``.orc``; None if no plug-in does.

    Raises
    ------
    PluginError
        Two plug-ins claim it, or the plug-in with its name cannot be loaded.
    """
    if len(suffix) < 2 or suffix in RESERVED_SUFFIXES:
        return None
    found = [one for one in FORMAT_PLUGINS.working() if suffix in one.plugin.suffixes]
    if not found:
        _raise_failure(FORMAT_PLUGINS.failures(), suffix[1:])
    return _only(found, f"the suffix {suffix!r}", "pass format=")


def format_of_bytes(head: bytes) -> tuple[Loaded[FormatPlugin] | None, list[PluginError]]:
    """The plug-in that claims a file with these first bytes, and the errors of plug-ins that were asked and failed."""
    found, failures = [], []
    for one in FORMAT_PLUGINS.working():
        try:
            if one.plugin.detect(head):
                found.append(one)
        except Exception as error:  # another plug-in may know the bytes
            failures.append(one.error(f"detect() raised {shown(error)}"))
    return _only(found, f"the first bytes {head!r}", "pass format="), failures


def contradicts(plugin: Loaded[FormatPlugin], head: bytes) -> bool:
    """Whether the plug-in's format has magic numbers, and `head` begins with none of them."""
    magic = plugin.plugin.magic
    return bool(magic) and bool(head) and not head.startswith(magic)


def known_formats(built_in: Iterable[str]) -> str:
    """The names of all formats for a message: ``npz, ..., yaml; by plug-in: orc``."""
    names = ", ".join(built_in)
    plugins = FORMAT_PLUGINS.names()
    return f"{names}; by plug-in: {', '.join(plugins)}" if plugins else names


def failures_text(failures: Iterable[PluginError] = ()) -> str:
    """What to add to the message of an unknown format, if plug-ins failed: one of them may know it."""
    every = [*FORMAT_PLUGINS.failures(), *failures]
    return f" Plug-ins that failed: {' '.join(map(str, every))}" if every else ""


@functools.lru_cache(maxsize=64)
def adapter_of_class(cls: Any) -> Loaded[AdapterPlugin] | None:
    """The plug-in that converts objects of a class; None if no plug-in does.

    Raises
    ------
    PluginError
        Two plug-ins claim its package, or the plug-in with the name of the package cannot be loaded.
    """
    packages = dict.fromkeys(kind.__module__.partition(".")[0] for kind in cls.__mro__)
    # Lists, generators and other types of Python are rows: no plug-in needs to be asked.
    foreign = [package for package in packages if package not in sys.stdlib_module_names]
    return _adapter_of(foreign) if foreign else None


def _adapter_of(packages: list[str]) -> Loaded[AdapterPlugin] | None:
    for package in packages:
        found = [one for one in ADAPTER_PLUGINS.working() if package in packages_of(one.plugin)]
        if found:
            return _only(found, f"objects of {package}", "convert the object to an Arrow table first")
    for package in packages:
        _raise_failure(ADAPTER_PLUGINS.failures(), package)
    return None


def _only(found: list[Loaded[PluginT]], what: str, else_: str) -> Loaded[PluginT] | None:
    if len(found) < 2:
        return found[0] if found else None
    error = PluginError(
        f"{what}: expected one plug-in that claims it, found {' and '.join(map(str, found))}. Uninstall one of them, "
        f"or {else_}."
    )
    error.plugin, error.distribution = found[0].name, found[0].distribution
    raise error


def _raise_failure(failures: list[PluginError], name: str) -> None:
    for failure in failures:
        if failure.plugin == name:
            raise failure.with_traceback(None)


ADAPTER_PLUGINS.on_change.append(adapter_of_class.cache_clear)
