"""ORC files for Colonnade, through pyarrow. The specification is https://orc.apache.org/specification/ORCv1/.

Timestamps come back in nanoseconds, the only unit of ORC, and in UTC. Types that ORC lacks are refused by column.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

import colonnade as cn
from colonnade.plugins import ByteSource, FormatOptions, FormatPlugin, option

CODECS = ("uncompressed", "snappy", "zlib", "lz4", "zstd")


@dataclass(frozen=True, kw_only=True)
class OrcOptions(FormatOptions, format="orc"):
    """Options of ORC.

    Parameters
    ----------
    compression : {"uncompressed", "snappy", "zlib", "lz4", "zstd"}
        Writing. None is ``"uncompressed"``.
    stripe_nbytes : int
        Writing. Bytes of a stripe in memory, about.
    """

    compression: str | None = option("zstd", side="write")
    stripe_nbytes: int = option(64 << 20, side="write")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.compression not in (None, *CODECS):
            raise ValueError(f"compression: expected {', '.join(CODECS)} or None, found {self.compression!r}.")
        if not isinstance(self.stripe_nbytes, int) or self.stripe_nbytes < 1024:
            raise ValueError(f"stripe_nbytes: expected a whole number of at least 1024, found {self.stripe_nbytes!r}.")


class OrcFormat(FormatPlugin):
    """ORC: columns, stripe by stripe."""

    name = "orc"
    suffixes = (".orc",)
    magic = (b"ORC",)
    options = OrcOptions
    capabilities = ("read", "write", "read_chunks", "open_writer", "columns")

    def read(self, source: ByteSource, options: OrcOptions, columns: list[str] | None) -> Any:
        """All stripes, or these columns of them."""
        return _opened(source).read(columns)

    def read_chunks(self, source: ByteSource, options: OrcOptions) -> Iterator[Any]:
        """A stripe at a time."""
        file = _opened(source)
        if not file.nstripes:
            yield file.schema.empty_table()
        for stripe in range(file.nstripes):
            yield file.read_stripe(stripe)

    def write(self, frame: cn.Frame, file: BinaryIO, options: OrcOptions) -> None:
        """Write all rows."""
        writer = self.open_writer(file, options)
        writer.write(frame)
        writer.close()

    def open_writer(self, file: BinaryIO, options: OrcOptions) -> "OrcWriter":
        """Write chunk by chunk; stripes are cut by their size, not by the chunks."""
        return OrcWriter(file, options)


class OrcWriter:
    """Writes the tables of one file."""

    def __init__(self, file: BinaryIO, options: OrcOptions) -> None:
        from pyarrow import orc

        codec = options.compression or "uncompressed"
        self._writer = orc.ORCWriter(file, compression=codec, stripe_size=options.stripe_nbytes)

    def write(self, frame: cn.Frame) -> None:
        """Append the rows of a frame."""
        self._writer.write(_plain(frame.to_arrow()))

    def close(self) -> None:
        """Write the footer."""
        self._writer.close()


def _opened(source: ByteSource) -> Any:
    import pyarrow as pa
    from pyarrow import orc

    # A buffer over the mapped file: pyarrow copies only what it decodes.
    return orc.ORCFile(pa.BufferReader(pa.py_buffer(source.buffer())))


def _plain(table: Any) -> Any:
    """The table in types of ORC, with pandas' metadata only: Colonnade's own promises types that ORC does not keep."""
    import pyarrow as pa

    columns = [_storable(column, field) for column, field in zip(table.columns, table.schema, strict=True)]
    kept = {key: value for key, value in (table.schema.metadata or {}).items() if key == b"pandas"}
    return pa.table(columns, names=table.schema.names).replace_schema_metadata(kept)


def _storable(column: Any, field: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_timestamp(field.type):
        return column.cast(pa.timestamp("ns", field.type.tz))  # pyarrow would write years that it cannot read
    if pa.types.is_string_view(field.type):
        return column.cast(pa.large_string())
    if pa.types.is_date64(field.type) or (pa.types.is_fixed_size_list(field.type) and field.metadata):
        raise TypeError(f"ORC has no type for {field.type} {field.metadata or ''}")  # the latter is complex numbers
    return column
