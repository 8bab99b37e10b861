"""What a plug-in implements: `FormatPlugin` and `AdapterPlugin`. `colonnade.plugins` gives them their public names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar, Protocol

if TYPE_CHECKING:
    from .byte_source import ByteSource

    Frame = Any  # `colonnade.Frame`, whose package is above this one


class Plugin:
    """What all plug-ins have.

    Attributes
    ----------
    name : str
        The name of the entry point too: lower-case letters, digits, ``_`` and ``-``.
    capabilities : tuple of str
        Names of the methods that the plug-in implements.
    """

    name: ClassVar[str]
    capabilities: ClassVar[tuple[str, ...]] = ()
    KNOWN_CAPABILITIES: ClassVar[tuple[str, ...]] = ()


class ChunkWriter(Protocol):
    """The result of `FormatPlugin.open_writer`."""

    def write(self, frame: Frame) -> object:
        """Write one chunk. All chunks have the same columns and types."""

    def close(self) -> object:
        """Write the end of the format. Called once, after the last chunk, and not after an error."""


class FormatPlugin(Plugin):
    """A format: bytes to a frame and back.

    Subclass it, fill in the attributes, and define the methods that `capabilities` names. An entry point of the group
    ``colonnade.formats`` names the class or an object of it. Import heavy libraries within the methods, because a file
    of an unknown suffix makes Colonnade load every installed plug-in.

    Attributes
    ----------
    name : str
        The value of ``format=``.
    suffixes : tuple of str
        Such as ``(".orc",)``, in lower case. Suffixes of the built-in formats are refused.
    magic : tuple of bytes
        First bytes, at most 8 each. Those of the built-in formats are refused.
    options : type of FormatOptions, optional
        The class of the format's own options. Default: only the options that all formats have.
    capabilities : tuple of str
        Some of ``"read"``, ``"write"``, ``"read_chunks"``, ``"open_writer"``, and ``"columns"`` (`read` respects its
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
        """Whether a file may begin with these bytes. Asked only if no built-in format has them.

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
        """The whole frame, or its `columns`.

        Parameters
        ----------
        source : ByteSource
            The bytes. Valid during the call; memory of ``source.buffer()`` stays valid as long as the result uses it.
        options : FormatOptions
            Checked options. ``options.threads`` and ``options.limits`` may be None.
        columns : list of str, optional
            Only with the capability ``"columns"``: the distinct columns to read, in the order asked. Otherwise None.
            Colonnade selects rows, and columns that the plug-in cannot select, from the result.

        Returns
        -------
        frame-like
            Anything that `colonnade.Frame` takes: a pyarrow Table, an object with ``__arrow_c_stream__``, a pandas
            DataFrame, a mapping of arrays... It is not copied: do not change it afterwards.

        Raises
        ------
        ValueError, OSError without errno
            The bytes break the format: becomes `DecodeError`. `EOFError` becomes `TruncatedError`.
        NotImplementedError
            Legal, but not implemented: becomes `UnsupportedError`.
        """
        raise NotImplementedError

    def read_chunks(self, source: ByteSource, options: Any) -> Iterable[Any]:
        """The frame in pieces, which `colonnade.open_reader` gives one at a time. Colonnade selects columns and rows.

        Parameters
        ----------
        source, options
            As for `read`. The source is valid until the reader is closed.

        Returns
        -------
        iterable of frame-like
            At least one (without rows, if there are none), all with the same columns.
        """
        raise NotImplementedError

    def write(self, frame: Frame, file: BinaryIO, options: Any) -> object:
        """Write the whole frame.

        Parameters
        ----------
        frame : Frame
            In memory. Convert it by ``frame.to_arrow()``, ``frame.to_pandas()``...
        file : binary file object
            Seekable and empty: a temporary file beside the target, or memory. Closing it is allowed and does nothing.
            The target gets its new content only if the call returns.
        options : FormatOptions
            Checked options.

        Raises
        ------
        TypeError, ValueError, NotImplementedError
            The format cannot hold the frame: becomes `EncodeError`.
        """
        raise NotImplementedError

    def open_writer(self, file: BinaryIO, options: Any) -> ChunkWriter:
        """An object that writes chunk by chunk, for `colonnade.open_writer`, and for `colonnade.write` of large data.

        Parameters
        ----------
        file, options
            As for `write`.

        Returns
        -------
        object with ``write(frame)`` and ``close()``
        """
        raise NotImplementedError


class AdapterPlugin(Plugin):
    """A library of dataframes: its objects to a frame and back.

    An entry point of the group ``colonnade.adapters`` names the class or an object of it. Objects that export Arrow
    capsules (``__arrow_c_stream__``) need no adapter to become a frame, and no plug-in is asked about them.

    Attributes
    ----------
    name : str
        The argument of ``frame.to(name)``, and the library that files name as their origin.
    packages : tuple of str
        Top-level packages whose classes, and subclasses of these, the plug-in converts. Default: the name.
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
        """The data of an object of the library.

        Parameters
        ----------
        data
            An object whose class, or a base class of it, is defined in one of `packages`.

        Returns
        -------
        frame-like
            Anything that `colonnade.Frame` takes, but no object of this plug-in's packages. Wrapped, not copied.

        Raises
        ------
        TypeError, ValueError, NotImplementedError
            The object cannot become a frame: becomes `EncodeError`.
        """
        raise NotImplementedError

    def from_frame(self, frame: Frame) -> Any:
        """An object of the library.

        Parameters
        ----------
        frame : Frame
            Convert it by its ``to_*`` methods, or take it as an Arrow stream (``__arrow_c_stream__``).

        Raises
        ------
        TypeError, ValueError, NotImplementedError
            The library cannot hold the frame: becomes `EncodeError`.
        """
        raise NotImplementedError
