"""Sends or receives one frame over a connection: `one_message.py KIND URL SOURCE [FORMAT [AUTHORITIES TOKEN_FILE]]`.

`scripts.connection_faults` and `scripts.short_calls` run it.

Prints the CRC-32 of the frame as MessagePack. The exit status is 0, or 3 for a typed error. The system calls between
two uses of the path `/colonnade-mark` are those of the connection.
"""

import sys
import zlib
from typing import Any

import colonnade as cn
from scripts.marked import marked


def main(kind: str, url: str, source: str, format: str = "arrows", authorities: str = "", token_file: str = "") -> int:
    """Connect, send or receive, and close."""
    frame = cn.decode(cn.encode(cn.read(source), "arrows"), format="arrows")
    tls: dict[str, Any] = {"authorities": authorities, "token_file": token_file} if authorities else {}
    # What Python imports late is imported now.
    with cn.listen("tcp://:0") as listener, cn.connect(listener.url) as here, listener.accept() as there:
        here.send({"a": [1]}, format)
        cn.encode(there.receive(), "msgpack")

    def work() -> cn.Frame:
        with cn.connect(url, timeout_s=10, **tls) as connection:
            if kind == "send":
                connection.send(frame, format)
                return frame
            return connection.receive()

    return marked(work, lambda found: f"{zlib.crc32(cn.encode(found, 'msgpack')):08x}")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
