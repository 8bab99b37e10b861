"""The core's options of reading MessagePack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _core
from .opener import read_keywords

if TYPE_CHECKING:
    from .msgpack import MsgpackOptions


def msgpack_options(options: MsgpackOptions, name: str | None = None) -> _core.MsgpackReadOptions:
    """The core's options of reading MessagePack."""
    return _core.MsgpackReadOptions(
        orient=options.orient, ext=options.ext, invalid_utf8=options.invalid_utf8, **read_keywords(options)
    )
