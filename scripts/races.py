"""Commit races: `python -m scripts.races`, which prints the table of docs/trust/races.md.

First each server's conditional put is proven: 1,000 races of two puts, of which one must win. Then four writers append
10,000 times, and writers are killed at 200 random moments.
"""

from __future__ import annotations

import argparse
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from colonnade.testing.races import Race


def prove_puts(url: str, options: dict[str, Any], races: int) -> int:
    """How many of these races had exactly one winner."""
    from colonnade._dataset.places import place_of
    from colonnade._io.stores import Access

    place = place_of(url, Access(options.get("storage_options")))
    with ThreadPoolExecutor(4) as pool:

        def race(i: int) -> bool:
            names = [f"race-{i}".encode() + bytes([j]) for j in range(4)]
            won = list(pool.map(lambda data: place.create(f"races/{i}", data), names))
            return sum(won) == 1

        return sum(race(i) for i in range(races))


def main() -> None:
    """Run both, and print one row of the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--puts", type=int, default=1000)
    parser.add_argument("--attempts", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--url", help="a prefix in a store; default: a local folder")
    parser.add_argument("--endpoint", help="of an S3 server")
    given = parser.parse_args()
    options: dict[str, Any] = {}
    if given.endpoint:
        keys = {"endpoint": given.endpoint, "access_key_id": "test", "secret_access_key": "test", "region": "us-east-1"}
        options = {"storage_options": keys}
    with tempfile.TemporaryDirectory() as folder:
        base = given.url or str(Path(folder) / "d")
        print(
            f"| {base if given.url else 'local disk'} | {prove_puts(base + '/puts', options, given.puts):,} of {given.puts:,} |",
            end="",
        )
        outcome = Race(base + "/appends", 4, given.attempts // 4, options=options).run()
        counts = f"{outcome.done:,} | {outcome.lost} | {outcome.doubled} | {outcome.half}"
        print(f" {counts} | {outcome.reads:,} |", end="")
        outcome = Race(base + "/kills", 4, 1_000_000, kills=given.kills, options=options).run()
        print(f" {outcome.killed} | {outcome.lost} | {outcome.doubled} | {outcome.half} |")


if __name__ == "__main__":
    main()
