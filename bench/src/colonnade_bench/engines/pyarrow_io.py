"""pyarrow's Arrow files and streams, and Parquet, from and to pandas. Parquet also from and to pyarrow's Table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from colonnade_bench.cell import Cell
from colonnade_bench.engines.base import Engine
from colonnade_bench.engines.leaves import field_of_items
from colonnade_bench.engines.parquet_io import arrow_types, some


class PyArrow(Engine):
    """`pa.ipc.new_file` / `new_stream` and `pa.ipc.open_file` / `open_stream`, with `Table.to_pandas`.

    Parquet uses `pq.write_table` and `pq.read_table`, with the number of ``threads`` of the cell.
    """

    name = "pyarrow"
    modules = ("pyarrow", "pandas")
    distributions = ("pyarrow",)
    install = "pip install pyarrow pandas"
    calls: ClassVar = {
        "arrow": 'with pa.ipc.new_file("data.arrow", table.schema, options=pa.ipc.IpcWriteOptions('
        "compression={codec|None})) as file: file.write_table(table)",
        "arrows": 'with pa.ipc.new_stream("data.arrows", table.schema, options=pa.ipc.IpcWriteOptions('
        "compression={codec|None})) as stream: stream.write_table(table)",
        "parquet": 'pq.write_table(table, "data.parquet", compression={codec|"none"})',
    }
    formats: ClassVar = {
        "arrow": ("none", "lz4", "zstd"),
        "arrows": ("none", "lz4", "zstd"),
        "parquet": ("snappy", "zstd", "none", "lz4"),
    }
    given = ("arrows",)
    libraries = ("pandas", "pyarrow")
    security = "reading runs no code; no checksum"
    note = (
        "pa.Table.from_pandas, pa.ipc.new_file or new_stream (a codec by IpcWriteOptions), and open_file of a memory "
        "map or open_stream, with Table.to_pandas. Streams go over socket.makefile or a buffered pipe, which was 15 % "
        "faster than an adapter of the raw descriptor; pa.OSFile refuses pipes."
    )
    notes: ClassVar = {
        "parquet": "pa.Table.from_pandas, pq.write_table and pq.read_table with Table.to_pandas, at the defaults.",
        "parquet zstd": 'As the default row, with compression="zstd"; tuned for size.',
    }
    panel = (
        ("arrow", "none"), ("arrow", "zstd"), ("arrows", "none"), ("arrows", "lz4"), ("arrows", "zstd"),
        ("parquet", "snappy"), ("parquet", "zstd"),
    )  # fmt: skip
    panel_libraries = ("pandas", "pyarrow")
    streams = ("arrows",)

    def supports(self, cell: Cell) -> bool:
        return cell.library == "pandas" or cell.format != "arrows"

    def write(self, data: Any, path: Any, cell: Cell) -> None:
        import pyarrow as pa

        with pa.OSFile(str(path), "wb") as sink:
            self._write(data, sink, cell)

    def read(self, path: Any, cell: Cell) -> Any:
        import pyarrow as pa

        if cell.format == "parquet":
            return self.decode(str(path), cell)
        # pyarrow's documentation recommends memory maps for reading files.
        with pa.memory_map(str(path)) as source:
            return self.decode(source, cell)

    def encode(self, data: Any, cell: Cell) -> Any:
        import pyarrow as pa

        sink = pa.BufferOutputStream()
        self._write(data, sink, cell)
        return sink.getvalue()

    def decode(self, buffer: Any, cell: Cell) -> Any:
        import pyarrow as pa
        import pyarrow.parquet as pq

        if cell.format == "parquet":
            threads = cell.option.get("threads")
            if threads is not None:
                pa.set_cpu_count(threads)
            source = buffer if isinstance(buffer, str) else pa.BufferReader(buffer)
            table = pq.read_table(source, columns=some(cell), use_threads=threads != 1)
        else:
            opened = pa.ipc.open_stream(buffer) if cell.format == "arrows" else pa.ipc.open_file(buffer)
            table = opened.read_all()
        return table if cell.library == "pyarrow" else table.to_pandas(types_mapper=arrow_types(cell))

    def write_stream(self, data: Any, stream: Any, cell: Cell) -> None:
        self._write(data, stream, cell)

    def read_stream(self, stream: Any, cell: Cell) -> Any:
        return self.decode(stream, cell)

    def by_column(self, path: Any, cell: Cell, names: Sequence[str]) -> Iterator[Any]:
        import pyarrow as pa
        import pyarrow.parquet as pq

        if cell.format == "parquet":
            with pq.ParquetFile(path) as file:
                for name in names:
                    yield file.read(columns=[name]).column(0)
            return
        with pa.memory_map(str(path)) as source:
            schema = pa.ipc.open_file(source).schema
            for name in names:
                options = pa.ipc.IpcReadOptions(included_fields=[schema.get_field_index(name)])
                yield pa.ipc.open_file(source, options=options).read_all().column(0)

    def part(self, path: Any, cell: Cell, *, column: str | None = None, rows: slice | None = None) -> Any:
        import pyarrow as pa
        import pyarrow.parquet as pq

        if cell.format == "arrows" or (cell.format == "parquet" and rows is not None):
            raise NotImplementedError
        if cell.format == "parquet":
            return self._given(pq.read_table(path, columns=[column]), cell)
        with pa.memory_map(str(path)) as source:
            options = pa.ipc.IpcReadOptions()
            if column is not None:
                place = pa.ipc.open_file(source).schema.get_field_index(column)
                options = pa.ipc.IpcReadOptions(included_fields=[place])
            table = pa.ipc.open_file(source, options=options).read_all()
            return self._given(table if rows is None else table.slice(rows.start, rows.stop - rows.start), cell)

    def first_chunk(self, path: Any, cell: Cell) -> Any:
        import pyarrow as pa
        import pyarrow.parquet as pq

        if cell.format == "parquet":
            with pq.ParquetFile(path) as file:
                return self._given(pa.Table.from_batches([next(file.iter_batches())]), cell)
        with pa.memory_map(str(path)) as source:
            if cell.format == "arrows":
                batch = pa.ipc.open_stream(source).read_next_batch()
            else:
                batch = pa.ipc.open_file(source).get_batch(0)
            return self._given(pa.Table.from_batches([batch]), cell)

    def leaf(self, path: Any, cell: Cell, leaf: tuple[str, str]) -> Any:
        import pyarrow.parquet as pq

        column, field = leaf
        if cell.format == "parquet":
            with pq.ParquetFile(path) as file:
                table = file.read(columns=[f"{column}.list.element.{field}"])
            return field_of_items(table.column(0), field)
        (whole,) = self.by_column(path, cell, [column])
        return field_of_items(whole, field)

    def forget(self) -> None:
        import pyarrow as pa

        pa.default_memory_pool().release_unused()

    @staticmethod
    def _given(table: Any, cell: Cell) -> Any:
        return table if cell.library == "pyarrow" else table.to_pandas()

    @staticmethod
    def _write(data: Any, sink: Any, cell: Cell) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        table = data if cell.library == "pyarrow" else pa.Table.from_pandas(data)
        if cell.format == "parquet":
            pq.write_table(table, sink, compression=cell.codec)
            return
        options = pa.ipc.IpcWriteOptions(compression=None if cell.codec == "none" else cell.codec)
        make = pa.ipc.new_stream if cell.format == "arrows" else pa.ipc.new_file
        with make(sink, table.schema, options=options) as writer:
            writer.write_table(table)
