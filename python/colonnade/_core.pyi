"""Stubs of the Rust core. All names here are private: users import only `colonnade`.

*Tagged JSON* is the text that `colonnade._values.tagged_labels` writes: plain JSON if JSON can hold the value, else a
one-key object such as ``{"$tuple": [...]}``.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypedDict

import numpy as np

# --------------------------------------------------------------------------- errors
class ColonnadeError(Exception):
    format: str | None
    member: str | None
    column: object
    offset: int | None
    line: int | None
    needed: int | None
    had: int | None
    @property
    def hint(self) -> str | None: ...

class DecodeError(ColonnadeError, ValueError): ...
class TruncatedError(DecodeError, EOFError): ...
class LimitError(ColonnadeError, ValueError): ...
class UnsupportedError(ColonnadeError, NotImplementedError): ...
class InputError(ColonnadeError, ValueError): ...
class EncodeError(ColonnadeError, TypeError): ...
class OptionError(ColonnadeError, ValueError): ...
class ColumnNotFound(ColonnadeError, KeyError): ...
class InternalError(ColonnadeError, RuntimeError): ...

def _panic_for_test(place: str) -> None:
    """Panics, for tests: while the interpreter lock is "held" or "released", or on another "thread"."""

# --------------------------------------------------------------------------- columns in Arrow's layout
class ArrowColumn:
    """One column in Arrow's layout: buffers, an Arrow type, and an optional library tag (tagged JSON text)."""

    @staticmethod
    def from_arrow(obj: object, tag: str | None = None) -> ArrowColumn:
        """Imports any object with ``__arrow_c_array__`` (one array, not chunked) without a copy."""
    @staticmethod
    def from_masked(
        values: np.ndarray, mask: np.ndarray | None = None, tag: str | None = None, timezone: str | None = None
    ) -> ArrowColumn:
        """A primitive column; `timezone` makes datetime64 values timestamps with that zone.

        values: 1-D bool, int, uint, float16/32/64, datetime64[s|ms|us|ns] or timedelta64, native order. mask: bool,
        True = null, or None. Contiguous values are not copied, and their bytes under the mask do not change. bool is
        packed to bits.
        """
    @staticmethod
    def from_objects(values: np.ndarray, kind: str, tag: str | None = None) -> ArrowColumn:
        """1-D object array whose cells are all `kind` ("str" | "bytes" | "bool") or None / NaN / pandas.NA (null).
        TypeError names the position and type of the first other cell. Lone surrogates raise an EncodeError with
        UnicodeEncodeError's text."""
    @staticmethod
    def from_cells(values: np.ndarray, tag: str | None = None) -> ArrowColumn:
        """1-D object array as large_binary, one MessagePack value per cell, None as null. Cells may be None, bool, int,
        float, complex, str, bytes, date, time, datetime, timedelta, Decimal, UUID, scalars of NumPy and pandas, and
        tuples, lists and dicts of these, nested 60 deep at most. Subclasses are not allowed. The default tag is
        ``{"cells":"msgpack","extensions":1}``. For any other value, EncodeError names the row and the place within the
        cell."""
    @staticmethod
    def from_fixed(values: np.ndarray, tag: str | None = None) -> ArrowColumn:
        """1-D array of any NumPy dtype without objects, as fixed_size_binary(itemsize), for dtypes that Arrow lacks."""
    @staticmethod
    def from_unicode(values: np.ndarray, tag: str | None = None) -> ArrowColumn:
        """1-D ``<U`` strings as large_utf8 (copied). EncodeError for invalid code points."""
    @staticmethod
    def dictionary(codes: np.ndarray, categories: ArrowColumn, ordered: bool, tag: str | None = None) -> ArrowColumn:
        """codes: 1-D int8..int64, not copied. A negative code is null."""
    @staticmethod
    def struct(children: Sequence[tuple[str, ArrowColumn]], tag: str | None = None) -> ArrowColumn:
        """A struct without nulls of its own (pandas intervals: left, right)."""
    def __len__(self) -> int: ...
    tag: str | None
    type: str  # "large_utf8", "int64", "timestamp[ns, UTC]", "dictionary<int8, large_utf8, ordered=false>"...
    null_count: int
    ordered: bool
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]: ...
    def __arrow_c_schema__(self) -> object: ...
    def arrow_storage(self) -> tuple[object, object]:
        """The capsules of ``__arrow_c_array__``, without extension types at any depth."""

    def values(self) -> np.ndarray:
        """Primitive types: the values as a 1-D NumPy array over the same memory (bool: unpacked copy; timestamps and
        durations as datetime64 / timedelta64 of their unit, zone dropped; date32 as datetime64[D]; fixed_size_binary as
        V); Null slots have arbitrary values. The array is writable if the column's frame is the only owner of its
        memory. TypeError for other types."""
    @staticmethod
    def block(columns: Sequence[ArrowColumn], dtype: np.dtype[Any]) -> np.ndarray:
        """Ints, uints, floats, naive timestamps or durations of one length as a writable array of shape (len(columns),
        nrows), column-major. `dtype` is the columns' own, or float64 for integers. Nulls become NaN or NaT."""
    def mask(self) -> np.ndarray | None:
        """1-D bool, True = null; None if the column has no nulls."""
    def objects(self) -> np.ndarray:
        """utf8 / binary / bool: a 1-D object array of str / bytes / bool, None for null."""
    def cells(self) -> np.ndarray:
        """binary, one MessagePack value per cell: a 1-D object array of None, bool, int, float, str, bytes, list, dict.
        Timestamps become aware datetimes in UTC if these hold them exactly, else numpy.datetime64. Other extensions
        become ``{"code": int, "data": bytes}``; if the tag has "extensions", they become the original objects of
        `from_cells`. None for null. DecodeError with row and byte for a malformed cell.
        """
    def unicode(self) -> np.ndarray:
        """utf8 without nulls: a `<U` array (EncodeError if a value ends in NUL, because `<U` cannot hold it)."""
    def codes(self) -> np.ndarray:
        """dictionary: 1-D int codes, -1 for null. Copied only if a code changes."""
    def categories(self) -> ArrowColumn: ...
    def child(self, name: str) -> ArrowColumn: ...
    def child_names(self) -> list[str]:
        """Names of a struct's children."""
    def slice(self, start: int, stop: int) -> ArrowColumn: ...
    def nbytes(self) -> int: ...
    def check_cost(self) -> None:
        """LimitError if a copy of each row's value would take far more memory than the shared buffers."""

