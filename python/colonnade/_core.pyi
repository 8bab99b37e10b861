"""Stubs of the Rust core. Everything here is private to the package: users see `colonnade` alone.

Text called *tagged JSON* is the form that `colonnade._values.tagged_labels` writes: plain JSON where JSON can hold the
value, a one-key object such as ``{"$tuple": [...]}`` where it cannot.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypedDict

import numpy as np

# --------------------------------------------------------------------------- errors
class ColonnadeError(Exception): ...
class DecodeError(ColonnadeError, ValueError): ...
class TruncatedError(DecodeError, EOFError): ...
class LimitError(ColonnadeError, ValueError): ...
class UnsupportedError(ColonnadeError, NotImplementedError): ...
class EncodeError(ColonnadeError, TypeError): ...
class OptionError(ColonnadeError, ValueError): ...
class ColumnNotFound(ColonnadeError, KeyError): ...
class InternalError(ColonnadeError, RuntimeError): ...

def _panic_for_test(place: str) -> None:
    """Panic, for tests: where the interpreter lock is "held", "released", or on another "thread"."""

# --------------------------------------------------------------------------- columns in Arrow's layout
class ArrowColumn:
    """One column in Arrow's layout: buffers, an Arrow type, and an optional library tag (tagged JSON text)."""

    @staticmethod
    def from_arrow(obj: object, tag: str | None = None) -> ArrowColumn:
        """Import anything with ``__arrow_c_array__`` (one array, not chunked). No copy."""
    @staticmethod
    def from_masked(
        values: np.ndarray, mask: np.ndarray | None = None, tag: str | None = None, timezone: str | None = None
    ) -> ArrowColumn:
        """A primitive column; `timezone` makes datetime64 values timestamps with that zone.

        values: 1-D bool, int, uint, float16/32/64, datetime64[s|ms|us|ns] or timedelta64, native order. mask: bool,
        True = null, or None. Values are not copied where they are contiguous (bool is packed to bits; bytes under the
        mask are kept as they are where the type is not bool).
        """
    @staticmethod
    def from_objects(values: np.ndarray, kind: str, tag: str | None = None) -> ArrowColumn:
        """1-D object array whose cells are all `kind` ("str" | "bytes" | "bool") or None / NaN / pandas.NA (null).
        Raises TypeError naming the first other position and its type; UnicodeEncodeError text for lone surrogates
        is raised as EncodeError."""
    @staticmethod
    def from_cells(values: np.ndarray, tag: str | None = None) -> ArrowColumn:
        """1-D object array as large_binary, one MessagePack value a cell, None as null: None, bool, int, float,
        complex, str, bytes, date, time, datetime, timedelta, Decimal, UUID, scalars of NumPy and pandas, and tuples,
        lists and dicts of these, 60 in each other at most, each of exactly its class. The tag, unless another is given,
        is ``{"cells":"msgpack","extensions":1}``. EncodeError with row and place within the cell for anything else."""
    @staticmethod
    def from_fixed(values: np.ndarray, tag: str | None = None) -> ArrowColumn:
        """1-D array of any NumPy dtype without objects, as fixed_size_binary(itemsize): for what Arrow cannot name."""
    @staticmethod
    def from_unicode(values: np.ndarray, tag: str | None = None) -> ArrowColumn:
        """1-D ``<U`` strings as large_utf8 (copied). EncodeError for code points that Unicode does not know."""
    @staticmethod
    def dictionary(codes: np.ndarray, categories: ArrowColumn, ordered: bool, tag: str | None = None) -> ArrowColumn:
        """codes: 1-D int8..int64; a negative code is null. Codes are not copied."""
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
        """The capsules of ``__arrow_c_array__`` without extension types, of any field within."""

    def values(self) -> np.ndarray:
        """Primitive types: the values as a 1-D NumPy array over the same memory (bool: unpacked copy; timestamps and
        durations as datetime64 / timedelta64 of their unit, zone dropped; date32 as datetime64[D]; fixed_size_binary
        as V); null slots hold whatever stands there. Writable where a frame that owns its memory alone gave the column.
        TypeError for other types."""
    @staticmethod
    def block(columns: Sequence[ArrowColumn], dtype: np.dtype[Any]) -> np.ndarray:
        """Ints, uints, floats, naive timestamps or durations of one length as a writable array of shape
        (len(columns), nrows), column-major, of `dtype`: their own, or float64 for integers; NaN or NaT where null."""
    def mask(self) -> np.ndarray | None:
        """1-D bool, True = null; None where nothing is null."""
    def objects(self) -> np.ndarray:
        """utf8 / binary / bool: a 1-D object array of str / bytes / bool, None where null."""
    def cells(self) -> np.ndarray:
        """binary, one MessagePack value a cell: a 1-D object array of None, bool, int, float, str, bytes, list, dict;
        timestamps aware datetimes in UTC where those hold them, else numpy.datetime64; other extensions
        ``{"code": int, "data": bytes}``, or, where the tag has "extensions", the objects that `from_cells` was given.
        None where null. DecodeError with row and byte where a cell is no such value.
        """
    def unicode(self) -> np.ndarray:
        """utf8 without nulls: a `<U` array (raises EncodeError where a value ends in NUL: `<U` cannot hold it)."""
    def codes(self) -> np.ndarray:
        """dictionary: 1-D int codes, null slots -1. Not copied where nothing needs to change."""
    def categories(self) -> ArrowColumn: ...
    def child(self, name: str) -> ArrowColumn: ...
    def child_names(self) -> list[str]:
        """Names of a struct's children."""
    def slice(self, start: int, stop: int) -> ArrowColumn: ...
    def nbytes(self) -> int: ...
    def check_cost(self) -> None:
        """LimitError where values take far more than their buffers once each row has its own."""

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

    children: name, whether it may have nulls, column. 1-D buffers are not copied. EncodeError where offsets, tags,
    UTF-8 or the lengths of children are not right: all are checked."""

def column_with_validity(column: ArrowColumn, bits: np.ndarray, tag: str | None = None) -> ArrowColumn:
    """The column, null where a bit is 0. bits: 1-D uint8, the least significant bit first, not copied. For a column
    that has no nulls and can have some."""

def column_with_tag(column: ArrowColumn, tag: str | None) -> ArrowColumn:
    """The column with another tag."""

def column_parts(
    column: ArrowColumn,
) -> tuple[str, int, list[np.ndarray], np.ndarray | None, list[tuple[str, bool, list[tuple[str, str]], ArrowColumn]]]:
    """One level of a column: kind, size, buffers, validity (bits as in `column_with_validity`; None without nulls),
    children (name, whether it may have nulls, metadata, column). Nothing is copied, but validities that begin within a
    byte.

    Kinds: those of `assemble_column`, "map" (offsets; one child, the entries), "list_view" (offsets, sizes),
    "fixed_size_binary" (bytes; `size`), "sparse_union" (tags), "dictionary" (see `codes`, `categories`), else the name
    of the type (see `values`). Unions have the ids of their children as last buffer. Children of lists and dense unions
    come whole, all others cut to the column's rows. Views of text and bytes come as large_utf8, large_binary."""

