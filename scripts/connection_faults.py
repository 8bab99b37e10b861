"""Makes each system call of a connection fail once: `python -m scripts.connection_faults`.

strace fails the calls of `scripts/one_message.py`, which sends or receives one frame. The peer is in this process and
not traced. A run ends with the frame at both ends, or with a typed error. Then the peer gets the frame, or an error, or
nothing.
"""

import subprocess
import sys
import tempfile
import threading
import zlib
from collections import Counter
from pathlib import Path

import colonnade as cn
from scripts.faults import ERRORS, OTHER, Fault, calls_between_marks, frame, inject, judged

SOCKET_ERRORS = {
    "socket": ("EMFILE", "ENFILE", "ENOMEM", "EACCES"),
    "connect": ("ECONNREFUSED", "EINTR", "ETIMEDOUT", "EACCES"),
    **dict.fromkeys(("recvfrom", "recvmsg", "read"), ("EINTR", "EAGAIN", "ECONNRESET", "EIO", "ENOMEM")),
    **dict.fromkeys(("sendto", "sendmsg", "write"), ("EINTR", "EAGAIN", "EPIPE", "ECONNRESET", "EIO", "ENOBUFS")),
    **dict.fromkeys(("poll", "ppoll"), ("EINTR", "ENOMEM")),
    "shutdown": ("ENOTCONN",),
}


def main() -> int:
    """Fail the calls of a sender and of a receiver, over a Unix socket and over TCP."""
    wrong: list[str] = []
    print("| connection | work | system calls | faults | frame all the same | typed error | wrong |")
    print("|---|---|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as name:
        source = Path(name) / "source.arrow"
        cn.write(frame("yaml"), source)  # the small one
        for url in (f"unix:{name}/socket", "tcp://127.0.0.1:0"):
            with cn.listen(url) as listener:
                for kind in ("receive", "send"):
                    wrong += attack(kind, listener, source)
    print("\n".join(wrong))
    return 1 if wrong else 0


def attack(kind: str, listener: cn.Listener, source: Path) -> list[str]:
    """Fail each call of one end, and return what is wrong."""
    url = listener.url
    command = [sys.executable, "-m", "scripts.one_message", kind, url, str(source)]
    with Peer(kind, listener, source):
        calls = calls_between_marks(command, source.with_name("log"))
    with Peer(kind, listener, source):
        expected = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    faults = [
        Fault(call, when, error)
        for call, numbers in calls.items()
        for when in numbers
        for error in SOCKET_ERRORS.get(call, ERRORS.get(call, OTHER))
    ]
    counts: Counter[str] = Counter()
    wrong = []
    for fault in faults:
        with Peer(kind, listener, source) as peer:
            try:
                done = subprocess.run(inject(fault, command), capture_output=True, text=True, timeout=30, check=False)
                ended, why = judged(done, expected)
            except subprocess.TimeoutExpired:
                ended, why = "wrong", "no end within 30 s"
        if ended == "frame" and peer.received not in (None, expected.strip()):
            ended, why = "wrong", f"the peer has {peer.received}"
        counts[ended] += 1
        if ended == "wrong":
            wrong.append(f"{url}, {kind}, {fault}: {why}")
            print(wrong[-1], file=sys.stderr)
    ncalls = sum(len(numbers) for numbers in calls.values())
    numbers = [ncalls, len(faults), counts["frame"], counts["error"], counts["wrong"]]
    print(f"| {url.split(':')[0]} | {kind} | {' | '.join(f'{number:,}' for number in numbers)} |", flush=True)
    return wrong


class Peer:
    """The other end of one run: it sends the frame, or receives one."""

    def __init__(self, kind: str, listener: cn.Listener, source: Path) -> None:
        self.kind, self.listener = kind, listener
        self.frame = cn.read(source)
        self.received: str | None = None
        self.thread = threading.Thread(target=self.work)

    def work(self) -> None:
        """Serves one connection, if one comes."""
        try:
            with self.listener.accept(timeout_s=3) as connection:
                if self.kind == "receive":
                    connection.send(self.frame)
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
