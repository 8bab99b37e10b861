"""Makes each system call of a connection fail once: `python -m scripts.connection_faults`.

strace fails the calls of `scripts/one_message.py`, which sends or receives one frame over a Unix socket, TCP or TLS.
The peer is in this process and not traced. A run ends with the frame at both ends, or with a typed error. Then the peer
gets the frame, or an error, or nothing.
"""

import argparse
import logging
import subprocess
import sys
import tempfile
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import colonnade as cn
from scripts.faults import frame
from scripts.system_calls import HEAD, SOCKET_ERRORS, Fault, calls_between_marks, faults_of, inject, report, run
from tests.helpers.certificates import make_certificates

SECONDS = 30


def main() -> int:
    """Fail the calls of a sender and of a receiver, over each kind of connection."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="unix, tcp or tls")
    only = parser.parse_args().only
    logging.getLogger("colonnade").setLevel(logging.ERROR)  # peers that were turned away
    wrong: list[str] = []
    print(f"| connection | {HEAD}")
    with tempfile.TemporaryDirectory() as name:
        source = Path(name) / "source.arrow"
        cn.write(frame("yaml"), source)  # the small one
        for url, listening, connecting in connections(Path(name)):
            if only in ("", url.split(":")[0]):
                with cn.listen(url, **listening) as listener:
                    for kind in ("receive", "send"):
                        wrong += attack(kind, listener, source, connecting)
    print("\n".join(wrong))
    return 1 if wrong else 0


def connections(folder: Path) -> Iterator[tuple[str, dict[str, Any], list[str]]]:
    """The URL to listen at, the options of `cn.listen`, and the arguments of the program after the format."""
    yield f"unix:{folder}/socket", {}, []
    yield "tcp://127.0.0.1:0", {}, []
    made = make_certificates(folder)
    token = folder / "token"
    token.write_text("a token of 24 characters")
    token.chmod(0o600)
    options = {**made.server.options, "token_file": token}
    yield "tls://127.0.0.1:0", options, [made.authority, str(token)]


def attack(kind: str, listener: cn.Listener, source: Path, connecting: list[str]) -> list[str]:
    """Fail each call of one end, and return what is wrong."""
    url = listener.url
    command = [sys.executable, "-m", "scripts.one_message", kind, url, str(source), "arrows", *connecting]
    with Peer(kind, listener, source):
        calls = calls_between_marks(command, source.with_name("log"))
    with Peer(kind, listener, source):
        expected = subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def outcome(fault: Fault) -> tuple[str, str]:
        with Peer(kind, listener, source) as peer:
            ended, why = run(inject(fault, command), expected, SECONDS)
        if ended == "frame" and peer.received not in (None, expected.strip()):
            return "wrong", f"the peer has {peer.received}"
        return ended, why

    faults = faults_of(calls, SOCKET_ERRORS)
    # One after the other: they have one listener.
    return report((url.split(":")[0], kind), calls, faults, map(outcome, faults))


class Peer:
    """The other end of one run: it sends the frame, or receives one."""

    def __init__(self, kind: str, listener: cn.Listener, source: Path, format: str = "arrows") -> None:
        self.kind, self.listener, self.format = kind, listener, format
        self.frame = cn.read(source)
        self.received: str | None = None
        self.thread = threading.Thread(target=self.work)

    def work(self) -> None:
        """Serves one connection, if one comes."""
        try:
            with self.listener.accept(timeout_s=3) as connection:
                if self.kind == "receive":
                    connection.send(self.frame, self.format)
                else:
                    self.received = f"{zlib.crc32(cn.encode(connection.receive(), 'msgpack')):08x}"
        except (cn.ColonnadeError, OSError, EOFError):
            pass

    def __enter__(self) -> "Peer":
        self.thread.start()
        return self

    def __exit__(self, *ended: object) -> None:
        self.thread.join()


if __name__ == "__main__":
    sys.exit(main())
