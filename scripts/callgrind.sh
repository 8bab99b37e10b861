#!/usr/bin/env bash
# Instructions of one read and one write of a fixed frame of 1,000 columns. Seconds drift with the machine; these do not.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v valgrind >/dev/null || { echo "valgrind is not installed: apt-get install valgrind" >&2; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

count() { # count CALL TIMES: instructions of the whole process
    env PYTHONHASHSEED=0 COLONNADE_THREADS=1 valgrind --tool=callgrind --callgrind-out-file=/dev/null \
        .venv/bin/python -m colonnade_bench._instructions "$1" "$2" "$folder/frame.npz" 2>&1 |
        sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

for call in read write; do
    once=$(count "$call" 1)
    more=$(count "$call" 6)
    echo "$call: $(((more - once) / 5)) instructions"
done
