"""Runs the Python tests with each change that no Rust test notices: first once, to see what each test reaches."""

import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from scripts.mutants import build, run

RECORD = build.WORK / "python-reached"
RESULTS = build.WORK / "python-results.jsonl"
PLUGIN = "scripts.mutants.plugin"
# Names of sockets are short.
TEMPORARY = Path("/tmp/mutants")
# What reads and writes; not documentation, benchmarks, pictures and other engines.
FOLDERS = [
    "tests/formats",
    "tests/net",
    "tests/adapters",
    "tests/api",
    "tests/conformance",
    "tests/stores",
    "tests/datasets",
]
MOST_SECONDS = 15.0
"""As many seconds of tests are run for a change."""
FORMATS = re.compile(r"formats/(\w+)/|(message|transport|decode|cells)")


def environment(**variables: str) -> dict[str, str]:
    """For pytest in the copy."""
    paths = f"{build.TREE / 'python'}:{build.TREE / 'bench' / 'src'}:{build.ROOT}"
    return {**os.environ, "PYTHONPATH": paths, "CI": "true", "TMPDIR": str(TEMPORARY), **variables}


def pytest(*options: str, **variables: str) -> subprocess.Popen:
    """Starts pytest in the copy."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", PLUGIN, "-p", "no:cacheprovider", *options]
    return subprocess.Popen(command, cwd=build.TREE, env=environment(**variables))


def record(jobs: int) -> None:
    """Runs all tests once."""
    TEMPORARY.mkdir(exist_ok=True)
    for old in build.WORK.glob(f"{RECORD.name}-*"):
        old.unlink()
    count = len(json.loads(build.LIST.read_text()))
    options = ["-n", str(jobs), "--dist", "worksteal", *FOLDERS]
    pytest(
        *options, COLONNADE_MUTANT="record", COLONNADE_MUTANTS_RECORD=str(RECORD), COLONNADE_MUTANTS_COUNT=str(count)
    ).wait()


def chosen(numbers: list[int]) -> list[dict]:
    """For each change the tests that reach it: those of its format first, the quick ones first."""
    mutants = json.loads(build.LIST.read_text())
    lines = [line for path in build.WORK.glob(f"{RECORD.name}-*") for line in path.read_text().splitlines()]
    tests = sorted((json.loads(line) for line in lines), key=lambda test: test["seconds"])
    of_change = defaultdict(list)
    for test in tests:
        for number in test["reached"]:
            of_change[number].append(test)
    out = []
    for number in numbers:
        found = FORMATS.search(mutants[number]["file"])
        word = next((group for group in found.groups() if group), "") if found else ""
        names, seconds = [], 0.0
        for test in sorted(of_change[number], key=lambda test: word not in test["name"]):
            if names and seconds + test["seconds"] > MOST_SECONDS:
                continue
            names.append(test["name"])
            seconds += test["seconds"]
        out.append({"number": number, "tests": names, "seconds": 20 + 3 * seconds})
    return out


def try_all(jobs: int, minutes: float) -> None:
    """Tries the changes that the Rust tests leave, in random order, as long as there is time."""
    left = {n for n, result in run.results(run.RESULTS).items() if result in ("not noticed", "not reached")}
    changes = chosen(run.in_random_order(left - set(run.results(RESULTS))))
    none = [change for change in changes if not change["tests"]]
    some = [change for change in changes if change["tests"]]
    with RESULTS.open("a") as file:
        for change in none:
            file.write(json.dumps({"number": change["number"], "result": "not reached"}) + "\n")
    TEMPORARY.mkdir(exist_ok=True)
    children = []
    for job in range(jobs):
        path = build.WORK / f"try-{job}.json"
        path.write_text(json.dumps(some[job::jobs]))
        path.with_suffix(".results").unlink(missing_ok=True)
        options = ["-s", "-p", "no:xdist", "-p", "no:faulthandler", *FOLDERS]
        variables = {"COLONNADE_MUTANTS_TRY": str(path), "COLONNADE_MUTANTS_MINUTES": str(minutes)}
        children.append((path.with_suffix(".results"), pytest(*options, **variables)))
    for path, child in children:
        child.wait()
        if path.exists():
            with RESULTS.open("a") as file:
                file.write(path.read_text())
