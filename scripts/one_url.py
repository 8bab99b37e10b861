"""Reads a file over HTTP, for `scripts.http_faults`: `one_url.py URL LOCAL [FORMAT]`. LOCAL is any file of its format.

Prints the CRC-32 of the frame as MessagePack. The exit status is 0, or 3 for a typed error. The system calls between
two uses of the path `/colonnade-mark` are those of the read.
"""

import sys
import zlib

import colonnade as cn
import colonnade._io.http_source
from scripts.marked import marked


def main(url: str, local: str, format: str | None = None) -> int:
    """Read the file twice, from the disk and from the server."""
    cn.encode(cn.read_pandas(local), "msgpack")  # what Python imports late is imported now
    return marked(
        lambda: cn.read_pandas(url, format=format, timeout_s=5),
        lambda found: f"{zlib.crc32(cn.encode(found, 'msgpack')):08x}",
    )


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
