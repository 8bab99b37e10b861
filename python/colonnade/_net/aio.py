"""The `await` twins of a connection: receiving waits on the event loop alone, sending has a thread while it sends."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .connection import Connection


class _Turns:
    """Who may receive and who may send: one task at a time each, first come first served."""

    def __init__(self) -> None:
        self.receiving = asyncio.Lock()
        self.sending = asyncio.Lock()
        self.looking: asyncio.Future[Any] | None = None


def _turns_of(connection: "Connection") -> _Turns:
    # A lock of asyncio belongs to one event loop, and a connection may live through several.
    loop = asyncio.get_running_loop()
    if connection._turns is None or connection._turns[0] is not loop:
        connection._turns = (loop, _Turns())
    turns: _Turns = connection._turns[1]
    return turns


@asynccontextmanager
async def arrived(connection: "Connection", timeout_s: float | None) -> AsyncIterator[None]:
    """Inside it, the next message (or the end of input, or an error) can be taken without waiting.

    Raises
    ------
    TimeoutError
        The time is over; what has come is kept.
    """
    turns = _turns_of(connection)
    try:
        async with asyncio.timeout(timeout_s):
            await turns.receiving.acquire()
            try:
                await _poll(connection, turns)
            except BaseException:
                turns.receiving.release()
                raise
    except TimeoutError:
        limit_s = connection._timeout_s if timeout_s is None else timeout_s
        # A thread that waits has the count to itself.
        number = "the next" if turns.looking is not None else str(connection._core.messages_received + 1)
        raise TimeoutError(
            f"{connection.peer}: message {number}: expected it within {limit_s} s, found none that is whole. "
            "What came of it is kept: call again to go on."
        ) from None
    try:
        yield
    finally:
        turns.receiving.release()


async def _poll(connection: "Connection", turns: _Turns) -> None:
    """Wait until the connection is ready; nothing is held but a callback of the loop."""
    descriptor = connection._descriptor()
    if descriptor is None:
        await _ask(connection, turns)
    elif not connection._ready(0.0):
        readable = asyncio.Event()
        loop = asyncio.get_running_loop()
        try:
            loop.add_reader(descriptor, readable.set)
        except (PermissionError, NotImplementedError):  # a regular file, or a loop that watches sockets alone
            await _ask(connection, turns)
            return
        try:
            while not connection._ready(0.0):
                readable.clear()
                # What the connection itself was told counts silence alone.
                async with asyncio.timeout(connection._timeout_s):
                    await readable.wait()
        finally:
            loop.remove_reader(descriptor)


async def _ask(connection: "Connection", turns: _Turns) -> None:
    """Have a thread wait, where nobody can say when there is something. Cancelled, it is found again by the next."""
    if turns.looking is None:
        if connection._is_here():
            return
        turns.looking = _in_thread(lambda: connection._ready(None), "receive")
    try:
        await asyncio.shield(turns.looking)
    finally:
        if turns.looking.done():
            turns.looking = None


async def send(connection: "Connection", work: Callable[[], None]) -> None:
    """Do `work`, which sends one message, in a thread; after the messages that were begun before."""
    async with _turns_of(connection).sending:
        sending = _in_thread(work, "send")
        try:
            await asyncio.shield(sending)
        except asyncio.CancelledError:
            if not sending.done():
                # Half a message cannot be taken back, and the thread must end: the peer is told that it broke off.
                connection._core.finish()
                with suppress(BaseException):
                    await asyncio.wait([sending])
                    sending.exception()
            raise


def _in_thread(work: Callable[[], Any], what: str) -> "asyncio.Future[Any]":
    """What `work` answers or raises, from a thread of its own, which does not keep the program from ending."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()

    def settle(answer: Any, error: BaseException | None) -> None:
        if future.done():
            return
        if error is None:
            future.set_result(answer)
        else:
            future.set_exception(error)

    def run() -> None:
        answer, error = None, None
        try:
            answer = work()
        except BaseException as raised:
            error = raised
        with suppress(RuntimeError):  # the loop may be closed by now
            loop.call_soon_threadsafe(settle, answer, error)

    threading.Thread(target=run, name=f"colonnade {what}", daemon=True).start()
    return future
