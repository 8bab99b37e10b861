"""Lists all plug-ins, with the problem of each that does not work."""

from dataclasses import dataclass

from ..errors import PluginError
from .discovery import ADAPTER_PLUGINS, FORMAT_PLUGINS


@dataclass(frozen=True)
class PluginInfo:
    """The description of one plug-in, from `installed`.

    Attributes
    ----------
    kind : {"format", "adapter"}
        Whether it is a `FormatPlugin` or an `AdapterPlugin`.
    name : str
        The name of the plug-in.
    distribution : str
        The distribution with its version, or ``this program`` if the plug-in is registered.
    capabilities : tuple of str
        The capabilities. Empty if the plug-in does not work.
    suffixes : tuple of str
        The suffixes of a format.
    problem : str or None
        The message of the error that using the plug-in raises.
    """

    kind: str
    name: str
    distribution: str
    capabilities: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    problem: str | None = None


def installed() -> list[PluginInfo]:
    """List all plug-ins by kind and name. Each is imported to find out whether it works.

    Returns
    -------
    list of PluginInfo

    Examples
    --------
    >>> from colonnade import plugins
    >>> [one.name for one in plugins.installed() if one.problem is not None]
    []
    """
    found = []
    for kind, plugins in (("format", FORMAT_PLUGINS), ("adapter", ADAPTER_PLUGINS)):
        for name in plugins.names():
            try:
                loaded = plugins.get(name)
            except PluginError as error:
                found.append(PluginInfo(kind, name, error.distribution or "", problem=str(error)))
                continue
            assert loaded is not None
            suffixes = getattr(loaded.plugin, "suffixes", ())
            found.append(
                PluginInfo(kind, name, loaded.distribution, tuple(loaded.plugin.capabilities), tuple(suffixes))
            )
    return found