# --------------------------------------------------------------------------- axes
class Axis:
    """Labels of one side."""

    @staticmethod
    def auto(start: int, stop: int, step: int, cls: str = "Index", name: str = "null", meta: str | None = None) -> Axis:
        """An automatic range. `name` is tagged JSON; `meta` is the adapter's own tagged JSON (kept verbatim)."""
    @staticmethod
    def levels(
        levels: Sequence[np.ndarray | ArrowColumn],
        classes: Sequence[str],
        cls: str = "Index",
        name: str = "null",
        meta: str | None = None,
    ) -> Axis:
        """1..n levels of equal length, full labels (not codes): 1-D NumPy arrays of any dtype but object, or
        ArrowColumn. `classes`: one class name a level, in StaticFrame's words where it has one ("IndexDate"...)."""
    is_auto: bool
    range: tuple[int, int, int]
    depth: int
    cls: str
    classes: list[str]
    name: str
    meta: str | None
    def same(self, other: Axis) -> bool:
        """Whether labels (to the bit), their types, classes, name and meta are the same. Made for short axes."""
    def detached(self) -> Axis:
        """A copy that shares no memory: nothing changes it, and it keeps nothing else alive."""
    def __len__(self) -> int: ...
    def level(self, i: int, writable: bool = False) -> np.ndarray | ArrowColumn:
        """Labels of level i. NumPy arrays share memory with the file or buffer (read-only; where
        `writable`, not so if they are of a frame for one use)."""

# --------------------------------------------------------------------------- frames
_Steps = Sequence[Sequence[int]]  # places within a column: for each the numbers of the children that lead there
_Spot = tuple[str, list[int], bool]  # path behind the label, numbers of the children, whether nothing stands below

