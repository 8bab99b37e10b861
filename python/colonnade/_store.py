"""A whole frame to a target, as npz, npy, msgpack or text: which of the core's writers fits which target."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from . import _core
from ._axes import decode_optional
from ._link_ends import LinkTarget
from ._msgpack_files import store_msgpack
from ._msgpack_files import writing as writing_msgpack
from ._options import NpyOptions, NpzOptions, Options
from ._options_msgpack import MsgpackOptions
from ._options_text import Text
from ._progress import Callback
from ._select import Columns
from ._targets import AnyTarget, ByTarget, PathTarget, send_all
from ._text_files import store_text
from ._text_files import writing as writing_text
from ._threads import resolve_threads
from .errors import EncodeError, OptionError


def store(core: _core.CoreFrame, columns: Columns, where: AnyTarget, made: Options, progress: Callback | None) -> None:
    """Write `core` to `where`, as its options say."""
    if isinstance(made, NpzOptions):
        _store_npz(core, where, npz_options(made, columns), progress)
    elif isinstance(made, MsgpackOptions):
        store_msgpack(core, where, made, progress)
    elif isinstance(made, Text):
        store_text(core, where, made, progress)
    else:
        assert isinstance(made, NpyOptions)
        _store_npy(core, where, made, progress)


def encode_bytes(core: _core.CoreFrame, columns: Columns, made: Options, progress: Callback | None) -> bytes:
    """The bytes of `core`."""
    if isinstance(made, NpzOptions):
        return _core.npz_encode(core, npz_options(made, columns), progress)
    if isinstance(made, MsgpackOptions):
        return _core.msgpack_encode(core, writing_msgpack(made), progress)
    if isinstance(made, Text):
        return _core.text_encode(core, writing_text(made), progress)
    assert isinstance(made, NpyOptions)
    return _npy_bytes(core, made, progress)


def npz_options(made: NpzOptions, columns: Columns) -> _core.NpzWriteOptions:
    """The core's options: labels have become positions."""
    return _core.NpzWriteOptions(
        compression=_by_position(made.codec, columns),
        filter=_by_position(made.filtering, columns),
        profile=made.profile,
        level=made.level,
        compat=made.compat,
        fsync=made.fsync,
        threads=resolve_threads(made.threads),
    )


def _by_position(asked: str | Mapping[Any, str | None] | None, columns: Columns) -> str | dict[int, str | None] | None:
    if not isinstance(asked, Mapping):
        return asked
    return {position: name for label, name in asked.items() for position in columns.of(label)}


def _store_npz(
    core: _core.CoreFrame, where: AnyTarget, options: _core.NpzWriteOptions, progress: Callback | None
) -> None:
    write, place = _NPZ_WRITERS.of(where)
    write(core, place, options, progress)


def _npz_write_callable(
    core: _core.CoreFrame,
    send: Callable[[memoryview], None],
    options: _core.NpzWriteOptions,
    progress: Callback | None,
) -> None:
    sink = _core.BufferSink()
    _core.npz_write_sink(core, sink, options, progress)
    with memoryview(sink) as view:
        send(view)


_NPZ_WRITERS = ByTarget(_core.npz_write_path, _core.npz_write_fd, _core.npz_write_sink, _npz_write_callable)


def _store_npy(core: _core.CoreFrame, where: AnyTarget, made: NpyOptions, progress: Callback | None) -> None:
    if not isinstance(where, PathTarget):
        assert not isinstance(where, LinkTarget)
        with memoryview(_npy_bytes(core, made, progress)) as view:
            send_all(where, view)
        return
    options = _npy_options(made)
    directory = made.directory
    if directory is None:
        directory = where.is_directory or not _is_lone_array(core)
    if directory:
        _core.npy_write_directory(core, where.path, options, progress)
    else:
        _core.npy_write_path(core, where.path, options, progress)


def _npy_bytes(core: _core.CoreFrame, made: NpyOptions, progress: Callback | None) -> bytes:
    if made.directory:
        raise OptionError("directory: expected False or None where the target is no path, found True.")
    if made.directory is None and not _is_lone_array(core):
        raise EncodeError(
            "npy: a frame with labels, names or several dtypes is a directory of members, which needs a path. "
            "Use format='npz', or directory=False for a frame of one dtype with automatic labels."
        )
    return _core.npy_encode(core, _npy_options(made), progress)


def _npy_options(made: NpyOptions) -> _core.NpzWriteOptions:
    return _core.NpzWriteOptions(compat=made.compat, fsync=made.fsync, threads=resolve_threads(made.threads))


def _is_lone_array(core: _core.CoreFrame) -> bool:
    """Whether a lone .npy, read again, would be the same frame: nothing but one array."""
    if core.ncols == 0 or core.name != "null" or core.attrs is not None:
        return False
    origin = decode_optional(core.origin)
    if isinstance(origin, dict) and origin.get("class") == "structured":
        # Record arrays and fields of objects say more of themselves than a lone file keeps.
        plain = set(origin) == {"library", "class", "dtype"} and not core.arrow_columns()
        return plain and _is_packed(origin["dtype"], core.ncols)
    for axis, length in ((core.index, core.nrows), (core.columns, core.ncols)):
        if not axis.is_auto or axis.range != (0, length, 1) or axis.name != "null" or axis.meta is not None:
            return False
    # Of a DataFrame the array alone would be left; its class is part of what must come back.
    if isinstance(origin, dict) and origin.get("library") != "numpy":
        return False
    dtypes = set(core.dtypes())
    return len(dtypes) == 1 and dtypes.pop()[:1] in "<>|="


def _is_packed(described: Any, ncols: int) -> bool:
    """Whether a structured dtype is its fields one after the other, which is all that a lone file keeps of it."""
    if not isinstance(described, dict) or described.get("aligned") or any(described.get("titles") or ()):
        return False
    sizes = [np.dtype(text).itemsize for text in described["formats"]]
    offsets = [sum(sizes[:i]) for i in range(len(sizes))]
    return len(sizes) == ncols and described["offsets"] == offsets and described["itemsize"] == sum(sizes)
