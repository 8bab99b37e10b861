"""A list of all plug-ins, with what is wrong with those that do not work."""

from dataclasses import dataclass

from ..errors import PluginError
from .discovery import ADAPTER_PLUGINS, FORMAT_PLUGINS


@dataclass(frozen=True)
class PluginInfo:
    """One plug-in, from `installed`.

    Attributes
    ----------
    kind : {"format", "adapter"}
    name : str
    distribution : str
        With its version, or ``this program`` if it is registered.
    capabilities : tuple of str
        Empty if it does not work.
    suffixes : tuple of str
        Of a format.
    problem : str or None
        The message of the error that using it raises.
    """

    kind: str
    name: str
    distribution: str
    capabilities: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    problem: str | None = None


def installed() -> list[PluginInfo]:
    """All plug-ins, by kind and name. Each is imported to see whether it works.

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