def assemble_column(
    kind: str,
    nrows: int,
    buffers: Sequence[np.ndarray],
    children: Sequence[tuple[str, bool, ArrowColumn]] = (),
    size: int = 0,
    tag: str | None = None,
) -> ArrowColumn:
    """One level of a column without nulls: "null", "utf8", "large_utf8", "binary", "large_binary" (offsets, bytes),
    "list", "large_list" (offsets), "fixed_size_list" (`size`), "struct", "dense_union" (int8 tags, int32 offsets).

    children: name, nullability, column. 1-D buffers are not copied. All offsets, tags, UTF-8 and lengths of children
    are checked, with an EncodeError for invalid ones."""

def column_with_validity(column: ArrowColumn, bits: np.ndarray, tag: str | None = None) -> ArrowColumn:
    """The column with nulls where a bit is 0. bits: 1-D uint8, the least significant bit first, not copied. The column
    must have no nulls, and a type that allows nulls."""

def column_with_tag(column: ArrowColumn, tag: str | None) -> ArrowColumn:
    """The column with another tag."""

def null_column(column: ArrowColumn, nrows: int) -> ArrowColumn:
    """`nrows` nulls of the type and tag of a column."""

def column_parts(
    column: ArrowColumn,
) -> tuple[str, int, list[np.ndarray], np.ndarray | None, list[tuple[str, bool, list[tuple[str, str]], ArrowColumn]]]:
    """One level of a column: kind, size, buffers, validity (bits as in `column_with_validity`; None without nulls),
    children (name, nullability, metadata, column). Only a validity that begins inside a byte is copied.

    Kinds: those of `assemble_column`, "map" (offsets; one child, the entries), "list_view" (offsets, sizes),
    "fixed_size_binary" (bytes; `size`), "sparse_union" (tags), "dictionary" (see `codes`, `categories`), else the name
    of the type (see `values`). The last buffer of a union holds the ids of its children. Children of lists and dense
    unions are whole, all others are cut to the column's rows. Views of text and bytes become large_utf8,
    large_binary."""

# --------------------------------------------------------------------------- axes
class Axis:
    """The labels of the rows or of the columns."""

    @staticmethod
    def auto(start: int, stop: int, step: int, cls: str = "Index", name: str = "null", meta: str | None = None) -> Axis:
        """An automatic range. `name` is tagged JSON; `meta` is the adapter's own tagged JSON (stored verbatim)."""
    @staticmethod
    def levels(
        levels: Sequence[np.ndarray | ArrowColumn],
        classes: Sequence[str],
        cls: str = "Index",
        name: str = "null",
        meta: str | None = None,
    ) -> Axis:
        """1..n levels of equal length, full labels (not codes): 1-D NumPy arrays of any dtype but object, or
        ArrowColumn. `classes`: one class name for each level, by StaticFrame's name if it has one ("IndexDate"...)."""
    is_auto: bool
    range: tuple[int, int, int]
    depth: int
    cls: str
    classes: list[str]
    name: str
    meta: str | None
    def same(self, other: Axis) -> bool:
        """Whether labels (to the bit), their types, classes, name and meta are the same. Fast only for short axes."""
    def detached(self) -> Axis:
        """A copy that shares no memory, so it never changes and keeps no other object alive."""
    def __len__(self) -> int: ...
    def level(self, i: int, writable: bool = False) -> np.ndarray | ArrowColumn:
        """Labels of level i. NumPy arrays share memory with the file or buffer. They are read-only, unless `writable`
        is True and the frame is for one use."""

# --------------------------------------------------------------------------- frames
_Steps = Sequence[Sequence[int]]  # places within a column: for each, the child numbers on the path
_FieldPath = tuple[str, list[int], bool]  # path behind the label, numbers of the children, whether it is a leaf

class CoreFrame:
    """A frame: blocks and columns in memory (or over a memory map), and both axes."""

    nrows: int
    ncols: int
    index: Axis
    columns: Axis
    name: str  # tagged JSON
    attrs: str | None  # tagged JSON
    origin: str | None  # tagged JSON: the source library and class, e.g. {"library": "pandas"}
    nbytes: int
    @staticmethod
    def open_fd(
        fd: int,
        *,
        options: ReadOptions,
        head: bytes | None = None,
        progress: Progress | None = None,
        pandas: bool = False,
    ) -> CoreFrame:
        """Reads the only frame of a pipe, socket or device into new memory. `pandas`: as in `File.load`."""
    def check_ranges(self, first: int) -> None:
        """DecodeError, with column and row, for a decimal over its precision, a time outside a day, or a date64 that is
        not a whole day. `first` is the number of the first row."""
    def blocks(self, writable: bool = False) -> list[tuple[np.ndarray, np.ndarray]]:
        """NumPy blocks: (values of shape (width, nrows), positions int64 of shape (width,)). No copy; any strides.
        `writable`: arrays are writable only if this frame is the only owner of its memory (see
        File.load(private=True))."""
    def arrow_columns(self) -> list[tuple[int, ArrowColumn]]:
        """(position, column) of the columns outside blocks, by position."""
    def arrays(self) -> list[np.ndarray | ArrowColumn]:
        """Left to right, read-only: 1-D arrays (nrows,), 2-D arrays (nrows, width) for adjacent columns that are one
        packed array in memory, and ArrowColumns. Built in C speed: 10,000 arrays in about 1 ms."""
    def column(self, position: int) -> np.ndarray | ArrowColumn:
        """One column, read-only, without a copy."""
    def dtypes(self) -> list[str]:
        """One name for each column: NumPy descr ("<f8") for blocks, Arrow type name for other columns."""
    def select(self, positions: Sequence[int]) -> CoreFrame:
        """Columns by position, in that order; repeats allowed. No copy of data."""
    def leaf_paths(self, position: int, steps: _Steps | None = None) -> list[_FieldPath]:
        """As `File.leaf_paths`."""
    def leaf_dtype(self, position: int, steps: _Steps) -> str: ...
    def project_leaves(self, leaves: Mapping[int, _Steps] | None) -> CoreFrame:
        """Selects from these columns, by position, only the parts at these places, without a copy. ColumnNotFound for a
        column that is not nested."""
    def slice(self, start: int, stop: int) -> CoreFrame: ...
    def with_meta(self, name: str, attrs: str | None, origin: str | None) -> CoreFrame: ...
    def with_axes(self, index: Axis | None, columns: Axis | None) -> CoreFrame: ...

