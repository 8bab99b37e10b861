"""Fuzzes the readers and writers: `python -m scripts.fuzz run --minutes 10`.

Each check of `fuzz/` runs for an equal share of the time, two at once: first in a plain build, which runs five times
as many inputs, then under AddressSanitizer, which runs all inputs that were kept and goes on. The inputs stay in
`target/fuzz`, so a later run goes on where this one ends. `run` adds its executions to `fuzz/record.json`; `report`
writes the table of `docs/trust/fuzzing.md` from it; `corpus` stores inputs in `fuzz/corpus`: the smallest set that has
the coverage of all, and of it the smallest ones.
"""

import argparse
import datetime
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts import sanitizers

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "target" / "fuzz"
CORPUS = ROOT / "fuzz" / "corpus"
RECORD = ROOT / "fuzz" / "record.json"
DICTIONARIES = ROOT / "fuzz" / "dictionaries"
PAGE = ROOT / "docs" / "trust" / "fuzzing.md"
CORPORA = ROOT.parent / "shared" / "corpora"
# Relative to the project: `seeds` knows `fuzz/seeds` by its path.
OWN_FILES = [Path("conformance"), Path("fuzz/seeds")]
# Folders of their own: other builds do not wait for these, which take five minutes each.
BUILDS = {"none": WORK / "plain", "address": WORK / "build"}
PLAIN_SHARE = 0.75
RECORDING = threading.Lock()

# Of each check, the smallest inputs are stored: all together have less than 2 MB.
MOST_STORED_NBYTES = 30_000

# A run may take 10 s and allocate 300 MB at once. The limits of the checks are far below: see fuzz/src/options.rs.
# The names of new functions are not looked up, which takes seconds of a run.
LIMITS = ["-timeout=10", "-rss_limit_mb=3000", "-malloc_limit_mb=300", "-max_len=65536", "-print_funcs=0"]


@dataclass(frozen=True)
class Outcome:
    """What one run of a check did."""

    target: str
    sanitizer: str
    executions: int
    edges: int
    finding: str | None


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=["run", "corpus", "report"])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--only", default="", help="checks whose name contains this text")
    options = parser.parse_args()
    if options.task == "report":
        return report()
    for sanitizer in ["address"] if options.task == "corpus" else BUILDS:
        build(sanitizer)
    targets = [name for name in seed() if options.only in name]
    if options.task == "corpus":
        return store_corpus(targets)
    outcomes = run_all(targets, options.minutes * 60)
    report()
    findings = [outcome.finding for outcome in outcomes if outcome.finding]
    print("\n".join(findings) or "no finding")
    return 1 if findings else 0


def build(sanitizer: str) -> None:
    """Builds the fuzz target with a sanitizer, or with none."""
    cargo = ["cargo", "+nightly", "fuzz", "build", "--fuzz-dir", "fuzz", "--sanitizer", sanitizer]
    place = ["--target-dir", str(BUILDS[sanitizer])]
    if sanitizer == "none":
        # The record of compared values takes a third of the time. The other build has it.
        cargo.append("--no-trace-compares")
    subprocess.run([*cargo, *place, "--features", "libfuzzer", "attack"], cwd=ROOT, check=True)


def binary(sanitizer: str) -> Path:
    """The fuzz target that `build` makes."""
    return BUILDS[sanitizer] / "x86_64-unknown-linux-gnu" / "release" / "attack"


def seed() -> list[str]:
    """The names of all checks, when each has its first inputs."""
    seeds = WORK / "seeds"
    write_seeds(seeds, [*OWN_FILES, *([CORPORA] if CORPORA.is_dir() else [])])
    names = sorted(folder.name for folder in seeds.iterdir())
    for name in names:
        inputs = WORK / "corpus" / name
        stored = CORPUS / f"{name}.zip"
        if not inputs.is_dir() and stored.is_file():
            zipfile.ZipFile(stored).extractall(inputs)
        inputs.mkdir(parents=True, exist_ok=True)
        (WORK / "findings" / name).mkdir(parents=True, exist_ok=True)
    return names


def write_seeds(target: Path, folders: list[Path]) -> None:
    """Writes the files of `folders` as inputs, into a folder for each check."""
    seeding = ["cargo", "run", "--locked", "--release", "-p", "colonnade-fuzz", "--bin", "seeds"]
    subprocess.run([*seeding, "--", target, *folders], cwd=ROOT, check=True)


def run_all(targets: list[str], seconds: float) -> list[Outcome]:
    """Runs each check for an equal share of the time, two at once."""
    workers = 2
    share = max(round(seconds * workers / max(len(targets), 1)), 1)
    with ThreadPoolExecutor(workers) as pool:
        return [outcome for both in pool.map(lambda target: run_both(target, share), targets) for outcome in both]


def run_both(target: str, seconds: int) -> list[Outcome]:
    """Runs one check in both builds, until the time is over or it finds something."""
    plain = max(round(seconds * PLAIN_SHARE), 1)
    outcomes = [run(target, "none", plain), run(target, "address", max(seconds - plain, 1))]
    with RECORDING:
        add(target, outcomes, seconds)
    return outcomes


