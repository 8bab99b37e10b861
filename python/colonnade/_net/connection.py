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
    """Messages to and from one peer: frames and opaque bytes.

    Created by `connect` and by `Listener.accept`. A context manager, which closes the connection. One thread may send
    while another receives; messages arrive in the order in which they were sent.

    Attributes
    ----------
    peer : str
        The peer, as errors name it: ``tcp://127.0.0.1:5000``, ``unix:/run/prices``, ``descriptor 5``.
    closed : bool
        Whether `close` was called.

    Notes
    -----
    A frame goes as one Arrow IPC stream from schema to end mark, with nothing around it, so the peer may be any program
    that speaks Arrow. A large frame is sent batch by batch, so that both ends work at once. Nothing is pickled.

    A timeout of receiving loses nothing: received bytes are kept, and the next call continues. A timeout or an
    exception inside a message that is being sent ends the sending side, and the peer sees a truncated message.

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
        format : {"arrows", "msgpack", "csv", "ndjson"}
            Arrow's stream; one MessagePack value, which programs in any language can read; or a text table with a
            Colonnade header, which declares the number of rows. All formats but ``arrows`` are encoded as a whole.
        timeout_s : float, optional
            Limit of the whole call. Default: the limit of the connection, which counts only silence.
        **options
            Those of writing: see `ArrowsOptions` (``compression``, ``level``, ``batch_nbytes``), `MsgpackOptions`
            (``orient``, ``header``, ``numbers``, ``compat``), `CsvOptions` and `NdjsonOptions`; of all,
            ``densify_sparse``, ``batch_rows``, ``threads``, ``progress``.

        Raises
        ------
        EncodeError
            A column that cannot be represented exactly. No byte of the message is sent. If the data is produced while
            it is sent, earlier batches cannot be withdrawn, so the sending side ends.
        ConnectionError, TimeoutError
            The peer disconnected, or takes too long. Both name the peer and the number of the message.
        UnsupportedError, OptionError
            The format is not available over connections; an unknown option, or a value outside its range.

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
            C-contiguous; not copied.
        timeout_s : float, optional
            Default: the limit of the connection.

        Raises
        ------
        ConnectionError, TimeoutError
            As `send` does.

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
        """End sending: the peer sees the end of input. Receiving continues."""
        self._core.finish()

    # ------------------------------------------------------------------ receiving

    def receive(self, *, timeout_s: float | None = None) -> Frame:
        """Receive the next message as a frame. Waits for all of it.

        Values of fixed width are received straight into the memory of the frame.
        ``cn.read(connection, columns=..., rows=...)`` selects a part, ``cn.read_pandas(connection)`` avoids a copy,
        ``cn.open_reader(connection)`` gives the batches as they come.

        Parameters
        ----------
        timeout_s : float, optional
            Limit of the whole call. Default: the limit of the connection, which counts only silence.

        Raises
        ------
        EOFError
            The end of input: the peer sends nothing more.
        TruncatedError
            The input ended inside the message. It is a subclass of EOFError, so catch it first.
        DecodeError
            The bytes are no message, or the message is opaque bytes. `receive_bytes` can still receive those.
        LimitError, ConnectionError, TimeoutError
            The message exceeds ``limits``; the peer disconnected; or a timeout, after which received bytes are kept.

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
            As `receive` does.
        DecodeError
            The message is a frame. `receive` can still receive it.
        """
        return self._opaque(timeout_s)

    def __iter__(self) -> Iterator[Frame | bytes]:
        """Iterate over the messages, each a Frame or bytes, until the end of input."""
        while (message := self._message()) is not None:
            yield self._either(message)

    def poll(self, timeout_s: float | None = 0.0) -> bool:
        """Whether `receive` would not wait: a whole message is here, or the end of input, or an error.

        Parameters
        ----------
        timeout_s : float, optional
            How long to wait; None: without limit.
        """
        return self._ready(timeout_s)

    def partial(self) -> bytes:
        """Number of received bytes of an incomplete piece: a header, a record batch or opaque bytes."""
        return self._core.partial()

    def status(self) -> str | BaseException:
        """The state of receiving, without reading from the channel.

        Returns
        -------
        str or BaseException
            ``"ok"``: a whole message is available, or no byte of one. ``"waiting"``: a part of a message is available.
            ``"end of input"``. Or the error that broke the connection.
        """
        return "ok" if self._pending is not None else self._core.status()

    # ------------------------------------------------------------------ asyncio

    async def asend(self, data: Any, format: str = "arrows", *, timeout_s: float | None = None, **options: Any) -> None:
        """`send` for asyncio. A thread of this connection sends the bytes. `timeout_s` does not include the wait for
        messages of other tasks.

        Cancellation before its turn sends nothing. Later cancellation ends the sending side, because a partly sent
        message cannot be withdrawn, and the peer sees a truncated message.
        """
        from . import aio

        await aio.send(self, lambda: self.send(data, format, timeout_s=timeout_s, **options))

    async def asend_bytes(self, data: Any, *, timeout_s: float | None = None) -> None:
        """`send_bytes` for asyncio; see `asend`."""
        from . import aio

        await aio.send(self, lambda: self.send_bytes(data, timeout_s=timeout_s))

    async def areceive(self, *, timeout_s: float | None = None) -> Frame:
        """`receive` for asyncio. No thread waits, and cancellation loses nothing: the next call continues.

        Several tasks may wait: each message goes to one of them, in the order in which they asked.
        """
        from . import aio

        async with aio.arrived(self, timeout_s):
            return self.receive()

    async def areceive_bytes(self, *, timeout_s: float | None = None) -> bytes:
        """`receive_bytes` for asyncio; see `areceive`."""
        from . import aio

        async with aio.arrived(self, timeout_s):
            return self.receive_bytes()

    async def __aiter__(self) -> AsyncIterator[Frame | bytes]:
        """As iteration, for ``async for``."""
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
