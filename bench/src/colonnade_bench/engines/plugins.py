"""Loads engines of other distributions, from entry points of the group ``colonnade_bench.engines``.

Each entry point names a callable or a class. It returns an `Engine` with the same name as the entry point. An engine is
imported on first use. An engine that fails to load counts as missing, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import metadata

from colonnade_bench.engines.base import Engine
from colonnade_bench.registry import Registry

GROUP = "colonnade_bench.engines"


class Broken(Engine):
    """The place of an engine that failed to load."""

    def __init__(self, name: str, reason: str) -> None:
        self.name, self.reason = name, reason

    def missing(self) -> str | None:
        return self.reason


class Engines(Registry[Engine]):
    """The registry of engines: those of this package, then those of entry points."""

    def __init__(self) -> None:
        super().__init__("engine")
        self._entries: dict[str, metadata.EntryPoint] | None = None

    def entries(self) -> dict[str, metadata.EntryPoint]:
        """Maps engine names to entry points. If a name is taken, the distribution's name is added."""
        if self._entries is None:
            self._entries = {}
            for entry in metadata.entry_points(group=GROUP):
                taken = entry.name in self._items or entry.name in self._entries
                name = f"{entry.name} of {entry.dist.name if entry.dist else entry.value}" if taken else entry.name
                self._entries[name] = entry
        return self._entries

    def __getitem__(self, name: str) -> Engine:
        if name not in self._items and name in self.entries():
            self._items[name] = loaded(name, self.entries()[name])
        return super().__getitem__(name)

    def __contains__(self, name: object) -> bool:
        return name in self._items or name in self.entries()

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self._items, *self.entries())))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def loaded(name: str, entry: metadata.EntryPoint) -> Engine:
    """Returns the engine of an entry point, or a `Broken` one."""
    where = f'the entry point "{entry.name}" of {entry.dist.name if entry.dist else entry.value}'
    if name != entry.name:
        return Broken(name, f'{where}: an engine "{entry.name}" is there already')
    try:
        engine = entry.load()()
    except (Exception, SystemExit) as error:  # a broken plug-in must not stop the others
        return Broken(name, f"{where}: {type(error).__name__}: {error}")
    if not isinstance(engine, Engine):
        return Broken(name, f"{where}: expected an Engine, found {type(engine).__name__}")
    if engine.name != name:
        return Broken(name, f'{where}: the engine calls itself "{engine.name}"')
    return engine
