"""Asyncio methods of a connection. Receiving waits on the event loop; sending uses a thread."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .connection import Connection


class _Turns:
    """Locks for receiving and sending: one task at a time each, in order of arrival."""

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
    """Wait until the next message, the end of input or an error is available.

    Raises
    ------
    TimeoutError
        The time limit is reached. Received bytes are kept.
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
        # A waiting thread holds the lock of the counter.
        number = "the next" if turns.looking is not None else str(connection._core.messages_received + 1)
        raise TimeoutError(
            f"{connection.peer}: message {number}: expected it within {limit_s} s, found none that is whole. "
            "The bytes received so far are kept: call again to continue."
        ) from None
    try:
        yield
    finally:
        turns.receiving.release()


async def _poll(connection: "Connection", turns: _Turns) -> None:
    """Wait until the connection is ready, with only a callback of the loop."""
    descriptor = connection._descriptor()
    if descriptor is None:
        await _ask(connection, turns)
    elif not connection._ready(0.0):
        readable = asyncio.Event()
        loop = asyncio.get_running_loop()
        try:
            loop.add_reader(descriptor, readable.set)
        except (PermissionError, NotImplementedError):  # a regular file, or an event loop that watches only sockets
            await _ask(connection, turns)
            return
        try:
            while not connection._ready(0.0):
                readable.clear()
                # The connection's own limit counts only silence.
                async with asyncio.timeout(connection._timeout_s):
                    await readable.wait()
        finally:
            loop.remove_reader(descriptor)


async def _ask(connection: "Connection", turns: _Turns) -> None:
    """Wait in a thread, if there is no descriptor to poll. After cancellation the next call reuses the thread."""
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
    """Run `work`, which sends one message, in a thread, after earlier messages."""
    async with _turns_of(connection).sending:
        sending = _in_thread(work, "send")
        try:
            await asyncio.shield(sending)
        except asyncio.CancelledError:
            if not sending.done():
                # A partly sent message cannot be withdrawn. Ending the sending side stops the thread, and the peer
                # sees a truncated message.
                connection._core.finish()
                with suppress(BaseException):
                    await asyncio.wait([sending])
                    sending.exception()
            raise


def _in_thread(work: Callable[[], Any], what: str) -> "asyncio.Future[Any]":
    """The result of `work`, run in a daemon thread."""
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
