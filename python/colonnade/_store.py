"""A whole frame, or several, to a target or a connection: the core's one set of writers."""

from . import _core
from ._link import Link
from ._link_ends import LinkTarget
from ._options import Options
from ._progress import Callback
from ._select import Columns
from ._targets import AnyTarget, ByTarget, PathTarget, send_all
from ._threads import resolve_threads
from ._write_formats import Request, core_options, write_format

_WRITERS = ByTarget(_core.write_path, _core.write_fd, _core.write_sink, _core.write_callable)


def store(core: _core.CoreFrame, columns: Columns, where: AnyTarget, made: Options, progress: Callback | None) -> None:
    """Write `core` to `where`, as its options say."""
    if isinstance(where, LinkTarget):
        send(core, where.opened(resolve_threads(made.threads)), made, progress)
        return
    write, place = _WRITERS.of(where)
    if _is_directory(core, where, made):
        write = _core.write_directory
    write(core, place, core_options(made, Request(where, columns)), progress)


def send(
    core: _core.CoreFrame, link: Link, made: Options, progress: Callback | None, timeout_s: float | None = None
) -> None:
    """Send `core` as one message."""
    options = core_options(made, Request(None, None, None, link._threads, True))
    link._core.send(core, options, timeout_s, progress)


def encode_bytes(core: _core.CoreFrame, columns: Columns, made: Options, progress: Callback | None) -> bytes:
    """The bytes of `core`."""
    _is_directory(core, None, made)
    return _core.encode(core, core_options(made, Request(None, columns)), progress)


def _is_directory(core: _core.CoreFrame, where: AnyTarget | None, made: Options) -> bool:
    decide = write_format(made).is_directory
    return decide is not None and decide(core, where, made)


def store_bundle(
    frames: list[tuple[str, _core.CoreFrame]],
    where: AnyTarget,
    made: Options,
    bundle: tuple[str, str | None],
    progress: Callback | None,
) -> None:
    """Write frames by their labels to `where`. `bundle`: layout and outer codec of a ZIP."""
    assert not isinstance(where, LinkTarget)
    options = core_options(made, Request(where, bundle=bundle))
    if isinstance(where, PathTarget):
        _core.write_bundle_path(frames, where.path, options, progress)
        return
    with memoryview(_core.encode_bundle(frames, options, progress)) as view:
        send_all(where, view)
