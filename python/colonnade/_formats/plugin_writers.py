"""Writes frames with a format plug-in, whole or chunk by chunk. The target changes only when all is written."""

from __future__ import annotations

import io
from typing import Any

from .. import _core
from .._frame.frame import Frame
from .._io.progress import Callback
from .._io.target_file import TargetFile
from .._io.targets import AnyTarget
from .._plugins.calls import writing
from .._plugins.contract import FormatPlugin
from .._plugins.discovery import Loaded
from .._values.option_checks import Common
from ..errors import EncodeError, UnsupportedError

_ADVICE = "Leave the column out with select(), or choose another format."


class PluginWriter:
    """Writes one file by a plug-in, with the interface of the core's `Writer`.

    Parameters
    ----------
    loaded : Loaded
    where
        No connection.
    options
        Of the plug-in's class.

    Raises
    ------
    UnsupportedError
        The plug-in only reads.
    OSError
        The target cannot be written.
    """

    def __init__(self, loaded: Loaded[FormatPlugin], where: AnyTarget, options: Common) -> None:
        if not loaded.can("write") and not loaded.can("open_writer"):
            raise UnsupportedError(f"{loaded}: the plug-in does not write files: expected the capability 'write'.")
        self._loaded = loaded
        self._options = options
        self._target = TargetFile(where)
        self._writer: Any = None
        self._schema: tuple[list[Any], list[str]] | None = None
        self.nbatches = 0
        self.nrows = 0

    def write_whole(self, core: _core.CoreFrame) -> None:
        """Write the only frame, and close."""
        with writing(self._loaded, "write", _ADVICE, lambda: self._refused_column(core)):
            self._loaded.plugin.write(Frame._make(core), self._target.file, self._options)
        self._commit("write")

    def write(self, core: _core.CoreFrame, progress: Callback | None = None) -> None:
        """Append a chunk.

        Raises
        ------
        EncodeError
            The chunk has other columns than the first, or the plug-in refuses it.
        """
        frame = Frame._make(core)
        schema = list(frame.columns), list(frame.dtypes.names())
        if self._schema is None:
            self._schema = schema
            with writing(self._loaded, "open_writer", _ADVICE):
                self._writer = self._loaded.plugin.open_writer(self._target.file, self._options)
            for method in ("write", "close"):
                if not callable(getattr(self._writer, method, None)):
                    found = type(self._writer).__qualname__
                    raise self._loaded.error(f"open_writer() returned {found}: expected an object with {method}()")
        elif schema != self._schema:
            raise EncodeError(
                f"{self._loaded}: expected a chunk like the first, with columns {self._schema[0]!r:.200} of "
                f"{self._schema[1]!r:.200}, found {schema[0]!r:.200} of {schema[1]!r:.200}."
            )
        with writing(self._loaded, "open_writer().write", _ADVICE, lambda: self._refused_column(core)):
            self._writer.write(frame)
        self.nbatches += 1
        self.nrows += core.nrows

    def close(self) -> None:
        """Write the end, and give the file its name."""
        if self._writer is None:
            raise EncodeError(f"{self._loaded}: expected at least one chunk, which has the columns, found none.")
        with writing(self._loaded, "open_writer().close", _ADVICE):
            self._writer.close()
        self._commit("open_writer")

    def abort(self) -> None:
        """Leave the target as it was."""
        self._target.discard()

    def _refused_column(self, core: _core.CoreFrame) -> str:
        """``"column 'price': "``: the first column that the plug-in refuses on its own; empty if there is none."""
        for position, label in enumerate(Frame._make(core).columns):
            alone = core.select([position]).with_axes(_core.Axis.auto(0, core.nrows, 1), None)
            with io.BytesIO() as file:
                try:
                    self._write_alone(Frame._make(alone), file)
                except Exception:
                    return f"column {label!r}: "
        return ""

    def _write_alone(self, frame: Frame, file: Any) -> None:
        plugin = self._loaded.plugin
        if self._loaded.can("write"):
            plugin.write(frame, file, self._options)
        else:
            writer = plugin.open_writer(file, self._options)
            writer.write(frame)
            writer.close()

    def _commit(self, method: str) -> None:
        if not self._target.nbytes:
            raise self._loaded.error(f"{method}() wrote no bytes: expected a file of {self._loaded.name}")
        self._target.commit(self._options.fsync)


def write_frame(
    core: _core.CoreFrame, where: AnyTarget, options: Common, loaded: Loaded[FormatPlugin], progress: Callback | None
) -> None:
    """Write a whole frame."""
    writer = PluginWriter(loaded, where, options)
    try:
        if loaded.can("write"):
            writer.write_whole(core)
        else:
            writer.write(core)
            writer.close()
    except BaseException:
        writer.abort()
        raise
    if progress is not None:
        progress(core.nbytes, core.nbytes)
