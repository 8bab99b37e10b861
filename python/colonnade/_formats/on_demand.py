"""A mapping whose values are made when they are first asked for."""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

T = TypeVar("T")


class OnDemand(Mapping[str, T]):
    """Names and what makes the value of each. Importing all ten formats takes longer than reading most files."""

    def __init__(self, makers: Mapping[str, Callable[[], T]]) -> None:
        self._makers = makers
        self._made: dict[str, T] = {}

    def __getitem__(self, name: str) -> T:
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)
