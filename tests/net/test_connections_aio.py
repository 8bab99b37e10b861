"""The await twins: a thousand receivers without a thread, cancellation without loss."""

import asyncio
import io
import os
import socket
import threading
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import colonnade as cn
from tests.helpers.connected import FRAME, facing_socket, pair
from tests.helpers.each import each

LARGE = bytes(range(256)) * (1 << 16)  # 16 MiB, more than any socket holds


def in_loop(main: Callable[[], Awaitable[Any]]) -> Any:
    """Let a test that hangs fail."""

    async def bounded() -> Any:
        return await asyncio.wait_for(main(), 60)

    return asyncio.run(bounded())


async def turns(count: int = 5) -> None:
    """Let the other tasks run."""
    for _ in range(count):
        await asyncio.sleep(0)


def test_both_kinds_both_ways() -> None:
    with pair() as (here, there):

        async def main() -> None:
            for sender, receiver in ((here, there), (there, here)):
                receiving = asyncio.create_task(receiver.areceive())
                await sender.asend(FRAME, compression="zstd")
                assert (await receiving).equals(FRAME)
                await sender.asend_bytes(b"...")
                assert await receiver.areceive_bytes() == b"..."

        in_loop(main)


def test_async_iteration() -> None:
    with pair() as (here, there):

        async def main() -> list[Any]:
            await here.asend_bytes(b"one")
            await here.asend({"a": np.arange(3)})
            here.finish()
            found = [message if isinstance(message, bytes) else message.shape async for message in there]
            with pytest.raises(EOFError):
                await there.areceive()
            return found

        assert in_loop(main) == [b"one", (3, 1)]


def test_both_ends_are_busy_at_once() -> None:
    """One loop is both ends of a message that no buffer between them holds, in both directions."""
    with pair() as (here, there):

        async def main() -> None:
            found = await asyncio.gather(
                here.asend_bytes(LARGE), there.asend_bytes(LARGE), there.areceive_bytes(), here.areceive_bytes()
            )
            assert found[2:] == [LARGE, LARGE]

        in_loop(main)


def test_the_loop_goes_on_meanwhile() -> None:
    with pair() as (here, there):

        async def main() -> int:
            count, receiving = 0, asyncio.create_task(there.areceive_bytes())
            sending = asyncio.create_task(here.asend_bytes(LARGE * 8))
            while not receiving.done():
                await asyncio.sleep(0)
                count += 1
            await sending
            assert len(await receiving) == len(LARGE) * 8
            return count

        assert in_loop(main) > 5


def test_many_receivers_take_no_thread() -> None:
    count = 150
    with ExitStack() as stack:
        pairs = [stack.enter_context(pair()) for _ in range(count)]

        async def main() -> None:
            before = threading.active_count()
            receiving = [asyncio.create_task(there.areceive()) for _, there in pairs]
            await turns()
            assert threading.active_count() == before
            for number, (here, _) in enumerate(pairs):
                here.send({"a": np.array([number])})
            frames = await asyncio.gather(*receiving)
            assert [frame["a"].to_numpy()[0] for frame in frames] == list(range(count))

        in_loop(main)


def test_messages_go_to_who_asked_first() -> None:
    with pair() as (here, there):

        async def main() -> list[bytes]:
            receiving = [asyncio.create_task(there.areceive_bytes()) for _ in range(10)]
            await turns()
            receiving[3].cancel()
            for number in range(9):
                await here.asend_bytes(bytes([number]))
            found = await asyncio.gather(*receiving, return_exceptions=True)
            assert isinstance(found.pop(3), asyncio.CancelledError)
            return found  # type: ignore[return-value]

        assert in_loop(main) == [bytes([number]) for number in range(9)]


def test_messages_go_out_in_order() -> None:
    with pair() as (here, there):

        async def main() -> None:
            messages = [bytes([number]) * (1 << 18) for number in range(20)]
            sending = [asyncio.create_task(here.asend_bytes(message)) for message in messages]
            for message in messages:
                assert await there.areceive_bytes() == message
            await asyncio.gather(*sending)

        in_loop(main)


# ---------------------------------------------------------------------------- cancellation, time limits


@each("cut", [0, 1, 8, 200, -1])
def test_cancelled_receiving_loses_nothing(cut: int) -> None:
    data = cn.encode(FRAME, "arrows")
    with facing_socket() as (here, theirs):

        async def main() -> None:
            theirs.sendall(data[:cut])
            for call in (here.areceive, here.areceive_bytes, lambda: anext(aiter(here))):
                receiving = asyncio.ensure_future(call())
                await turns()
                receiving.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await receiving
            with pytest.raises(TimeoutError, match="message 1"):
                await here.areceive(timeout_s=0.01)
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.01):
                    await here.areceive()
            theirs.sendall(data[cut:] + data)
            assert (await here.areceive()).equals(FRAME)
            assert (await here.areceive()).equals(FRAME)

        in_loop(main)


