"""The core's options of reading MessagePack."""

from .. import _core
from .msgpack import MsgpackOptions
from .opener import read_keywords


def msgpack_options(options: MsgpackOptions, name: str | None = None) -> _core.MsgpackReadOptions:
    """The core's options of reading MessagePack."""
    return _core.MsgpackReadOptions(
        orient=options.orient, ext=options.ext, invalid_utf8=options.invalid_utf8, **read_keywords(options)
    )
