"""Detects formats by name, by suffix and by magic number, from the core's registry, then from plug-ins.

Feather V1 is detected only to name it in the error. `_plugins` is imported within functions, where no built-in format
is meant: looking for plug-ins takes longer than reading a small file.
"""

from collections.abc import Callable
from typing import NoReturn

from .. import _core
from ..errors import DecodeError, OptionError, UnsupportedError
from .json_detection import may_be_json
from .nearest import nearest_hint

_SPECS = _core.formats()


FORMAT_NAMES = tuple(spec["name"] for spec in _SPECS)
DIRECTORIES = tuple(spec["name"] for spec in _SPECS if spec["directory"])
STREAMED = tuple(spec["name"] for spec in _SPECS if spec["chunks"])  # written and read chunk by chunk
BUNDLED = tuple(spec["name"] for spec in _SPECS if spec["bundle"])  # several frames in one file
CONNECTED = tuple(spec["name"] for spec in _SPECS if spec["messages"])  # frames as messages of a connection
SUFFIXES = {suffix: spec["name"] for spec in _SPECS for suffix in spec["suffixes"]}
_TEXT = tuple(spec["name"] for spec in _SPECS if spec["compressed"])
_PRINTED = frozenset([*b"\t\r\n", *range(0x20, 0x7F)])

# The longest magic is 8 bytes (Arrow pads its own to that length).
MAGIC_NBYTES = 8
FEATHER_V1 = "Feather V1"
_BEGINNINGS = {spec["name"]: spec["magic"] for spec in _SPECS if spec["magic"]}
_BEGINNINGS["arrow"] += (b"FEA1",)  # refused by its name
_MAGIC = ((b"FEA1", FEATHER_V1), *((magic, name) for name, magics in _BEGINNINGS.items() for magic in magics))
PACKED_MAGIC = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", *(bytes([first, 0x2A, 0x4D, 0x18]) for first in range(0x50, 0x60)))
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")  # of UTF-16 and UTF-32
# A stream opens with its schema message: a continuation mark, then the length of the message, which is padded.
_CONTINUATION = b"\xff\xff\xff\xff"
_MESSAGE_NBYTES = range(8, 1 << 28, 4)
# MessagePack has no magic number. A Colonnade file is a map (in one of three encodings) whose first key is the text
# "__colonnade__" of 13 bytes.
_HEADER_KEY = b"\xad__colonnade__"
# The comment with Colonnade's header in CSV: "# colonnade: {".
_OWN_CSV = b"# colonn"
# Other starts of a frame: a map, or an array of maps.
_MSGPACK_HEADS = frozenset([*range(0x80, 0xA0), 0xDC, 0xDD, 0xDE, 0xDF])


def check_format(name: str) -> str:
    """`name` in lower case, if this version supports it.

    Raises
    ------
    OptionError
        An unknown name; the message lists the known ones.
    """
    if not isinstance(name, str):
        raise TypeError(f"format: expected a name such as 'npz', found {type(name).__name__}.")
    lower = name.lower().removeprefix(".")
    if lower in FORMAT_NAMES:
        return lower
    from .._plugins.discovery import FORMAT_PLUGINS
    from .._plugins.lookup import known_formats

    if FORMAT_PLUGINS.get(lower) is not None:
        return lower
    near = nearest_hint(lower, (*FORMAT_NAMES, *FORMAT_PLUGINS.names()))
    raise OptionError(f"format: unknown format {name!r}{near}. Known: {known_formats(FORMAT_NAMES)}.")


def refuse_unbuilt(name: str, where: str = "") -> NoReturn:
    """Raise the error of a format that is known but not built."""
    place = f"{where}: " if where else ""
    if name == FEATHER_V1:
        raise UnsupportedError(
            f"arrow: {place}expected an Arrow IPC file, found Feather V1, another format that nothing "
            "writes any more. Read it with pandas.read_feather or pyarrow.feather.read_table and write it again."
        )
    raise UnsupportedError(
        f"{place}{name} is not built into this version; this version reads and writes {', '.join(FORMAT_NAMES)}."
    )


def from_suffix(name: str) -> str | None:
    """The format of a file name's suffix, built or not, or of a plug-in; None if the suffix is not known.

    Raises
    ------
    PluginError
        The plug-in of this suffix cannot be loaded, or two plug-ins claim it.
    """
    lower = name.lower().rstrip("/")
    for packed in (".gz", ".zst"):
        inner = SUFFIXES.get(_suffix(lower.removesuffix(packed)))
        if lower.endswith(packed) and inner in _TEXT:
            return inner
    suffix = _suffix(lower)
    found = SUFFIXES.get(suffix)
    return found if found is not None or not suffix else _plugin_of_suffix(suffix)


def _plugin_of_suffix(suffix: str) -> str | None:
    from .._plugins.lookup import format_of_suffix

    loaded = format_of_suffix(suffix)
    return None if loaded is None else loaded.name


def is_text(format: str | None, head: bytes) -> bool:
    """Whether `format` is a text format and `head` may be text: a column name may equal a magic number."""
    return format in _TEXT and (from_magic(head) is None or _PRINTED.issuperset(head))


def from_magic(head: bytes) -> str | None:
    """The format with this magic number, built or not; None if no format has it."""
    for magic, name in _MAGIC:
        if head.startswith(magic):
            return name
    if head.startswith(_CONTINUATION) and int.from_bytes(head[4:8], "little") in _MESSAGE_NBYTES:
        return "arrows"
    if _is_own_msgpack(head):
        return "msgpack"
    return None