class CoreFrame:
    """A materialised frame: blocks and columns in memory (or over a map), both axes."""

    nrows: int
    ncols: int
    index: Axis
    columns: Axis
    name: str  # tagged JSON
    attrs: str | None  # tagged JSON
    origin: str | None  # tagged JSON: which library and class it came from, e.g. {"library": "pandas"}
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
        """The one frame of a pipe, socket or device, as `File.open_fd`, in memory that no other frame sees.
        `pandas`: as `File.load`."""
    def check_ranges(self, first: int) -> None:
        """DecodeError for a decimal over its precision, a time of no day, a date64 of no whole day, by column and row;
        `first` is the number of the first row."""
    def blocks(self, writable: bool = False) -> list[tuple[np.ndarray, np.ndarray]]:
        """NumPy blocks: (values of shape (width, nrows), positions int64 of shape (width,)). No copy; any strides.
        `writable` arrays exist only where this frame owns its memory alone (see File.load(private=True))."""
    def arrow_columns(self) -> list[tuple[int, ArrowColumn]]:
        """(position, column) of the columns outside blocks, by position."""
    def arrays(self) -> list[np.ndarray | ArrowColumn]:
        """Left to right, read-only: 1-D arrays (nrows,), 2-D arrays (nrows, width) where adjacent columns are one
        packed array in memory, and ArrowColumns. Built in C speed: 10,000 arrays in about 1 ms."""
    def column(self, position: int) -> np.ndarray | ArrowColumn:
        """One column, read-only, no copy."""
    def dtypes(self) -> list[str]:
        """One name a column: NumPy descr ("<f8") for blocks, Arrow type name for the rest."""
    def select(self, positions: Sequence[int]) -> CoreFrame:
        """Columns by position, in that order; repeats allowed. No copy of data."""
    def leaf_paths(self, position: int, steps: _Steps | None = None) -> list[_Spot]:
        """As `File.leaf_paths`."""
    def leaf_dtype(self, position: int, steps: _Steps) -> str: ...
    def kept(self, leaves: Mapping[int, _Steps] | None) -> CoreFrame:
        """Of these columns, by position, the parts at these places alone. No copy. ColumnNotFound for a position that
        holds nothing nested."""
    def slice(self, start: int, stop: int) -> CoreFrame: ...
    def with_meta(self, name: str, attrs: str | None, origin: str | None) -> CoreFrame: ...
    def with_axes(self, index: Axis | None, columns: Axis | None) -> CoreFrame: ...

class FrameBuilder:
    def __init__(self, nrows: int, ncols: int) -> None: ...
    def add_block(self, values: np.ndarray, positions: Sequence[int] | np.ndarray) -> None:
        """values: shape (width, nrows), any strides, any dtype but object (structured refused). Not copied: the array
        is kept alive. positions: where its rows stand among the columns."""
    def add_arrays(self, arrays: Sequence[np.ndarray], start: int) -> int:
        """Arrays left to right from column `start`: 1-D (nrows,) or 2-D (nrows, width). Returns the next position."""
    def add_arrow(self, position: int, column: ArrowColumn) -> None: ...
    def finish(
        self, index: Axis, columns: Axis, name: str = "null", attrs: str | None = None, origin: str | None = None
    ) -> CoreFrame:
        """Every position must have been given exactly once; lengths must agree."""

# --------------------------------------------------------------------------- npz / npy
class Limits:
    """Caps on what a file may ask for, all in bytes or counts; checked before anything is allocated."""

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
    max_unbacked_rows: int  # rows that no byte of the input stands for
    max_unbacked_nbytes: int  # bytes that a decoder may write however small its input is
    max_expansion: int  # bytes that a decoder may write for each byte of input, beyond 64 for each declared cell
    max_stream_nbytes: int | None  # bytes of a source without a known length; None: half of the available memory
    max_meta_nbytes: int
    max_depth: int  # how deep values may nest (msgpack)
    def decoded_nbytes(self, input: int, ncells: int) -> int:
        """The most bytes that `input` bytes which declare `ncells` cells may become."""

class StreamLimit:
    """Counts what is collected from one source without a known length."""

    def __init__(self, limits: Limits) -> None: ...
    def check(self, nbytes: int) -> None:
        """LimitError where so many bytes may not be held."""

Progress = Callable[[int, int | None], object]

class _Opened:
    """What every opened file has. A name of this stub alone: at run time the classes have no base."""

    kind: str  # "frame" (StaticFrame's member names in npz), "bundle"; npz: "savez", "npy", "zip" too
    layout: str
    nrows: int
    ncols: int
    index: Axis
    columns: Axis
    name: str
    attrs: str | None
    origin: str | None
    version: int | None  # of our own header; None in a foreign file
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
        """Decode. `private`: arrays are writable, over memory (or a copy-on-write map) that no other frame sees."""
    def verify(self, threads: int | None = None, progress: Progress | None = None) -> None: ...
    def array_names(self) -> list[str]: ...
    def labels(self) -> list[str]: ...  # kind "bundle"

