"""Writes one or several whole frames to a target or a connection."""

from .. import _core
from .._formats.options import Options
from .._formats.writers import Request, core_options, write_format
from .._frame.select import Columns
from .._io.connection_io import LinkTarget
from .._io.progress import Callback
from .._io.raw_connection import Link
from .._io.targets import AnyTarget, ByTarget, PathTarget, SinkTarget, send_all
from .._io.threads import resolve_threads
from .losses import check_losses

_WRITERS = ByTarget(_core.write_path, _core.write_fd, _core.write_sink, _core.write_callable)


def store(
    core: _core.CoreFrame, columns: Columns, where: AnyTarget, options: Options, progress: Callback | None
) -> None:
    """Write `core` to `where`."""
    if isinstance(where, LinkTarget):
        send(core, where.connected(resolve_threads(options.threads)), options, progress)
        return
    plugin = write_format(options).plugin
    if plugin is not None:
        from .._formats.plugin_writers import write_frame

        write_frame(core, where, options, plugin, progress)
        return
    write, place = _WRITERS.of(where)
    if _is_directory(core, where, options):
        write = _core.write_directory
    encoding = core_options(options, Request(where, columns))
    check_losses(core, encoding, options)
    write(core, place, encoding, progress)


def send(
    core: _core.CoreFrame, link: Link, options: Options, progress: Callback | None, timeout_s: float | None = None
) -> None:
    """Send `core` as one message."""
    encoding = core_options(options, Request(None, None, None, link._threads, True))
    link._core.send(core, encoding, timeout_s, progress)


def encode_bytes(core: _core.CoreFrame, columns: Columns, options: Options, progress: Callback | None) -> bytes:
    """Encode `core` to bytes."""
    if write_format(options).plugin is not None:
        sink = _core.BufferSink()
        store(core, columns, SinkTarget(sink), options, progress)
        return bytes(sink)
    _is_directory(core, None, options)
    encoding = core_options(options, Request(None, columns))
    check_losses(core, encoding, options)
    return _core.encode(core, encoding, progress)


def _is_directory(core: _core.CoreFrame, where: AnyTarget | None, options: Options) -> bool:
    decide = write_format(options).is_directory
    return decide is not None and decide(core, where, options)


def store_bundle(
    frames: list[tuple[str, _core.CoreFrame]],
    where: AnyTarget,
    options: Options,
    bundle: tuple[str, str | None],
    progress: Callback | None,
) -> None:
    """Write labelled frames to `where`. `bundle`: layout and outer codec of a ZIP."""
    assert not isinstance(where, LinkTarget)
    encoding = core_options(options, Request(where, bundle=bundle))
    for label, core in frames:
        check_losses(core, encoding, options, label)
    if isinstance(where, PathTarget):
        _core.write_bundle_path(frames, where.path, encoding, progress)
        return
    with memoryview(_core.encode_bundle(frames, encoding, progress)) as view:
        send_all(where, view)
