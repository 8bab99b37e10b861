"""`progress=`: None, True (a bar on stderr) or a function that is told (done_nbytes, total_nbytes or None)."""

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Any, Literal, TypeAlias

from ..errors import OptionError

Callback: TypeAlias = Callable[[int, int | None], object]
Progress: TypeAlias = Callback | Literal[True] | None


def check_progress(progress: Any) -> None:
    """Raise where `progress` is none of the three."""
    if progress is not None and progress is not True and progress is not False and not callable(progress):
        raise OptionError(
            "progress: expected None, True or a function of (done_nbytes, total_nbytes), "
            f"found {type(progress).__name__}."
        )


def reporting(progress: Progress | bool, what: str) -> contextlib.AbstractContextManager[Callback | None]:
    """The function that the core calls, for the time of one operation; a bar is drawn and taken away again."""
    if progress is True:
        return _drawn(what)
    return contextlib.nullcontext(progress) if callable(progress) else _SILENT


_SILENT: contextlib.AbstractContextManager[None] = contextlib.nullcontext()


@contextlib.contextmanager
def _drawn(what: str) -> Iterator[Callback]:
    with Bar(what) as bar:
        yield bar.update


class Bar:
    """A bar on stderr that shows itself only when the work has taken `delay_s` and is not over."""

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
    """Tells `progress` of many steps, one after the other, as of one work whose end is not known before."""

    def __init__(self, progress: Callback | None, total_nbytes: int | None = None) -> None:
        self._progress = progress
        self._total_nbytes = total_nbytes
        self._done_nbytes = 0

    @contextlib.contextmanager
    def next(self, nbytes: int) -> Iterator[Callback | None]:
        """The function for one step of `nbytes`; at its end they count as done."""
        report, before = self._progress, self._done_nbytes
        if report is None:
            yield None
            return

        def step(done: int, of: int | None) -> object:
            return self._tell(report, before + _share(done, of, nbytes))

        yield step
        self.done(nbytes)

    def done(self, nbytes: int) -> None:
        """Tell of a step of `nbytes` that is over."""
        self._done_nbytes += nbytes
        if self._progress is not None:
            self._tell(self._progress, self._done_nbytes)

    def finish(self) -> None:
        """Tell that all is done: parts may be a little less, or more, than the whole was said to be."""
        if self._progress is not None and self._total_nbytes is not None:
            self._progress(self._total_nbytes, self._total_nbytes)

    def _tell(self, report: Callback, done: int) -> object:
        total = self._total_nbytes
        return report(done if total is None else min(done, total), total)


def split_progress(
    progress: Callback | None, first_nbytes: int, last_nbytes: int
) -> tuple[Callback | None, Callback | None]:
    """Two functions that tell `progress` of two stages as of one: `first_nbytes`, then `last_nbytes`."""
    if progress is None:
        return None, None
    total = first_nbytes + last_nbytes

    def first(done: int, of: int | None) -> object:
        return progress(_share(done, of, first_nbytes), total)

    def last(done: int, of: int | None) -> object:
        return progress(first_nbytes + _share(done, of, last_nbytes), total)

    return first, last


class TwoPhaseProgress:
    """Tells `progress` of reading, then of writing, as of one work. How much is read is known only when it was.

    Reading that tells nothing, as of what is decoded while it is written, is no half.
    """

    def __init__(self, progress: Callback | None) -> None:
        self._progress = progress
        self._read_nbytes = 0
        self._done_nbytes = 0

    @property
    def first(self) -> Callback | None:
        """The function for reading."""
        return None if self._progress is None else self._first

    @property
    def last(self) -> Callback | None:
        """The function for writing."""
        return None if self._progress is None else self._last

    def _first(self, done: int, of: int | None) -> object:
        assert self._progress is not None
        if done < self._done_nbytes:
            return None  # of what was opened before it was decoded: those bytes were told
        self._done_nbytes = done
        self._read_nbytes = max(self._read_nbytes, done if of is None else of)
        return self._progress(done, None if of is None else 2 * of)

    def _last(self, done: int, of: int | None) -> object:
        assert self._progress is not None
        read = self._read_nbytes
        if not read:
            return self._progress(done, of)
        # A writer that did not know its end may have told of more than that comes to be.
        self._done_nbytes = max(self._done_nbytes, read + (done if of is None else _share(done, of, read)))
        return self._progress(self._done_nbytes, None if of is None else max(2 * read, self._done_nbytes))


def _share(done: int, of: int | None, nbytes: int) -> int:
    """`done` of `of` as a share of `nbytes`; where the whole is unknown (compressed bytes), `done` itself."""
    return min(done, nbytes) if of is None else int(nbytes * (done / of)) if of else nbytes
