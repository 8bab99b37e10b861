"""The text of an input: decompressed, and decoded by its byte order mark."""

import codecs
import gzip

import pyarrow as pa

MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


def text_of(content: bytes, encoding: str = "utf-8") -> str:
    """The text without its byte order mark, which goes before `encoding`."""
    content = decompressed(content)
    for mark, found in MARKS.items():
        if content.startswith(mark):
            return content[len(mark) :].decode(found)
    return content.decode(encoding)


def decompressed(content: bytes) -> bytes:
    """The content of a gzip or zstd file, by its first bytes; other content is unchanged."""
    if content.startswith(b"\x1f\x8b"):
        return gzip.decompress(content)
    if content.startswith(b"\x28\xb5\x2f\xfd"):
        with pa.CompressedInputStream(pa.BufferReader(content), "zstd") as stream:
            return stream.read()
    return content
