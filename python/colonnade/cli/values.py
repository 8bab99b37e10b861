"""Turns the text of an option into the value that the library takes."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

_UNITS: dict[str, int] = {"": 1, "B": 1} | {
    unit: base**power
    for power, letter in enumerate("KMGT", 1)
    for unit, base in ((f"{letter}iB", 1024), (f"{letter}B", 1000), (f"{letter.lower()}B", 1000))
}


def count(text: str) -> int:
    """A whole number of at least 0."""
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 0, found {text!r}")
    return int(text)


def size(text: str) -> int:
    """A number of bytes, with or without a unit."""
    number = text.rstrip("kKMGTiB")
    power = _UNITS.get(text[len(number) :])
    if power is None or not number.isascii() or not number.isdigit():
        raise argparse.ArgumentTypeError(f"expected a number of bytes such as 65536, 64MiB or 2GB, found {text!r}")
    return int(number) * power


def seconds(text: str) -> float:
    """A number of seconds of at least 0."""
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not 0 <= found < 1e9:  # NaN is not, either
        raise argparse.ArgumentTypeError(f"expected a number of seconds, found {text!r}")
    return found


def rows(text: str) -> slice:
    """Positions of rows, as Python slices them."""
    start, colon, stop = text.partition(":")
    try:
        if not colon:
            raise ValueError
        return slice(int(start) if start else None, int(stop) if stop else None)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected rows such as 0:100 or 500:, found {text!r}") from None


def _character(text: str) -> str:
    """A tab is hard to type."""
    return "\t" if text == "\\t" else text


def _character_or_none(text: str) -> str | None:
    return None if text == "none" else _character(text)


def _escaped(text: str) -> str:
    return text.replace("\\r", "\r").replace("\\n", "\n")


def _names(text: str) -> list[str]:
    return text.split(",")


def _positions_or_names(text: str) -> list[int] | list[str]:
    parts = _names(text)
    return [int(part) for part in parts] if all(part.isascii() and part.isdigit() for part in parts) else parts


def _header_rows(text: str) -> bool | list[int]:
    """The `header` of the library, from a number of lines."""
    return list(range(count(text))) or False


def _pairs(text: str) -> dict[str, str]:
    """``a=x,b=y``. Types such as ``decimal128(9, 2)`` hold commas: a part without ``=`` belongs to the one before."""
    found: dict[str, str] = {}
    name = None
    for part in text.split(","):
        key, equals, value = part.partition("=")
        if equals:
            name = key
            found[name] = value
        elif name is not None:
            found[name] += f",{part}"
    if not found:
        raise argparse.ArgumentTypeError(f"expected pairs such as a=x,b=y, found {text!r}")
    return found


def _key(path: str) -> bytes:
    """A key is read from a file, as an argument would be seen by every user of the machine."""
    with open(path, "rb") as file:
        return file.read(65)


def _keys(text: str) -> dict[str, bytes]:
    return {name: _key(path) for name, path in _pairs(text).items()}


def _limits(text: str) -> dict[str, int]:
    return {name: size(number) for name, number in _pairs(text).items()}


KINDS: dict[str, Callable[[str], Any]] = {
    "word": str,
    "count": count,
    "integer": int,
    "character": _character,
    "character or none": _character_or_none,
    "escaped": _escaped,
    "names": _names,
    "positions or names": _positions_or_names,
    "header rows": _header_rows,
    "pairs": _pairs,
    "limits": _limits,
    "key": _key,
    "keys": _keys,
    "bytes": str.encode,
}
"""What parses the value of an option. Options of ``on`` and ``off`` have none: they are True and False."""
COLLECTED = ("names", "pairs", "limits", "keys")
"""Kinds that may be given several times: lists are joined, pairs merged."""
