"""A mapping whose values are made at first use."""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

T = TypeVar("T")


class OnDemand(Mapping[str, T]):
    """Maps names to values, which functions make at first use.

    Importing all ten formats takes longer than reading most files.
    `of_plugin` makes the value of any other name. It is not kept, because a program may register another plug-in.
    """

    def __init__(self, makers: Mapping[str, Callable[[], T]], of_plugin: Callable[[str], T] | None = None) -> None:
        self._makers = makers
        self._of_plugin = of_plugin
        self._made: dict[str, T] = {}

    def __getitem__(self, name: str) -> T:
        if name not in self._made:
            if name not in self._makers and self._of_plugin is not None:
                return self._of_plugin(name)
            self._made[name] = self._makers[name]()
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._makers

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)
