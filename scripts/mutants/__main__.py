"""Tries every change of the readers that cargo-mutants finds, in one build: `python -m scripts.mutants`.

cargo-mutants builds the project for each change, which takes half a minute. Here all changes are compiled in, each
behind a switch (`weave.py`), and a record of what each test reaches says which tests are worth running. Rust tests come
first; what they do not notice, the Python tests get. `target/mutants/missed.txt` lists what neither notices.
"""

import argparse
import json
from collections import Counter

from scripts.mutants import build, python, run


def main() -> None:
    """The command line."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--minutes", type=float, default=60, help="of Rust tests, and of Python tests")
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--part", choices=["build", "rust", "record", "python", "table"], help="only this part")
    given = options.parse_args()
    for part in [given.part] if given.part else ["build", "rust", "record", "python", "table"]:
        match part:
            case "build":
                all_changes(given.jobs)
            case "rust":
                tests = [run.Test(**test) for test in json.loads(run.REACHED.read_text())]
                run.try_all(set(json.loads(build.WOVEN.read_text())), tests, given.jobs, given.minutes)
            case "record":
                python.record(given.jobs)
            case "python":
                python.try_all(given.jobs, given.minutes)
            case "table":
                table()


def all_changes(jobs: int) -> None:
    """Builds the copy, and runs each Rust test once."""
    build.copy()
    mutants, woven = build.weave()
    print(build.summary(mutants, woven), flush=True)
    for path in (run.RESULTS, python.RESULTS):
        path.unlink(missing_ok=True)
    run.record(build.tests(), jobs)
    build.module()


def table() -> None:
    """Prints how many changes were tried and noticed, and lists those that no test notices."""
    mutants = json.loads(build.LIST.read_text())
    rust, later = run.results(run.RESULTS), run.results(python.RESULTS)
    print(f"{len(mutants)} changes, {len(json.loads(build.WOVEN.read_text()))} compile behind a switch")
    print(f"Rust tests: {dict(Counter(rust.values()))}")
    print(f"Python tests, of those not noticed or not reached: {dict(Counter(later.values()))}")
    left = sorted(number for number, result in later.items() if result in ("passed", "not reached"))
    lines = [f"{later[number]}: {mutants[number]['name']}" for number in left]
    (build.WORK / "missed.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
