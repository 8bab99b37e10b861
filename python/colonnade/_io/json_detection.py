"""Distinguishes JSON from NDJSON by the first line, if no name determines the format.

JSON has no magic number, and a single record is both. An array of rows is JSON. Text with an object on the first line
and another object after it is NDJSON. All other text that begins with an object is read as JSON.
"""

import json
from collections.abc import Callable

MARK = b"\xef\xbb\xbf"
_SPACE = b" \t\r\n"
# Bytes in which the end of the first line is searched. A longer line is treated as JSON; format= overrides that.
MOST_NBYTES = 1 << 22
_FIRST_NBYTES = 1 << 12


def may_be_json(head: bytes) -> bool:
    """Whether the first bytes may be the start of an object or an array of rows."""
    text = head.removeprefix(MARK).lstrip(_SPACE)
    if not text:
        return head != b""  # only white space so far
    inside = text[1:].lstrip(_SPACE)
    allowed = {b"{": b'"}', b"[": b"{[]"}.get(text[:1], b"")
    return allowed != b"" and (not inside or inside[0] in allowed)


def json_or_lines(head: bytes, has_ended: bool) -> str | None:
    """``"json"``, ``"ndjson"``, empty if the text is neither, or None if more bytes are needed.

    `has_ended`: whether `head` is the whole input.
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
    # A line with only Colonnade's header is NDJSON without rows. In JSON another entry follows the header.
    header = value.get("__colonnade__")
    is_lines = len(value) == 1 and isinstance(header, dict) and header.get("orient") == "records"
    return "ndjson" if is_lines else "json"


def detect_json(read: Callable[[int], bytes], nbytes: int | None = None) -> str:
    """Apply `json_or_lines` to the bytes that `read` returns. Reads no more bytes than necessary.

    `nbytes`: the number of bytes, if known. Otherwise an empty result of `read` is the end.
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
        size = len(head)  # Doubling bounds how often the same bytes are parsed again.
    return "json"


def _object_of(line: bytes) -> dict[str, object] | None:
    """The object on the line; None if the line is not exactly one object."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