class _OpenedBatches(_Opened):
    """A file that can be given in Arrow's layout too."""

    def load_arrow(
        self,
        positions: Sequence[int] | None = None,
        rows: tuple[int, int] | None = None,
        *,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> list[CoreFrame]:
        """One frame a record batch (at least one), every column in Arrow's layout, not copied where not compressed."""

class _BatchReader:
    """What is read batch by batch: nothing but the current batch (and the dictionaries) is held."""

    def schema(self) -> CoreFrame:
        """A frame of no rows; reads as far as it must to know."""
    def next_batch(self) -> CoreFrame | None:
        """The next batch, in memory of its own; None after the last."""

class WriteOptions:
    """How frames are written: what the options of every format have in common."""

    format: str

class Writer:
    """Any format that is written chunk by chunk. The schema is that of the first chunk."""

    nbatches: int
    nrows: int
    @staticmethod
    def to_path(path: str | bytes, options: WriteOptions) -> Writer:
        """A temporary file beside `path`, renamed by `close`. UnsupportedError, here and below: a format that is
        written whole."""
    @staticmethod
    def to_fd(fd: int, options: WriteOptions) -> Writer: ...
    @staticmethod
    def to_sink(sink: BufferSink, options: WriteOptions) -> Writer: ...
    @staticmethod
    def to_callable(send: Callable[[memoryview], object], options: WriteOptions) -> Writer: ...
    def write(self, frame: CoreFrame, progress: Progress | None = None) -> None:
        """EncodeError that shows both where the columns, their types or the index differ from the first chunk's."""
    def close(self) -> None:
        """The end of the format, then the file takes its name. A writer without a chunk: EncodeError."""
    def abort(self) -> None:
        """Nothing of the file stays; of a stream, no end mark is written. A sink is as it was before."""

class ReadOptions:
    """The base of each format's options of reading."""

    format: str
    limits: Limits
    threads: int

class NpzReadOptions(ReadOptions):
    def __init__(self, *, limits: Limits, threads: int | None = None, verify: bool = False) -> None:
        """`verify`, here and below: everything is checked when the source is opened."""

class NpyReadOptions(ReadOptions):
    """Of a lone array, or a directory of members."""

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
        columns: list[str] | None = None,  # these alone, by name or nested path; ColumnNotFound where one is not there
        categories: list[str] | None = None,
        filter: list[list[tuple[str, str, list[tuple[str, Any]]]]] | None = None,  # as `_filter_values.terms` makes it
        use_statistics: bool = True,
        footer_key: bytes | None = None,
        column_keys: list[tuple[str, bytes]] | None = None,
        aad_prefix: bytes | None = None,
    ) -> None: ...

