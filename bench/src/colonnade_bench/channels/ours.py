"""Colonnade's own connections, through the public API with its defaults."""

from __future__ import annotations

import os
from typing import Any

from colonnade_bench.channels.base import Channel, register_channel


class OurChannel(Channel):
    """`cn.listen` / `cn.connect` by URL. A pipe by its descriptor."""

    connection: Any

    def listen(self) -> Any:
        import colonnade as cn

        paths = self.plan.certificates or {}
        if self.cell.transport == "pipe":
            return None
        if self.cell.transport == "fifo":
            return self.plan.make_fifo()
        if self.cell.transport == "unix":
            self.listener = cn.listen(f"unix:{self.plan.socket_path}")
        elif self.cell.transport == "tcp":
            self.listener = cn.listen("tcp://127.0.0.1:0")
        else:
            self.listener = cn.listen("tls://127.0.0.1:0", certificate=paths["certificate"], key=paths["key"])
        return self.listener.url

    def accept(self) -> None:
        import colonnade as cn

        if self.cell.transport == "pipe":
            self.inherit()
        elif self.cell.transport == "fifo":
            self.connection = cn.connect(self.plan.ends(self.plan.fifo_path), timeout_s=30)
        else:
            self.connection = self.listener.accept(timeout_s=30)
            self.listener.close()

    def dial(self, address: Any) -> None:
        import colonnade as cn

        if self.cell.transport == "pipe":
            self.inherit()
        elif self.cell.transport == "fifo":
            self.connection = cn.connect(self.plan.ends(address), timeout_s=30)
        elif self.cell.transport == "tls":
            self.connection = cn.connect(address, authorities=(self.plan.certificates or {})["authorities"])
        else:
            self.connection = cn.connect(address)

    def inherit(self) -> None:
        """Wraps a pipe's end. The connection keeps a descriptor of its own."""
        import colonnade as cn

        fd = self.plan.fd
        if fd is None:
            raise ValueError("bench: this process was given no pipe")
        self.connection = cn.connect(self.plan.ends(fd))
        os.close(fd)

    def forget(self) -> None:
        import colonnade as cn

        cn.release_memory()

    def close(self) -> None:
        self.connection.close()


@register_channel
class OurFrames(OurChannel):
    """`send(DataFrame)` and `cn.read_pandas(connection)`. ``via="receive"`` uses `receive().to_pandas()`."""

    engine, format = "colonnade", "arrows"
    about = "connection.send(frame) to cn.read_pandas(connection)"

    def send(self) -> None:
        self.connection.send(self.data)

    def receive(self) -> Any:
        import colonnade as cn

        if self.cell.option.get("via") == "receive":
            return self.connection.receive().to_pandas()
        return cn.read_pandas(self.connection)


@register_channel
class OurBytes(OurChannel):
    """`send_bytes` and `receive_bytes`."""

    engine, format, opaque = "colonnade", "bytes", True
    about = "cn.connect(...).send_bytes(b) to receive_bytes()"

    def load(self, data: Any, nbytes: int) -> None:
        some = os.urandom(min(nbytes, 1 << 20)) or b"\0"
        super().load((some * (nbytes // len(some) + 1))[:nbytes], nbytes)
        self.held = self.data

    def send(self) -> None:
        self.connection.send_bytes(self.data)

    def receive(self) -> Any:
        return self.connection.receive_bytes()
