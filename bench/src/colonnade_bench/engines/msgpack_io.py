"""The MessagePack libraries of Python, from and to pandas, and with only their own objects.

A message of columns is ``{"dtypes": {name: dtype}, "columns": {name: [...]}}``. A *given* message is an array of maps.
With option ``numbers="packed"``, numeric columns are stored as their bytes.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from colonnade_bench import pandas_to_objects
from colonnade_bench.cell import Cell
from colonnade_bench.engines.base import Engine
from colonnade_bench.engines.columns import from_columns


@contextlib.contextmanager
def no_collector() -> Iterator[None]:
    """Disables the garbage collector. Millions of small living objects make its repeated scans expensive."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class MessagePack(Engine):
    """The base of the three libraries. A subclass converts one object to bytes, and back.

    `lists` and `maps` are the libraries' own objects: a dict of lists, a list of dicts.
    """

    formats: ClassVar = {"msgpack": ("none",)}
    given = ("msgpack",)
    libraries = ("pandas", "lists", "maps")
    security = "reading runs no code; no checksum"
    panel = (("msgpack", "none"),)

    def pack(self, value: Any) -> bytes:
        raise NotImplementedError

    def unpack(self, buffer: Any) -> Any:
        raise NotImplementedError

    def columns(self, frame: Any) -> dict[str, Any]:
        """Returns the input of `pack` for a DataFrame."""
        return pandas_to_objects.to_lists(frame)

    def rows(self, buffer: Any, cell: Cell) -> Any:
        """Returns a DataFrame from an array of maps."""
        return pandas_to_objects.from_maps(self.unpack(buffer))

    def encode(self, data: Any, cell: Cell) -> Any:
        if cell.library != "pandas":
            return self.pack(data)
        values = pandas_to_objects.to_bytes(data) if cell.option.get("numbers") == "packed" else self.columns(data)
        return self.pack({"dtypes": pandas_to_objects.dtypes_of(data), "columns": values})

    def decode(self, buffer: Any, cell: Cell) -> Any:
        with no_collector():
            if cell.library != "pandas":
                return self.unpack(buffer)
            if cell.transport == "given":
                return self.rows(buffer, cell)
            message = self.unpack(buffer)
            return from_columns(message["columns"], message["dtypes"])

    def write(self, data: Any, path: Path, cell: Cell) -> None:
        path.write_bytes(self.encode(data, cell))

    def read(self, path: Path, cell: Cell) -> Any:
        return self.decode(path.read_bytes(), cell)


class MsgPack(MessagePack):
    """`msgpack.packb` and `unpackb`."""

    name = "msgpack"
    modules = ("msgpack", "pandas", "pyarrow")
    distributions = ("msgpack",)
    install = "pip install msgpack pandas pyarrow"

    def pack(self, value: Any) -> bytes:
        import msgpack

        return bytes(msgpack.packb(value, datetime=True))

    def unpack(self, buffer: Any) -> Any:
        import msgpack

        return msgpack.unpackb(buffer, timestamp=3)


class OrMsgPack(MessagePack):
    """`ormsgpack.packb` and `unpackb`. It accepts NumPy arrays directly."""

    name = "ormsgpack"
    modules = ("ormsgpack", "pandas", "pyarrow")
    distributions = ("ormsgpack",)
    install = "pip install ormsgpack pandas pyarrow"

    def columns(self, frame: Any) -> dict[str, Any]:
        return pandas_to_objects.to_arrays(frame)

    def pack(self, value: Any) -> bytes:
        import ormsgpack

        options = ormsgpack.OPT_SERIALIZE_NUMPY | ormsgpack.OPT_DATETIME_AS_TIMESTAMP_EXT
        return bytes(ormsgpack.packb(value, option=options))

    def unpack(self, buffer: Any) -> Any:
        import ormsgpack

        return ormsgpack.unpackb(buffer, option=ormsgpack.OPT_DATETIME_AS_TIMESTAMP_EXT)


class MsgSpec(MessagePack):
    """`msgspec.msgpack.encode` and `decode`. ``typed=True`` decodes rows to a `Struct` with fields known in advance."""

    name = "msgspec"
    modules = ("msgspec", "pandas", "pyarrow")
    distributions = ("msgspec",)
    install = "pip install msgspec pandas pyarrow"

    def __init__(self) -> None:
        self._decoders: dict[tuple[str, int], Any] = {}

    def pack(self, value: Any) -> bytes:
        import msgspec

        return msgspec.msgpack.encode(value)

    def unpack(self, buffer: Any) -> Any:
        import msgspec

        return msgspec.msgpack.decode(buffer)

    def foresee(self, buffer: Any, cell: Cell) -> None:
        key = (cell.dataset, len(buffer))
        if not cell.option.get("typed") or key in self._decoders:
            return
        import msgspec

        first = self.unpack(buffer)[0]
        fields = [(name, object if value is None else type(value) | None) for name, value in first.items()]
        row = msgspec.defstruct("Row", fields, gc=False)
        self._decoders[key] = msgspec.msgpack.Decoder(list[row])  # type: ignore[valid-type]

    def rows(self, buffer: Any, cell: Cell) -> Any:
        if not cell.option.get("typed"):
            return super().rows(buffer, cell)
        import msgspec

        rows = self._decoders[cell.dataset, len(buffer)].decode(buffer)
        return pandas_to_objects.from_tuples(rows[0].__struct_fields__, map(msgspec.structs.astuple, rows))
