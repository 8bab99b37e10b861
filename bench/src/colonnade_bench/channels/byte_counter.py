"""Counts the bytes on the wire: the parent forwards a connection between both ends and adds up what the sender sends.

It counts what any library really sends, including headers, framing and encryption, without help from the library. It is
used only while a round trip is checked. Nothing is timed then.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from typing import Any

from colonnade_bench.transports.moving import PipeEnd, Stream

PIECE = 1 << 20


class ByteCounter:
    """Forwards the connections of one contestant.

    Parameters
    ----------
    transport : str
    folder : str
        The folder of sockets and named pipes.
    sender_serves : bool
        Whether the sending end listens.

    Attributes
    ----------
    nbytes : int
        Bytes that the sending end has sent so far. Bytes in the other direction do not count.
    """

    def __init__(self, transport: str, folder: str, sender_serves: bool = False) -> None:
        self.transport, self.folder, self.sender_serves = transport, folder, sender_serves
        self.nbytes = 0
        self.listener: socket.socket | None = None

    def pipes(self) -> tuple[int, int]:
        """Returns the descriptors of a pipe for the receiver and the sender."""
        source, of_sender = os.pipe()
        of_receiver, sink = os.pipe()
        self.start(PipeEnd(source), PipeEnd(sink), counts=True)
        return of_receiver, of_sender

    def through(self, address: Any) -> Any:
        """Returns the address to dial instead of `address`. None means that the two ends do not connect."""
        if address is None:
            return None
        if self.transport in ("unix", "fifo"):
            at = address.index(self.folder)
            path = f"{address[at:]}.count"
            if self.transport == "fifo":
                os.mkfifo(path)
                ends = (address[at:], path) if self.sender_serves else (path, address[at:])
                threading.Thread(target=self.forward_fifo, args=ends, daemon=True).start()
            else:
                self.listen(socket.AF_UNIX, path, address[at:])
            return address[:at] + path
        if isinstance(address, str):
            rest, _, port = address.rpartition(":")
            return f"{rest}:{self.listen(socket.AF_INET, ('127.0.0.1', 0), ('127.0.0.1', int(port)))[1]}"
        return self.listen(socket.AF_INET, ("127.0.0.1", 0), tuple(address))

    def listen(self, family: int, address: Any, to: Any) -> Any:
        """Accepts connections and connects each to `to`. Returns the address."""
        listener = socket.socket(family)
        listener.bind(address)
        listener.listen()
        self.listener = listener
        threading.Thread(target=self.serve, args=(listener, to), daemon=True).start()
        return listener.getsockname()

    def serve(self, listener: socket.socket, to: Any) -> None:
        with contextlib.suppress(OSError):
            while True:
                client = listener.accept()[0]
                server = socket.socket(client.family)
                server.connect(to)
                for one in (client, server) if client.family == socket.AF_INET else ():
                    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                sender, receiver = (server, client) if self.sender_serves else (client, server)
                self.start(sender, receiver, counts=True)
                self.start(receiver, sender, counts=False)

    def forward_fifo(self, source: str, sink: str) -> None:
        with contextlib.suppress(OSError):
            reading = os.open(source, os.O_RDONLY)
            self.forward(PipeEnd(reading), PipeEnd(os.open(sink, os.O_WRONLY)), counts=True)

    def start(self, source: Stream, sink: Stream, counts: bool) -> None:
        threading.Thread(target=self.forward, args=(source, sink, counts), daemon=True).start()

    def forward(self, source: Stream, sink: Stream, counts: bool) -> None:
        """Copies until the source ends. Counts bytes before it passes them on, so that no result precedes its count."""
        piece = memoryview(bytearray(PIECE))
        with contextlib.suppress(OSError):
            while count := source.recv_into(piece):
                self.nbytes += count if counts else 0
                sink.sendall(piece[:count])
        for end in (source, sink):
            with contextlib.suppress(OSError):
                if isinstance(end, socket.socket):
                    end.shutdown(socket.SHUT_RDWR)  # wakes the thread of the other direction
                end.close()

    def close(self) -> None:
        """Stops listening. The forwarding threads end with the connections."""
        if self.listener is not None:
            with contextlib.suppress(OSError):
                self.listener.shutdown(socket.SHUT_RDWR)
            self.listener.close()
