"""Arrow bytes with one thing wrong: a typed error that names the place, before memory is taken for what is claimed."""

import functools
import re
import struct
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("pyarrow")

import colonnade as cn
from tests.helpers import arrow_bytes as ab
from tests.helpers.applies import applies
from tests.helpers.arrow_bad_cases import BAD, EITHER, Bad
from tests.helpers.arrow_bytes import as_message
from tests.helpers.arrow_look import batches_of, open_ipc, open_reader
from tests.helpers.each import each
from tests.sweep import arrow as sweep_arrow

# Where in the bytes: a message by its number, or a byte.
_PLACE = re.compile(r"(?i)(message|batch|dictionary|block|member) \d+|byte \d+|\d+ batch")

# What no block of a footer points to is not read, nor is the schema in front, which the footer says again.
_IN_FILES = [
    name
    for name, bad in BAD.items()
    if as_message(bad.head).kind == 1 and all(message.kind in (2, 3) for message in bad.messages)
]

_WAYS: dict[str, Callable[[bytes, str], Any]] = {
    "load": lambda content, format: open_ipc(content, format).load(),
    "load one thread": lambda content, format: open_ipc(content, format).load(threads=1),
    "load private": lambda content, format: open_ipc(content, format).load(private=True),
    "load_arrow": lambda content, format: open_ipc(content, format).load_arrow(),
    "verify": lambda content, format: open_ipc(content, format).verify(),
    "open verified": lambda content, format: open_ipc(content, format, verify=True).load(),
}


def _refused(bad: Bad, content: bytes, format: str, way: Callable[[bytes, str], Any]) -> None:
    with pytest.raises(cn.ColonnadeError) as raised:
        way(content, format)
    error, message = raised.value, str(raised.value)
    assert isinstance(error, bad.errors), (type(error).__name__, message)
    assert re.match(r"(arrows?|lz4|zstd): ", message), message
    assert bad.schema_only or _PLACE.search(message), message
    assert re.search(bad.words, message), message


@functools.lru_cache(maxsize=64)  # every way in takes the same bytes, and those of a thousand fields are slow to make
def _stream(name: str) -> bytes:
    return BAD[name].stream()


@functools.lru_cache(maxsize=64)
def _file(name: str) -> bytes:
    return BAD[name].file()


@each("way", list(_WAYS))
@each("name", list(BAD), per=20)
def test_a_stream(name: str, way: str) -> None:
    _refused(BAD[name], _stream(name), "arrows", _WAYS[way])


@each("way", list(_WAYS))
@each("name", list(_IN_FILES), per=20)
def test_a_file(name: str, way: str) -> None:
    _refused(BAD[name], _file(name), "arrow", _WAYS[way])


@each("name", list(BAD), per=50)
def test_a_stream_batch_by_batch(name: str) -> None:
    def read(content: bytes, _: str) -> None:
        reader = open_reader(content)
        reader.schema()
        batches_of(reader)

    _refused(BAD[name], _stream(name), "arrows", read)


@each("name", list(BAD), per=50)
@applies(lambda name: not any(word in name for word in ("body of", "body length overflows", "metadata of")))
def test_an_error_is_no_missing_end(name: str) -> None:
    """What is wrong stays wrong where a missing end is allowed."""
    bad = BAD[name]
    _refused(
        bad, _stream(name), "arrows", lambda content, format: open_ipc(content, format, allow_truncated=True).load()
    )


@pytest.mark.parametrize("form", ["stream", "file"])
def test_no_memory_is_taken_for_what_is_claimed(form: str) -> None:
    cases = {name: getattr(bad, form)() for name, bad in (BAD | EITHER).items()}
    small = {name: content.hex() for name, content in cases.items() if len(content) < 100_000}
    format = {"stream": "arrows", "file": "arrow"}[form]
    modes = [(None, False), (format, False), (format, True)]
    results = sweep_arrow.run({"hex": small, "modes": modes}, resident=24 << 20)
    assert len(results) == len(modes) * len(small)
    assert [result for result in results if "invalid" in result.values()] == []


