"""JSON or NDJSON, where no name says it: told by the first line.

JSON has no magic, and one record alone is both. What is told is certain: an array of rows is JSON; a whole object on a
line with another behind it is no JSON value. Anything else that begins as an object is read as JSON, which refuses what
is none.
"""

import json
from collections.abc import Callable

MARK = b"\xef\xbb\xbf"
_SPACE = b" \t\r\n"
# A first line is looked for in so many bytes. A longer one is of a JSON value, or format= says what it is.
MOST_NBYTES = 1 << 22
_FIRST_NBYTES = 1 << 12


def may_be_json(head: bytes) -> bool:
    """Whether the first bytes could be those of an object or an array of rows: more of them tell."""
    text = head.removeprefix(MARK).lstrip(_SPACE)
    if not text:
        return head != b""  # white space alone so far
    inside = text[1:].lstrip(_SPACE)
    allowed = {b"{": b'"}', b"[": b"{[]"}.get(text[:1], b"")
    return allowed != b"" and (not inside or inside[0] in allowed)


def json_or_lines(head: bytes, has_ended: bool) -> str | None:
    """``"json"``, ``"ndjson"``, or None where more bytes are needed to tell. Empty: neither of them.

    `has_ended`: whether `head` is all there is.
    """
    text = head.removeprefix(MARK).lstrip(_SPACE)
    inside = text[1:].lstrip(_SPACE)
    if not inside:
        return "" if has_ended or (text and not may_be_json(head)) else None
    if not may_be_json(head):
        return ""
    if text[:1] == b"[":
        return "json"
    line, end, rest = text.partition(b"\n")
    if not end and not has_ended:
        return None
    value = _object_of(line)
    if value is None:
        return "json"
    rest = rest.lstrip(_SPACE)
    if rest:
        return "ndjson" if rest[:1] == b"{" else "json"
    if not has_ended:
        return None
    # A header of ours without rows; the other orients of JSON have an entry behind it.
    header = value.get("__colonnade__")
    is_lines = len(value) == 1 and isinstance(header, dict) and header.get("orient") == "records"
    return "ndjson" if is_lines else "json"


def detect_json(read: Callable[[int], bytes], nbytes: int | None = None) -> str:
    """What `json_or_lines` says of the bytes that `read` gives, of which no more are taken than it needs.

    `nbytes`: how many there are, where that is known; else an empty answer of `read` is the end.
    """
    head = bytearray()
    size = _FIRST_NBYTES
    while len(head) < MOST_NBYTES:
        part = read(size)
        head += part
        has_ended = not part or len(head) == nbytes
        found = json_or_lines(bytes(head), has_ended)
        if found is not None:
            return found
        size = len(head)  # twice as many: a line is looked at a few times, not for each piece
    return "json"


def _object_of(line: bytes) -> dict[str, object] | None:
    """The object that a line is, if it is one and no more."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