class File(_OpenedBatches):
    """An opened file, directory, buffer or stream of any format: its structure is checked and described. The class of
    the options says the format."""

    @staticmethod
    def open_path(path: str | bytes, *, mmap: bool, options: ReadOptions, progress: Progress | None = None) -> File:
        """`progress`, here and below: told of what is read or decoded at opening; of most files nothing."""
    @staticmethod
    def open_buffer(buffer: object, *, options: ReadOptions, progress: Progress | None = None) -> File:
        """Any C-contiguous object with the buffer protocol; kept alive, not copied."""
    @staticmethod
    def open_fd(fd: int, *, options: ReadOptions, head: bytes | None = None, progress: Progress | None = None) -> File:
        """A pipe, socket or device, read to its end (a regular file: from its current position; a stream of Arrow's: to
        its end mark). `head`: bytes already taken from `fd`, which come before the rest."""
    @staticmethod
    def open_http(file: HttpFile, *, options: ReadOptions, progress: Progress | None = None) -> File:
        """Of formats that can be read in parts, the structure is fetched now and data when it is loaded; all of it
        where there are no ranges. Compressed bodies that were not fetched count in `nbytes` as they lie."""
    format: str
    layout: (
        str  # npz, npy: "zip", "directory", "npy"; arrow "file"; arrows "stream"; parquet "row groups"; else the format
    )
    selects_leaves: bool  # `leaves` of `load` is heeded
    holds_blocks: bool  # NumPy's blocks, whatever layout is wanted: `load_arrow` is no other way than `load`
    keeps_empty_batches: bool  # a batch of no rows was written so; else a filter left nothing of it
    def facts(self) -> dict[str, Any]:
        """What only this format has. arrow, arrows: nbatches, codec ("lz4", "zstd", None), truncated (the end was
        missing, which `allow_truncated` takes), metadata_version (4, 5), big_endian. parquet: created_by,
        format_version, labels_are_names (each column's label is its name in the schema). msgpack: orient. Text: orient
        (of csv "csv", of ndjson "records"), packing ("gzip", "zstd", None), dropped (rows skipped as on_error="skip"
        says), nulled (cells and rows made null as on_error="null" says), dialect (of csv what was told by the look, as
        JSON)."""
    def members(self) -> list[dict[str, Any]]:
        """npz, npy: name, method ("stored" | "deflate" | "zstd"), filter (None | "shuffle"...), nbytes,
        compressed_nbytes, offset, crc32, descr, fortran_order, shape (None where the member is no NPY).

        arrow, arrows: one a message: name ("schema", "dictionary 0", "batch 3"), method ("stored" | "lz4" | "zstd"),
        nbytes (of the body, decoded where known), compressed_nbytes (of the body), offset, nrows, crc32 (None), descr
        (None), fortran_order (None), shape ((nrows, ncols) or None).

        parquet: one a column chunk, of all columns: name (with points), group, method ("stored" or the codec),
        physical, logical, encodings, nvalues, nbytes, compressed_nbytes, offset, statistics ({min, max, null_count} or
        None), page_index, bloom_filter, encrypted.

        msgpack: one a column, or one a frame of a bundle; text: one, all of it. As of npz, without a filter."""
    def batches(self) -> list[dict[str, Any]]:
        """Each record batch or row group: nrows; of parquet nbytes, compressed_nbytes and offset too."""
    def batch_rows(self) -> list[int] | None:
        """Rows of each record batch or row group; None where there are no batches."""
    def batch(
        self,
        i: int,
        positions: Sequence[int] | None = None,
        threads: int | None = None,
        leaves: Mapping[int, _Steps] | None = None,
    ) -> CoreFrame:
        """Batch or row group i alone, Arrow's layout. IndexError past the end."""
    def leaf_paths(self, position: int, steps: _Steps | None = None) -> list[_Spot]:
        """The places within a column (or within its parts at `steps`), parents first; none where it is not nested."""
    def leaf_dtype(self, position: int, steps: _Steps) -> str:
        """The name of the type that these parts of a column have."""
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
        """As of `_Opened`. `leaves`: of these columns, by position in the file, the parts at these places alone.
        Columns without nulls of a NumPy dtype come as blocks, one a dtype and column-major (or views of a private map
        where the file allows it); the rest as Arrow columns. `pandas`: so do numbers and times with nulls, NaN or NaT
        for null, where pandas' own readers give them so."""
    def load_arrow(
        self,
        positions: Sequence[int] | None = None,
        rows: tuple[int, int] | None = None,
        *,
        threads: int | None = None,
        progress: Progress | None = None,
        leaves: Mapping[int, _Steps] | None = None,
    ) -> list[CoreFrame]:
        """As of `_OpenedBatches`."""
    def read_array(self, name: str) -> np.ndarray:
        """npz, npy: one of `array_names`, of any shape."""
    def open_label(self, label: str) -> File: ...

class Reader(_BatchReader):
    """A source of any format that is read while it comes in."""

    format: str
    @staticmethod
    def open_path(path: str | bytes, *, options: ReadOptions, max_rows: int = 65_536) -> Reader:
        """`max_rows`, here and below: rows of a batch, where the source has none of its own."""
    @staticmethod
    def open_buffer(buffer: object, *, options: ReadOptions, max_rows: int = 65_536) -> Reader: ...
    @staticmethod
    def open_fd(fd: int, *, options: ReadOptions, max_rows: int = 65_536, head: bytes | None = None) -> Reader: ...
    @staticmethod
    def open_callable(
        read_into: Callable[[memoryview], int], *, options: ReadOptions, max_rows: int = 65_536
    ) -> Reader:
        """read_into fills the front of the view and answers how many bytes; 0 is the end."""
    @staticmethod
    def open_http(file: HttpFile, *, options: ReadOptions, max_rows: int = 65_536) -> Reader: ...
    def facts(self) -> dict[str, Any]:
        """As of `File`, of what has come so far: csv, ndjson: dropped, nulled."""
    def next_batch(self) -> CoreFrame | None:
        """The next batch, in memory of its own; None after the last. TruncatedError (with the count of batches and rows
        received) where the format's end mark is missing, unless the options allow it."""

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
    """Whether more than one frame is stored there, one behind the other, which a `Reader` reads. False too where the
    first is none."""

def is_series_path(path: str | bytes, options: ReadOptions, *, mmap: bool) -> bool: ...

class NpzWriteOptions(WriteOptions):
    def __init__(
        self,
        *,
        compression: str | dict[int, str | None] | None = None,  # None | "zstd" | "deflate", or {position: ...}
        filter: str | dict[int, str | None] | None = None,  # None | "auto" | "shuffle"..., or {position: ...}
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
        compat: str | None = None,  # None | "static-frame"; of directories
        fsync: bool = False,
    ) -> None: ...

