"""The command line of the package: reads all inputs, and prints the tables."""

import argparse
import json
import os
import queue
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

import scripts.oracles
from tests.helpers.corpora import ROOT

from . import crates, outcomes
from .batches import Child, Result
from .inputs import FORMATS, Input, inputs, skipped
from .peers import PEERS
from .rules import rule_of

RESULTS = ROOT / "target" / "oracles" / "results.jsonl"
COLUMNS = (
    outcomes.EQUAL,
    outcomes.REFUSE,
    outcomes.ONLY_WE,
    outcomes.ONLY_PEER,
    outcomes.NOT_COMPARED,
    outcomes.PEER_ENDED,
    outcomes.RULE,
    outcomes.DIFFERENT,
)
WRONG = (outcomes.DIFFERENT, outcomes.FINDING)


def main() -> int:
    """Compare all inputs, print the tables, and return 1 if a difference has no reason."""
    parser = argparse.ArgumentParser(
        description=scripts.oracles.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", choices=["", *FORMATS], help="one format")
    parser.add_argument("--reasons", action="store_true", help="list why only one of the two reads an input")
    parser.add_argument("files", nargs="*", type=Path, help="files of the format that --only names")
    options = parser.parse_args()
    formats = [options.only] if options.only else list(FORMATS)
    crates.build()
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    results: list[Result] = []
    print(f"| format | other reader | inputs | {' | '.join(COLUMNS)} |\n|---|---|--:|{'--:|' * len(COLUMNS)}")
    with tempfile.TemporaryDirectory() as work, RESULTS.open("w") as record:
        for format in formats:
            given = [of_file(format, path) for path in options.files]
            found = list(results_of(given or list(inputs(format, Path(work)))))
            for peer in PEERS[format]:
                print(row(format, peer, [result for result in found if result.peer == peer]), flush=True)
            record.writelines(json.dumps(asdict(result)) + "\n" for result in found)
            results += found
    print_rules(results)
    if options.reasons or options.files:
        print_reasons(results)
    wrong = [result for result in results if counted(result) in WRONG]
    for result in wrong:
        print(f"{result.input.path}, {result.peer}: {result.outcome}: {result.text}", file=sys.stderr)
    return 1 if wrong else 0


def of_file(format: str, path: Path) -> Input:
    """A file that the command line names: one of the fuzzer's has bytes before it."""
    whole = path.resolve()
    before = skipped(whole) if f"split-{format}" in whole.parts else int("fuzz" in whole.parts)
    return Input(format, str(whole), before, "given")


def results_of(chosen: list[Input]) -> Iterator[Result]:
    """The results of all inputs, by as many children as there are cores."""
    idle: queue.SimpleQueue[Child] = queue.SimpleQueue()
    children = [Child() for _ in range(os.cpu_count() or 1)]
    for child in children:
        idle.put(child)

    def work(input: Input) -> list[Result]:
        child = idle.get()
        try:
            return list(child.results(input, list(PEERS[input.format])))
        finally:
            idle.put(child)

    with ThreadPoolExecutor(len(children)) as pool:
        for found in pool.map(work, chosen):
            yield from found
    for child in children:
        child.close()


def counted(result: Result) -> str:
    """The column of a result."""
    return outcomes.RULE if rule_of(result) else result.outcome


def row(format: str, peer: str, results: list[Result]) -> str:
    """One row of the table."""
    counts = Counter(counted(result) for result in results)
    findings = f" ({counts[outcomes.FINDING]} findings)" if counts[outcomes.FINDING] else ""
    numbers = [len(results), *(counts[column] for column in COLUMNS)]
    return f"| {format} | {peer} | {' | '.join(f'{number:,}' for number in numbers)} |{findings}"


def print_rules(results: list[Result]) -> None:
    """How many differences each rule explains."""
    counts = Counter((rule.format, rule.reason) for rule in map(rule_of, results) if rule is not None)
    if counts:
        print("\n| format | inputs | rule |\n|---|--:|---|")
    for (format, reason), count in counts.most_common():
        print(f"| {format} | {count:,} | {reason} |")


def print_reasons(results: list[Result]) -> None:
    """The distinct reasons of each outcome but equality, with their numbers and one file each."""
    counts: Counter[tuple[str, str, str, str]] = Counter()
    examples: dict[tuple[str, str, str, str], str] = {}
    for result in results:
        if result.outcome not in (outcomes.EQUAL, outcomes.REFUSE):
            key = (result.input.format, result.peer, counted(result), reason_of(result.text))
            counts[key] += 1
            examples.setdefault(key, result.input.path)
    for key, count in sorted(counts.items(), key=lambda entry: (*entry[0][:3], -entry[1])):
        print(f"{count:6} {' | '.join(key)} [{examples[key]}]")


def reason_of(text: str) -> str:
    """An error without its names and numbers."""
    text = re.sub(r'"[^"]*"|(?<!\w)\'[^\']*\'', "_", text.replace("\n", " "))
    return re.sub(r"\d+", "N", text)[:160]


if __name__ == "__main__":
    sys.exit(main())
