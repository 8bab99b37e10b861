"""A file that takes its name when it is complete, for writers in Python. The core's writers have the same in Rust.

Names, locks and the removal of leftovers are those of ``crates/colonnade-transport/src/{file,leftover}.rs``: a killed
writer leaves ``.NAME.PROCESS.NUMBER.tmp``, which the next writer to the target removes, whichever of the two it is.
"""

import contextlib
import fcntl
import io
import itertools
import os
import re
import stat

from .network_filesystems import on_network

_numbers = itertools.count()
_MOST_NAMES = 1_000
_MODE = 0o666  # before the umask, as `open` has it


class AtomicFile(io.FileIO):
    """A temporary file in the folder of the target. `commit` renames it; `discard` removes it; `close` does nothing.

    Libraries close the file that they write to, but only the caller of the plug-in knows whether it is complete.

    Raises
    ------
    OSError
        The folder does not exist, or is not writable; the target is a directory.
    """

    def __init__(self, path: str) -> None:
        self._target = os.path.realpath(path)
        if os.path.isdir(self._target):
            raise IsADirectoryError(21, os.strerror(21), path)
        self._folder, name = os.path.split(self._target)
        self._stem = name
        self._sweep()
        while True:
            self._temporary = os.path.join(self._folder, f".{name}.{os.getpid()}.{next(_numbers)}.tmp")
            try:
                fd = os.open(self._temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _MODE)
                break
            except FileExistsError:  # the core counts its own temporary files of this process
                continue
        super().__init__(fd, "r+b", closefd=True)
        self._is_open = True
        with contextlib.suppress(OSError):  # without locks nothing is ever removed
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def commit(self, fsync: bool) -> None:
        """Give the file its name, with the mode of the file that it replaces."""
        with contextlib.suppress(FileNotFoundError):
            os.fchmod(self.fileno(), stat.S_IMODE(os.stat(self._target).st_mode))
        if fsync:
            os.fsync(self.fileno())
        os.replace(self._temporary, self._target)
        if fsync:
            folder = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        self._end()

    def discard(self) -> None:
        """Remove the temporary file, unless it was renamed. The target is as it was."""
        if self._is_open:
            with contextlib.suppress(OSError):
                os.unlink(self._temporary)
            self._end()

    def close(self) -> None:
        """Do nothing; see the class."""

    def __del__(self) -> None:
        if getattr(self, "_is_open", False):
            self.discard()

    def _end(self) -> None:
        self._is_open = False
        super().close()

    def _sweep(self) -> None:
        """Remove the files of killed writers to the target: those that no living writer has locked."""
        ending = re.compile(rf"\.{re.escape(self._stem)}\.[0-9]+\.[0-9]+\.tmp")
        with contextlib.suppress(OSError), os.scandir(self._folder) as entries:
            for entry in itertools.islice(entries, _MOST_NAMES):
                if ending.fullmatch(entry.name) and not on_network(os.stat(self._folder).st_dev):
                    with contextlib.suppress(OSError):
                        _remove_leftover(entry.path)


def _remove_leftover(path: str) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid():
            return
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        named = os.lstat(path)  # another file may have the name by now
        if (named.st_dev, named.st_ino) == (found.st_dev, found.st_ino):
            os.unlink(path)
    finally:
        os.close(fd)
