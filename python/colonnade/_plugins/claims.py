"""Checks what a plug-in says of itself, before anything else asks it."""

import dataclasses
import re
from typing import Any

from .. import _core
from .contract import AdapterPlugin, FormatPlugin, Plugin

_NAME = re.compile(r"[a-z][a-z0-9_-]*")
_SUFFIX = re.compile(r"\.[a-z0-9_+-]+")
_MOST_MAGIC_NBYTES = 8  # the bytes that detection reads
# A ZIP may have any name, but this one says what it is. The others are compressed text.
RESERVED_SUFFIXES = (".zip", ".gz", ".zst")
# Magic numbers beside those in the registry of the core: Arrow streams, Feather V1, gzip and zstd.
_RESERVED_MAGIC = (
    (b"\xff\xff\xff\xff", "arrows"),
    (b"FEA1", "arrow"),
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
)
BUILT_IN_PACKAGES = ("awkward", "dask_awkward", "numpy", "pandas", "polars", "pyarrow", "static_frame")
BUILT_IN_LIBRARIES = ("arrow", "awkward", "numpy", "pandas", "polars", "pyarrow", "static_frame", "static-frame")


def problem(plugin: Any, kind: type[Plugin], entry_name: str) -> str | None:
    """What is wrong with a plug-in, as ``expected ..., found ...``; None if nothing is."""
    if not isinstance(plugin, kind):
        return f"expected a {kind.__name__}, found {_described(plugin)}"
    name = getattr(plugin, "name", None)
    if name != entry_name:
        return f"expected the name of its entry point, {entry_name!r}, found {name!r}"
    if not _NAME.fullmatch(entry_name):
        return f"expected a name of lower-case letters, digits, _ and -, found {entry_name!r}"
    found = _of_capabilities(plugin, kind)
    if found is None and isinstance(plugin, FormatPlugin):
        found = _of_suffixes(plugin) or _of_magic(plugin) or _of_options(plugin)
    if found is None and isinstance(plugin, AdapterPlugin):
        found = _of_packages(plugin)
    return found


def packages_of(plugin: AdapterPlugin) -> tuple[str, ...]:
    """The top-level packages whose objects an adapter plug-in converts."""
    return plugin.packages or (plugin.name,)


def _of_capabilities(plugin: Plugin, kind: type[Plugin]) -> str | None:
    claimed: Any = plugin.capabilities
    if not isinstance(claimed, tuple | list | frozenset | set) or not claimed:
        return f"expected capabilities, a tuple of {_listed(kind.KNOWN_CAPABILITIES)}, found {claimed!r}"
    for capability in claimed:
        if capability not in kind.KNOWN_CAPABILITIES:
            return f"expected capabilities among {_listed(kind.KNOWN_CAPABILITIES)}, found {capability!r}"
        if capability == "columns":
            continue
        method = getattr(type(plugin), capability, None)
        if method is getattr(kind, capability) or not callable(method):
            return f"it claims the capability {capability!r}: expected a method {capability}(), found none"
    if "columns" in claimed and "read" not in claimed:
        return "it claims the capability 'columns': expected 'read' too, found none"
    return None


def _of_suffixes(plugin: FormatPlugin) -> str | None:
    known = {suffix: spec["name"] for spec in _core.formats() for suffix in spec["suffixes"]}
    if plugin.name in {spec["name"] for spec in _core.formats()}:
        return f"expected a name of its own, found {plugin.name!r}, a built-in format"
    suffixes: Any = plugin.suffixes
    if not isinstance(suffixes, tuple):
        return f"expected suffixes, a tuple such as ('.orc',), found {suffixes!r}"
    for suffix in suffixes:
        if not isinstance(suffix, str) or not _SUFFIX.fullmatch(suffix):
            return f"expected suffixes such as '.orc', in lower case, found {suffix!r}"
        if suffix in known:
            return f"expected suffixes of its own, found {suffix!r}, a suffix of the built-in format {known[suffix]}"
        if suffix in RESERVED_SUFFIXES:
            return f"expected suffixes of its own, found {suffix!r}, which Colonnade reads itself"
    return None


def _of_magic(plugin: FormatPlugin) -> str | None:
    magics: Any = plugin.magic
    if not isinstance(magics, tuple):
        return f"expected magic, a tuple such as (b'ORC',), found {magics!r}"
    known = [(magic, spec["name"]) for spec in _core.formats() for magic in spec["magic"] or ()]
    for magic in magics:
        if not isinstance(magic, bytes) or not 0 < len(magic) <= _MOST_MAGIC_NBYTES:
            return f"expected magic of 1 to {_MOST_MAGIC_NBYTES} bytes, found {magic!r}"
        for theirs, name in (*known, *_RESERVED_MAGIC):
            if magic.startswith(theirs) or theirs.startswith(magic):
                return f"expected magic of its own, found {magic!r}, which files of the built-in {name} begin with"
    return None


def _of_options(plugin: FormatPlugin) -> str | None:
    options = plugin.options
    if options is None:
        return None
    # The class itself is in a package above this one, so its mark is looked at.
    if not isinstance(options, type) or not hasattr(options, "_IS_OF_PLUGIN") or not dataclasses.is_dataclass(options):
        return f"expected options, a dataclass and subclass of FormatOptions, found {_described(options)}"
    if getattr(options, "_FORMAT", None) != plugin.name:
        return f"expected options declared with format={plugin.name!r}, found {getattr(options, '_FORMAT', None)!r}"
    for item in dataclasses.fields(options):
        if item.metadata.get("side") not in ("read", "write", "both"):
            return f"expected options made by colonnade.plugins.option(), found the field {item.name!r} without a side"
        if item.default is dataclasses.MISSING and item.default_factory is dataclasses.MISSING:
            return f"expected options with defaults, found the field {item.name!r} without one"
    return None


def _of_packages(plugin: AdapterPlugin) -> str | None:
    if plugin.name in BUILT_IN_LIBRARIES:
        return f"expected a name of its own, found {plugin.name!r}, a built-in adapter"
    packages: Any = packages_of(plugin)
    if not isinstance(packages, tuple):
        return f"expected packages, a tuple of top-level packages, found {packages!r}"
    for package in packages:
        if not isinstance(package, str) or not package.isidentifier():
            return f"expected packages, names of top-level packages, found {package!r}"
        if package in BUILT_IN_PACKAGES:
            return f"expected packages of its own, found {package!r}, which a built-in adapter converts"
    return None


def _described(found: Any) -> str:
    if isinstance(found, type):
        return f"the class {found.__qualname__}"
    return "None" if found is None else f"an object of type {type(found).__qualname__}"


def _listed(words: tuple[str, ...]) -> str:
    return ", ".join(map(repr, words))
