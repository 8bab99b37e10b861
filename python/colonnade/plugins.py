"""Plug-ins: formats and dataframe libraries that other distributions add to Colonnade.

A distribution names a `FormatPlugin` in an entry point of the group ``colonnade.formats``, or an `AdapterPlugin` in one
of the group ``colonnade.adapters``. Colonnade imports it if no built-in format or adapter matches a file, a format name
or an object. `registered` and `register` add a plug-in of the running program.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ._formats.plugin_options import FormatOptions, option
from ._plugins.byte_source import ByteSource
from ._plugins.contract import AdapterPlugin, ChunkWriter, FormatPlugin
from ._plugins.discovery import ADAPTER_PLUGINS, FORMAT_PLUGINS
from ._plugins.listing import PluginInfo, installed
from .errors import PluginError

__all__ = [
    "FormatPlugin",
    "FormatOptions",
    "option",
    "ByteSource",
    "ChunkWriter",
    "AdapterPlugin",
    "register",
    "registered",
    "installed",
    "PluginInfo",
]


def register(plugin: Any) -> None:
    """Add a plug-in to this process. It takes precedence over an installed plug-in of the same name.

    Parameters
    ----------
    plugin : FormatPlugin or AdapterPlugin
        An object, not a class.

    Raises
    ------
    PluginError
        The plug-in claims a method that it does not have, or a built-in name. Nothing was added.

    Examples
    --------
    See `registered`, which removes the plug-in again.
    """
    if isinstance(plugin, FormatPlugin):
        FORMAT_PLUGINS.register(plugin)
    elif isinstance(plugin, AdapterPlugin):
        ADAPTER_PLUGINS.register(plugin)
    else:
        found = plugin.__qualname__ if isinstance(plugin, type) else type(plugin).__qualname__
        raise PluginError(f"plugin: expected an object of a FormatPlugin or AdapterPlugin, found {found}.")


@contextmanager
def registered(plugin: Any) -> Iterator[None]:
    r"""Add a plug-in within a ``with`` block.

    Parameters
    ----------
    plugin : FormatPlugin or AdapterPlugin
        An object, not a class.

    Raises
    ------
    PluginError
        As `register` does.

    Examples
    --------
    >>> import colonnade as cn
    >>> from colonnade import plugins
    >>> class Lines(plugins.FormatPlugin):
    ...     name = "lines"
    ...     suffixes = (".lines",)
    ...     capabilities = ("read",)
    ...     def read(self, source, options, columns):
    ...         return {"line": bytes(source.buffer()).decode().splitlines()}
    >>> with plugins.registered(Lines()):
    ...     cn.decode(b"a\nb", "lines").shape
    (2, 1)
    """
    register(plugin)
    try:
        yield
    finally:
        (FORMAT_PLUGINS if isinstance(plugin, FormatPlugin) else ADAPTER_PLUGINS).unregister(plugin.name)
