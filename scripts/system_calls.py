"""Makes one system call of a program fail, by strace. `scripts.faults` and the others like it use it.

The program marks the beginning and the end of the work by two uses of the path `/colonnade-mark`. strace counts the
calls of each thread by their names, so a fault is a name and a number, and fails that call of every thread.
"""

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

MARK = "/colonnade-mark"

OPEN = ("EIO", "EINTR", "ENFILE", "EMFILE", "ENOMEM", "EACCES")
READ = ("EIO", "EINTR")
WRITE = ("EIO", "EINTR", "ENOSPC", "EDQUOT")
MEMORY = ("ENOMEM",)
NAME = ("EIO", "ENOSPC", "EACCES")
ERRORS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(["open", "openat", "openat2", "memfd_create"], OPEN),
    **dict.fromkeys(["read", "pread64", "readv", "preadv", "preadv2", "getdents64", "copy_file_range"], READ),
    **dict.fromkeys(
        ["write", "pwrite64", "writev", "pwritev", "pwritev2", "fallocate", "ftruncate", "fsync", "fdatasync"], WRITE
    ),
    **dict.fromkeys(["mmap", "mremap", "madvise", "mprotect", "munmap"], MEMORY),
    **dict.fromkeys(
        ["rename", "renameat", "renameat2", "link", "linkat", "unlink", "unlinkat", "mkdir", "mkdirat"], NAME
    ),
    **dict.fromkeys(["clone", "clone3"], ("EAGAIN", "ENOMEM")),
    **dict.fromkeys(["fcntl", "flock"], ("EIO", "ENOLCK")),
    "getrandom": ("EINTR", "ENOSYS"),
}
OTHER = ("EIO", "ENOSYS")
SOCKET_ERRORS = {
    **ERRORS,
    "socket": ("EMFILE", "ENFILE", "ENOMEM", "EACCES"),
    "connect": ("ECONNREFUSED", "EINTR", "ETIMEDOUT", "EACCES"),
    **dict.fromkeys(("recvfrom", "recvmsg", "read"), ("EINTR", "EAGAIN", "ECONNRESET", "ETIMEDOUT", "EIO", "ENOMEM")),
    **dict.fromkeys(("sendto", "sendmsg", "write"), ("EINTR", "EAGAIN", "EPIPE", "ECONNRESET", "EIO", "ENOBUFS")),
    **dict.fromkeys(("poll", "ppoll"), ("EINTR", "ENOMEM")),
    "shutdown": ("ENOTCONN",),
}
"""Of a program that only reads and writes sockets between its marks."""
# These calls do not fail in practice: a thread would be told that its wait has ended, or the C library asks again.
NEVER = {"futex", "exit", "exit_group", "rt_sigreturn", "restart_syscall", "brk", "getpid", "gettid"}

HEAD = "work | system calls | faults | frame all the same | typed error | wrong |\n|---|---|--:|--:|--:|--:|--:|"
"""The rest of the head of a table, after its first column."""


@dataclass(frozen=True)
class Fault:
    """The `when`-th call of this name fails with this error."""

    call: str
    when: int
    error: str


Calls = dict[str, list[int]]
"""The calls between the marks: their numbers among the calls of their name."""


def calls_between_marks(command: list[str], log: Path) -> Calls:
    """The calls of a program between its marks: those of the main thread, and of other threads with higher numbers.

    A fault of a lower number would fail a call of the main thread before the first mark.
    """
    subprocess.run(["strace", "-f", "-o", str(log), *command], capture_output=True, check=True)
    found: dict[str, set[int]] = {}
    counts: Counter[tuple[str, str]] = Counter()
    before: Counter[str] = Counter()
    marks, main_thread = 0, None
    for line in log.read_text(errors="replace").splitlines():
        entry = re.match(r"(\d+) +(\w+)\(", line)
        if not entry:
            continue
        thread, call = entry[1], entry[2]
        main_thread = main_thread or thread
        counts[thread, call] += 1
        if MARK in line:
            marks += 1
        elif marks == 0:
            before[call] = max(before[call], counts[thread, call])
        elif marks == 1 and call not in NEVER and (thread == main_thread or counts[thread, call] > before[call]):
            found.setdefault(call, set()).add(counts[thread, call])
    assert marks == 2, f"{command}: expected two marks, found {marks}"
    return {call: sorted(numbers) for call, numbers in found.items()}


def faults_of(calls: Calls, errors: dict[str, tuple[str, ...]] = ERRORS) -> list[Fault]:
    """Each call with each error that it may give."""
    return [
        Fault(call, when, error)
        for call, numbers in calls.items()
        for when in numbers
        for error in errors.get(call, OTHER)
    ]


def inject(fault: Fault, command: list[str]) -> list[str]:
    """The command under strace, which fails the call."""
    tracer = ["strace", "--seccomp-bpf", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={fault.call}"]
    return [*tracer, "-e", f"inject={fault.call}:error={fault.error}:when={fault.when}", *command]


def run(command: list[str], expected: str, seconds: float) -> tuple[str, str]:
    """How a run ended: `frame`, `error` or `wrong`, and what is wrong."""
    try:
        return judged(subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False), expected)
    except subprocess.TimeoutExpired:
        return "wrong", f"no end within {seconds} s"


def judged(done: subprocess.CompletedProcess[str], expected: str) -> tuple[str, str]:
    """How a run ended: `frame`, `error` or `wrong`, and what is wrong."""
    if done.returncode == 0:
        return ("frame", "") if done.stdout == expected else ("wrong", "another frame")
    if done.returncode == 3 and done.stderr.strip():
        return "error", ""
    return "wrong", f"status {done.returncode}: {done.stderr.strip()[-300:]}"


def report(names: tuple[str, str], calls: Calls, faults: list[Fault], outcomes: Iterable[tuple[str, str]]) -> list[str]:
    """Print the row of a table, and return the faults that ended wrong."""
    ended = list(outcomes)
    counts = Counter(how for how, _ in ended)
    ncalls = sum(len(numbers) for numbers in calls.values())
    numbers = [ncalls, len(faults), counts["frame"], counts["error"], counts["wrong"]]
    print(f"| {' | '.join(names)} | {' | '.join(f'{number:,}' for number in numbers)} |", flush=True)
    pairs = zip(faults, ended, strict=True)
    wrong = [f"{', '.join(names)}, {fault}: {why}" for fault, (how, why) in pairs if how == "wrong"]
    print(*wrong, sep="\n", file=sys.stderr, flush=True)
    return wrong
