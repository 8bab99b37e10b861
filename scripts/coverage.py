"""Line coverage of the readers by the fuzzer's inputs only: `python -m scripts.coverage`.

Builds `fuzz/src/bin/replay.rs` with LLVM's counters, runs each check on its seeds and on the inputs in `target/fuzz`,
and writes the table of `docs/trust/fuzzing.md`. The tools must be of the same LLVM as `rustc`: Debian's package is
`llvm-22`.
With a name of a reader, it lists the lines that no input reaches: `python -m scripts.coverage csv`.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from scripts import fuzz

ROOT = Path(__file__).resolve().parent.parent
FUZZ = ROOT / "target" / "fuzz"
WORK = ROOT / "target" / "coverage"
REPLAY = WORK / "release" / "replay"
PAGE = ROOT / "docs" / "trust" / "fuzzing.md"
CORE = ROOT / "crates" / "colonnade" / "src"
MARKS = "<!-- coverage -->\n", "<!-- end of coverage -->"

# The files of each reader. Writers are no part of it (`NO_READER`), nor what only objects of a store, encrypted files
# and filters need (`REST`).
READERS = {
    "npz, npy": r"formats/np[yz]/|container/",
    "arrow, arrows": r"formats/arrow/",
    "parquet": r"formats/parquet/",
    "msgpack": r"formats/msgpack/|cells/msgpack/",
    "csv": r"formats/csv/",
    "json, ndjson": r"formats/json/|cells/json",
    "yaml": r"formats/yaml/",
    "typed and text cells": r"cells/(text|typed)/|cells/[^/]*$",
    "types from text": r"infer/|text/input",
    "messages": r"message/",
}
NO_READER = re.compile(
    r"/write/|/write\.rs|encode|/options\.rs|tests|zip/writer|thrift_out"
    r"|formats/(npz|msgpack)/bundle|formats/npz/(layout|filter/)"
    r"|members/(compact|disassemble|gather|plan|unicode)\.rs|cells/text/strings|msgpack/heads\.rs"
)
REST = {
    "objects of a store": r"remote\.rs",
    "encrypted Parquet": r"parquet/read/encrypted/",
    "filters": r"parquet/read/filter/|row_filter\.rs|filter/",
}


@dataclass
class Lines:
    """How many lines of a file have code, and which of them no input reaches."""

    count: int
    missed: list[int]


def main() -> int:
    """The command line."""
    wanted = sys.argv[1:]
    if not (WORK / "all.profdata").is_file() or not wanted:
        build()
        fuzz.seed()
        replay_all()
    lines = {path: found for path, found in covered() if not NO_READER.search(path)}
    if wanted:
        for path, found in lines.items():
            if re.search(READERS.get(wanted[0], wanted[0]), path) and found.missed:
                print(f"{path}: {ranges(found.missed)}")
        return 0
    write_table(lines)
    return 0


def build() -> None:
    """Builds `replay` with counters, in a folder of its own."""
    # As the fuzzer's builds: small inputs are split as large ones are.
    flags = {"RUSTFLAGS": "-C instrument-coverage --cfg fuzzing", "CARGO_TARGET_DIR": str(WORK)}
    # Build scripts count too.
    flags["LLVM_PROFILE_FILE"] = str(WORK / "build-%p.profraw")
    cargo = ["cargo", "build", "--locked", "--release", "-p", "colonnade-fuzz", "--bin", "replay"]
    subprocess.run(cargo, cwd=ROOT, env={**os.environ, **flags}, check=True)


def replay_all() -> None:
    """Runs each check on its inputs, two at once, and joins the counters."""
    names = sorted(folder.name for folder in (FUZZ / "seeds").iterdir())
    raw = WORK / "raw"
    shutil.rmtree(raw, ignore_errors=True)
    raw.mkdir(parents=True)
    with ThreadPoolExecutor(2) as pool:
        for line in pool.map(replay, names):
            print(line, flush=True)
    merge = [tool("llvm-profdata"), "merge", "-sparse", *raw.glob("*.profraw"), "-o", WORK / "all.profdata"]
    subprocess.run(merge, check=True)


def replay(name: str) -> str:
    """Runs one check on its seeds and on the inputs that the fuzzer has found."""
    profile = {"LLVM_PROFILE_FILE": str(WORK / "raw" / f"{name}.profraw")}
    folders = [FUZZ / "seeds" / name, FUZZ / "corpus" / name]
    done = subprocess.run(
        [REPLAY, name, *folders], env={**os.environ, **profile}, capture_output=True, text=True, check=False
    )
    return done.stdout.strip() or f"{name}: status {done.returncode}"


def covered() -> Iterator[tuple[str, Lines]]:
    """The lines of each file of the core."""
    command = [tool("llvm-cov"), "export", "-format=lcov", f"-instr-profile={WORK / 'all.profdata'}", REPLAY, CORE]
    report = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    for part in report.split("end_of_record"):
        source = re.search(r"^SF:(.+)$", part, re.MULTILINE)
        if not source:
            continue
        counts = [(int(line), int(count)) for line, count in re.findall(r"^DA:(\d+),(\d+)", part, re.MULTILINE)]
        yield os.path.relpath(source.group(1), CORE), Lines(len(counts), [line for line, count in counts if not count])


def tool(name: str) -> str:
    """The path of a tool of the LLVM that `rustc` has."""
    version = subprocess.run(["rustc", "-vV"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    major = re.search(r"LLVM version: (\d+)", version)
    known = f"{name}-{major.group(1)}" if major else name
    found = shutil.which(known)
    if not found:
        raise SystemExit(f"{known} is not installed. On Debian: apt-get install llvm-{known.rsplit('-')[-1]}")
    return found


def ranges(lines: list[int]) -> str:
    """`[3, 4, 5, 9]` as `3-5, 9`."""
    out: list[list[int]] = []
    for line in lines:
        if out and line == out[-1][1] + 1:
            out[-1][1] = line
        else:
            out.append([line, line])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in out)


def write_table(lines: dict[str, Lines]) -> None:
    """Writes a row for each reader and for what is no part of one."""
    rest = {path for path in lines if any(re.search(pattern, path) for pattern in REST.values())}
    rows = ["| code | lines | reached | most lines not reached |", "|---|--:|--:|---|"]
    for name, pattern in READERS.items():
        rows.append(row(name, {p: n for p, n in lines.items() if re.search(pattern, p) and p not in rest}))
    for name, pattern in REST.items():
        rows.append(row(f"*{name}*", {p: n for p, n in lines.items() if re.search(pattern, p)}))
    before, tail = PAGE.read_text().split(MARKS[0])
    PAGE.write_text(before + MARKS[0] + "\n" + "\n".join(rows) + "\n\n" + MARKS[1] + tail.split(MARKS[1])[1])
    print("\n".join(rows))
    summary: dict[str, int] = defaultdict(int)
    for found in lines.values():
        summary["lines"] += found.count
        summary["missed"] += len(found.missed)
    print(json.dumps(summary))


def row(name: str, files: dict[str, Lines]) -> str:
    """One row: the share of lines, and the three files with most lines that no input reaches."""
    count, missed = sum(f.count for f in files.values()), sum(len(f.missed) for f in files.values())
    worst = sorted(files, key=lambda path: -len(files[path].missed))[:3]
    named = ", ".join(f"`{path}` {len(files[path].missed)}" for path in worst if files[path].missed)
    return f"| {name} | {count:,} | {1 - missed / max(count, 1):.1%} | {named} |"


if __name__ == "__main__":
    sys.exit(main())