def may_begin(format: str, head: bytes, is_utf8: bool) -> bool:
    """Whether a stream of `format` may begin with these bytes. `is_utf8`: the encoding of text.

    A stream is read to its end before it is decoded, so a stream of another format is refused early.
    """
    if not head:
        return True
    if format not in FORMAT_NAMES:
        return not _contradicts(format, head)
    if format in _BEGINNINGS:
        return head.startswith(_BEGINNINGS[format])
    if format == "msgpack":
        return _looks_like_msgpack(head)
    if not is_utf8 or head.startswith(PACKED_MAGIC) or head.startswith(_WIDE_MARKS):
        return True
    if format == "yaml":
        return b"\0" not in head
    if format in ("json", "ndjson"):
        text = head.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n")
        return not text or text[0] in b'{["-0123456789tfnNI'
    return True


def detect(head: bytes, name: str | None, more: Callable[[], str] | None = None) -> str:
    """Detect the format of a source by its first bytes, then by its name. `more` distinguishes JSON and NDJSON.

    Raises
    ------
    UnsupportedError
        A known format that is not built.
    DecodeError
        Neither the bytes nor the name determine a format.
    """
    # Bytes take precedence over the name, because many files named .arrow hold a stream. A stream from before version
    # 0.15 has no continuation marker, so only its name identifies it.
    suffix = from_suffix(name) if name else None
    found = suffix if is_text(suffix, head) else from_magic(head) or suffix
    if found != suffix and suffix is not None and suffix not in FORMAT_NAMES and not _contradicts(suffix, head):
        return suffix  # a plug-in's format may be a ZIP, whose first bytes are those of NPZ
    if found is None and head.startswith(_OWN_CSV):
        found = "csv"
    if found is None and more is not None and may_be_json(head):
        found = more() or None
    if found in FORMAT_NAMES or (found is not None and found == suffix):
        return found
    if found is not None:
        refuse_unbuilt(found, repr(name) if name else "source")
    from .._plugins.lookup import failures_text, format_of_bytes, known_formats

    loaded, failures = format_of_bytes(head) if head else (None, [])
    if loaded is not None:
        return loaded.name
    what = repr(name) if name else "source"
    bytes_seen = f"the first bytes {head!r}" if head else "no bytes"
    maybe = " MessagePack has no magic: if it is that, pass format='msgpack'." if _looks_like_msgpack(head) else ""
    raise DecodeError(
        f"{what}: expected a file of a known format, found {bytes_seen} and no known suffix. "
        f"Known: {known_formats(FORMAT_NAMES)}; pass format= where you know it.{maybe}{failures_text(failures)}"
    )


def _contradicts(plugin: str, head: bytes) -> bool:
    """Whether the first bytes are of another format than the suffix, which is that of a plug-in."""
    from .._plugins.discovery import FORMAT_PLUGINS
    from .._plugins.lookup import contradicts

    loaded = FORMAT_PLUGINS.get(plugin)
    return loaded is not None and contradicts(loaded, head)


def for_target(format: str | None, name: str | None) -> str:
    """The format to write: `format`, or the format of the target's suffix."""
    if format is not None:
        return check_format(format)
    if name is None:
        from .._plugins.lookup import known_formats

        known = known_formats(FORMAT_NAMES)
        raise OptionError(f"format: the target has no name to tell it from. Pass format=, one of: {known}.")
    found = from_suffix(name)
    if found is not None:
        return found
    from .._plugins.discovery import FORMAT_PLUGINS
    from .._plugins.lookup import failures_text, known_formats

    suffixes = [*SUFFIXES, *(suffix for loaded in FORMAT_PLUGINS.working() for suffix in loaded.plugin.suffixes)]
    near = nearest_hint(_suffix(name.lower()), suffixes)
    raise OptionError(
        f"format: the suffix of {name!r} is not known{near}. Known: {' '.join(suffixes)}; "
        f"or pass format=, one of: {known_formats(FORMAT_NAMES)}.{failures_text()}"
    )


def for_connection(format: str | None) -> str:
    """The format of a frame sent over a connection."""
    if format is None or format == CONNECTED[0]:
        return CONNECTED[0]
    name = check_format(format)
    if name not in CONNECTED:
        raise UnsupportedError(
            f"{name}: expected a format that goes over a connection ({', '.join(CONNECTED)}), found {name}. "
            f"Bytes of any format go as they are: send_bytes(cn.encode(data, {name!r})), cn.decode(receive_bytes())."
        )
    return name


def _looks_like_msgpack(head: bytes) -> bool:
    """Whether the first byte is that of a MessagePack map or array. Other formats may begin with the same byte."""
    return head[:1] != b"" and head[0] in _MSGPACK_HEADS


def _is_own_msgpack(head: bytes) -> bool:
    if not head:
        return False
    skipped = 1 if 0x80 <= head[0] <= 0x8F else {0xDE: 3, 0xDF: 5}.get(head[0])
    if skipped is None:
        return False
    key = head[skipped : skipped + len(_HEADER_KEY)]
    return len(key) >= MAGIC_NBYTES - 5 and _HEADER_KEY.startswith(key)


def _suffix(name: str) -> str:
    base = name[name.rfind("/") + 1 :]
    dot = base.rfind(".")
    return base[dot:] if dot >= 0 else ""
