"""Sends or receives one frame over a connection, for `scripts.connection_faults`: `one_message.py KIND URL SOURCE`.

Prints the CRC-32 of the frame as MessagePack. The exit status is 0, or 3 for a typed error. The system calls between
two uses of the path `/colonnade-mark` are those of the connection.
"""

import contextlib
import os
import sys
import zlib

import colonnade as cn


def main(kind: str, url: str, source: str) -> int:
    """Connect, send or receive, and close."""
    frame = cn.decode(cn.encode(cn.read(source), "arrows"), format="arrows")
    # What Python imports late is imported now.
    with cn.listen("tcp://:0") as listener, cn.connect(listener.url) as here, listener.accept() as there:
        here.send({"a": [1]})
        cn.encode(there.receive(), "msgpack")
    mark()
    try:
        with cn.connect(url, timeout_s=10) as connection:
            if kind == "send":
                connection.send(frame)
            else:
                frame = connection.receive()
    except (cn.ColonnadeError, OSError, MemoryError) as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 3
    finally:
        mark()
    print(f"{zlib.crc32(cn.encode(frame, 'msgpack')):08x}")
    return 0


def mark() -> None:
    """Leave a system call in the trace."""
    with contextlib.suppress(OSError):
        os.readlink("/colonnade-mark")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
