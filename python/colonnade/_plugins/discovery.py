"""Finds plug-ins by entry point, loads each on first use, and remembers the outcome.

`importlib.metadata` is imported by the first question. Plug-ins that are installed while a process runs are not seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ..errors import PluginError
from .claims import problem
from .contract import AdapterPlugin, FormatPlugin, Plugin

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

PluginT = TypeVar("PluginT", bound=Plugin)
THIS_PROGRAM = "this program"  # the distribution of registered plug-ins, in messages


class Loaded(Generic[PluginT]):
    """A plug-in whose claims are checked, as far as that is possible without data."""

    def __init__(self, plugin: PluginT, distribution: str) -> None:
        self.plugin = plugin
        self.name: str = plugin.name
        self.distribution = distribution

    def can(self, capability: str) -> bool:
        return capability in self.plugin.capabilities

    def __str__(self) -> str:
        return described(self.name, self.distribution)

    def error(self, text: str) -> PluginError:
        """The error of this plug-in. `text` states the expected and the found."""
        return plugin_error(self.name, self.distribution, text)


def described(name: str, distribution: str) -> str:
    """The words for a plug-in in messages."""
    return f"{name} (plug-in of {distribution})"


def plugin_error(name: str, distribution: str, text: str) -> PluginError:
    """A `PluginError` that names the plug-in, its distribution and the next step."""
    if distribution == THIS_PROGRAM:
        advice = "Correct the plug-in that this program registers."
    else:
        advice = f"Update or uninstall {distribution.partition(' ')[0]}, and report it there."
    error = PluginError(f"{described(name, distribution)}: {text}. {advice}")
    error.plugin, error.distribution = name, distribution
    return error


class Plugins(Generic[PluginT]):
    """The plug-ins of one kind: entry points of one group, and those that the program registered."""

    def __init__(self, group: str, kind: type[PluginT]) -> None:
        self.group = group
        self._kind = kind
        self._registered: dict[str, Loaded[PluginT]] = {}
        self._entries: dict[str, list[EntryPoint]] | None = None
        self._outcomes: dict[str, Loaded[PluginT] | PluginError] = {}
        self.on_change: list[Callable[[], None]] = []

    def names(self) -> list[str]:
        """The names of all plug-ins, loaded or not. Nothing is imported of them."""
        return sorted({*self._registered, *self._installed()})

    def distributions(self) -> list[tuple[str, str]]:
        """(name, distribution) of each plug-in. Nothing is imported of them."""
        found = [(name, loaded.distribution) for name, loaded in self._registered.items()]
        found += [(name, _distribution(entry)) for name, several in self._installed().items() for entry in several]
        return sorted(found)

    def get(self, name: str) -> Loaded[PluginT] | None:
        """The plug-in of this name; None if there is none.

        Raises
        ------
        PluginError
            It cannot be loaded, or is not what it should be.
        """
        outcome = self._outcome(name)
        if isinstance(outcome, PluginError):
            raise outcome.with_traceback(None)
        return outcome

    def working(self) -> Iterator[Loaded[PluginT]]:
        """Loads all plug-ins, and yields those that work."""
        for name in self.names():
            outcome = self._outcome(name)
            if isinstance(outcome, Loaded):
                yield outcome

    def failures(self) -> list[PluginError]:
        """Loads all plug-ins, and returns the errors of those that fail."""
        outcomes = map(self._outcome, self.names())
        return [outcome for outcome in outcomes if isinstance(outcome, PluginError)]

    def register(self, plugin: PluginT) -> None:
        """Add a plug-in of this program. It comes before an installed one of the same name.

        Raises
        ------
        PluginError
            It is not what it should be.
        """
        name = getattr(plugin, "name", None)
        found = problem(plugin, self._kind, name if isinstance(name, str) else "")
        if found is not None:
            raise plugin_error(str(name), THIS_PROGRAM, found)
        self._registered[plugin.name] = Loaded(plugin, THIS_PROGRAM)
        self._changed()

    def unregister(self, name: str) -> None:
        """Remove a registered plug-in."""
        self._registered.pop(name, None)
        self._changed()

    def forget(self) -> None:
        """Look for entry points again at the next question."""
        self._entries = None
        self._outcomes.clear()
        self._changed()

    def _changed(self) -> None:
        for react in self.on_change:
            react()

    def _installed(self) -> dict[str, list[EntryPoint]]:
        if self._entries is None:
            from importlib import metadata

            entries: dict[str, list[EntryPoint]] = {}
            for entry in metadata.entry_points(group=self.group):
                same = entries.setdefault(entry.name, [])
                # An editable install may be found twice, by its folder and by its link.
                if all((_distribution(entry), entry.value) != (_distribution(one), one.value) for one in same):
                    same.append(entry)
            self._entries = entries
        return self._entries

    def _outcome(self, name: str) -> Loaded[PluginT] | PluginError | None:
        registered = self._registered.get(name)
        if registered is not None:
            return registered
        outcome = self._outcomes.get(name)
        if outcome is None and (entries := self._installed().get(name)):
            outcome = self._outcomes[name] = self._load(name, entries)
        return outcome

    def _load(self, name: str, entries: list[EntryPoint]) -> Loaded[PluginT] | PluginError:
        distribution = _distribution(entries[0])
        if len(entries) > 1:
            others = ", ".join(_distribution(entry) for entry in entries[1:])
            return plugin_error(name, distribution, f"expected one plug-in of this name, found another of {others}")
        try:
            plugin: Any = entries[0].load()
            if isinstance(plugin, type) and issubclass(plugin, self._kind):
                plugin = plugin()
            found = problem(plugin, self._kind, name)
        except (Exception, SystemExit) as error:  # a broken plug-in must not stop the others
            made = plugin_error(name, distribution, f"it cannot be imported ({shown(error)})")
            made.__cause__ = error
            return made
        return Loaded(plugin, distribution) if found is None else plugin_error(name, distribution, found)


def shown(error: BaseException) -> str:
    """The class and the first line of an error, cut to a line of a message."""
    text = str(error).strip().partition("\n")[0]
    text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return text if len(text) <= _MOST_SHOWN else text[: _MOST_SHOWN - 3] + "..."


def _distribution(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else entry.value


_MOST_SHOWN = 200
FORMAT_PLUGINS: Plugins[FormatPlugin] = Plugins("colonnade.formats", FormatPlugin)
ADAPTER_PLUGINS: Plugins[AdapterPlugin] = Plugins("colonnade.adapters", AdapterPlugin)