def test_cancelled_sending_ends_the_sending_side() -> None:
    with pair() as (here, there):

        async def main() -> None:
            sending = asyncio.create_task(here.asend_bytes(LARGE * 4))
            waiting = asyncio.create_task(here.asend_bytes(b"never begun"))
            while not there.partial():
                there.poll()
                await asyncio.sleep(0.001)
            waiting.cancel()
            sending.cancel()
            for task in (sending, waiting):
                with pytest.raises(asyncio.CancelledError):
                    await task
            with pytest.raises(cn.TruncatedError):
                await there.areceive_bytes()
            with pytest.raises((OSError, ValueError)):
                await here.asend_bytes(b"after")
            await there.asend_bytes(b"the other direction goes on")
            assert await here.areceive_bytes() == b"the other direction goes on"

        in_loop(main)


def test_cancelled_before_its_turn_sends_nothing() -> None:
    with pair() as (here, there):

        async def main() -> None:
            first = asyncio.create_task(here.asend_bytes(LARGE))
            second = asyncio.create_task(here.asend_bytes(b"second"))
            await turns()
            second.cancel()
            with pytest.raises(asyncio.CancelledError):
                await second
            assert await there.areceive_bytes() == LARGE
            await first
            await here.asend_bytes(b"third")
            assert await there.areceive_bytes() == b"third"

        in_loop(main)


def test_a_connections_own_limit_counts_silence() -> None:
    with facing_socket(timeout_s=0.3) as (here, theirs):
        data = cn.encode(FRAME, "arrows")

        async def main() -> None:
            async def drop_by_drop() -> None:
                for start in range(0, len(data), len(data) // 8):
                    theirs.sendall(data[start : start + len(data) // 8])
                    await asyncio.sleep(0.1)

            sending = asyncio.create_task(drop_by_drop())
            assert (await here.areceive()).equals(FRAME)
            await sending
            with pytest.raises(TimeoutError, match=r"0\.3 s"):
                await here.areceive()

        in_loop(main)


# ---------------------------------------------------------------------------- errors


def test_errors_are_those_of_the_plain_calls() -> None:
    with facing_socket() as (here, theirs):

        async def main() -> None:
            with pytest.raises(cn.UnsupportedError):
                await here.asend(FRAME, "npz")
            with pytest.raises(TypeError):
                await here.asend_bytes("text")
            here.send_bytes(b"still whole")
            theirs.sendall(b"\xc1CNB" + bytes(4) + (3).to_bytes(8, "little") + b"...")
            with pytest.raises(cn.DecodeError, match="receive_bytes"):
                await here.areceive()
            assert await here.areceive_bytes() == b"..."
            theirs.sendall(b"garbage garbage garbage")
            with pytest.raises(cn.DecodeError, match="message 2"):
                await here.areceive()

        in_loop(main)


def test_closed() -> None:
    with pair() as (here, _):
        here.close()

        async def main() -> None:
            for call in (here.areceive, here.areceive_bytes, lambda: here.asend_bytes(b""), lambda: here.asend(FRAME)):
                with pytest.raises(OSError, match="closed"):
                    await call()

        in_loop(main)


def test_a_connection_outlives_its_loop() -> None:
    with pair() as (here, there):

        async def once() -> None:
            receiving = [asyncio.create_task(there.areceive_bytes()) for _ in range(2)]
            await turns()
            await here.asend_bytes(b"1")
            await here.asend_bytes(b"2")
            assert await asyncio.gather(*receiving) == [b"1", b"2"]

        for _ in range(3):
            in_loop(once)


# ---------------------------------------------------------------------------- what the loop cannot watch


def test_regular_files(tmp_path: Path) -> None:
    path = tmp_path / "messages"

    async def main() -> None:
        with cn.connect((None, path)) as sender:
            await sender.asend(FRAME)
            await sender.asend_bytes(LARGE)
        with cn.connect((path, None)) as receiver:
            assert (await receiver.areceive()).equals(FRAME)
            assert await receiver.areceive_bytes() == LARGE
            with pytest.raises(EOFError):
                await receiver.areceive()

    in_loop(main)


def test_python_objects() -> None:
    """They cannot be polled: a thread waits for them, and the message of a cancelled wait is not lost."""
    ours, theirs = os.pipe()
    with open(ours, "rb") as buffered, open(theirs, "wb") as target, cn.connect((buffered, None)) as receiver:

        async def main() -> None:
            for _ in range(2):
                receiving = asyncio.create_task(receiver.areceive_bytes())
                await turns()
                receiving.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await receiving
            with cn.connect((None, target)) as sender:
                await sender.asend_bytes(b"first")
                await sender.asend_bytes(LARGE[:10_000])
            assert await receiver.areceive_bytes() == b"first"
            assert await receiver.areceive_bytes() == LARGE[:10_000]

        in_loop(main)
    sink = io.BytesIO()
    with cn.connect((None, sink)) as sender:
        in_loop(lambda: sender.asend(FRAME))
    assert cn.read(sink.getvalue()).equals(FRAME)


def test_a_peer_that_is_gone() -> None:
    with facing_socket() as (here, theirs):
        theirs.shutdown(socket.SHUT_RDWR)

        async def main() -> None:
            with pytest.raises(EOFError):
                await here.areceive()
            with pytest.raises(ConnectionError):
                for _ in range(100):
                    await here.asend_bytes(bytes(1 << 16))

        in_loop(main)
