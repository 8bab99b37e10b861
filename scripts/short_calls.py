"""Makes all reads and writes shorter than asked for: `python -m scripts.short_calls`.

A preloaded library, `scripts/short_calls.c`, shortens each transfer of a file, a pipe or a stream socket: to one byte,
to half of what was asked for, or to other lengths in turn. The programs are those of `scripts.faults`,
`scripts.connection_faults`, `scripts.http_faults` and `scripts.dataset_faults`. Short transfers are no errors, so each
run must end with the same frame.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import colonnade as cn
from scripts import dataset_faults, http_faults
from scripts.connection_faults import Peer, connections
from scripts.faults import PROGRAM, SUFFIXES, build, exact, frame
from scripts.one_dataset import KINDS
from tests.helpers.preloaded import HAS_LIBRARY, compiled

SCHEDULES = {"1 byte": "1", "half": "/2", "in turn": "1 4095 /2 7 511"}
ROWS_BY_BYTES = 2_000
"""Rows of a file that moves byte by byte. Other files are large enough to be mapped."""
MESSAGES = ["arrows", "msgpack", "csv", "ndjson"]
SECONDS = 300

Outcome = tuple[int, str]
"""The number of short calls, and what is wrong."""


@dataclass
class Row:
    """A row of the table: kinds of work, each of which runs under each schedule."""

    name: str
    works: dict[str, Callable[[str], Outcome]] = field(default_factory=dict)
    at_once: int = 2
    """Runs at once. Connections have one listener."""


def main() -> int:
    """Run each program under each schedule, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="a part of the name of a row")
    only = parser.parse_args().only
    build()
    wrong: list[str] = []
    print(f"| transfer | work | runs | {' | '.join(f'short calls, {how}' for how in SCHEDULES)} | wrong |")
    print(f"|---|---|{'--:|' * (len(SCHEDULES) + 2)}")
    with tempfile.TemporaryDirectory() as name:
        library = compiled(Path(name))
        for rows in (files, messages, urls, datasets):
            for row in rows(library):
                if only in row.name:
                    wrong += attack(row)
    print("\n".join(wrong))
    return 1 if wrong else 0


def attack(row: Row) -> list[str]:
    """Run the works of a row, print it, and return what is wrong."""
    runs = [(work, how) for work in row.works for how in SCHEDULES]
    with ThreadPoolExecutor(row.at_once) as pool:
        outcomes = list(pool.map(lambda run: row.works[run[0]](run[1]), runs))
    ended = list(zip(runs, outcomes, strict=True))
    wrong = [f"{row.name}, {work}, {how}: {why}" for (work, how), (_, why) in ended if why]
    counts = [sum(count for (_, other), (count, _) in ended if other == how) for how in SCHEDULES]
    numbers = " | ".join(f"{number:,}" for number in (len(runs), *counts, len(wrong)))
    print(f"| {row.name} | {', '.join(row.works)} | {numbers} |", flush=True)
    return wrong


def outcome(library: Path, how: str, command: list[str], expected: str) -> Outcome:
    """Run a program whose transfers are short."""
    with tempfile.NamedTemporaryFile(dir=library.parent) as log:
        environment = {
            **os.environ,
            "LD_PRELOAD": str(library),
            "COLONNADE_SHORT": SCHEDULES[how],
            "COLONNADE_SHORT_LOG": log.name,
        }
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=SECONDS, check=False, env=environment
            )
        except subprocess.TimeoutExpired:
            return 0, f"no end within {SECONDS} s"
        count = int(Path(log.name).read_text() or 0)
    if done.returncode != 0:
        return count, f"status {done.returncode}: {done.stderr.strip()[-300:]}"
    return count, "" if done.stdout == expected else "another frame"


def plain(command: list[str]) -> str:
    """The output of a program whose transfers are whole."""
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def files(library: Path) -> Iterator[Row]:
    """Reads and writes of files."""
    for suffix in SUFFIXES:
        row = Row(suffix)
        for kind in ("read", "read-unmapped", "write"):
            row.works[kind.replace("-", " ")] = file_work(library, suffix, kind)
        yield row


