"""MessagePack through the core: files opened with the keywords of every other format, frames written to any target."""

from . import _core
from ._link import Link
from ._link_ends import LinkTarget
from ._opener import read_keywords
from ._options_msgpack import MsgpackOptions
from ._progress import Callback
from ._targets import AnyTarget, ByTarget, PathTarget, send_all
from ._threads import resolve_threads
from .errors import EncodeError, UnsupportedError

_WRITERS = ByTarget(
    _core.msgpack_write_path, _core.msgpack_write_fd, _core.msgpack_write_sink, _core.msgpack_write_callable
)


def msgpack_options(made: MsgpackOptions, name: str | None = None) -> _core.MsgpackReadOptions:
    """The core's options of reading MessagePack."""
    return _core.MsgpackReadOptions(
        orient=made.orient, ext=made.ext, invalid_utf8=made.invalid_utf8, **read_keywords(made)
    )


def writing(made: MsgpackOptions, threads: int | None = None) -> _core.MsgpackWriteOptions:
    """The core's options. `threads`: where `made` names none."""
    return _core.MsgpackWriteOptions(
        orient=made.orient or "columns",
        header=made.header,
        numbers=made.numbers,
        compatible=made.compatible,
        fsync=made.fsync,
        threads=resolve_threads(made.threads, threads),
    )


def store_msgpack(core: _core.CoreFrame, where: AnyTarget, made: MsgpackOptions, progress: Callback | None) -> None:
    """Write `core` to `where`."""
    if isinstance(where, LinkTarget):
        send_msgpack(core, where.opened(resolve_threads(made.threads)), made, progress)
        return
    write, place = _WRITERS.of(where)
    write(core, place, writing(made), progress)


def send_msgpack(
    core: _core.CoreFrame, link: Link, made: MsgpackOptions, progress: Callback | None, timeout_s: float | None = None
) -> None:
    """Send `core` as one message."""
    options = writing(made, link._threads)
    # Pickles begin with the byte that an empty map is, so whoever receives it waits for more.
    if not made.header and core.ncols == 0 and _core.msgpack_encode(core, options) == b"\x80":
        raise EncodeError(
            "msgpack: an empty map alone is no message of a connection. Send the frame with its header, or "
            "orient='records'."
        )
    link._core.send(core, "msgpack", options, timeout_s, progress)


def store_msgpack_bundle(
    frames: list[tuple[str, _core.CoreFrame]], where: AnyTarget, made: MsgpackOptions, progress: Callback | None
) -> None:
    """Write frames by their labels to `where`, as one map."""
    if isinstance(where, LinkTarget):
        raise UnsupportedError("msgpack: a message of a connection is one frame. Send each, or the bundle's bytes.")
    options = writing(made)
    if isinstance(where, PathTarget):
        _core.msgpack_bundle_path(frames, where.path, options, progress)
        return
    with memoryview(_core.msgpack_bundle_encode(frames, options, progress)) as view:
        send_all(where, view)
