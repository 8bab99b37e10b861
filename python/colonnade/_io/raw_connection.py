"""The core's connection with a received message that no call has taken yet.

Sources and targets use only this class. `colonnade._net.connection` adds frames.
"""

from typing import Any

from .. import _core
from ..errors import DecodeError
from .progress import Callback

ReceivedFrame = _core.CoreFrame | _core.File
Message = ReceivedFrame | bytes


class Link:
    """Messages of one connection.

    One thread may receive while another sends. The state here belongs to the receiving thread.
    """

    def __init__(self, core: _core.Connection, threads: int, timeout_s: float | None = None) -> None:
        self._core = core
        self._threads = threads
        self._timeout_s = timeout_s
        self._turns: Any = None  # of asyncio's tasks, see colonnade._net.aio
        # A message of another kind than requested stays here until the right call takes it.
        self._pending: Message | None = None

    def _message(
        self,
        timeout_s: float | None = None,
        progress: Callback | None = None,
        private: bool = False,
        pandas: bool = False,
    ) -> Message | None:
        """The next message of any kind; None at the end of input."""
        if self._pending is not None:
            pending, self._pending = self._pending, None
            return pending
        return self._core.receive(timeout_s, progress, private, pandas)

    def _receive_frame(
        self,
        timeout_s: float | None = None,
        progress: Callback | None = None,
        private: bool = False,
        pandas: bool = False,
    ) -> ReceivedFrame:
        """The next message, which must be a frame. `private`: only the caller uses its memory and may write to it.
        `pandas`: nulls become NaN and NaT, as in pandas' readers."""
        message = self._message(timeout_s, progress, private, pandas)
        if isinstance(message, bytes):
            self._pending = message
            raise self._other_kind("a frame", f"opaque bytes ({len(message):,} of them)", "receive_bytes()")
        if message is None:
            raise self._ended()
        return message

    def _opaque(self, timeout_s: float | None = None) -> bytes:
        """The next message, which must be opaque bytes."""
        message = self._message(timeout_s)
        if message is None:
            raise self._ended()
        if not isinstance(message, bytes):
            self._pending = message
            raise self._other_kind("opaque bytes", "a frame", "receive()")
        return message

    def _batches(self, timeout_s: float | None = None) -> _core.ConnectionReader:
        """The next message batch by batch, unless it was already received as a whole."""
        return self._core.batches(timeout_s)

    def _ready(self, timeout_s: float | None = 0.0) -> bool:
        """Whether the next message is available without waiting."""
        return self._pending is not None or self._core.poll(timeout_s)

    def _is_here(self) -> bool:
        """Whether a message, the end of input or an error is pending. Does not read from the channel."""
        if self._pending is not None:
            return True
        status = self._core.status()
        return self._core.next_kind() is not None if status == "ok" else status != "waiting"

    def _other_kind(self, expected: str, found: str, call: str) -> DecodeError:
        return DecodeError(
            f"{self._core.peer}: message {self._core.messages_received}: expected {expected}, found {found}. "
            f"It is still there: take it with {call}."
        )

    def _ended(self) -> EOFError:
        count = self._core.messages_received
        return EOFError(f"{self._core.peer}: the end of input, after {count:,} messages. Nothing more will come.")


def dial(url: str, limits: _core.Limits | None, threads: int, **keywords: Any) -> Link:
    """Dial a URL."""
    options = _core.ConnectOptions(limits=limits or _core.Limits(), threads=threads, **keywords)
    return Link(_core.Connection.dial(url, options), threads)
