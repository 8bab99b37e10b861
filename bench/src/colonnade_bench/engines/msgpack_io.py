"""The MessagePack libraries of Python, from and to pandas, and with only their own objects.

A message of columns is ``{"about": {...}, "columns": {"0": [...]}}``, see `arrays`. A *given* message is an array of
maps. With codec ``packed`` (in tables: option ``numbers="packed"``), numeric columns are stored as their bytes.
"""

from __future__ import annotations

import contextlib
import functools
import gc
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, TypedDict

import numpy as np

from colonnade_bench import pandas_to_objects
from colonnade_bench.cell import Cell
from colonnade_bench.engines.arrays import About, joined, of_numpy, parted
from colonnade_bench.engines.base import Engine


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

    formats: ClassVar[Mapping[str, tuple[str, ...]]] = {"msgpack": ("none", "packed")}
    given = ("msgpack",)
    libraries = ("pandas", "lists", "maps")
    security = "reading runs no code; no checksum"
    panel: tuple[tuple[str, str], ...] = (("msgpack", "none"), ("msgpack", "packed"))
    arrays = False
    """Whether `pack` takes arrays. Others get lists, from `ndarray.tolist`."""

    def pack(self, value: Any) -> bytes:
        raise NotImplementedError

    def unpack(self, buffer: Any) -> Any:
        raise NotImplementedError

    def message(self, buffer: Any, cell: Cell) -> Any:
        """Decodes a message of columns."""
        return self.unpack(buffer)

    def rows(self, buffer: Any, cell: Cell) -> Any:
        """Returns a DataFrame from an array of maps."""
        return pandas_to_objects.from_maps(self.unpack(buffer))

    def encode(self, data: Any, cell: Cell) -> Any:
        if cell.library != "pandas":
            return self.pack(data)
        values, about = parted(data)
        change = as_bytes if packed(cell) else as_is if self.arrays else as_list
        return self.pack({"about": about, "columns": {key: change(each) for key, each in values.items()}})

    def decode(self, buffer: Any, cell: Cell) -> Any:
        with no_collector():
            if cell.library != "pandas":
                return self.unpack(buffer)
            if cell.transport == "given":
                return self.rows(buffer, cell)
            message = self.message(buffer, cell)
            return joined(message["columns"], message["about"])

    def write(self, data: Any, path: Path, cell: Cell) -> None:
        path.write_bytes(self.encode(data, cell))

    def read(self, path: Path, cell: Cell) -> Any:
        return self.decode(path.read_bytes(), cell)


def packed(cell: Cell) -> bool:
    """Whether numeric columns are stored as their bytes."""
    return cell.codec == "packed" or cell.option.get("numbers") == "packed"


def as_is(values: Any) -> Any:
    return values


def as_list(values: Any) -> Any:
    return values if isinstance(values, list) else values.tolist()


def as_bytes(values: Any) -> Any:
    return values if isinstance(values, list) else values.view(np.uint8).data


TYPED = (
    "Tuned: a typed decoder, msgspec.msgpack.Decoder(type), made once from the column types and kept, as its users do."
)
PACKED = "Tuned: each numeric column as one bin of its bytes, numpy.frombuffer when reading; text as arrays."


class MsgPack(MessagePack):
    """`msgpack.packb` and `unpackb`."""

    name = "msgpack"
    modules = ("msgpack", "pandas", "pyarrow")
    distributions = ("msgpack",)
    install = "pip install msgpack pandas pyarrow"
    note = (
        "msgpack.packb and unpackb (the C extension) of one message of columns, lists by ndarray.tolist(); back by "
        "numpy.fromiter, text by pyarrow, without the garbage collector."
    )
    notes: ClassVar = {"msgpack packed": PACKED}

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
    note = (
        "ormsgpack.packb with OPT_SERIALIZE_NUMPY, which takes arrays without lists, and unpackb; back by "
        "numpy.fromiter, text by pyarrow, without the garbage collector."
    )
    notes: ClassVar = {"msgpack packed": PACKED}
    arrays = True

    def pack(self, value: Any) -> bytes:
        import ormsgpack

        options = ormsgpack.OPT_SERIALIZE_NUMPY | ormsgpack.OPT_DATETIME_AS_TIMESTAMP_EXT
        return bytes(ormsgpack.packb(value, option=options))

    def unpack(self, buffer: Any) -> Any:
        import ormsgpack

        return ormsgpack.unpackb(buffer, option=ormsgpack.OPT_DATETIME_AS_TIMESTAMP_EXT)


class MsgSpec(MessagePack):
    """`msgspec.msgpack.encode` and `decode`. With codec ``typed`` by decoders of declared types.

    Of tables, ``typed=True`` decodes rows to a `Struct` with fields known in advance.
    """

    name = "msgspec"
    modules = ("msgspec", "pandas", "pyarrow")
    distributions = ("msgspec",)
    install = "pip install msgspec pandas pyarrow"
    formats: ClassVar = {"msgpack": ("none", "typed", "packed")}
    note = (
        "msgspec.msgpack.encode and decode of one message of columns, lists by ndarray.tolist(); back by "
        "numpy.fromiter, text by pyarrow, without the garbage collector."
    )
    notes: ClassVar = {"msgpack typed": TYPED, "msgpack packed": f"{PACKED} Read by a typed decoder."}
    panel = (("msgpack", "none"), ("msgpack", "typed"), ("msgpack", "packed"))

    def __init__(self) -> None:
        self._decoders: dict[tuple[str, int], Any] = {}

    def message(self, buffer: Any, cell: Cell) -> Any:
        """Decodes the description first, which chooses the decoder of the columns."""
        if cell.codec == "none":
            return self.unpack(buffer)
        outer = outer_decoder().decode(buffer)
        kinds = tuple((said["key"], kind_of(said)) for said in described(outer.about))
        return {"about": outer.about, "columns": decoder_of(kinds, packed(cell)).decode(outer.columns)}

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


@functools.cache
def outer_decoder() -> Any:
    """Returns the decoder of a message whose columns stay encoded."""
    import msgspec

    outer = msgspec.defstruct("Outer", [("about", dict[str, Any]), ("columns", msgspec.Raw)])
    return msgspec.msgpack.Decoder(outer)


@functools.cache
def decoder_of(kinds: tuple[tuple[str, Any], ...], packed: bool) -> Any:
    """Returns the decoder of columns, made once for each table."""
    import msgspec

    fields = {key: bytes if packed and kind in (int, float, bool) else list[kind] for key, kind in kinds}  # type: ignore[valid-type]
    return msgspec.msgpack.Decoder(TypedDict("Columns", fields))  # type: ignore[operator]


def described(about: About) -> Iterator[Mapping[str, Any]]:
    """Yields the description of every column, also those of the index."""
    yield from about["columns"]
    yield from about["index"].get("levels", ())


def kind_of(said: Mapping[str, Any]) -> Any:
    """Returns the Python type of a column's cells."""
    dtype = said["dtype"]
    if "categories" in said or dtype.startswith(("datetime64", "timedelta64")):
        return int
    if dtype == "str":
        return str | None
    dtype = said.get("numpy", dtype)
    return {"b": bool, "i": int, "u": int, "f": float}.get(np.dtype(dtype).kind, Any) if of_numpy(dtype) else Any