def file_work(library: Path, suffix: str, kind: str) -> Callable[[str], Outcome]:
    """One read or write, of a small file if it moves byte by byte."""

    def run(how: str) -> Outcome:
        folder = Path(tempfile.mkdtemp(dir=library.parent))
        source, target, short = folder / "source.arrow", folder / f"target.{suffix}", folder / "short"
        short.mkdir()
        rows = frame(suffix)[: ROWS_BY_BYTES if how == "1 byte" else None]
        cn.write(rows, source)
        if kind != "write":
            cn.write(rows, target, **exact(suffix))
            command = [str(PROGRAM), kind, str(target)]
            return outcome(library, how, command, plain(command))
        expected = plain([str(PROGRAM), kind, str(target), str(source)])
        count, why = outcome(library, how, [str(PROGRAM), kind, str(short / target.name), str(source)], expected)
        names = [path.name for path in short.iterdir()]
        if not why and names != [target.name]:
            why = f"the folder holds {names}"
        elif not why and (short / target.name).read_bytes() != target.read_bytes():
            why = "other bytes than without short calls"
        return count, why

    return run


def messages(library: Path) -> Iterator[Row]:
    """One end of a connection. The peer is in this process, whose transfers are whole."""
    source = library.with_name("message.arrow")
    cn.write(frame("yaml"), source)  # the small one
    for url, listening, connecting in connections(library.parent):
        with cn.listen(url, **listening) as listener:
            for format in MESSAGES:
                row = Row(f"{url.split(':')[0]}, {format}", at_once=1)
                for kind in ("receive", "send"):
                    row.works[kind] = message_work(library, listener, kind, [str(source), format, *connecting])
                yield row


def message_work(library: Path, listener: cn.Listener, kind: str, arguments: list[str]) -> Callable[[str], Outcome]:
    """One message."""
    command = [sys.executable, "-m", "scripts.one_message", kind, listener.url, *arguments]

    def run(how: str) -> Outcome:
        with Peer(kind, listener, Path(arguments[0]), arguments[1]):
            expected = plain(command)
        with Peer(kind, listener, Path(arguments[0]), arguments[1]) as peer:
            count, why = outcome(library, how, command, expected)
        if not why and kind == "send" and peer.received != expected.strip():
            why = f"the peer has {peer.received}"
        return count, why

    return run


def urls(library: Path) -> Iterator[Row]:
    """Reads over HTTP. The server's transfers are whole."""
    for name in http_faults.FILES:
        cn.write(frame("npz")[: 10 * ROWS_BY_BYTES], library.with_name(name))
    with http_faults.servers(library.parent) as rows:
        for (server, work), arguments in rows:
            command = [sys.executable, "-m", "scripts.one_url", *arguments]

            def run(how: str, command: list[str] = command) -> Outcome:
                return outcome(library, how, command, plain(command))

            yield Row(server, {work: run})


def datasets(library: Path) -> Iterator[Row]:
    """Reads and writes of datasets."""
    row = Row("dataset")
    for kind in KINDS:
        row.works[kind] = dataset_work(library, dataset_faults.prepared(kind, library.parent))
    yield row


def dataset_work(library: Path, work: dataset_faults.Work) -> Callable[[str], Outcome]:
    """One read or write."""

    def run(how: str) -> Outcome:
        expected = plain(dataset_faults.command(work, dataset_faults.copied(work)))
        folder = dataset_faults.copied(work)
        count, why = outcome(library, how, dataset_faults.command(work, folder), expected)
        if not why and work.is_write:
            _, why = dataset_faults.judged_rows(work, folder, "frame")
        return count, why

    return run


if __name__ == "__main__":
    if not HAS_LIBRARY:
        sys.exit("short_calls: expected Linux on x86_64 with a C compiler.")
    sys.exit(main())
