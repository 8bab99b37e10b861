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

# One process differs from the next by more than ten per cent, so each way has seven, at different times.
again = defaultdict(list)
for name in [*WAYS] * 7:
    run = subprocess.run([sys.executable, HERE / "measure.py", name], stdout=-1, check=True)
    again[name].append(float(run.stdout))

print("| engine, format, codec | published | measured again | seven processes | difference |")
print("|---|---:|---:|---:|---:|")
for name in WAYS:
    before, now = statistics.median(published[name]), statistics.median(again[name])
    span = f"{1e3 * min(again[name]):.1f} to {1e3 * max(again[name]):.1f} ms"
    print(f"| {name} | {1e3 * before:.1f} ms | {1e3 * now:.1f} ms | {span} | {100 * (now / before - 1):+.0f} % |")
