"""`cn.Connection`: messages with frames or opaque bytes, in both directions over a pipe or socket."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

from .. import _core
from .._api.chunks import chunks_of, whole_frame
from .._api.store import send
from .._api.store_chunks import send_chunks
from .._formats.arrow import ArrowsOptions
from .._formats.options import Options, make_options
from .._formats.writers import write_format
from .._frame.frame import Frame
from .._io.detection import for_connection
from .._io.progress import reporting
from .._io.raw_connection import Link, Message, ReceivedFrame

_PLAIN = ArrowsOptions()


class Connection(Link):
    """Sends messages to one peer and receives messages from it: frames and opaque bytes.

    `connect` and `Listener.accept` create connections. A connection is a context manager, whose end closes it. One
    thread may send while another receives. Messages arrive in the order in which they were sent.

    Attributes
    ----------
    peer : str
        The peer, as errors name it: ``tcp://127.0.0.1:5000``, ``unix:/run/prices``, ``descriptor 5``.
    closed : bool
        Whether `close` was called.

    Notes
    -----
    A frame is sent as one Arrow IPC stream from schema to end mark, without an envelope. Therefore the peer may be any
    program that reads Arrow. A large frame is sent batch by batch, so both ends work at the same time. Nothing is
    pickled.

    A timeout of receiving loses nothing: received bytes are kept, and the next call continues. A timeout or an
    exception inside a message that is being sent ends the sending side, and the peer receives a truncated message.

    Examples
    --------
    >>> import colonnade as cn, numpy as np, socket
    >>> here, there = map(cn.connect, socket.socketpair())
    >>> here.send({"price": np.array([1.5, 2.5])})
    >>> here.send_bytes(b"anything")
    >>> here.close()
    >>> for message in there:
    ...     print(message.to_numpy() if isinstance(message, cn.Frame) else message)
    {'price': array([1.5, 2.5])}
    b'anything'
    """

    @property
    def peer(self) -> str:
        """The peer, as errors name it."""
        return self._core.peer

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._core.closed

    # ------------------------------------------------------------------ sending

    def send(self, data: Any, format: str = "arrows", *, timeout_s: float | None = None, **options: Any) -> None:
        """Send one frame. Returns when the system has taken all of it.

        Parameters
        ----------
        data
            Anything that `write` takes. Rows, open readers and readers of record batches are sent batch by batch,
            and are never in memory as a whole.
        format : one of {"arrows", "msgpack", "csv", "ndjson"}
            ``arrows`` is an Arrow stream. ``msgpack`` is one MessagePack value, which programs in any language can
            read. ``csv`` and ``ndjson`` are text with a Colonnade header, which declares the number of rows. All
            formats except ``arrows`` are encoded as a whole.
        timeout_s : float, optional
            Maximum seconds of the whole call. Default: the limit of the connection, which counts only silence.
        **options
            Options of writing: see `ArrowsOptions` (``compression``, ``compression_level``, ``batch_nbytes``),
            `MsgpackOptions` (``orient``, ``header``, ``numbers``, ``compat``), `CsvOptions` and `NdjsonOptions`. All
            have ``densify_sparse``, ``batch_rows``, ``threads`` and ``progress``.

        Raises
        ------
        EncodeError
            A column cannot be represented exactly. No byte of the message is sent. If the data is produced while it is
            sent, earlier batches cannot be withdrawn, so the sending side ends.
        ConnectionError, TimeoutError
            The peer disconnected, or takes too long. Both name the peer and the number of the message.
        UnsupportedError, OptionError
            The format is not available over connections, an option is unknown, or a value is outside its range.

        Examples
        --------
        >>> import colonnade as cn, numpy as np, socket
        >>> here, there = map(cn.connect, socket.socketpair())
        >>> here.send({"a": np.arange(3)}, compression="zstd")
        >>> there.receive().shape
        (3, 1)
        """
        settings = self._write_options(format, options)
        with reporting(settings.progress, "sending") as progress:
            if write_format(settings).is_batched:
                send_chunks(chunks_of(data, settings), self, settings, progress, timeout_s)
            else:
                send(whole_frame(data, settings)._load(), self, settings, progress, timeout_s)

    def send_bytes(self, data: Any, *, timeout_s: float | None = None) -> None:
        """Send opaque bytes as one message, for your own encoding.

        Parameters
        ----------
        data : bytes-like
            A C-contiguous buffer, which is not copied.
        timeout_s : float, optional
            As for `send`.

        Raises
        ------
        ConnectionError, TimeoutError
            The same errors as `send`.

        Examples
        --------
        >>> import colonnade as cn, socket
        >>> here, there = map(cn.connect, socket.socketpair())
        >>> here.send_bytes(b"...")
        >>> there.receive_bytes()
        b'...'
        """
        self._core.send_bytes(data, timeout_s)

    def finish(self) -> None:
        """End sending: the peer receives the end of input. Receiving continues."""
        self._core.finish()

    # ------------------------------------------------------------------ receiving

    def receive(self, *, timeout_s: float | None = None) -> Frame:
        """Receive the next message as a frame. Returns when all of it has arrived.

        Values of fixed width are received directly into the memory of the frame.
        ``cn.read(connection, columns=..., rows=...)`` selects a part, ``cn.read_pandas(connection)`` avoids a copy, and
        ``cn.open_reader(connection)`` returns the batches as they arrive.

        Parameters
        ----------
        timeout_s : float, optional
            Maximum seconds of the whole call. Default: the limit of the connection, which counts only silence.

        Raises
        ------
        EOFError
            The end of input: the peer sends nothing more.
        TruncatedError
            The input ended inside the message. It is a subclass of EOFError, so catch it first.
        DecodeError
            The bytes are no message, or the message is opaque bytes. `receive_bytes` can still receive opaque bytes.
        LimitError, ConnectionError, TimeoutError
            The message exceeds ``limits``, the peer disconnected, or the time is over. After a timeout received bytes
            are kept.

        Examples
        --------
        >>> import colonnade as cn, numpy as np, socket
        >>> here, there = map(cn.connect, socket.socketpair())
        >>> here.send({"a": np.arange(3)})
        >>> there.receive()["a"].to_numpy()
        array([0, 1, 2])
        """
        return self._frame_of(self._receive_frame(timeout_s))

    def receive_bytes(self, *, timeout_s: float | None = None) -> bytes:
        """Receive the next message as opaque bytes.

        Parameters
        ----------
        timeout_s : float, optional
            As for `receive`.

        Raises
        ------
        EOFError, TruncatedError, LimitError, ConnectionError, TimeoutError
            The same errors as `receive`.
        DecodeError
            The message is a frame. `receive` can still receive it.
        """
        return self._opaque(timeout_s)

    def __iter__(self) -> Iterator[Frame | bytes]:
        """Iterate over the messages, each a Frame or bytes, until the end of input."""
        while (message := self._message()) is not None:
            yield self._either(message)

    def poll(self, timeout_s: float | None = 0.0) -> bool:
        """Whether `receive` would not wait: a whole message, the end of input or an error is available.

        Parameters
        ----------
        timeout_s : float, optional
            The maximum seconds to wait for that. None: no limit.
        """
        return self._ready(timeout_s)

    def partial(self) -> bytes:
        """Return the received bytes of an incomplete piece: a header, a record batch or opaque bytes."""
        return self._core.partial()

    def status(self) -> str | BaseException:
        """Return the state of receiving, without reading from the channel.

        Returns
        -------
        str or BaseException
            ``"ok"``: a whole message is available, or no byte of one. ``"waiting"``: a part of a message is available.
            ``"end of input"``: the peer sends nothing more. An exception: the error that broke the connection.
        """
        return "ok" if self._pending is not None else self._core.status()

    # ------------------------------------------------------------------ asyncio

    async def asend(self, data: Any, format: str = "arrows", *, timeout_s: float | None = None, **options: Any) -> None:
        """Send one frame, for asyncio; see `send`. A thread sends the bytes.

        Tasks send one after the other. `timeout_s` does not include the wait for messages of other tasks. Cancellation
        during this wait sends nothing. Later cancellation ends the sending side, because a partly sent message cannot
        be withdrawn, and the peer receives a truncated message.
        """
        from . import aio

        await aio.send(self, lambda: self.send(data, format, timeout_s=timeout_s, **options))

    async def asend_bytes(self, data: Any, *, timeout_s: float | None = None) -> None:
        """Send opaque bytes, for asyncio; see `send_bytes` and `asend`."""
        from . import aio

        await aio.send(self, lambda: self.send_bytes(data, timeout_s=timeout_s))

    async def areceive(self, *, timeout_s: float | None = None) -> Frame:
        """Receive a frame, for asyncio; see `receive`.

        No thread waits. Cancellation loses nothing: the next call continues. Several tasks may wait. Each message goes
        to one of them, in the order of their calls.
        """
        from . import aio

        async with aio.arrived(self, timeout_s):
            return self.receive()

    async def areceive_bytes(self, *, timeout_s: float | None = None) -> bytes:
        """Receive opaque bytes, for asyncio; see `receive_bytes` and `areceive`."""
        from . import aio

        async with aio.arrived(self, timeout_s):
            return self.receive_bytes()

    async def __aiter__(self) -> AsyncIterator[Frame | bytes]:
        """Iterate over the messages until the end of input, with ``async for``."""
        from . import aio

        while True:
            async with aio.arrived(self, None):
                message = self._message()
            if message is None:
                return
            yield self._either(message)

    # ------------------------------------------------------------------ the end

    def close(self) -> None:
        """Close both directions. Closing again does nothing. A socket given to `connect` stays open."""
        self._core.close()

    def __enter__(self) -> "Connection":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        core = self._core
        closed = ", closed" if core.closed else ""
        return f"<Connection {core.peer}: {core.messages_sent:,} sent, {core.messages_received:,} received{closed}>"

    # ------------------------------------------------------------------ within

    def _write_options(self, format: str, options: dict[str, Any]) -> Options:
        if not options and format == "arrows":
            return _PLAIN
        return make_options(for_connection(format), "write", options)

    def _frame_of(self, message: ReceivedFrame) -> Frame:
        if isinstance(message, _core.CoreFrame):
            return Frame._make(message)
        return Frame._make(file=message, threads=self._threads)

    def _either(self, message: Message) -> Frame | bytes:
        return message if isinstance(message, bytes) else self._frame_of(message)

    # The interface of `wait`.

    def _descriptor(self) -> int | None:
        try:
            return self._core.fileno()
        except ValueError:
            return None

    def _has_pending(self) -> bool:
        return self._pending is not None or self._core.has_pending
