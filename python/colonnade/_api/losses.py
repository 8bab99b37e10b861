"""Reports the losses of a plain text file before it is written."""

from __future__ import annotations

import os
import sys
import warnings
from typing import TYPE_CHECKING

from .. import _core
from .._formats.options import Options
from .._formats.text_options import Text
from .._values.terminal_text import label_text
from ..errors import EncodeError, LossWarning

if TYPE_CHECKING:
    from types import FrameType

_PACKAGE = os.path.join(os.path.dirname(os.path.dirname(__file__)), "")  # not colonnade_bench beside it
_NAMED = 5


def check_losses(core: _core.CoreFrame, encoding: _core.WriteOptions, options: Options, label: str = "") -> bool:
    """Warn of losses, or refuse them, as `on_loss` determines.

    Parameters
    ----------
    core
        The frame that will be written.
    encoding
        The core's options of `options`.
    label : str, optional
        That of the frame in a bundle.

    Returns
    -------
    bool
        Whether there is a loss.

    Raises
    ------
    EncodeError
        There is a loss, and ``on_loss="raise"``.
    """
    if not isinstance(options, Text) or options.on_loss == "ignore":
        return False
    losses = _core.losses(core, encoding)
    if not losses:
        return False
    kept = 'schema="header" or schema="sidecar"' if options._FORMAT == "csv" else 'schema="header"'
    place = f"{options._FORMAT}: {label_text(label)}: " if label else f"{options._FORMAT}: "
    what = f"{place}plain text does not bring back everything: {_listed(losses)}. Write {kept} to keep it all"
    if options.on_loss == "raise":
        raise EncodeError(f'{what}, or on_loss="warn" to lose it.')
    message = f'{what}, or on_loss="ignore" to lose it without a warning.'
    warnings.warn(LossWarning(message, losses), stacklevel=_level())
    return True


def _listed(losses: list[tuple[str | None, str]]) -> str:
    """The losses, up to five of them. Columns that lose the same are named together."""
    columns: dict[str, list[str]] = {}
    for column, what in losses[:_NAMED]:
        columns.setdefault(what, []).extend([] if column is None else [label_text(column)])
    shown = [f"{', '.join(names)}: {what}" if names else what for what, names in columns.items()]
    more = len(losses) - _NAMED
    return "; ".join(shown) + (f"; and {more:,} more" if more > 0 else "")


def _level() -> int:
    """The `stacklevel` of the first caller outside this package."""
    level = 1
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level += 1
        frame = frame.f_back
    return level
