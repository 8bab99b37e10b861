"""Colonnade for R, the package of this repository (``r/colonnade``)."""

from __future__ import annotations

from typing import ClassVar

from colonnade_bench.cell import Cell
from colonnade_bench.engines.ours import CHECKSUMS
from colonnade_bench.engines.r_base import REngine


class ColonnadeR(REngine):
    """Colonnade for R, the package of this repository. Its files and messages hold one table each."""

    name = "R colonnade"
    package = "colonnade"
    install = "make r-install"
    calls: ClassVar = {
        **{form: f'colonnade::write_frame(df, "data.{form}")' for form in ("npz", "arrow", "parquet", "csv", "json")},
        "msgpack": 'writeBin(colonnade::packMsg(df, as = "frame"), "data.msgpack")',
        "connection": 'colonnade::writeMsg(df, colonnade::cn_connect("tcp://127.0.0.1:5000"))',
    }
    note = "encode_frame and decode_frame at their defaults, one message a table; write_frame and read_frame on disk."
    notes: ClassVar = {
        "msgpack": "packMsg and unpackMsg with as='frame', one message a table; write_frame and read_frame on disk.",
        "msgpack values": "packMsg and unpackMsg of all tables as one value, writeMsg and readMsg over connections.",
        "connection": "writeMsg and readMsg over cn_connect and cn_listen, one Arrow stream a table.",
        "csv": "As the default row, with on_loss='ignore', plain CSV with no types.",
        "json": "As the default row, with schema='header', text with its types in front; tuned.",
    }
    formats: ClassVar = {
        "npz": ("none",),
        "arrow": ("none",),
        "parquet": ("default",),
        "msgpack": ("none",),
        "msgpack values": ("none",),
        "connection": ("none",),
        "csv": ("none",),
        "json": ("none",),
    }
    panel = (("npz", "none"), ("arrow", "none"), ("parquet", "default"), ("msgpack", "none"))
    streams = tuple(formats)
    security = "reading runs no code"

    def supports(self, cell: Cell) -> bool:
        # Its own connections carry plain TCP within one machine only.
        return super().supports(cell) and (cell.format != "connection" or cell.transport == "tcp")

    def security_of(self, format: str) -> str:
        return f"{self.security}; {CHECKSUMS.get(format, 'no checksum')}"
