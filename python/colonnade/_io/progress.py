"""`progress=`: None, True (a bar on stderr), or a function that is called with (done_nbytes, total_nbytes or None)."""

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Any, Literal, TypeAlias

from ..errors import OptionError

Callback: TypeAlias = Callable[[int, int | None], object]
Progress: TypeAlias = Callback | Literal[True] | None


def check_progress(progress: Any) -> None:
    """Raise if `progress` is none of the three."""
    if progress is not None and progress is not True and progress is not False and not callable(progress):
        raise OptionError(
            "progress: expected None, True or a function of (done_nbytes, total_nbytes), "
            f"found {type(progress).__name__}."
        )


def reporting(progress: Progress | bool, what: str) -> contextlib.AbstractContextManager[Callback | None]:
    """The callback for the core during one operation. A bar is drawn, and removed at the end."""
    if progress is True:
        return _drawn(what)
    return contextlib.nullcontext(progress) if callable(progress) else _SILENT


_SILENT: contextlib.AbstractContextManager[None] = contextlib.nullcontext()


@contextlib.contextmanager
def _drawn(what: str) -> Iterator[Callback]:
    with Bar(what) as bar:
        yield bar.update


class Bar:
    """A bar on stderr, drawn only if the work takes longer than `delay_s`."""

    def __init__(self, what: str, delay_s: float = 0.0) -> None:
        self._what = what
        self._delay_s = delay_s
        self._start = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> "Bar":
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def update(self, done_nbytes: int, total_nbytes: int | None) -> None:
        """Draw `done_nbytes` of `total_nbytes` (None: unknown)."""
        if self._bar is None:
            if time.monotonic() - self._start < self._delay_s:
                return
            self._show()
        self._bar.update(self._task, completed=done_nbytes, total=total_nbytes)

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            DownloadColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
            TransferSpeedColumn,
        )

        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            DownloadColumn(),
            TransferSpeedColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task(self._what, total=None)
        self._bar.start()


class Steps:
    """Reports many steps in sequence as one operation of unknown total size."""

    def __init__(self, progress: Callback | None, total_nbytes: int | None = None) -> None:
        self._progress = progress
        self._total_nbytes = total_nbytes
        self._done_nbytes = 0

    @contextlib.contextmanager
    def next(self, nbytes: int) -> Iterator[Callback | None]:
        """The callback for one step of `nbytes`, which count as done when the step ends."""
        report, before = self._progress, self._done_nbytes
        if report is None:
            yield None
            return

        def step(done: int, of: int | None) -> object:
            return self._tell(report, before + _share(done, of, nbytes))

        yield step
        self.done(nbytes)

    def done(self, nbytes: int) -> None:
        """Report a finished step of `nbytes`."""
        self._done_nbytes += nbytes
        if self._progress is not None:
            self._tell(self._progress, self._done_nbytes)

    def finish(self) -> None:
        """Report the end. The sizes of the steps may not add up to the announced total."""
        if self._progress is not None and self._total_nbytes is not None:
            self._progress(self._total_nbytes, self._total_nbytes)

    def _tell(self, report: Callback, done: int) -> object:
        total = self._total_nbytes
        return report(done if total is None else min(done, total), total)


def split_progress(
    progress: Callback | None, first_nbytes: int, last_nbytes: int
) -> tuple[Callback | None, Callback | None]:
    """Two callbacks that report two phases, of `first_nbytes` and `last_nbytes`, as one operation."""
    if progress is None:
        return None, None
    total = first_nbytes + last_nbytes

    def first(done: int, of: int | None) -> object:
        return progress(_share(done, of, first_nbytes), total)

    def last(done: int, of: int | None) -> object:
        return progress(first_nbytes + _share(done, of, last_nbytes), total)

    return first, last


class TwoPhaseProgress:
    """Reports reading, then writing, as one operation. The size of reading is known only when it ends.

    A source that is decoded while it is written reports no reading. Writing is then the whole operation.
    """

    def __init__(self, progress: Callback | None) -> None:
        self._progress = progress
        self._read_nbytes = 0
        self._done_nbytes = 0

    @property
    def first(self) -> Callback | None:
        """The callback for reading."""
        return None if self._progress is None else self._first

    @property
    def last(self) -> Callback | None:
        """The callback for writing."""
        return None if self._progress is None else self._last

    def _first(self, done: int, of: int | None) -> object:
        assert self._progress is not None
        if done < self._done_nbytes:
            return None  # Decoding counts from 0 again, but opening has already reported these bytes.
        self._done_nbytes = done
        self._read_nbytes = max(self._read_nbytes, done if of is None else of)
        return self._progress(done, None if of is None else 2 * of)

    def _last(self, done: int, of: int | None) -> object:
        assert self._progress is not None
        read = self._read_nbytes
        if not read:
            return self._progress(done, of)
        # A writer without a known total may have reported more bytes than the final total.
        self._done_nbytes = max(self._done_nbytes, read + (done if of is None else _share(done, of, read)))
        return self._progress(self._done_nbytes, None if of is None else max(2 * read, self._done_nbytes))


def _share(done: int, of: int | None, nbytes: int) -> int:
    """The share of `nbytes` that `done` of `of` is; `done` itself if the total is unknown (compressed bytes)."""
    return min(done, nbytes) if of is None else int(nbytes * (done / of)) if of else nbytes
