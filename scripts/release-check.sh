#!/usr/bin/env bash
# What must hold before a release, beyond .ci/run: about two hours. Each part prints what it showed; the first that
# fails ends the run.
#
#   scripts/release-check.sh              all parts
#   scripts/release-check.sh wheel site   these
#
#   wheel     a wheel and a source distribution, each installed into a clean environment of its own and tried
#   matrix    the wheel beside the oldest versions of the libraries that pyproject.toml allows, and the newest
#   platform  the code of other Unix systems, and the workflows of the public CI
#   engines   R and the other engines of the benchmark, and those that read datasets; a missing one is a failure
#   readers   plain text opened by pandas, polars, pyarrow, DuckDB, jq, R, PyYAML and LibreOffice
#   site      the benchmark's page in a browser, and the documentation
#   fuzz      random tests on new cases, FUZZ_ROUNDS times (3), and every byte of a golden of each format changed
set -euo pipefail
cd "$(dirname "$0")/.."

python="${PYTHON:-.venv/bin/python}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

say() { printf 'release-check: %s\n' "$*"; }
step() { # step WHAT COMMAND...: its output stands in a file, which is shown if it fails
    local what=$1 began=$SECONDS
    shift
    if "$@" >"$scratch/log" 2>&1; then
        say "$what: $(tail -n 1 "$scratch/log") ($((SECONDS - began)) s)"
    else
        tail -n 60 "$scratch/log" >&2
        say "$what: failed" >&2
        exit 1
    fi
}

check_wheel() {
    step "wheel, source distribution: built" make --no-print-directory wheel
    step "benchmark's wheel: built" make --no-print-directory wheel-bench
    for part in wheel extras source; do
        step "$part: tried" make --no-print-directory try-wheel PART=$part
    done
}

check_matrix() {
    ls dist/colonnade-*.whl >/dev/null 2>&1 || step "wheel: built" make --no-print-directory wheel
    for part in oldest newest; do
        step "matrix, $part: every shipped case" make --no-print-directory try-wheel PART=$part
        sed 's/^/    /' "$scratch/log"
    done
}

check_platform() {
    step "portable code" make --no-print-directory portable
    step "workflows" make --no-print-directory lint-workflows
}

check_engines() {
    CI=true step "engines" "$python" -m pytest -q -n 2 --dist worksteal tests -k "engines or r_hand_over"
    CI=true step "engines of datasets" make --no-print-directory test-engines
}

check_readers() {
    step "readers: installed" bash scripts/system-packages.sh jq libreoffice-calc
    step "readers" "$python" scripts/plain_text_readers.py
    sed 's/^/    /' "$scratch/log"
}

check_site() {
    CI=true step "page" "$python" -m pytest -q -n 2 --dist worksteal tests -k "panel_page"
    step "documentation" make --no-print-directory docs
}

check_fuzz() {
    local round seed
    for round in $(seq "${FUZZ_ROUNDS:-3}"); do
        seed=$(date +%s)
        step "fuzz $round, seed $seed" make --no-print-directory explore SEED="$seed"
    done
    step "fuzz, every byte" make --no-print-directory exhaustive
}

parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=(wheel matrix platform engines readers site fuzz)
for part in "${parts[@]}"; do
    declare -F "check_$part" >/dev/null || { echo "release-check: no part $part; see the head of $0" >&2; exit 2; }
done
for part in "${parts[@]}"; do "check_$part"; done
say "all of it holds: ${parts[*]}"
