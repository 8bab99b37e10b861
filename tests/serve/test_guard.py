"""The bounds of the server's connections, by a clock that the test turns."""

import asyncio
from dataclasses import dataclass

import pytest

from colonnade._serve import guard as module
from colonnade._serve.guard import Bounds, Guard


@dataclass(eq=False)
class Connection:
    """What a guard sees of one."""

    answered: bool = False
    waiting: int = 0
    is_closed: bool = False

    def is_answered(self) -> bool:
        return self.answered

    def waiting_nbytes(self) -> int:
        return self.waiting

    def abort(self) -> None:
        self.is_closed = True


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(module, "monotonic", made)
    return made


def after(clock: Clock, guard: Guard, seconds: float) -> None:
    """Time passes, and the guard looks each second."""
    for _ in range(int(seconds)):
        clock.now += 1
        guard._tick()


def test_a_request_that_does_not_come(clock: Clock) -> None:
    async def run() -> None:
        guard, silent, asking = Guard(Bounds(request_s=10)), Connection(), Connection()
        assert guard.add(silent)
        after(clock, guard, 6)
        assert guard.add(asking)
        asking.answered = True
        after(clock, guard, 5)
        assert silent.is_closed
        assert not asking.is_closed
        assert len(guard) == 1
        # The answer is complete: from now on the next request is waited for.
        asking.answered = False
        after(clock, guard, 10)
        assert not asking.is_closed
        after(clock, guard, 2)
        assert asking.is_closed

    asyncio.run(run())


def test_an_answer_that_is_not_read(clock: Clock) -> None:
    async def run() -> None:
        guard, stalled, slow, working = Guard(Bounds(silent_s=60)), Connection(), Connection(), Connection()
        for each in (stalled, slow, working):
            each.answered = True
            assert guard.add(each)
        stalled.waiting = 100_000
        for i in range(20):
            slow.waiting = 100_000 - i
            after(clock, guard, 10)
        assert stalled.is_closed
        assert not slow.is_closed
        assert not working.is_closed  # nothing waits for its client: the answer is made

    asyncio.run(run())


def test_too_many_connections(clock: Clock) -> None:
    async def run() -> None:
        guard, old, answered, new = Guard(Bounds(connections=2)), Connection(), Connection(answered=True), Connection()
        assert guard.add(old)
        clock.now += 0.5
        assert guard.add(answered)
        # The one that waits for its request goes first.
        assert guard.add(new)
        assert (old.is_closed, answered.is_closed, new.is_closed) == (True, False, False)
        # If all are answered, the next one is refused, unless a client reads nothing.
        new.answered = True
        refused = Connection()
        assert not guard.add(refused)
        assert refused.is_closed
        new.waiting = 100_000
        after(clock, guard, 5)
        assert guard.add(Connection())
        assert (answered.is_closed, new.is_closed) == (False, True)
        guard.remove(answered)
        guard.remove(answered)
        assert len(guard) == 1

    asyncio.run(run())
