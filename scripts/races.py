"""Commit races: `python -m scripts.races local azurite` prints a row of docs/trust/tested.md for each place.

First each store's conditional put is proven: 1,000 races of four puts, of which one must win. Then four writers append
10,000 times to 20 datasets, one after the other, and writers of 50 more are killed at 200 random moments. Each dataset
has its own server, because Azurite slows down with every blob that it holds, until requests time out.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from colonnade._dataset.places import place_of
from colonnade._io.stores import Access
from colonnade.testing.races import Outcome, Race
from tests.helpers.store_servers import SERVERS

WRITERS, DATASETS = 4, 20
KILLS = 4
"""Kills for each dataset. With more of them it grows, and a look at all of it takes longer."""
Where = tuple[str, dict[str, Any]]


@contextmanager
def local() -> Iterator[Where]:
    """A local folder."""
    with tempfile.TemporaryDirectory() as folder:
        yield str(Path(folder)), {}


PLACES: dict[str, Callable[[], AbstractContextManager[Where]]] = {"local": local, **SERVERS}


def prove_puts(base: str, options: dict[str, Any], races: int) -> int:
    """How many of these races had exactly one winner, whose bytes are there."""
    place = place_of(f"{base}/puts", Access(options or None))
    with ThreadPoolExecutor(WRITERS) as pool:

        def is_won_once(i: int) -> bool:
            all_data = [f"race {i}, writer {j}".encode() for j in range(WRITERS)]
            won = list(pool.map(lambda data: place.create(f"{i}", data), all_data))
            return sum(won) == 1 and place.get(f"{i}") == all_data[won.index(True)]

        return sum(is_won_once(i) for i in range(races))


def raced(name: str, datasets: int, **each: int) -> Outcome:
    """The sum of the outcomes of all datasets."""
    total = Outcome()
    for i in range(datasets):
        with PLACES[name]() as (base, options):
            keywords = {"storage_options": options} if options else {}
            found = Race(f"{base}/data", WRITERS, options=keywords, seed=i, **each).run()
        for field, value in vars(found).items():
            setattr(total, field, getattr(total, field) + value)
    return total


def main() -> None:
    """Run both, and print one row of the table for each place."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("places", nargs="+", choices=PLACES)
    parser.add_argument("--puts", type=int, default=1000)
    parser.add_argument("--attempts", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=200)
    given = parser.parse_args()
    for name in given.places:
        with PLACES[name]() as (base, options):
            won = prove_puts(base, options, given.puts)
        print(f"| {name} | {won:,} of {given.puts:,} |", end="", flush=True)
        if won < given.puts:
            print(" not used | | | | | | |")
            continue
        found = raced(name, DATASETS, attempts=given.attempts // WRITERS // DATASETS)
        print(f" {found.done:,} | {found.lost} | {found.doubled} | {found.half} |", end="", flush=True)
        found = raced(name, given.kills // KILLS, attempts=1_000_000, kills=KILLS)
        print(f" {found.killed} | {found.lost} | {found.doubled} | {found.half} |", flush=True)


if __name__ == "__main__":
    main()
