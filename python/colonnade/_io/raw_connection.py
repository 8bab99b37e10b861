"""A connection below the facade: the core's connection, and the message that was taken off it before it was wanted.

Sources and targets know connections by this class alone; what makes frames of it is `colonnade._net.connection`.
"""

from typing import Any

from .. import _core
from ..errors import DecodeError
from .progress import Callback

Landed = _core.CoreFrame | _core.File
Message = Landed | bytes


class Link:
    """Messages of one connection, as the core gives them.

    One thread may receive while another sends; what is here belongs to the receiving one.
    """

    def __init__(self, core: _core.Connection, threads: int, timeout_s: float | None = None) -> None:
        self._core = core
        self._threads = threads
        self._timeout_s = timeout_s
        self._turns: Any = None  # of asyncio's tasks, see colonnade._net.aio
        # A message of the kind that was not asked for stays until the right call takes it.
        self._kept: Message | None = None

    def _message(
        self,
        timeout_s: float | None = None,
        progress: Callback | None = None,
        private: bool = False,
        pandas: bool = False,
    ) -> Message | None:
        """The next message of any kind; None at the end of input."""
        if self._kept is not None:
            kept, self._kept = self._kept, None
            return kept
        return self._core.receive(timeout_s, progress, private, pandas)

    def _landed(
        self,
        timeout_s: float | None = None,
        progress: Callback | None = None,
        private: bool = False,
        pandas: bool = False,
    ) -> Landed:
        """The next message, which must be a frame. `private`: its memory is the caller's alone, to be written to.
        `pandas`: nulls as NaN and NaT where pandas' readers have them so."""
        message = self._message(timeout_s, progress, private, pandas)
        if isinstance(message, bytes):
            self._kept = message
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
            self._kept = message
            raise self._other_kind("opaque bytes", "a frame", "receive()")
        return message

    def _batches(self, timeout_s: float | None = None) -> _core.ConnectionReader:
        """The next message batch by batch; not where one is kept, which is whole."""
        return self._core.batches(timeout_s)

    def _ready(self, timeout_s: float | None = 0.0) -> bool:
        """Whether the next message would not have to be waited for."""
        return self._kept is not None or self._core.poll(timeout_s)

    def _is_here(self) -> bool:
        """Whether a message, the end of input or an error is here already; nothing is taken to find out."""
        if self._kept is not None:
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


def dial(url: str, limits: _core.Limits | None, threads: int, **told: Any) -> Link:
    """A connection of our own to a URL."""
    options = _core.ConnectOptions(limits=limits or _core.Limits(), threads=threads, **told)
    return Link(_core.Connection.dial(url, options), threads)
