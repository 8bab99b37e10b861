"""A proxy on loopback that adds a delay to each request, and counts the bytes that it sends back."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

_CHUNK_NBYTES = 256 << 10
_MOST_WAITING = 64  # chunks of one direction: 16 MiB are on their way, as on a link of 6 Gbit/s and 20 ms


@dataclass
class DelayedLink:
    """The proxy. Both directions of each connection get half of the delay, so a round trip takes all of it."""

    host: str
    port: int
    delay_s: float
    nbytes: int = 0
    """The bytes of all answers."""
    address: str = ""

    async def _serve(self, inward: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        answers, onward = await asyncio.open_connection(self.host, self.port)
        await asyncio.gather(self._move(inward, onward, False), self._move(answers, back, True))

    async def _move(self, source: asyncio.StreamReader, target: asyncio.StreamWriter, is_answer: bool) -> None:
        loop = asyncio.get_running_loop()
        line: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(_MOST_WAITING)

        async def arrive() -> None:
            while (item := await line.get())[1]:
                if (wait := item[0] - loop.time()) > 0:
                    await asyncio.sleep(wait)
                target.write(item[1])
                await target.drain()

        arriving = asyncio.create_task(arrive())
        try:
            while some := await source.read(_CHUNK_NBYTES):
                if is_answer:
                    self.nbytes += len(some)
                await line.put((loop.time() + self.delay_s / 2, some))
            await line.put((0.0, b""))
            await arriving
        except ConnectionError:
            arriving.cancel()
        finally:
            target.close()


@contextmanager
def delayed(host: str, port: int, delay_s: float) -> Iterator[DelayedLink]:
    """Runs a proxy to a server in a thread."""
    link = DelayedLink(host, port, delay_s)
    loop = asyncio.new_event_loop()
    is_ready = threading.Event()

    async def serve() -> None:
        server = await asyncio.start_server(link._serve, "127.0.0.1", 0, limit=_CHUNK_NBYTES)
        link.address = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        is_ready.set()
        async with server:
            await server.serve_forever()

    serving = loop.create_task(serve())

    def run() -> None:
        with suppress(asyncio.CancelledError):
            loop.run_until_complete(serving)

    thread = threading.Thread(target=run, name="delayed-link", daemon=True)
    thread.start()
    is_ready.wait()
    try:
        yield link
    finally:
        loop.call_soon_threadsafe(serving.cancel)
        thread.join()
