"""`multiprocessing.connection` with pickle."""

from __future__ import annotations

import pickle
from multiprocessing.connection import Client, Connection, Listener
from typing import Any

from colonnade_bench.channels.base import Channel, register_channel


@register_channel
class Pickled(Channel):
    """`Connection.send` / `recv`. ``protocol`` pickles by hand with that protocol, for `send_bytes` / `recv_bytes`."""

    engine, format = "pickle", "connection"
    transports = ("pipe", "unix", "tcp")
    about = "multiprocessing.connection"
    connection: Any

    def listen(self) -> Any:
        if self.cell.transport == "pipe":
            return None
        self.listener = Listener(self.plan.socket_path if self.cell.transport == "unix" else ("127.0.0.1", 0))
        return self.listener.address

    def accept(self) -> None:
        if self.cell.transport == "pipe":
            self.inherit()
        else:
            self.connection = self.listener.accept()
            self.listener.close()

    def dial(self, address: Any) -> None:
        if self.cell.transport == "pipe":
            self.inherit()
        else:
            self.connection = Client(address if isinstance(address, str) else tuple(address))

    def inherit(self) -> None:
        """Wraps a pipe's end, as `multiprocessing.Pipe` makes it."""
        if self.plan.fd is None:
            raise ValueError("bench: this process was given no pipe")
        self.connection = Connection(self.plan.fd, readable=not self.plan.sends, writable=self.plan.sends)

    def send(self) -> None:
        if (protocol := self.cell.option.get("protocol")) is None:
            self.connection.send(self.data)
        else:
            self.connection.send_bytes(pickle.dumps(self.data, protocol=protocol))

    def receive(self) -> Any:
        if self.cell.option.get("protocol") is None:
            return self.connection.recv()
        return pickle.loads(self.connection.recv_bytes())

    def close(self) -> None:
        self.connection.close()
