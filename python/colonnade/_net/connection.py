"""`cn.Connection`: any number of messages, frames and opaque bytes, both ways over one pipe or socket."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

from .. import _core
from .._api.chunks import chunks_of, whole
from .._api.store import send
from .._api.store_chunks import send_chunks
from .._formats.arrow import ArrowsOptions
from .._formats.options import Options, make_options
from .._formats.writers import write_format
from .._frame.frame import Frame
from .._io.detection import for_connection
from .._io.progress import reporting
from .._io.raw_connection import Landed, Link, Message

_PLAIN = ArrowsOptions()


class Connection(Link):
    """Messages to and from one peer: frames, and bytes that are passed on as they are.

    Made by `connect` and by `Listener.accept`. A context manager: its end closes the connection. One thread may send
    while another receives; messages arrive in the order in which they were sent.

    Attributes
    ----------
    peer : str
        The other end, as errors name it: ``tcp://127.0.0.1:5000``, ``unix:/run/prices``, ``descriptor 5``.
    closed : bool
        Whether `close` was called.

    Notes
    -----
    A frame goes as one Arrow IPC stream from schema to end mark, with nothing around it, so the peer may be any program
    that speaks Arrow. A large one goes out and comes in batch by batch, both ends busy at once. Nothing is pickled.

    A time limit of receiving loses nothing: what has come of the message is kept, and the next call goes on. One of
    sending, met inside a message, ends the sending side, as does an exception: the peer sees that the message is cut.

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
        """The other end, as errors name it."""
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
            Anything that `write` takes. Rows, an open reader and a reader of record batches go out as they are made,
            and never stand in memory as a whole.
        format : {"arrows", "msgpack", "csv", "ndjson"}
            Arrow's stream, or one MessagePack value, which programs of any language read; or a table of text behind our
            header, which says its name and how many rows come. All but the first are made whole.
        timeout_s : float, optional
            Of the whole call. Default: what the connection was told, which counts silence alone.
        **options
            Those of writing: see `ArrowsOptions` (``compression``, ``level``, ``batch_nbytes``), `MsgpackOptions`
            (``orient``, ``header``, ``numbers``, ``compatible``), `CsvOptions` and `NdjsonOptions`; of all,
            ``densify_sparse``, ``batch_rows``, ``threads``, ``progress``.

        Raises
        ------
        EncodeError
            A column that cannot be held exactly. Nothing of the message is sent; but of data that is made while it goes
            out, what went out cannot be taken back: the sending side ends.
        ConnectionError, TimeoutError
            The peer is gone, or takes too long. Both name it, and the number of the message.
        UnsupportedError, OptionError
            The format is not for connections; an unknown option, or one outside its range.

        Examples
        --------
        >>> import colonnade as cn, numpy as np, socket
        >>> here, there = map(cn.connect, socket.socketpair())
        >>> here.send({"a": np.arange(3)}, compression="zstd")
        >>> there.receive().shape
        (3, 1)
        """
        made = self._made(format, options)
        with reporting(made.progress, "sending") as progress:
            if write_format(made).is_batched:
                send_chunks(chunks_of(data, made), self, made, progress, timeout_s)
            else:
                send(whole(data, made)._load(), self, made, progress, timeout_s)

    def send_bytes(self, data: Any, *, timeout_s: float | None = None) -> None:
        """Send opaque bytes as one message, for an encoder of your own.

        Parameters
        ----------
        data : bytes-like
            C-contiguous; not copied.
        timeout_s : float, optional
            Default: what the connection was told.

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
        """Say that nothing more will be sent: the peer sees the end of input. Receiving goes on."""
        self._core.finish()

    # ------------------------------------------------------------------ receiving

    def receive(self, *, timeout_s: float | None = None) -> Frame:
        """The next message, a frame. Waits for all of it.

        Values of fixed width are received straight into the memory of the frame.
        ``cn.read(connection, columns=..., rows=...)`` takes a part, ``cn.read_pandas(connection)`` spares a copy,
        ``cn.open_reader(connection)`` gives the batches as they come.

        Parameters
        ----------
        timeout_s : float, optional
            Of the whole call. Default: what the connection was told, which counts silence alone.

        Raises
        ------
        EOFError
            The end of input: the peer sends nothing more.
        TruncatedError
            The input ended inside the message. It is an EOFError too, so name it first where you tell the two apart.
        DecodeError
            The bytes are no message, or a message of opaque bytes: that one stays, for `receive_bytes`.
        LimitError, ConnectionError, TimeoutError
            The message asks for more than ``limits``; the peer is gone; or the time is over: what has come is kept.

        Examples
        --------
        >>> import colonnade as cn, numpy as np, socket
        >>> here, there = map(cn.connect, socket.socketpair())
        >>> here.send({"a": np.arange(3)})
        >>> there.receive()["a"].to_numpy()
        array([0, 1, 2])
        """
        return self._framed(self._landed(timeout_s))

    def receive_bytes(self, *, timeout_s: float | None = None) -> bytes:
        """The next message, opaque bytes.

        Parameters
        ----------
        timeout_s : float, optional
            As for `receive`.

        Raises
        ------
        EOFError, TruncatedError, LimitError, ConnectionError, TimeoutError
            As `receive` does.
        DecodeError
            The message is a frame: it stays, for `receive`.
        """
        return self._opaque(timeout_s)

    def __iter__(self) -> Iterator[Frame | bytes]:
        """The messages that come, each a Frame or bytes, until the end of input."""
        while (message := self._message()) is not None:
            yield self._either(message)

    def poll(self, timeout_s: float | None = 0.0) -> bool:
        """Whether `receive` would not wait: a whole message is here, or the end of input, or an error.

        Parameters
        ----------
        timeout_s : float, optional
            Wait so long for it; None: as long as it takes.
        """
        return self._ready(timeout_s)

    def partial(self) -> bytes:
        """What has come of a piece (a header, a record batch, opaque bytes) that is not whole yet."""
        return self._core.partial()

    def status(self) -> str | BaseException:
        """What receiving would meet, without looking for more.

        Returns
        -------
        str or BaseException
            ``"ok"``: a whole message is here, or nothing of one. ``"waiting"``: a part of one. ``"end of input"``. Or
            the error that broke the connection.
        """
        return "ok" if self._kept is not None else self._core.status()

    # ------------------------------------------------------------------ asyncio

    async def asend(self, data: Any, format: str = "arrows", *, timeout_s: float | None = None, **options: Any) -> None:
        """`send` for asyncio. The bytes go out in a thread of this connection's own. `timeout_s` begins with its turn,
        not with the wait for what other tasks send.

        Cancelled before its turn, it sends nothing. Cancelled later, it ends the sending side, for half a message
        cannot be taken back: the peer sees that it broke off.
        """
        from . import aio

        await aio.send(self, lambda: self.send(data, format, timeout_s=timeout_s, **options))

    async def asend_bytes(self, data: Any, *, timeout_s: float | None = None) -> None:
        """`send_bytes` for asyncio; see `asend`."""
        from . import aio

        await aio.send(self, lambda: self.send_bytes(data, timeout_s=timeout_s))

    async def areceive(self, *, timeout_s: float | None = None) -> Frame:
        """`receive` for asyncio. No thread waits, and cancellation loses nothing: the next call goes on.

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
        """Close both directions. Closing twice is once. A socket that was given to `connect` stays yours to close."""
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

    def _made(self, format: str, options: dict[str, Any]) -> Options:
        if not options and format == "arrows":
            return _PLAIN
        return make_options(for_connection(format), "write", options)

    def _framed(self, landed: Landed) -> Frame:
        if isinstance(landed, _core.CoreFrame):
            return Frame._make(landed)
        return Frame._make(file=landed, threads=self._threads)

    def _either(self, message: Message) -> Frame | bytes:
        return message if isinstance(message, bytes) else self._framed(message)

    # What `wait` asks of everything it waits for.

    def _descriptor(self) -> int | None:
        try:
            return self._core.fileno()
        except ValueError:
            return None

    def _has_pending(self) -> bool:
        return self._kept is not None or self._core.has_pending