class BufferSink:
    """Memory that grows without copying and exposes the buffer protocol."""

    def __init__(self) -> None: ...
    nbytes: int
    def __len__(self) -> int: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def write(self, data: object) -> int:
        """Append bytes; answers how many."""
    def clear(self) -> None: ...

# --------------------------------------------------------------------------- frames written, any format
def encode(frame: CoreFrame, options: WriteOptions, progress: Progress | None = None) -> bytes: ...
def write_path(frame: CoreFrame, path: str | bytes, options: WriteOptions, progress: Progress | None = None) -> None:
    """A temporary file beside `path`, renamed when it is whole. A file that belongs next to it (of csv with
    schema="sidecar": FILE.schema.json) takes its name first."""

def write_fd(frame: CoreFrame, fd: int, options: WriteOptions, progress: Progress | None = None) -> None: ...
def write_sink(frame: CoreFrame, sink: BufferSink, options: WriteOptions, progress: Progress | None = None) -> None: ...
def write_callable(
    frame: CoreFrame, send: Callable[[memoryview], object], options: WriteOptions, progress: Progress | None = None
) -> None: ...
def write_directory(
    frame: CoreFrame, path: str | bytes, options: WriteOptions, progress: Progress | None = None
) -> None:
    """The files of a directory, which takes its name when it is whole. UnsupportedError: the format has none."""

def write_bundle_path(
    frames: Sequence[tuple[str, CoreFrame]],
    path: str | bytes,
    options: WriteOptions,
    progress: Progress | None = None,
) -> None:
    """Frames under labels. UnsupportedError: a file of the format holds one frame."""

def encode_bundle(
    frames: Sequence[tuple[str, CoreFrame]], options: WriteOptions, progress: Progress | None = None
) -> bytes: ...

# --------------------------------------------------------------------------- arrow / arrows
def import_arrow(obj: object) -> list[CoreFrame]:
    """Anything with ``__arrow_c_stream__`` (a whole table or reader) or ``__arrow_c_array__`` (one batch of structs):
    one frame a record batch, Arrow columns over the producer's own memory, nothing copied. At least one frame: a stream
    without batches gives one of no rows. Schema metadata and field metadata, nullability too, are kept (see
    `schema_of`): a `colonnade` key is taken up (axes, names, dtypes, attrs), a `pandas` key too (index levels).
    A column with a name (a Series) is a frame of one column.
    TypeError for an object of another kind or a stream of neither; DecodeError for broken buffers."""

class ArrowStream(_BatchReader):
    """The batches of a foreign stream one at a time; as `import_arrow`, which takes them all."""

    @staticmethod
    def open(obj: object) -> ArrowStream: ...
    def next_batch(self) -> CoreFrame | None:
        """The next batch; an automatic index goes on from batch to batch. None after the last."""

def import_arrow_schema(obj: object) -> CoreFrame:
    """Anything with ``__arrow_c_schema__`` (a struct type or schema): a frame of no rows."""

def export_arrow_stream(frames: Sequence[CoreFrame], metadata: bool = True, storage: Sequence[int] = ()) -> object:
    """An ``arrow_array_stream`` capsule: one record batch a frame (all of one schema; DecodeError that shows both where
    they differ). Arrow columns and packed native columns are not copied; bools become bits; NaT becomes null. Fields:
    data columns, then one a stored index level; schema metadata `colonnade` and `pandas` as in files (`metadata=False`:
    without, for a library that does not look at it and keeps text and bytes as views: these are then made here, on all
    cores). `storage`: positions of the fields that are handed over without their extension types. A field that says
    that it is never null, and holds a null, becomes nullable; NUL in a name becomes its symbol, U+2400."""

def export_arrow_schema(frame: CoreFrame) -> object:
    """An ``arrow_schema`` capsule of the same."""

def arrow_extensions(frame: CoreFrame) -> list[int]:
    """Positions of the fields (columns, then levels of row labels) that may have an extension type, themselves or
    within."""

