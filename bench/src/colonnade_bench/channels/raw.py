"""The limit: the same number of bytes, sent without any processing."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np

from colonnade_bench.channels.base import StreamChannel, register_channel


def region(nbytes: int) -> mmap.mmap:
    """Returns private huge-page memory that was never touched."""
    out = mmap.mmap(-1, max(1, nbytes))
    if hasattr(mmap, "MADV_HUGEPAGE"):
        out.madvise(mmap.MADV_HUGEPAGE)
    return out


@register_channel
class RawBytes(StreamChannel):
    """Sends from warm memory into an existing buffer. ``piece`` gives the bytes of each call of the sender.

    In the state *first*, the buffer was never touched. Later calls fill the same buffer again.
    """

    engine, format, opaque = "raw", "bytes", True
    about = "os.write, sendall, os.readv and recv_into, no format"

    def load(self, data: Any, nbytes: int) -> None:
        self.held = region(nbytes)
        values = np.frombuffer(self.held, dtype=np.uint8)
        # The values do not matter but must differ, because the receiver's check sum is compared.
        values[:] = np.resize(np.arange(251, dtype=np.uint8), values.size)
        self.expect(nbytes)

    def expect(self, nbytes: int) -> None:
        if nbytes != self.nbytes or self.held is None:
            self.held = region(nbytes)
        self.nbytes = nbytes

    def send(self) -> None:
        view, send = memoryview(self.held), self.stream.sendall
        call = int(self.cell.option.get("piece", self.moving.call_nbytes))
        for at in range(0, self.nbytes, call):
            send(view[at : min(at + call, self.nbytes)])

    def receive(self) -> Any:
        view, receive, nbytes = memoryview(self.held), self.stream.recv_into, self.nbytes
        at, call = 0, self.moving.call_nbytes
        while at < nbytes:
            count = receive(view[at : min(at + call, nbytes)])
            if count == 0:
                raise EOFError(f"raw: {at:,} of {nbytes:,} bytes")
            at += count
        return view[:nbytes]

    def forget(self) -> None:
        self.held = None