def run(target: str, sanitizer: str, seconds: int) -> Outcome:
    """Runs one check in one build."""
    findings = WORK / "findings" / target
    command: list[str | Path] = [
        binary(sanitizer),
        WORK / "corpus" / target,
        WORK / "seeds" / target,
        f"-max_total_time={seconds}",
        f"-artifact_prefix={findings}/",
        "-print_final_stats=1",
        # Weights of inputs by rare edges take half of the time where there are so many edges.
        "-entropic=0",
        *LIMITS,
        *dictionary(target),
    ]
    done = subprocess.run(
        command, env=environment(target), capture_output=True, text=True, errors="replace", check=False
    )
    log = findings / f"log-{sanitizer}.txt"
    log.write_text(done.stderr)
    executions = re.search(r"stat::number_of_executed_units: +(\d+)", done.stderr)
    edges = re.findall(r" cov: (\d+) ", done.stderr)
    saved = re.search(r"Test unit written to (\S+)", done.stderr)
    finding = f"{target}: {saved.group(1) if saved else log}" if done.returncode else None
    outcome = Outcome(
        target, sanitizer, int(executions.group(1)) if executions else 0, int(edges[-1]) if edges else 0, finding
    )
    print(
        f"{target}, {sanitizer}: {outcome.executions:,} executions, {outcome.edges:,} edges"
        f"{', a finding' if finding else ''}",
        flush=True,
    )
    return outcome


def dictionary(target: str) -> list[str]:
    """The option for the words of the format, if there are any. Round trips take frames and no files."""
    path = DICTIONARIES / f"{target.rsplit('-', 1)[-1]}.txt"
    return [f"-dict={path}"] if path.is_file() and not target.startswith("round-trip") else []


def environment(target: str) -> dict[str, str]:
    """The variables that choose the check and set up the sanitizer."""
    return {
        **os.environ,
        "COLONNADE_FUZZ_TARGET": target,
        **sanitizers.OF_ADDRESS,
    }


def add(target: str, outcomes: list[Outcome], seconds: int) -> None:
    """Adds the runs of one check to the record."""
    record = json.loads(RECORD.read_text()) if RECORD.is_file() else {}
    entry = record.setdefault(target, {"executions": 0, "plain": 0, "seconds": 0, "edges": 0})
    entry["executions"] += sum(outcome.executions for outcome in outcomes)
    entry["plain"] = entry.get("plain", 0) + sum(each.executions for each in outcomes if each.sanitizer == "none")
    entry["seconds"] += seconds
    # AddressSanitizer adds edges, so those of the plain build are not comparable.
    entry["edges"] = max(entry["edges"], *(each.edges for each in outcomes if each.sanitizer == "address"))
    entry["inputs"] = sum(1 for _ in (WORK / "corpus" / target).iterdir())
    entry["date"] = datetime.date.today().isoformat()
    RECORD.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n")


def store_corpus(targets: list[str]) -> int:
    """Stores the inputs that reach more than the project's own files do. Files of public corpora are left out."""
    CORPUS.mkdir(exist_ok=True)
    own = WORK / "own"
    write_seeds(own, OWN_FILES)
    with ThreadPoolExecutor(2) as pool:
        for line in pool.map(lambda target: store(target, own / target), targets):
            print(line, flush=True)
    return 0


def store(target: str, own: Path) -> str:
    """Stores the inputs of one check: of the smallest set with the coverage of all, the smallest ones."""
    least = WORK / "least" / target
    shutil.rmtree(least, ignore_errors=True)
    shutil.copytree(own, least)
    known = {path.name for path in own.iterdir()}
    command: list[str | Path] = [binary("address"), "-merge=1", *LIMITS, least, WORK / "corpus" / target]
    subprocess.run(command, env=environment(target), capture_output=True, check=True)
    found = [path for path in least.iterdir() if path.name not in known]
    count = 0
    with zipfile.ZipFile(CORPUS / f"{target}.zip", "w", zipfile.ZIP_DEFLATED) as out:
        for path in sorted(found, key=lambda path: (path.stat().st_size, path.name)):
            if out.fp and out.fp.tell() > MOST_STORED_NBYTES:
                break
            # A fixed time: the same inputs give the same file.
            out.writestr(zipfile.ZipInfo(path.name[:12]), path.read_bytes(), zipfile.ZIP_DEFLATED)
            count += 1
    return f"{target}: {count} inputs of {len(found)}"


def report() -> int:
    """Writes the table between the marks of the page."""
    record = json.loads(RECORD.read_text())
    lines = [
        "| check | executions | of these under AddressSanitizer | edges | inputs | processor time | last run |",
        "|---|--:|--:|--:|--:|--:|---|",
    ]
    for target, entry in sorted(record.items()):
        minutes = f"{entry['seconds'] / 60:,.0f} min"
        counts = [entry["executions"], sanitized(entry), entry["edges"], entry["inputs"]]
        lines.append(f"| {target} | {' | '.join(f'{count:,}' for count in counts)} | {minutes} | {entry['date']} |")
    total, hours = (sum(entry[key] for entry in record.values()) for key in ("executions", "seconds"))
    lines.append(f"| together | {total:,} | {sum(map(sanitized, record.values())):,} | | | {hours / 3600:,.1f} h | |")
    text = PAGE.read_text()
    start, end = "<!-- table -->\n", "<!-- end of table -->"
    before, rest = text.split(start)
    PAGE.write_text(before + start + "\n" + "\n".join(lines) + "\n\n" + end + rest.split(end)[1])
    return 0


def sanitized(entry: dict[str, Any]) -> int:
    """Executions under AddressSanitizer."""
    return int(entry["executions"]) - int(entry.get("plain", 0))


if __name__ == "__main__":
    sys.exit(main())
