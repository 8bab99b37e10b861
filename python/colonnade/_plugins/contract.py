"""The base classes of plug-ins, `FormatPlugin` and `AdapterPlugin`. Their public names are in `colonnade.plugins`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar, Protocol

if TYPE_CHECKING:
    from .byte_source import ByteSource

    Frame = Any  # `colonnade.Frame`, whose package is above this one


class Plugin:
    """The common base of plug-ins.

    Attributes
    ----------
    name : str
        The name, which is also the name of the entry point: lower-case letters, digits, ``_`` and ``-``.
    capabilities : tuple of str
        The names of the methods that the plug-in implements.
    """

    name: ClassVar[str]
    capabilities: ClassVar[tuple[str, ...]] = ()
    KNOWN_CAPABILITIES: ClassVar[tuple[str, ...]] = ()


class ChunkWriter(Protocol):
    """The protocol of the object that `FormatPlugin.open_writer` returns."""

    def write(self, frame: Frame) -> object:
        """Write one chunk. All chunks have the same columns and types."""

    def close(self) -> object:
        """Write the end of the format. Colonnade calls it once, after the last chunk, and not after an error."""


class FormatPlugin(Plugin):
    """The base of a format, which converts bytes to a frame and back.

    Subclass it, set the attributes, and define the methods that `capabilities` names. An entry point of the group
    ``colonnade.formats`` names the class or an object of it. Import heavy libraries within the methods, because a file
    with an unknown suffix makes Colonnade load every installed plug-in.

    Attributes
    ----------
    name : str
        The value of ``format=``.
    suffixes : tuple of str
        The suffixes in lower case, such as ``(".orc",)``. Suffixes of the built-in formats are refused.
    magic : tuple of bytes
        The first bytes of a file, at most 8 each. First bytes of the built-in formats are refused.
    options : type of FormatOptions, optional
        The class of the format's options. Default: only the options that all formats have.
    capabilities : tuple of str
        Some of ``"read"``, ``"write"``, ``"read_chunks"``, ``"open_writer"``, and ``"columns"`` (`read` selects its
        argument `columns`).

    Examples
    --------
    >>> import json
    >>> import colonnade as cn
    >>> from colonnade import plugins
    >>> class Rows(plugins.FormatPlugin):
    ...     name = "rows"
    ...     suffixes = (".rows",)
    ...     capabilities = ("read", "write")
    ...     def read(self, source, options, columns):
    ...         return json.loads(bytes(source.buffer()))
    ...     def write(self, frame, file, options):
    ...         file.write(json.dumps(frame.to_arrow().to_pylist()).encode())
    >>> with plugins.registered(Rows()):
    ...     data = cn.encode({"a": [1, 2]}, "rows")
    ...     cn.decode(data, "rows").shape
    (2, 1)
    """

    suffixes: ClassVar[tuple[str, ...]] = ()
    magic: ClassVar[tuple[bytes, ...]] = ()
    options: ClassVar[type | None] = None
    KNOWN_CAPABILITIES: ClassVar[tuple[str, ...]] = ("read", "write", "read_chunks", "open_writer", "columns")

    def detect(self, head: bytes) -> bool:
        """Whether a file of the format may begin with these bytes. Called only if no built-in format has them.

        Parameters
        ----------
        head : bytes
            The first 8 bytes, or all bytes of a shorter file.

        Returns
        -------
        bool
            Default: whether `head` starts with one of `magic`.
        """
        return bool(self.magic) and head.startswith(self.magic)

    def read(self, source: ByteSource, options: Any, columns: list[str] | None) -> Any:
        """Read the whole frame, or its `columns`.

        Parameters
        ----------
        source : ByteSource
            The bytes, valid during the call. The memory of ``source.buffer()`` stays valid as long as the result uses
            it.
        options : FormatOptions
            Checked options. ``options.threads`` and ``options.limits`` may be None.
        columns : list of str, optional
            With the capability ``"columns"``: the distinct columns to read, in the requested order. Without it: None.
            Colonnade selects rows, and columns that the plug-in cannot select, from the result.

        Returns
        -------
        frame-like
            Anything that `colonnade.Frame` takes: a pyarrow Table, an object with ``__arrow_c_stream__``, a pandas
            DataFrame, a mapping of arrays... Colonnade does not copy it. Do not change it afterwards.

        Raises
        ------
        ValueError, OSError without errno
            The bytes break the format: becomes a `DecodeError`. An `EOFError` becomes a `TruncatedError`.
        NotImplementedError
            The bytes are legal, but not implemented: becomes an `UnsupportedError`.
        """
        raise NotImplementedError

    def read_chunks(self, source: ByteSource, options: Any) -> Iterable[Any]:
        """Read the frame in chunks, which `colonnade.open_reader` returns one at a time.

        Colonnade selects columns and rows.

        Parameters
        ----------
        source : ByteSource
            As for `read`. The source is valid until the reader is closed.
        options : FormatOptions
            Checked options.

        Returns
        -------
        iterable of frame-like
            The chunks, all with the same columns. There is at least one, which may have no rows.
        """
        raise NotImplementedError

    def write(self, frame: Frame, file: BinaryIO, options: Any) -> object:
        """Write the whole frame.

        Parameters
        ----------
        frame : Frame
            A frame in memory. Convert it with ``frame.to_arrow()``, ``frame.to_pandas()``...
        file : binary file object
            An empty seekable file: a temporary file in the folder of the target, or memory. Closing it is allowed and
            does nothing. The target gets its new content only if the call returns.
        options : FormatOptions
            Checked options.

        Raises
        ------
        TypeError, ValueError, NotImplementedError
            The format cannot hold the frame: becomes an `EncodeError`.
        """
        raise NotImplementedError

    def open_writer(self, file: BinaryIO, options: Any) -> ChunkWriter:
        """Return an object that writes in chunks, for `colonnade.open_writer`, and for `colonnade.write` of batches.

        Parameters
        ----------
        file : binary file object
            As for `write`.
        options : FormatOptions
            Checked options.

        Returns
        -------
        ChunkWriter
            Any object with ``write(frame)`` and ``close()``.
        """
        raise NotImplementedError


class AdapterPlugin(Plugin):
    """The base of an adapter, which converts objects of a dataframe library to a frame and back.

    An entry point of the group ``colonnade.adapters`` names the class or an object of it. Objects that export Arrow
    capsules (``__arrow_c_stream__``) become a frame without an adapter.

    Attributes
    ----------
    name : str
        The argument of ``frame.to(name)``, and the library that files name as their origin.
    packages : tuple of str
        The top-level packages whose classes, and subclasses of these, the plug-in converts. Default: the name.
    capabilities : tuple of str
        Some of ``"to_frame"`` and ``"from_frame"``.

    Examples
    --------
    >>> import colonnade as cn
    >>> from colonnade import plugins
    >>> class Columns:
    ...     def __init__(self, columns):
    ...         self.columns = columns
    >>> class ColumnsAdapter(plugins.AdapterPlugin):
    ...     name = "columns"
    ...     packages = (Columns.__module__.partition(".")[0],)
    ...     capabilities = ("to_frame", "from_frame")
    ...     def to_frame(self, data):
    ...         return data.columns
    ...     def from_frame(self, frame):
    ...         return Columns({label: frame[label].to_numpy() for label in frame})
    >>> Columns.__module__ = "my_frames"
    >>> ColumnsAdapter.packages = ("my_frames",)
    >>> with plugins.registered(ColumnsAdapter()):
    ...     cn.Frame(Columns({"a": [1, 2]})).to("columns").columns
    {'a': array([1, 2])}
    """

    packages: ClassVar[tuple[str, ...]] = ()
    KNOWN_CAPABILITIES: ClassVar[tuple[str, ...]] = ("to_frame", "from_frame")

    def to_frame(self, data: Any) -> Any:
        """Return the data of an object of the library.

        Parameters
        ----------
        data
            An object whose class, or a base class of it, is defined in one of `packages`.

        Returns
        -------
        frame-like
            Anything that `colonnade.Frame` takes, except an object of this plug-in's packages. Colonnade does not copy
            it.

        Raises
        ------
        TypeError, ValueError, NotImplementedError
            The object cannot become a frame: becomes an `EncodeError`.
        """
        raise NotImplementedError

    def from_frame(self, frame: Frame) -> Any:
        """Return an object of the library.

        Parameters
        ----------
        frame : Frame
            Convert it with its ``to_*`` methods, or read it as an Arrow stream (``__arrow_c_stream__``).

        Raises
        ------
        TypeError, ValueError, NotImplementedError
            The library cannot hold the frame: becomes an `EncodeError`.
        """
        raise NotImplementedError