def concat_frames(frames: Sequence[CoreFrame], alone: bool = False) -> CoreFrame:
    """Rows of all frames, one after the other: one block a dtype, Arrow columns joined (dictionaries merged). Copies.
    One frame is answered as it is. `alone`: for one use, so that its memory may be written to. Automatic indices that
    continue or begin again stay automatic. DecodeError where columns or index classes differ: shows both."""

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
        encoding: str | dict[str, str] | None = None,  # one for the columns that can have it, or some by name
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
        orient: str | None = None,  # "columns" | "records" | "split"; None: told by the look
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
# Text is decoded when it is opened. Bytes that begin as gzip's or zstd's are unpacked first, up to the limits.
class CsvReadOptions(ReadOptions):
    def __init__(
        self,
        *,
        limits: Limits,
        threads: int | None = None,
        verify: bool = False,
        delimiter: str | None = None,  # None: told by the look
        quotechar: str | None = '"',
        escapechar: str | None = None,
        doublequote: bool = True,
        comment: str | None = None,
        decimal: str = ".",
        thousands: str | None = None,
        na_values: Sequence[str] = (),
        keep_default_na: bool = True,
        header_rows: int = 1,
        index_columns: int | Sequence[str] | None = None,
        skip_rows: int = 0,
        encoding: str = "utf-8",  # "utf-8" | "utf-16" | "utf-16-le" | "utf-16-be" | "latin-1"
        dtypes: Sequence[tuple[str, str]] = (),  # names of columns, dtype text
        dates: bool | Sequence[str] = False,
        date_format: str = "iso",
        on_error: str = "raise",  # | "null" | "skip"
        big_ints: str = "text",  # | "decimal" | "error"
        schema: str | None = None,  # "header" | "sidecar" | "ignore"; None: what is there
        sidecar: bytes | None = None,  # what stands beside a file that is not opened by its path
    ) -> None:
        """Of a path FILE.schema.json beside it is taken up, unless `schema` says otherwise. `verify`, here and of the
        other text formats: opening decodes everything anyway."""

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
        encoding: str = "utf-8",
    ) -> None: ...

