"""The files to read: inputs that the fuzzer found, golden files, and public corpora where they are."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.conformance import frozen
from tests.helpers.corpora import CORPORA, ROOT, verdicts

FORMATS = ("npy", "npz", "arrow", "arrows", "parquet", "csv", "json", "ndjson", "msgpack", "yaml")
SCHEMALESS = ("csv", "json", "ndjson", "msgpack", "yaml")
FUZZED = (ROOT / "target" / "fuzz" / "corpus", ROOT / "fuzz" / "corpus")


@dataclass(frozen=True)
class Input:
    """One file on the disk; `skip` bytes before it choose the options of reading."""

    format: str
    path: str
    skip: int
    origin: str


def inputs(format: str, work: Path) -> Iterator[Input]:
    """All files of a format. Files inside other files of a corpus are written to the folder `work`."""
    for folder in FUZZED:
        for path in sorted((folder / f"read-{format}").glob("*")):
            yield Input(format, str(path), 1, "fuzzer")
        for path in sorted((folder / f"split-{format}").glob("*")):
            yield Input(format, str(path), skipped(path), "fuzzer")
    yield from golden(format)
    if CORPORA is None:
        return
    if format in SCHEMALESS:
        yield from within_files(format, CORPORA, work)
        return
    for path in dict.fromkeys(binary_corpora(format, CORPORA)):
        yield Input(format, str(path), 0, "corpora")


def golden(format: str) -> Iterator[Input]:
    """The golden files of a format."""
    for path in sorted((ROOT / "conformance" / format).glob(f"*.{format}")):
        if path.name != "cases.json":
            yield Input(format, str(path), 0, "golden files")


def skipped(path: Path) -> int:
    """The bytes before the file: options, the number of pieces, and their sizes (fuzz/src/split.rs)."""
    with contextlib.suppress(FileNotFoundError), path.open("rb") as file:
        head = file.read(2)
        return 2 + head[1] % 16 if len(head) == 2 else len(head)
    return 0


def within_files(format: str, root: Path, work: Path) -> Iterator[Input]:
    """The texts and values that `conformance/corpora.json.gz` lists."""
    chosen = (content for _, kind, content in frozen.inputs(root) if kind == format)
    for number, content in enumerate(chosen):
        path = work / f"{number}.{format}"
        path.write_bytes(content)
        yield Input(format, str(path), 0, "corpora")


def binary_corpora(format: str, root: Path) -> Iterator[Path]:
    """Files with a verdict, and files that other projects' fuzzers found."""
    if format in ("arrow", "arrows"):
        for row in verdicts("arrow"):
            if row.path.read_bytes()[:6].startswith(b"ARROW1") == (format == "arrow"):
                yield row.path
        folder = "arrow-ipc-file" if format == "arrow" else "arrow-ipc-stream"
        yield from sorted(path for path in (root / "arrow-testing" / folder).iterdir() if path.is_file())
    elif format == "npz":
        yield from (row.path for row in verdicts("npz", "zip"))
    elif format == "parquet":
        yield from (row.path for row in verdicts("parquet") if not row.name.endswith(".encrypted"))
        yield from sorted(path for path in (root / "arrow-testing" / "parquet").rglob("*") if path.is_file())
    else:
        yield from (row.path for row in verdicts(format))