# --------------------------------------------------------------------------- footers
_HEAD = ab.schema(ab.field("a", ab.INT64))
_TWO = ab.batch(2, [(2, 0)], [(0, 0), (0, 16)], struct.pack("<qq", 1, 2))
_NBYTES = len(_TWO.metadata())
_START = 8 + len(ab.as_message(_HEAD).encode())
_OTHER = ab.schema(ab.field("b", ab.FLOAT64))
_RIGHT = (_START, 8 + _NBYTES, 16)

_BLOCKS: dict[str, tuple[int, int, int]] = {
    "outside the file": (1 << 40, 8 + _NBYTES, 16),
    "at a negative offset": (-8, 8 + _NBYTES, 16),
    "into the footer": (_START + 1000, 8 + _NBYTES, 16),
    "misaligned": (_START + 4, 8 + _NBYTES, 16),
    "that overflows": (2**63 - 8, 8 + _NBYTES, 16),
    "of another message": (8, len(ab.as_message(_HEAD).encode()), 0),
    "inside a message": (_START + 8, 8 + _NBYTES, 16),
    "with too short metadata": (_START, _NBYTES, 16),
    "with too long metadata": (_START, 16 + _NBYTES, 16),
    "with negative metadata": (_START, -8, 16),
    "without metadata": (_START, 0, 16),
    "with a short body": (_START, 8 + _NBYTES, 8),
    "with a long body": (_START, 8 + _NBYTES, 24),
    "with a negative body": (_START, 8 + _NBYTES, -16),
    "with a body of terabytes": (_START, 8 + _NBYTES, 1 << 50),
}


def _footers() -> dict[str, bytes]:
    whole = ab.file(_HEAD, _TWO)
    cases = {f"block {name}": ab.file(_HEAD, _TWO, blocks={0: block}) for name, block in _BLOCKS.items()}
    cases |= {
        "two blocks for one message": ab.file(_HEAD, _TWO, _TWO, blocks={1: _RIGHT}),
        "footer of no length": ab.file(_HEAD, _TWO, footer_nbytes=0),
        "footer of a negative length": ab.file(_HEAD, _TWO, footer_nbytes=-8),
        "footer longer than the file": ab.file(_HEAD, _TWO, footer_nbytes=len(whole)),
        "footer of gigabytes": ab.file(_HEAD, _TWO, footer_nbytes=2**31 - 1),
        "footer cut in front": ab.file(_HEAD, _TWO, footer_nbytes=40),
        "footer of a version from the future": ab.file(_HEAD, _TWO, footer_version=5),
        "footer of an old version": ab.file(_HEAD, _TWO, footer_version=2),
        "footer with another schema": ab.file(_HEAD, _TWO, footer_schema=_OTHER),
        "no magic at the end": ab.file(_HEAD, _TWO, tail=b"ARROW2"),
        "nothing after the footer's length": ab.file(_HEAD, _TWO, tail=b""),
        "no magic in front": b"ARROWS" + whole[6:],
        "magic alone": b"ARROW1",
        "magic twice": b"ARROW1ARROW1",
        "magic and padding": b"ARROW1\0\0",
        "magic around a length": b"ARROW1\0\0" + bytes(4) + b"ARROW1",
        "nothing": b"",
    }
    return cases


FOOTERS = _footers()


def test_the_file_that_the_cases_damage_is_sound() -> None:
    opened = open_ipc(ab.file(_HEAD, _TWO), "arrow")
    assert opened.load().column(0).tolist() == [1, 2]
    assert open_ipc(ab.file(_HEAD, _TWO, blocks={0: _RIGHT}), "arrow").nrows == 2


@each("name", list(FOOTERS))
def test_a_footer(name: str) -> None:
    def read() -> None:
        opened = open_ipc(FOOTERS[name], "arrow")
        opened.load()

    with pytest.raises((cn.DecodeError, cn.LimitError, cn.UnsupportedError)) as raised:
        read()
    message = str(raised.value)
    assert message.startswith("arrow: "), message
    assert re.search(r"(?i)footer|block|byte|magic|message|batch|schema", message), message


def test_no_memory_is_taken_for_what_a_footer_claims() -> None:
    cases = {name: content.hex() for name, content in FOOTERS.items()}
    results = sweep_arrow.run({"hex": cases}, resident=24 << 20)
    assert [result for result in results if "invalid" in result.values()] == []