class FrameBuilder:
    def __init__(self, nrows: int, ncols: int) -> None: ...
    def add_block(self, values: np.ndarray, positions: Sequence[int] | np.ndarray) -> None:
        """values: shape (width, nrows), any strides, any dtype but object (structured refused). The array is not copied
        but kept alive. positions: the column position of each of its rows."""
    def add_arrays(self, arrays: Sequence[np.ndarray], start: int) -> int:
        """Arrays left to right from column `start`: 1-D (nrows,) or 2-D (nrows, width). Returns the next position."""
    def add_arrow(self, position: int, column: ArrowColumn) -> None: ...
    def finish(
        self, index: Axis, columns: Axis, name: str = "null", attrs: str | None = None, origin: str | None = None
    ) -> CoreFrame:
        """Builds the frame. The caller must have added every position exactly once, and all lengths must agree."""

# --------------------------------------------------------------------------- npz / npy
class Limits:
    """Limits on the sizes that a file or a message declares. They are checked before memory is allocated.

    A `LimitError` names the exceeded limit. None means the default.

    Parameters
    ----------
    max_nbytes : int, optional
        Decompressed bytes of everything, or bytes read from a stream. No other limit exceeds it. Default 2^46.
    max_members : int, optional
        Members of an archive. Default 2^24.
    max_member_nbytes : int, optional
        Decompressed bytes of one member. Default 2^46.
    max_columns : int, optional
        Columns of a frame. Default 2^24.
    max_unbacked_rows : int, optional
        Rows that no byte of the file represents. Default 2^28.
    max_unbacked_nbytes : int, optional
        Bytes that even the smallest input may become. Default 2^27 (128 MiB).
    max_expansion : int, optional
        Bytes that each byte of input may become, beyond 64 for each declared cell. Default 1,024.
    max_stream_nbytes : int, optional
        Bytes that are collected from a source without a known length: a pipe, a socket, a device, a line without an
        end. Default: half of the available memory.
    max_meta_nbytes : int, optional
        Bytes of Colonnade's metadata, as ``__meta__.json``. Default 2^30.
    max_depth : int, optional
        The depth of nested values. Default 64.

    Raises
    ------
    OptionError
        A value is outside its range.

    Examples
    --------
    >>> import colonnade as cn
    >>> cn.Limits(max_columns=1000).max_columns
    1000
    >>> cn.Limits().decoded_nbytes(1 << 20, 0) == 1 << 30
    True
    """

    def __init__(
        self,
        *,
        max_nbytes: int | None = None,
        max_members: int | None = None,
        max_member_nbytes: int | None = None,
        max_columns: int | None = None,
        max_unbacked_rows: int | None = None,
        max_unbacked_nbytes: int | None = None,
        max_expansion: int | None = None,
        max_stream_nbytes: int | None = None,
        max_meta_nbytes: int | None = None,
        max_depth: int | None = None,
    ) -> None: ...
    max_nbytes: int
    max_members: int
    max_member_nbytes: int
    max_columns: int
    max_unbacked_rows: int  # rows that take no bytes of the input
    max_unbacked_nbytes: int  # bytes that a decoder may write for input of any size
    max_expansion: int  # bytes that a decoder may write for each byte of input, beyond 64 for each declared cell
    max_stream_nbytes: int | None  # bytes of a source without a known length; None: half of the available memory
    max_meta_nbytes: int
    max_depth: int  # depth of nested values (msgpack)
    def decoded_nbytes(self, input: int, ncells: int) -> int:
        """Return the largest allowed decoded size, in bytes, for `input` bytes that declare `ncells` cells."""

class StreamLimit:
    """Counts the bytes that are read from one source without a known length."""

    def __init__(self, limits: Limits) -> None: ...
    def check(self, nbytes: int) -> None:
        """LimitError if `nbytes` bytes exceed the limit."""

Progress = Callable[[int, int | None], object]

