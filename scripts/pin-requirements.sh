#!/usr/bin/env bash
# Writes requirements/demo.txt, bench.txt, dev.txt and wheel.txt from the .in files: the newest releases that fit together, all of them
# pinned. Run it on the oldest Python we support (3.11), so that the pins exist for all of them: `make pins`.
set -euo pipefail
cd "$(dirname "$0")/.."

python="${PYTHON:-python3.11}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$python" -m venv "$scratch/venv"

# dev first: its pins constrain those of the benchmarks, so the two files never disagree.
pip() { "$scratch/venv/bin/python" -m pip --quiet --disable-pip-version-check "$@"; }
header() { printf '# Written by `make pins` from requirements/%s.in; change that file, not this one.\n' "$1"; }

pip install -r requirements/dev.in
{ header dev; pip freeze; } > "$scratch/dev.txt"

"$python" -m venv --clear "$scratch/venv"
pip install -r requirements/bench.in -c "$scratch/dev.txt"
{ header bench; pip freeze; } > "$scratch/bench.txt"

"$python" -m venv --clear "$scratch/venv"
pip install -r requirements/demo.in -c "$scratch/bench.txt"
{ header demo; grep '^--' requirements/demo.in; pip freeze; } > "$scratch/demo.txt"

"$python" -m venv --clear "$scratch/venv"
pip install -r requirements/wheel.in -c "$scratch/bench.txt"
{ header wheel; pip freeze; } > "$scratch/wheel.txt"

mv "$scratch/dev.txt" "$scratch/bench.txt" "$scratch/demo.txt" "$scratch/wheel.txt" requirements/
