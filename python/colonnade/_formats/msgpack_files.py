"""MessagePack through the core: the keywords of opening that no other format has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _core
from .opener import read_keywords

if TYPE_CHECKING:
    from .msgpack import MsgpackOptions


def msgpack_options(made: MsgpackOptions, name: str | None = None) -> _core.MsgpackReadOptions:
    """The core's options of reading MessagePack."""
    return _core.MsgpackReadOptions(
        orient=made.orient, ext=made.ext, invalid_utf8=made.invalid_utf8, **read_keywords(made)
    )
