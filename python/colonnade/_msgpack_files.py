"""MessagePack through the core: the keywords of opening that no other format has."""

from typing import Any

from ._options_msgpack import MsgpackOptions


def reading(made: MsgpackOptions) -> dict[str, Any]:
    """The options of reading that this format alone has."""
    return {"orient": made.orient, "ext": made.ext, "invalid_utf8": made.invalid_utf8}
