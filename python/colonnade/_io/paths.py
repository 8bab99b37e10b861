"""Files and folders by their names. `os.path`, `os.walk` and `glob` take what cannot be looked at for absent.

A folder that is refused or damaged would then have no files, and rows would be missing without a word.
"""

import fnmatch
import os
import re
import stat
from collections.abc import Iterator
from typing import Any

from ..errors import OptionError

_WILDCARDS = re.compile(r"[*?[]")


def path_text(what: str, path: Any) -> str:
    """The path as text that can be handed to the system.

    Raises
    ------
    OptionError
        No file can have this name.
    """
    text = str.__str__(os.fsdecode(path))  # a subclass may compare and look as it likes
    try:
        found = "one with NUL" if b"\0" in os.fsencode(text) else None
    except UnicodeEncodeError:
        found = "one with half a surrogate pair"
    if found is not None:
        raise OptionError(f"{what}: expected a path that a file can have, found {found}: {text!r}. Use another name.")
    return text


def is_folder(path: str) -> bool:
    """Whether a folder has this path. OSError if the system cannot tell."""
    return stat.S_ISDIR(_mode(path))


def is_file(path: str) -> bool:
    """Whether a regular file has this path. OSError if the system cannot tell."""
    return stat.S_ISREG(_mode(path))


def walk(folder: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """As `os.walk`: each folder, and the names of the folders and files in it. A folder that is gone has none."""

    def failed(error: OSError) -> None:
        if not isinstance(error, FileNotFoundError | NotADirectoryError):
            raise error

    return os.walk(folder, onerror=failed)


def matching(pattern: str) -> list[str]:
    """The paths of a pattern, sorted, as ``glob.glob(pattern, recursive=True)`` has them."""
    root = os.sep if pattern.startswith(os.sep) else ""
    return sorted(set(_below(root, [piece for piece in pattern.split(os.sep) if piece])))


def _below(folder: str, pieces: list[str]) -> Iterator[str]:
    if not pieces:
        yield folder
        return
    piece, *rest = pieces
    if not _WILDCARDS.search(piece):
        path = os.path.join(folder, piece)
        if _is_there(path):
            yield from _below(path, rest)
        return
    is_deep = piece == "**"
    if is_deep and (rest or folder):
        yield from _below(folder, rest)
    match = re.compile(fnmatch.translate(piece)).match
    for name, leads_on in _entries(folder):
        if (name.startswith(".") and not piece.startswith(".")) or not match(name):
            continue
        path = os.path.join(folder, name)
        if is_deep and leads_on:
            yield from _below(path, pieces)
        elif leads_on or not rest:
            yield from _below(path, [] if is_deep else rest)


def _entries(folder: str) -> list[tuple[str, bool]]:
    """The names in a folder, and whether each is a folder."""
    try:
        with os.scandir(folder or os.curdir) as entries:
            return [(entry.name, entry.is_dir()) for entry in entries]
    except (FileNotFoundError, NotADirectoryError):
        return []


def _is_there(path: str) -> bool:
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False
    return True


def _mode(path: str) -> int:
    try:
        return os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return 0