class _Opened:
    """The members of every opened file. This base exists only in this stub: at run time the classes have no base."""

    kind: str  # "frame" (StaticFrame's member names in npz), "bundle"; npz: "savez", "npy", "zip" too
    layout: str
    nrows: int
    ncols: int
    index: Axis
    columns: Axis
    name: str
    attrs: str | None
    origin: str | None
    version: int | None  # of Colonnade's header; None in a foreign file
    file_nbytes: int
    nbytes: int  # decoded data and labels
    def dtypes(self) -> list[str]: ...
    def members(self) -> list[dict[str, Any]]: ...
    def load(
        self,
        positions: Sequence[int] | None = None,
        rows: tuple[int, int] | None = None,
        *,
        private: bool = False,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> CoreFrame:
        """Decodes the file. `private`: arrays are writable, in memory (or a copy-on-write map) that no other frame
        shares."""
    def verify(self, threads: int | None = None, progress: Progress | None = None) -> None: ...
    def array_names(self) -> list[str]: ...
    def labels(self) -> list[str]: ...  # kind "bundle"

class _OpenedBatches(_Opened):
    """A file that can also be loaded in Arrow's layout."""

    def load_arrow(
        self,
        positions: Sequence[int] | None = None,
        rows: tuple[int, int] | None = None,
        *,
        threads: int | None = None,
        progress: Progress | None = None,
        views: bool = False,
    ) -> list[CoreFrame]:
        """One frame for each record batch (at least one), with columns in Arrow's layout. Uncompressed data is not
        copied. `views`: text and bytes may be views, where this saves a copy."""

class _BatchReader:
    """A source that is read batch by batch. It holds only the current batch and the dictionaries in memory."""

    def schema(self) -> CoreFrame:
        """A frame without rows. It reads only as far as the schema."""
    def next_batch(self) -> CoreFrame | None:
        """The next batch, in its own memory; None after the last."""

class WriteOptions:
    """The base of each format's options for writing."""

    format: str

class Writer:
    """Writes any format chunk by chunk. The first chunk determines the schema."""

    nbatches: int
    nrows: int
    @staticmethod
    def to_path(path: str | bytes, options: WriteOptions) -> Writer:
        """Writes a temporary file in the directory of `path`, which `close` renames. UnsupportedError, here and below,
        for a format that is only written as a whole."""
    @staticmethod
    def to_fd(fd: int, options: WriteOptions) -> Writer: ...
    @staticmethod
    def to_sink(sink: BufferSink, options: WriteOptions) -> Writer: ...
    @staticmethod
    def to_callable(send: Callable[[memoryview], object], options: WriteOptions) -> Writer: ...
    @staticmethod
    def to_connection(connection: Connection, options: WriteOptions, timeout_s: float | None = None) -> Writer:
        """Writes one message. `abort` ends the sending side, so that the peer detects the incomplete message."""
    def write(self, frame: CoreFrame, progress: Progress | None = None) -> None:
        """EncodeError if columns, types or the index differ from the first chunk's. The message shows both."""
    def close(self) -> None:
        """Writes the end of the format, then renames the file. EncodeError if no chunk was written."""
    def abort(self) -> None:
        """Removes the temporary file. A stream gets no end mark. A sink is restored."""

class ReadOptions:
    """The base of each format's options for reading."""

    format: str
    limits: Limits
    threads: int

class NpzReadOptions(ReadOptions):
    def __init__(self, *, limits: Limits, threads: int | None = None, verify: bool = False) -> None:
        """`verify`, here and below: opening the source checks all of its data."""

class NpyReadOptions(ReadOptions):
    """Options for a single array, or a directory of members."""

    def __init__(self, *, limits: Limits, threads: int | None = None, verify: bool = False) -> None: ...

class ArrowReadOptions(ReadOptions):
    def __init__(
        self, *, limits: Limits, threads: int | None = None, verify: bool = False, allow_truncated: bool = False
    ) -> None: ...

class ArrowsReadOptions(ReadOptions):
    def __init__(
        self, *, limits: Limits, threads: int | None = None, verify: bool = False, allow_truncated: bool = False
    ) -> None: ...

class ParquetReadOptions(ReadOptions):
    def __init__(
        self,
        *,
        limits: Limits,
        threads: int | None = None,
        verify: bool = False,
        columns: list[str] | None = None,  # only these, by name or nested path; ColumnNotFound for a missing one
        categories: list[str] | None = None,
        filters: list[list[tuple[str, str, list[tuple[str, Any]]]]] | None = None,  # as `filter_values.terms` makes it
        use_statistics: bool = True,
        statistics_only: bool = False,
        int96_unit: str = "ns",
        footer_key: bytes | None = None,
        column_keys: list[tuple[str, bytes]] | None = None,
        aad_prefix: bytes | None = None,
    ) -> None: ...

class File(_OpenedBatches):
    """An opened file, directory, buffer or stream of any format, with a checked structure. The class of the options
    determines the format."""

    @staticmethod
    def open_path(path: str | bytes, *, mmap: bool, options: ReadOptions, progress: Progress | None = None) -> File:
        """`progress`, here and below: called for bytes that opening reads or decodes."""
    @staticmethod
    def open_buffer(buffer: object, *, options: ReadOptions, progress: Progress | None = None) -> File:
        """Any C-contiguous object with the buffer protocol. It is not copied but kept alive."""
    @staticmethod
    def open_fd(fd: int, *, options: ReadOptions, head: bytes | None = None, progress: Progress | None = None) -> File:
        """A pipe, socket or device, read to its end (a regular file from its current position; an Arrow stream to its
        end mark). `head`: bytes that were already read from `fd`, before the rest."""
    @staticmethod
    def open_http(file: HttpFile, *, options: ReadOptions, progress: Progress | None = None) -> File:
        """For formats that can be read in parts, this fetches the structure, and loading fetches the data. Without
        support for ranges, this fetches the whole file. `nbytes` counts the compressed size of bodies that were not
        fetched."""
    @staticmethod
    def open_store(file: StoreFile, *, options: ReadOptions, progress: Progress | None = None) -> File:
        """As `open_http`, for an object of a store."""
    format: str
    layout: (
        str  # npz, npy: "zip", "directory", "npy"; arrow "file"; arrows "stream"; parquet "row groups"; else the format
    )
    selects_leaves: bool  # whether `load` supports `leaves`
    holds_blocks: bool  # the file holds NumPy blocks, so `load_arrow` decodes as `load` does
    keeps_empty_batches: bool  # whether an empty batch is one that was written, rather than a filter's result
    def facts(self) -> dict[str, Any]:
        """Facts that only this format has. arrow, arrows: nbatches, codec ("lz4", "zstd", None), truncated (the end is
        missing, and `allow_truncated` accepts it), metadata_version (4, 5), big_endian. parquet: created_by,
        format_version, labels_are_names (each column's label is its name in the schema). msgpack: orient. Text: orient
        (of csv "csv", of ndjson "records"), packing ("gzip", "zstd", None), dropped (rows that on_error="skip"
        skipped), nulled (cells and rows that on_error="null" made null), dialect (csv: the detected dialect, as
        JSON)."""
    def members(self) -> list[dict[str, Any]]:
        """npz, npy: name, method ("stored" | "deflate" | "zstd"), transform (None | "shuffle"...), nbytes,
        compressed_nbytes, offset, crc32, descr, fortran_order, shape (None if the member is not an NPY file).

        arrow, arrows: one for each message: name ("schema", "dictionary 0", "batch 3"), method ("stored" | "lz4" |
        "zstd"), nbytes (of the body, decoded where known), compressed_nbytes (of the body), offset, nrows, crc32
        (None), descr (None), fortran_order (None), shape ((nrows, ncols) or None).

        parquet: one for each column chunk of all columns: name (with points), group, method ("stored" or the codec),
        physical, logical, encodings, nvalues, nbytes, compressed_nbytes, offset, statistics ({min, max, null_count} or
        None), page_index, bloom_filter, encrypted.

        msgpack: one for each column, or one for each frame of a bundle. text: one for the whole file. Keys as for npz,
        without filter."""
    def batches(self) -> list[dict[str, Any]]:
        """Each record batch or row group: nrows; for parquet also nbytes, compressed_nbytes and offset."""
    def batch_rows(self) -> list[int] | None:
        """Rows of each record batch or row group; None for a format without batches."""
    def batch(
        self,
        i: int,
        positions: Sequence[int] | None = None,
        threads: int | None = None,
        leaves: Mapping[int, _Steps] | None = None,
    ) -> CoreFrame:
        """Only batch or row group i, in Arrow's layout. IndexError past the end."""
    def leaf_paths(self, position: int, steps: _Steps | None = None) -> list[_FieldPath]:
        """The places within a column (or within its parts at `steps`), parents first; empty for a column that is not
        nested."""
    def leaf_dtype(self, position: int, steps: _Steps) -> str:
        """The type name of these parts of a column."""
    def load(
        self,
        positions: Sequence[int] | None = None,
        rows: tuple[int, int] | None = None,
        *,
        private: bool = False,
        pandas: bool = False,
        threads: int | None = None,
        progress: Progress | None = None,
        leaves: Mapping[int, _Steps] | None = None,
    ) -> CoreFrame:
        """As `_Opened.load`. `leaves`: selects from these columns, by position in the file, only the parts at these
        places. Columns of a NumPy dtype without nulls become blocks, one for each dtype and column-major (or views of a
        private map if the file allows it). Other columns become Arrow columns. `pandas`: numbers and times with nulls
        become blocks too, with NaN or NaT for null, if pandas' own readers do so."""
    def load_arrow(
        self,
        positions: Sequence[int] | None = None,
        rows: tuple[int, int] | None = None,
        *,
        threads: int | None = None,
        progress: Progress | None = None,
        leaves: Mapping[int, _Steps] | None = None,
        views: bool = False,
    ) -> list[CoreFrame]:
        """As `_OpenedBatches.load_arrow`."""
    def read_array(self, name: str) -> np.ndarray:
        """npz, npy: one of `array_names`, of any shape."""
    def open_label(self, label: str) -> File: ...

class Reader(_BatchReader):
    """A source of any format that is read while its bytes arrive."""

    format: str
    @staticmethod
    def open_path(path: str | bytes, *, options: ReadOptions, max_rows: int = 65_536) -> Reader:
        """`max_rows`, here and below: rows of a batch, if the source has no batches of its own."""
    @staticmethod
    def open_buffer(buffer: object, *, options: ReadOptions, max_rows: int = 65_536) -> Reader: ...
    @staticmethod
    def open_fd(fd: int, *, options: ReadOptions, max_rows: int = 65_536, head: bytes | None = None) -> Reader: ...
    @staticmethod
    def open_callable(
        read_into: Callable[[memoryview], int], *, options: ReadOptions, max_rows: int = 65_536
    ) -> Reader:
        """read_into fills the start of the view and returns the number of bytes; 0 is the end."""
    @staticmethod
    def open_http(file: HttpFile, *, options: ReadOptions, max_rows: int = 65_536) -> Reader: ...
    @staticmethod
    def open_store(file: StoreFile, *, options: ReadOptions, max_rows: int = 65_536) -> Reader: ...
    def facts(self) -> dict[str, Any]:
        """As `File.facts`, for the data received so far. csv, ndjson: dropped, nulled."""
    def next_batch(self) -> CoreFrame | None:
        """The next batch, in memory of its own; None after the last. TruncatedError (with the count of batches and rows
        received) if the format's end mark is missing, unless the options allow it."""

class _FormatSpec(TypedDict):
    """A format of the core's registry."""

    name: str
    suffixes: tuple[str, ...]
    magic: tuple[bytes, ...]
    incremental: bool
    chunks: bool
    bundle: bool
    messages: bool
    directory: bool
    ranged: bool
    projection: bool
    compressed: bool

def formats() -> list[_FormatSpec]:
    """The formats of this build."""

def is_series(buffer: object, options: ReadOptions) -> bool:
    """Whether the buffer holds more than one frame in sequence, which a `Reader` reads. False if the first value is not
    a frame."""

def is_series_path(path: str | bytes, options: ReadOptions, *, mmap: bool) -> bool: ...

class NpzWriteOptions(WriteOptions):
    def __init__(
        self,
        *,
        compression: str | dict[int, str | None] | None = None,  # None | "zstd" | "deflate", or {position: ...}
        transform: str | dict[int, str | None] | None = None,  # None | "auto" | "shuffle"..., or {position: ...}
        profile: str | None = None,  # None | "fast" | "balanced" | "small"
        level: int | None = None,
        compat: str | None = None,  # None | "static-frame"
        layout: str = "npz",  # of a bundle: "npz" (an outer ZIP of <label>.npz) or "npy" (<label>/<member>)
        outer: str | None = None,  # of a bundle's outer ZIP: None | "deflate"
        fsync: bool = False,
        threads: int | None = None,
    ) -> None: ...

class NpyWriteOptions(WriteOptions):
    def __init__(
        self,
        *,
        compat: str | None = None,  # None | "static-frame"; for directories
        fsync: bool = False,
    ) -> None: ...

class BufferSink:
    """A target in memory, which grows without copying and exposes the buffer protocol.

    `read` takes it as a source, without a copy. ``bytes(sink)`` copies its content, ``memoryview(sink)`` does not.
    While such a view exists, the sink cannot change: `write` and `clear` raise `BufferError`.

    Attributes
    ----------
    nbytes : int
        The number of bytes, as ``len(sink)``.

    Examples
    --------
    >>> import colonnade as cn, numpy as np
    >>> sink = cn.BufferSink()
    >>> cn.write({"a": np.arange(3)}, sink, format="npz")
    >>> cn.read(sink).shape, bytes(sink)[:2]
    ((3, 1), b'PK')
    """

    def __init__(self) -> None: ...
    nbytes: int
    def __len__(self) -> int: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def write(self, data: object) -> int:
        """Append bytes, and return their number."""
    def clear(self) -> None:
        """Remove all bytes. The memory is reused."""

# --------------------------------------------------------------------------- frames written, any format
def encode(frame: CoreFrame, options: WriteOptions, progress: Progress | None = None) -> bytes: ...
def losses(frame: CoreFrame, options: WriteOptions) -> list[tuple[str | None, str]]:
    """The losses of a file that these options write, when it is read with default options: each a column (None: the
    frame, or its labels) and a description."""

def write_path(frame: CoreFrame, path: str | bytes, options: WriteOptions, progress: Progress | None = None) -> None:
    """Writes a temporary file in the directory of `path`, and renames it when it is complete. A sidecar
    (FILE.schema.json of csv with schema="sidecar") is renamed first."""

def write_fd(frame: CoreFrame, fd: int, options: WriteOptions, progress: Progress | None = None) -> None: ...
def write_sink(frame: CoreFrame, sink: BufferSink, options: WriteOptions, progress: Progress | None = None) -> None: ...
def write_callable(
    frame: CoreFrame, send: Callable[[memoryview], object], options: WriteOptions, progress: Progress | None = None
) -> None: ...
def write_directory(
    frame: CoreFrame, path: str | bytes, options: WriteOptions, progress: Progress | None = None
) -> None:
    """Writes a directory of files, and renames it when it is complete. UnsupportedError for a format without
    directories."""

def write_bundle_path(
    frames: Sequence[tuple[str, CoreFrame]],
    path: str | bytes,
    options: WriteOptions,
    progress: Progress | None = None,
) -> None:
    """Writes frames under labels. UnsupportedError for a format whose files hold one frame."""

def encode_bundle(
    frames: Sequence[tuple[str, CoreFrame]], options: WriteOptions, progress: Progress | None = None
) -> bytes: ...

# --------------------------------------------------------------------------- arrow / arrows
def import_arrow(obj: object) -> list[CoreFrame]:
    """Imports an object with ``__arrow_c_stream__`` (a whole table or reader) or ``__arrow_c_array__`` (one batch of
    structs): one frame for each record batch, with Arrow columns over the producer's own memory, without a copy. There
    is at least one frame: a stream without batches gives one without rows. Schema metadata, field metadata and
    nullability are kept (see `schema_of`). A `colonnade` key is applied (axes, names, dtypes, attrs), and so is a
    `pandas` key (index levels). A column with a name (a Series) is a frame of one column. TypeError for an object or
    stream of another kind; DecodeError for broken buffers."""

class ArrowStream(_BatchReader):
    """Reads the batches of a foreign stream one at a time. `import_arrow` reads them all."""

    @staticmethod
    def open(obj: object) -> ArrowStream: ...
    def next_batch(self) -> CoreFrame | None:
        """The next batch; None after the last. An automatic index continues from batch to batch."""

def import_arrow_schema(obj: object) -> CoreFrame:
    """Imports an object with ``__arrow_c_schema__`` (a struct type or schema) as a frame without rows."""

def export_arrow_stream(frames: Sequence[CoreFrame], metadata: bool = True, storage: Sequence[int] = ()) -> object:
    """An ``arrow_array_stream`` capsule: one record batch for each frame (all of one schema; the DecodeError for
    different schemas shows both). Arrow columns and packed native columns are not copied; bools become bits; NaT
    becomes null. Fields: data columns, then one for each stored index level. Schema metadata: `colonnade` and `pandas`,
    as in files. `metadata=False` exports no schema metadata, and text and bytes as views, built on all cores, for a
    library that ignores the metadata and holds views. `storage`: positions of the fields that are exported without
    their extension types. A non-nullable field that holds a null becomes nullable. NUL in a name becomes its symbol,
    U+2400."""

def export_arrow_schema(frame: CoreFrame) -> object:
    """An ``arrow_schema`` capsule with the schema of `export_arrow_stream`."""

def arrow_extensions(frame: CoreFrame) -> list[int]:
    """Positions of the fields (columns, then levels of row labels) that may have an extension type, at the top or
    nested."""

def matching_rows(
    frame: CoreFrame,
    filters: list[list[tuple[str, str, list[tuple[str, Any]]]]],
    places: Sequence[int],
    threads: int | None = None,
) -> np.ndarray:
    """The positions, int64, of the rows that pass `filters`, made by `_frame.filter_values.terms`. `places`: of each
    of their columns, in order of first use, the position among the columns and then the levels of row labels."""

def keep_rows(
    frame: CoreFrame,
    positions: np.ndarray,
    index: Axis | None = None,
    *,
    private: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
) -> CoreFrame:
    """The rows at `positions`, int64 and ascending. Adjacent rows are not copied. Labels 0, 1, 2... are counted anew.
    `index`: other labels for the rows that are kept. `private`: copied arrays are writable."""

def concat_frames(frames: Sequence[CoreFrame], alone: bool = False) -> CoreFrame:
    """Rows of all frames, one after the other: one block for each dtype, Arrow columns joined (dictionaries merged).
    Several frames are copied; a single frame is returned unchanged. `alone`: the result is for one use, so its memory
    may be written to. Automatic indices that continue or begin again stay automatic. If columns or index classes
    differ, the DecodeError shows both."""

class ArrowWriteOptions(WriteOptions):
    def __init__(
        self,
        *,
        compression: str | None = None,  # None | "lz4" | "zstd"
        level: int | None = None,
        batch_nbytes: int | None = None,  # None: the format's default
        fsync: bool = False,
        threads: int | None = None,
        nrows: int | None = None,  # rows of all chunks together, where known
    ) -> None: ...

class ArrowsWriteOptions(WriteOptions):
    def __init__(
        self,
        *,
        compression: str | None = None,  # None | "lz4" | "zstd"
        level: int | None = None,
        batch_nbytes: int | None = None,  # None: the format's default
        fsync: bool = False,
        threads: int | None = None,
        nrows: int | None = None,  # rows of all chunks together, where known
    ) -> None: ...

class ParquetWriteOptions(WriteOptions):
    def __init__(
        self,
        *,
        compression: str | None = "auto",  # None | "auto" | "snappy" | "gzip" | "brotli" | "lz4" | "zstd"
        level: int | None = None,
        encoding: str | dict[str, str] | None = None,  # one for all columns that support it, or by column name
        use_dictionary: bool | list[str] | None = None,
        profile: str | None = None,  # "fast" | "balanced" | "small"
        row_group_rows: int | None = None,
        page_nbytes: int | None = None,
        data_page_version: int = 1,
        statistics: bool = True,
        page_index: bool = True,
        crc: bool = True,
        fsync: bool = False,
        threads: int | None = None,
        nrows: int | None = None,  # rows of all chunks together, where known
    ) -> None: ...

# --------------------------------------------------------------------------- msgpack
class MsgpackReadOptions(ReadOptions):
    def __init__(
        self,
        *,
        limits: Limits,
        threads: int | None = None,
        verify: bool = False,
        orient: str | None = None,  # "columns" | "records" | "split"; None: detected
        ext: str = "error",  # | "bytes": a struct of code and data
        invalid_utf8: str = "error",  # | "bytes": the column is bytes
    ) -> None: ...

class MsgpackWriteOptions(WriteOptions):
    def __init__(
        self,
        *,
        orient: str = "columns",  # | "records" | "split"
        header: bool = True,
        numbers: str = "plain",  # | "packed"
        compatible: bool = False,
        fsync: bool = False,
        threads: int | None = None,
    ) -> None: ...

# --------------------------------------------------------------------------- text: csv, json, ndjson, yaml
# Opening decodes text. Bytes with gzip's or zstd's magic number are decompressed first, up to the limits.
class CsvReadOptions(ReadOptions):
    def __init__(
        self,
        *,
        limits: Limits,
        threads: int | None = None,
        verify: bool = False,
        delimiter: str | None = None,  # None: detected
        quotechar: str | None = '"',
        escapechar: str | None = None,
        doublequote: bool = True,
        comment: str | None = None,
        decimal: str = ".",
        thousands: str | None = None,
        na_values: Sequence[str] = (),
        keep_default_na: bool = True,
        header_rows: int = 1,
        index_columns: Sequence[int] | Sequence[str] | None = None,
        skip_rows: int = 0,
        encoding: str = "utf-8",  # "utf-8" | "utf-16" | "utf-16-le" | "utf-16-be" | "latin-1"
        dtypes: Sequence[tuple[str, str]] = (),  # column name, dtype text
        every_dtype: str | None = None,  # of all columns that `dtypes` does not name
        dates: bool | Sequence[str] = True,
        date_format: str = "iso",
        on_error: str = "raise",  # | "null" | "skip"
        big_ints: str = "text",  # | "decimal" | "error"
        schema: str | None = None,  # "header" | "sidecar" | "ignore"; None: the schema that the file has
        sidecar: bytes | None = None,  # the sidecar, for a file that is not opened by path
    ) -> None:
        """For a path, the sidecar FILE.schema.json in the same directory is read, unless `schema` says otherwise.
        `verify` has no effect for text formats, because opening decodes all data."""

class JsonReadOptions(ReadOptions):
    def __init__(
        self,
        *,
        limits: Limits,
        threads: int | None = None,
        verify: bool = False,
        orient: str | None = None,  # "columns" | "index" | "records" | "split" | "values" | "table"
        allow_nonfinite: bool = False,
        big_ints: str = "error",  # | "decimal"
        dates: bool = True,
        encoding: str = "utf-8",
    ) -> None: ...

class NdjsonReadOptions(ReadOptions):
    def __init__(
        self,
        *,
        limits: Limits,
        threads: int | None = None,
        verify: bool = False,
        allow_nonfinite: bool = False,
        big_ints: str = "error",
        dates: bool = True,
        encoding: str = "utf-8",
    ) -> None: ...

class YamlReadOptions(ReadOptions):
    def __init__(
        self,
        *,
        limits: Limits,
        threads: int | None = None,
        verify: bool = False,
        orient: str | None = None,
        dates: bool = True,
        encoding: str = "utf-8",
    ) -> None: ...

class CsvWriteOptions(WriteOptions):
    def __init__(
        self,
        *,
        delimiter: str = ",",
        header: bool = True,  # whether to write a row of column names
        index: bool | None = None,  # None: only row labels that are not automatic
        quoting: str = "minimal",  # | "all" | "nonnumeric"
        quotechar: str = '"',
        lineterminator: str = "\n",  # | "\r\n"
        na_rep: str = "",
        decimal: str = ".",
        encoding: str = "utf-8",  # | "utf-8-sig" | "utf-16" | "latin-1"
        schema: str | None = None,  # | "header" | "sidecar"
        packing: str | None = None,  # | "gzip" | "zstd"
        level: int | None = None,
        fsync: bool = False,
        threads: int | None = None,
    ) -> None: ...

class JsonWriteOptions(WriteOptions):
    def __init__(
        self,
        *,
        orient: str = "columns",  # | "index" | "records" | "split" | "values" | "table"
        header: bool = True,
        nonfinite: str = "null",  # | "literal" | "error"; header=False only
        indent: int | None = None,
        packing: str | None = None,
        level: int | None = None,
        fsync: bool = False,
        threads: int | None = None,
    ) -> None: ...

class NdjsonWriteOptions(WriteOptions):
    def __init__(
        self,
        *,
        header: bool = True,
        nonfinite: str = "null",
        packing: str | None = None,
        level: int | None = None,
        fsync: bool = False,
        threads: int | None = None,
    ) -> None: ...

class YamlWriteOptions(WriteOptions):
    def __init__(
        self,
        *,
        orient: str = "records",  # | "columns"
        header: bool = True,
        packing: str | None = None,
        level: int | None = None,
        fsync: bool = False,
        threads: int | None = None,
    ) -> None: ...

# --------------------------------------------------------------------------- connections
class ConnectOptions:
    """Options of a connection or listener. The constructor validates them (OptionError)."""

    def __init__(
        self,
        *,
        limits: Limits,
        timeout_s: float | None = None,  # for connecting, and for each call without its own
        threads: int | None = None,
        certificate: str | None = None,  # PEM paths
        key: str | None = None,
        authorities: str | None = None,  # PEM of the peer's authorities; None, to connect: the system's
        token: bytes | None = None,  # 16 to 4096 bytes
        server_name: str | None = None,  # for connecting: the name in the certificate; None: the URL's host
        handshake_timeout_s: float = 10.0,
        max_peers: int = 64,
    ) -> None: ...

class Connection:
    """Messages over a channel. One thread may send while another receives. A frame is a plain Arrow stream, from schema
    to end mark. Opaque bytes have an envelope of 16 bytes (see crates/colonnade/src/message). Every error names the
    peer and the number of the message. A timeout (TimeoutError) of receiving loses nothing: the next call continues. A
    timeout of sending breaks the sending side if part of the message was sent."""

    @staticmethod
    def dial(url: str, options: ConnectOptions) -> Connection:
        """tcp://host:port, tls://host:port, unix:/path."""
    @staticmethod
    def over_fd(receive_fd: int | None, send_fd: int | None, peer: str, options: ConnectOptions) -> Connection:
        """Pipes, sockets, files: the connection duplicates the descriptors, and the caller still owns its own. A socket
        is both."""
    @staticmethod
    def over_callables(
        read_into: Callable[[memoryview], int] | None,
        write: Callable[[memoryview], object] | None,
        peer: str,
        options: ConnectOptions,
    ) -> Connection:
        """Any Python file object. There are no timeouts: a call waits as long as the object's methods do."""
    @staticmethod
    def over_buffer(data: object, peer: str, options: ConnectOptions, piece: int | None = None) -> Connection:
        """Messages in memory. At most `piece` bytes are read at once."""
    def send(
        self,
        frame: CoreFrame,
        options: WriteOptions,
        timeout_s: float | None = None,
        progress: Progress | None = None,
    ) -> None:
        """Sends one frame as one message. OptionError for a format whose messages have no end. If timeout_s is None,
        the connection's timeout applies."""
    def send_bytes(self, data: object, timeout_s: float | None = None) -> None: ...
    def receive(
        self,
        timeout_s: float | None = None,
        progress: Progress | None = None,
        private: bool = False,
        pandas: bool = False,
    ) -> CoreFrame | File | bytes | None:
        """The next whole message: a frame, bytes, or None at the end of input. Text without a declared number of rows,
        and several frames by name, come as an opened file. TruncatedError if the input ends inside a message."""
    def poll(self, timeout_s: float | None = 0.0) -> bool:
        """Reads the available bytes. True if `receive` would not wait: a whole message, the end of input, or an
        error."""
    def next_kind(self) -> str | None:
        """ "frame" or "bytes": the kind of the message that has begun or is complete; None if there is none."""
    def batches(self, timeout_s: float | None = None) -> ConnectionReader:
        """Reads the next message batch by batch. A message of bytes is a DecodeError. The connection returns no other
        message until this one is read to its end."""
    def partial(self) -> bytes:
        """The received bytes of an incomplete piece (prefix, header, record batch, opaque bytes)."""
    def status(self) -> str | BaseException:
        """One of "ok" (a whole message or no bytes are buffered), "waiting" (part of a message is buffered) and "end of
        input", or the error that broke the connection."""
    def finish(self) -> None:
        """Ends sending. Receiving continues."""
    def close(self) -> None: ...
    def fileno(self) -> int:
        """The descriptor to poll for receiving. ValueError if there is none, or after close."""
    peer: str
    closed: bool
    has_pending: bool  # whether bytes of a whole or incomplete message were already read from the descriptor
    messages_sent: int
    messages_received: int
    nbytes_sent: int
    nbytes_received: int

class ConnectionReader(_BatchReader):
    """As Reader, over one message of a connection. EOFError after the last message."""

    nrows: int | None  # as the writer declared it; known with the schema

class Listener:
    """Accepts peers. TCP on loopback needs no authentication. Other addresses need tls:// with client certificates or a
    token."""

    @staticmethod
    def bind(url: str, options: ConnectOptions) -> Listener:
        """tcp://host:port (port 0: any free one), tls://host:port, unix:/path (mode 0600; a stale socket file is
        replaced, a live one is an error). OSError, with the address, for a port in use or a path that is too long."""
    def accept(self, timeout_s: float | None = None) -> tuple[Connection | None, list[tuple[str, str]]]:
        """The next authenticated peer, and the peers refused since the last call, with the reason. None on timeout, and
        after a second in which a peer was refused: call it again for the remaining time. At most 64 handshakes run
        concurrently, each for at most handshake_timeout_s (wall-clock time, between calls too). While other peers wait,
        a handshake keeps its place for a quarter of a second. The listener refuses peers beyond max_peers open
        connections."""
    def close(self) -> None:
        """Closes the listener and removes its socket file."""
    def fileno(self) -> int: ...
    url: str  # with the actual port
    closed: bool

# --------------------------------------------------------------------------- http
class HttpFile:
    """A file at http(s)://. It fetches only the needed ranges if the server supports ranges, else the whole file."""

    @staticmethod
    def open(url: str, *, timeout_s: float | None = None, headers: Sequence[tuple[str, str]] | None = None) -> HttpFile:
        """One request, for the first 64 KiB; redirects are followed. timeout_s limits connecting, the response, and the
        time between its pieces; None means 30."""
    def head(self, nbytes: int) -> bytes:
        """The first bytes, as far as the first response has them: at least 64 if the file is that long."""
    url: str  # after redirects, without user and password
    nbytes: int | None  # None if the server does not declare it
    ranged: bool
    fetched_nbytes: int

class StoreFile:
    """An object of a store. `fetch(ranges)` iterates over ``(offset, bytes)`` of the pieces of the ranges, which are
    sorted and disjoint, and over None while it waits. `read_into()` returns a function that fills a view with the next
    bytes of the object."""

    def __init__(
        self,
        name: str,
        nbytes: int,
        head: object,
        fetch: Callable[[list[tuple[int, int]]], Iterable[tuple[int, object] | None]],
        read_into: Callable[[], Callable[[memoryview], int]],
    ) -> None: ...
    nbytes: int

# --------------------------------------------------------------------------- memory
def release_memory() -> int:
    """Returns the recycled memory to the system, and returns the number of released bytes."""

def keep_memory(nbytes: int) -> int:
    """Sets the most bytes that wait to be recycled, and returns the limit before."""

__version__: str
