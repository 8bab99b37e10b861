"""The crates `csv` and `parquet`, by the program `fuzz/src/bin/crates.rs`."""

import json
import subprocess
import tempfile
from pathlib import Path

import pyarrow as pa

from tests.helpers.corpora import ROOT

from .outcomes import Refused

PROGRAM = ROOT / "target" / "debug" / "crates"


def build() -> None:
    """Builds the program, as the Rust tests do."""
    cargo = ["cargo", "build", "--locked", "-p", "colonnade-fuzz", "--bin", "crates"]
    subprocess.run(cargo, cwd=ROOT, check=True)


def run(format: str, content: bytes, *arguments: str) -> bytes:
    """What the program prints for a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(content)
        done = subprocess.run([PROGRAM, format, path, *arguments], capture_output=True, check=False)
    if done.returncode:
        raise Refused(f"the {format} crate: {done.stderr.decode(errors='replace')[:300]}")
    return done.stdout


def csv_records(content: bytes, separator: str) -> list[list[str]]:
    """The records of the crate `csv`."""
    records: list[list[str]] = json.loads(run("csv", content, separator))
    return records


def parquet_table(content: bytes) -> pa.Table:
    """The table of the crate `parquet`."""
    return pa.ipc.open_stream(run("parquet", content)).read_all()
