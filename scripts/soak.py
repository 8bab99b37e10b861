"""Reads, writes, sends and serves without end: `python -m scripts.soak --minutes 60`.

Four threads work at once: files of all formats in the caches of the process, chunks, and messages over a Unix socket
to a child process that sends each back. Every frame is compared by the CRC-32 of its MessagePack, and every message
is counted at both ends. Once a second the program looks at its memory, descriptors and threads. They must be flat:
the last fifth may hold no more than the second fifth, within 5 % of memory and 32 MiB, and not one descriptor or
thread.
"""

import argparse
import io
import json
import multiprocessing
import os
import random
import resource
import statistics
import sys
import tempfile
import threading
import time
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import colonnade as cn
from scripts.faults import exact

FORMATS = ["npz", "arrow", "arrows", "parquet", "msgpack", "csv", "json", "ndjson", "yaml"]
SLACK_NBYTES = 32 << 20

stop = threading.Event()
counts: Counter[str] = Counter()
failures: list[str] = []


def main() -> int:
    """Work on all threads for the time, and print what was held and counted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        url = f"unix:{folder}/socket"
        ready = multiprocessing.get_context("spawn").Event()
        peer = multiprocessing.get_context("spawn").Process(target=echo, args=(url, ready))
        peer.start()
        ready.wait()
        work: list[Callable[[], None]] = [lambda: files(folder), in_memory, chunks, lambda: messages(url)]
        threads = [threading.Thread(target=guarded, args=(task,)) for task in work]
        for thread in threads:
            thread.start()
        samples = watch(options.minutes * 60)
        stop.set()
        for thread in threads:
            thread.join()
        peer.join(20)
        if peer.exitcode != 0:
            failures.append(f"the peer ended with {peer.exitcode}")
    return report(samples, options.minutes)


def guarded(task: Callable[[], None]) -> None:
    """Repeats a task until the end; an error is a failure and ends all tasks."""
    try:
        while not stop.is_set():
            task()
    except Exception as error:
        failures.append(f"{type(error).__name__}: {error}")
        stop.set()


def frame(drawn: random.Random) -> pd.DataFrame:
    """A frame of up to 20,000 rows of numbers, text with nulls and times."""
    nrows = int(10 ** drawn.uniform(0, 4.3))
    numbers = np.random.default_rng(drawn.randrange(1 << 30)).integers(0, 1 << 40, nrows)
    text = pd.array([None if n % 7 == 0 else f"text {n % 1000}" for n in numbers], dtype="string")
    return pd.DataFrame({"n": numbers, "x": numbers / 3, "text": text, "time": pd.to_datetime(numbers, unit="s")})


def checksum(of: Any) -> int:
    """The CRC-32 of a frame as MessagePack. In Arrow, bits behind the last row may be anything."""
    return zlib.crc32(cn.encode(of, "msgpack"))


def check(found: Any, expected: int, what: str) -> None:
    """Counts a frame, and stops all tasks if it is another one."""
    counts[what] += 1
    if checksum(found) != expected:
        failures.append(f"{what}: another frame")
        stop.set()


def files(folder: Path) -> None:
    """Writes a file over one of four, and reads it."""
    drawn = random.Random(counts["file"])
    format, source = drawn.choice(FORMATS), frame(drawn)
    path = folder / f"{drawn.randrange(4)}.{format}"
    cn.write(source, path, **exact(format))
    check(cn.read(path, mmap=drawn.random() < 0.5).to_pandas(), checksum(source), "file")


def in_memory() -> None:
    """Encodes a frame and decodes it."""
    drawn = random.Random(counts["bytes"] + 1_000_000)
    format, source = drawn.choice(FORMATS), frame(drawn)
    check(cn.decode(cn.encode(source, format, **exact(format)), format=format).to_pandas(), checksum(source), "bytes")


def chunks() -> None:
    """Writes a stream in chunks, and reads it in batches."""
    drawn = random.Random(counts["chunks"] + 2_000_000)
    source, sink = frame(drawn), io.BytesIO()
    with cn.open_writer(sink, format="arrows") as writer:
        for start in range(0, len(source), 1000):
            writer.write(source[start : start + 1000])
    sink.seek(0)
    with cn.open_reader(sink, format="arrows") as reader:
        check(pd.concat([batch.to_pandas() for batch in reader]), checksum(source), "chunks")


def messages(url: str) -> None:
    """A thousand messages over one connection, then another connection."""
    drawn = random.Random(counts["message"] + 3_000_000)
    with cn.connect(url) as connection:
        for _ in range(1000):
            if stop.is_set():
                break
            source = frame(drawn)
            connection.send(source)
            check(connection.receive().to_pandas(), checksum(source), "message")
        connection.send_bytes(b"last" if stop.is_set() else b"next")


def echo(url: str, ready: Any) -> None:
    """Sends every frame back; ends after the message `last`."""
    with cn.listen(url) as listener:
        ready.set()
        last = b""
        while last != b"last":
            with listener.accept() as connection:
                for message in connection:
                    if isinstance(message, cn.Frame):
                        connection.send(message.to_pandas())
                    else:
                        last = bytes(message)
                        break


def watch(seconds: float) -> list[dict[str, int]]:
    """The memory, descriptors and threads of this process, once a second."""
    samples = []
    start = time.monotonic()
    while time.monotonic() - start < seconds and not stop.is_set():
        time.sleep(1)
        resident = int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
        status = Path("/proc/self/status").read_text()
        samples.append(
            {
                "memory": resident,
                "descriptors": len(os.listdir("/proc/self/fd")),
                "threads": int(status.split("Threads:")[1].split()[0]),
            }
        )
    return samples


def report(samples: list[dict[str, int]], minutes: float) -> int:
    """Prints the summary and what failed, and returns the status of the program."""
    if failures or len(samples) < 10:
        print("\n".join(failures) or "too short to tell")
        return 1
    fifth = len(samples) // 5
    summary: dict[str, Any] = {"minutes": minutes, **counts}
    for what, slack in (("memory", SLACK_NBYTES), ("descriptors", 0), ("threads", 0)):
        early, late = (
            statistics.median(sample[what] for sample in part)
            for part in (samples[fifth : 2 * fifth], samples[-fifth:])
        )
        summary[what] = [early, late]
        if late > early * (1.05 if what == "memory" else 1) + slack:
            failures.append(f"{what}: {early:,} early, {late:,} late")
    print(json.dumps(summary))
    print("\n".join(failures) or "flat; every frame and message was the same")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
