"""Runs the Rust tests with each change on, only those tests that reach it, the quick ones first."""

import json
import os
import random
import resource
import subprocess
import threading
import time
from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from scripts.mutants.build import WORK

REACHED = WORK / "reached.json"
RESULTS = WORK / "results.jsonl"
MOST_MEMORY = 6 << 30
FIRST_SECONDS = 0.3
"""A batch of tests has as many as take this long; each batch after it three times as many."""
LEAST_TIMEOUT = 6.0


@dataclass
class Test:
    """One test, the seconds it takes and the changes it reaches."""

    program: str
    folder: str
    name: str
    seconds: float = 0.0
    reached: list[int] = field(default_factory=list)


def record(programs: list[tuple[str, str]], jobs: int) -> None:
    """Runs each test once and notes what it reaches."""
    every = [Test(program, folder, name) for program, folder in programs for name in names(program, folder)]
    with ThreadPoolExecutor(jobs) as pool:
        passed = list(pool.map(record_one, every))
    kept = [test for test, ok in zip(every, passed, strict=True) if ok]
    failed = [test.name for test, ok in zip(every, passed, strict=True) if not ok]
    print(f"{len(kept)} tests; {len(failed)} fail without a change: {', '.join(failed)}", flush=True)
    REACHED.write_text(json.dumps([vars(test) for test in kept]))


def names(program: str, folder: str) -> list[str]:
    """The tests of a program."""
    listed = subprocess.run([program, "--list"], cwd=folder, capture_output=True, text=True, check=True).stdout
    return [line.removesuffix(": test") for line in listed.splitlines() if line.endswith(": test")]


def record_one(test: Test) -> bool:
    """Notes what a test reaches. Returns whether it passes."""
    path = WORK / f"reached-{threading.get_ident()}"
    path.unlink(missing_ok=True)
    started = time.monotonic()
    passed = run([test], "record", 600, {"COLONNADE_REACHED": str(path)})
    test.seconds = time.monotonic() - started
    if path.exists():
        test.reached = sorted({int(line) for line in path.read_text().split()})
    return passed == "passed"


def run(tests: list[Test], change: int | str, seconds: float, variables: dict[str, str] | None = None) -> str:
    """Runs tests of one program with a change on: passed, failed, or endless."""
    command = [tests[0].program, "--exact", "--test-threads=1", "-q", *(test.name for test in tests)]
    environment = {
        **os.environ,
        "COLONNADE_MUTANT": str(change),
        "PROPTEST_FAILURE_PERSISTENCE": "off",
        **(variables or {}),
    }
    with subprocess.Popen(
        command,
        cwd=tests[0].folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=limit,
        start_new_session=True,
    ) as child:
        try:
            return "passed" if child.wait(seconds) == 0 else "failed"
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, 9)
            return "endless"


def limit() -> None:
    """A change may ask for all memory."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def batches(tests: list[Test]) -> list[list[Test]]:
    """Tests of one program each, the quick ones first."""
    out, room = [], FIRST_SECONDS
    left = sorted(tests, key=lambda test: test.seconds)
    while left:
        total, taken = 0.0, []
        for test in left:
            if taken and total + test.seconds > room:
                break
            total += test.seconds
            taken.append(test)
        left = left[len(taken) :]
        by_program = defaultdict(list)
        for test in taken:
            by_program[test.program].append(test)
        out += by_program.values()
        room *= 3
    return out


def try_change(number: int, tests: list[Test]) -> dict:
    """Whether a test notices a change."""
    if not tests:
        return {"number": number, "result": "not reached"}
    for batch in batches(tests):
        expected = sum(test.seconds for test in batch)
        result = run(batch, number, LEAST_TIMEOUT + 5 * expected)
        if result != "passed":
            return {"number": number, "result": result, "tests": [test.name for test in batch][:5]}
    return {"number": number, "result": "not noticed"}


def results(path: Path) -> dict[int, str]:
    """The results so far, by number."""
    lines = path.read_text().splitlines() if path.exists() else []
    return {each["number"]: each["result"] for each in map(json.loads, lines)}


def in_random_order(numbers: Iterable[int]) -> list[int]:
    """The same order in each run, so that what was tried is a random sample."""
    order = sorted(numbers)
    random.Random(0).shuffle(order)
    return order


def try_all(woven: set[int], tests: list[Test], jobs: int, minutes: float) -> None:
    """Tries the changes that have no result yet, in random order, as long as there is time."""
    done = results(RESULTS)
    of_change = defaultdict(list)
    for test in tests:
        for number in test.reached:
            of_change[number].append(test)
    end = time.monotonic() + 60 * minutes
    lock = threading.Lock()

    def one(number: int) -> None:
        if time.monotonic() > end:
            return
        result = try_change(number, of_change[number])
        with lock, RESULTS.open("a") as file:
            file.write(json.dumps(result) + "\n")

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(one, [number for number in in_random_order(woven) if number not in done]))