class CsvWriteOptions(WriteOptions):
    def __init__(
        self,
        *,
        delimiter: str = ",",
        header: bool = True,  # the row of column names
        index: bool | None = None,  # None: row labels that are not automatic
        quoting: str = "minimal",  # | "all" | "nonnumeric"
        quotechar: str = '"',
        lineterminator: str = "\n",  # | "\r\n"
        na_rep: str = "",
        decimal: str = ".",
        encoding: str = "utf-8",  # | "utf-8-sig" | "utf-16" | "latin-1"
        schema: str | None = None,  # | "header" | "sidecar"
        lossy: bool = False,
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
    """What a connection or listener is told; checked when made (OptionError)."""

    def __init__(
        self,
        *,
        limits: Limits,
        timeout_s: float | None = None,  # of connecting, and of each call that names none
        threads: int | None = None,
        certificate: str | None = None,  # PEM paths
        key: str | None = None,
        authorities: str | None = None,  # PEM of who may sign the peer's certificate; None: the system's, to connect
        token: bytes | None = None,  # 16 to 4096 bytes
        server_name: str | None = None,  # connecting: the name in the certificate; None: the host of the URL
        handshake_timeout_s: float = 10.0,
        max_peers: int = 64,
    ) -> None: ...

class Connection:
    """Messages over a channel. One thread may send while another receives. A frame is an Arrow stream as it is, from
    schema to end mark; opaque bytes have an envelope of 16 bytes (see crates/colonnade/src/message). Every error names
    peer and number of the message. A timeout (TimeoutError) of receiving loses nothing: the next call goes on; one of
    sending breaks the sending side if part of the message is gone."""

    @staticmethod
    def dial(url: str, options: ConnectOptions) -> Connection:
        """tcp://host:port, tls://host:port, unix:/path."""
    @staticmethod
    def over_fd(receive_fd: int | None, send_fd: int | None, peer: str, options: ConnectOptions) -> Connection:
        """Pipes, sockets, files: the descriptors are duplicated, the caller's stay the caller's. A socket is both."""
    @staticmethod
    def over_callables(
        read_into: Callable[[memoryview], int] | None,
        write: Callable[[memoryview], object] | None,
        peer: str,
        options: ConnectOptions,
    ) -> Connection:
        """Any Python file object: no timeouts, it waits as long as the object's own methods do."""
    @staticmethod
    def over_buffer(data: object, peer: str, options: ConnectOptions, piece: int | None = None) -> Connection:
        """Messages that lie in memory already; at most `piece` bytes are taken at once."""
    def send(
        self,
        frame: CoreFrame,
        options: WriteOptions,
        timeout_s: float | None = None,
        progress: Progress | None = None,
    ) -> None:
        """One frame as one message. OptionError: a format whose messages say no end. It names the connection's timeout
        where timeout_s is None."""
    def send_bytes(self, data: object, timeout_s: float | None = None) -> None: ...
    def receive(
        self,
        timeout_s: float | None = None,
        progress: Progress | None = None,
        private: bool = False,
        pandas: bool = False,
    ) -> CoreFrame | File | bytes | None:
        """The next message whole: a frame (an opened file where it is text whose sender did not say how many rows come,
        or several frames by name), bytes, or None at the end of input. TruncatedError where the input ends inside a
        message."""
    def poll(self, timeout_s: float | None = 0.0) -> bool:
        """Take what is there; True once `receive` would not wait: a whole message, the end of input, or an error."""
    def next_kind(self) -> str | None:
        """ "frame" or "bytes": the message that has begun or is waiting; None where none has."""
    def batches(self, timeout_s: float | None = None) -> ConnectionReader:
        """The next message batch by batch; a message of bytes is a DecodeError. Until it is read to its end the
        connection gives no other message."""
    def writer(self, options: WriteOptions, timeout_s: float | None = None) -> Writer:
        """One message written chunk by chunk; `abort` ends the sending side, so that the peer sees it broke off."""
    def partial(self) -> bytes:
        """What has come of a piece (prefix, header, record batch, opaque bytes) that is not whole yet."""
    def status(self) -> str | BaseException:
        """One of "ok" (a message, or nothing, is waiting), "waiting" (part of one has come) and "end of input", or the
        error that broke the connection."""
    def finish(self) -> None:
        """Nothing more will be sent; receiving goes on."""
    def close(self) -> None: ...
    def fileno(self) -> int:
        """The descriptor to poll for receiving; ValueError where there is none, or after close."""
    peer: str
    closed: bool
    has_pending: bool  # bytes were taken off the descriptor that are no whole message yet, or are one
    messages_sent: int
    messages_received: int
    nbytes_sent: int
    nbytes_received: int

class ConnectionReader(_BatchReader):
    """As Reader, over one message of a connection. EOFError where no message comes any more."""

    nrows: int | None  # as the writer announced it; known with the schema

class Listener:
    """Takes peers in. TCP on loopback needs nothing; beyond it tls:// with client certificates or a token."""

    @staticmethod
    def bind(url: str, options: ConnectOptions) -> Listener:
        """tcp://host:port (port 0: any free one), tls://host:port, unix:/path (mode 0600; a stale socket file is
        replaced, a live one is an error). OSError with the address: a port in use, a path too long."""
    def accept(self, timeout_s: float | None = None) -> tuple[Connection | None, list[tuple[str, str]]]:
        """The next peer that satisfied everything, and who was turned away since, with the reason. None on timeout, and
        after a second in which somebody was turned away: call it again for the time that is left.
        Handshakes go on side by side, each at most handshake_timeout_s (by the clock, between calls too), 64 at once;
        who holds a place that others wait for keeps it for a quarter of a second. Peers beyond max_peers open
        connections are turned away."""
    def close(self) -> None:
        """Removes its socket file."""
    def fileno(self) -> int: ...
    url: str  # with the port it got
    closed: bool

# --------------------------------------------------------------------------- http
class HttpFile:
    """A file behind http(s)://, fetched where it is looked at: ranges where the server gives them, else whole."""

    @staticmethod
    def open(url: str, *, timeout_s: float | None = None, headers: Sequence[tuple[str, str]] | None = None) -> HttpFile:
        """One request, for the first 64 KiB; redirects are followed. timeout_s: of connecting, of an answer, between
        two pieces of one; 30 where None."""
    def head(self, nbytes: int) -> bytes:
        """The first bytes, as far as they came with the first answer: 64 at least, where the file has them."""
    url: str  # after redirects, without user and password
    nbytes: int | None  # None where the server does not say
    ranged: bool
    fetched_nbytes: int

# --------------------------------------------------------------------------- measuring
def touch(buffers: Sequence[object], threads: int = 1) -> int:
    """One pass over every byte of each array (any strides) or buffer: the benchmark's *usable*. Answers a checksum."""

def limit_memcpy(nbytes: int, repeat: int) -> list[float]:
    """Seconds of `repeat` copies of `nbytes` into warm memory, one thread."""

def limit_copy(
    source: object,
    threads: int,
    repeat: int,
    streaming: bool,
    columns: int = 1,
    piece: int = 0,
    by_column: bool = False,
    hot: bool = False,
) -> list[float]:
    """Seconds of `repeat` copies of a buffer into recycled huge-page memory; `streaming`: stores that bypass the cache.
    With `columns` and `piece` (bytes): gathered as a stream of record batches is laid out, chunks of `columns` pieces,
    each to its own column, without headers; `by_column`: column after column; `hot`: every chunk is the first one."""

def limit_fill(nbytes: int, threads: int) -> float:
    """Seconds to write every byte of a huge-page region once, in parallel."""

def limit_pread(path: str, threads: int, fresh: bool) -> float:
    """Seconds to read the whole file into a huge-page region by a bare parallel pread."""

def limit_write(path: str, nbytes: int, reserve: bool, replace: bool) -> float:
    """Seconds of a bare write of `nbytes` from warm memory (in 1 MiB calls), with fallocate where `reserve`, onto a
    fresh name or (replace) a temporary file renamed over `path`."""

def pool_trim() -> int:
    """Give the recycled memory back to the system; returns the bytes released."""

__version__: str
