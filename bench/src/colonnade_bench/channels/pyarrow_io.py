"""pyarrow: its stream over a file object of the same socket or pipe, and Flight."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from colonnade_bench.channels.base import Channel, StreamChannel, register_channel
from colonnade_bench.transports.moving import reading, writing


@register_channel
class ArrowStream(StreamChannel):
    """`pa.ipc.new_stream` / `write_table`; `open_stream(...).read_all().to_pandas()`.

    The sender has a Table ready, which favours pyarrow. With ``source="pandas"``, the time includes making it from the
    DataFrame. ``rows`` gives the rows of a record batch (`max_chunksize`). By default there is one batch, the table's
    own chunk.
    """

    engine, format = "pyarrow", "arrows"
    about = "pa.ipc.new_stream over socket.makefile() to read_all().to_pandas()"

    def ready(self) -> None:
        import pyarrow as pa

        if self.plan.sends:
            self.file = writing(self.stream)
            self.sink = pa.PythonFile(self.file, mode="w")
        else:
            self.source = pa.PythonFile(reading(self.stream), mode="r")

    def load(self, data: Any, nbytes: int) -> None:
        super().load(data, nbytes)
        self.table = self.make()

    def make(self) -> Any:
        import pyarrow as pa

        return pa.Table.from_pandas(self.data)

    def send(self) -> None:
        import pyarrow as pa

        table = self.make() if self.cell.option.get("source") == "pandas" else self.table
        with pa.ipc.new_stream(self.sink, table.schema) as writer:
            writer.write_table(table, max_chunksize=self.cell.option.get("rows"))
        self.file.flush()  # the sink's own flush does not flush the file

    def receive(self) -> Any:
        import pyarrow as pa

        with pa.ipc.open_stream(self.source) as reader:
            return reader.read_all().to_pandas()

    def forget(self) -> None:
        import pyarrow as pa

        pa.default_memory_pool().release_unused()

    def close(self) -> None:
        (self.sink if self.plan.sends else self.source).close()
        super().close()


@register_channel
class Flight(Channel):
    """A server's `do_get` with a `RecordBatchStream`; the client's `do_get(...).read_all().to_pandas()`.

    The server has the Table ready. ``rows`` gives the rows of a record batch. By default there is one, the table's own
    chunk.
    """

    engine, format = "pyarrow", "flight"
    transports = ("unix", "tcp", "tls")
    sender_serves = pulls = True
    about = "pyarrow.flight do_get"

    def listen(self) -> Any:
        import pyarrow.flight as fl

        channel, paths = self, self.plan.certificates or {}

        class Server(fl.FlightServerBase):  # type: ignore[misc]
            def do_get(self, context: Any, ticket: Any) -> Any:
                rows = channel.cell.option.get("rows")
                table = channel.table
                return fl.RecordBatchStream(table if rows is None else table.to_reader(max_chunksize=rows))

        if self.cell.transport == "unix":
            Path(self.plan.socket_path).unlink(missing_ok=True)
            self.server = Server(f"grpc+unix://{self.plan.socket_path}")
            return f"grpc+unix://{self.plan.socket_path}"
        if self.cell.transport == "tls":
            pair = (Path(paths["certificate"]).read_bytes(), Path(paths["key"]).read_bytes())
            self.server = Server("grpc+tls://localhost:0", tls_certificates=[pair])
            return f"grpc+tls://localhost:{self.server.port}"
        self.server = Server("grpc://127.0.0.1:0")
        return f"grpc://127.0.0.1:{self.server.port}"

    def accept(self) -> None:
        """Does nothing, because the server accepts its clients itself."""

    def dial(self, address: Any) -> None:
        import pyarrow.flight as fl

        paths = self.plan.certificates or {}
        more = {"tls_root_certs": Path(paths["authorities"]).read_bytes()} if self.cell.transport == "tls" else {}
        self.client = fl.connect(address, **more)

    def load(self, data: Any, nbytes: int) -> None:
        import pyarrow as pa

        super().load(data, nbytes)
        self.table = pa.Table.from_pandas(data)

    def send(self) -> None:
        """Does nothing, because the client makes the request."""

    def receive(self) -> Any:
        import pyarrow.flight as fl

        return self.client.do_get(fl.Ticket(b"")).read_all().to_pandas()

    def forget(self) -> None:
        import pyarrow as pa

        pa.default_memory_pool().release_unused()

    def close(self) -> None:
        if self.plan.sends:
            self.server.shutdown()
        else:
            self.client.close()
