#!/usr/bin/env bash
# What must hold before a release, beyond .ci/run: about two hours. Each part prints what it showed; the first that
# fails ends the run.
#
#   scripts/release-check.sh              all parts
#   scripts/release-check.sh wheel site   these
#
#   wheel     a wheel and a source distribution, each installed into a clean environment of its own and tried
#   matrix    the wheel beside the oldest versions of the libraries that pyproject.toml allows, and the newest
#   engines   R and the other engines of the benchmark; a missing one is a failure
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
environment() { # environment NAME REQUIREMENT...
    local name=$1
    shift
    "$python" -m venv "$scratch/$name"
    "$scratch/$name/bin/python" -m pip --quiet --disable-pip-version-check install "$@"
}
the_wheel() { # the newest wheel in dist, built if there is none
    ls dist/*.whl >/dev/null 2>&1 || make --no-print-directory wheel >&2
    ls -t dist/*.whl | head -n 1
}
# From another folder, so that `import colonnade` finds what was installed.
smoke() { (cd "$scratch" && "$1/bin/python" "$OLDPWD/scripts/smoke.py"); }
cases() { (cd "$scratch" && "$1/bin/python" "$OLDPWD/scripts/library_cases.py"); }

# sizes WHEEL ENVIRONMENT: MB of 10^6 bytes; what pip installs is the package with the byte code that pip compiles
sizes() {
    local wheel installed
    wheel=$(stat --format %s "$1")
    installed=$(du -sb "$2"/lib/python3*/site-packages/colonnade | cut -f 1)
    awk "BEGIN { printf \"wheel %.1f MB (less than 9), installed %.1f MB (less than 20)\\n\", $wheel / 1e6, $installed / 1e6 }"
    [ "$wheel" -lt 9000000 ] && [ "$installed" -lt 20000000 ]
}

check_wheel() {
    rm -f dist/*.whl dist/*.tar.gz
    step "wheel: built" make --no-print-directory wheel
    step "wheel: installed beside numpy and rich alone" environment bare "$(the_wheel)"
    step "wheel: sizes" sizes "$(the_wheel)" "$scratch/bare"
    step "wheel: tried" smoke "$scratch/bare"
    step "source distribution: built" "$python" -m maturin sdist --out dist
    # The crates that were built before are not built again.
    CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target} step "source distribution: built and installed" environment source dist/*.tar.gz
    step "source distribution: tried" smoke "$scratch/source"
}

# The oldest are the lower bounds of pyproject.toml; numpy 1.26 is what all of them work with.
oldest=("numpy==1.26.*" "pandas==2.2.*" "pyarrow==18.*" "polars==1.32.*" "static-frame==2.*" "awkward==2.6.*")
newest=(numpy pandas pyarrow polars static-frame awkward)

check_matrix() {
    local wheel name
    wheel=$(the_wheel)
    for name in oldest newest; do
        local -n libraries=$name
        step "matrix, $name: installed" environment "$name" "$wheel" "${libraries[@]}" pytz
        say "matrix, $name: $("$scratch/$name/bin/python" -m pip freeze | grep -iE '^(numpy|pandas|pyarrow|polars|static-frame|awkward)==' | xargs)"
        step "matrix, $name: tried" smoke "$scratch/$name"
        step "matrix, $name: every shipped case" cases "$scratch/$name"
        sed 's/^/    /' "$scratch/log"
    done
}

check_engines() {
    CI=true step "engines" "$python" -m pytest -q -n 2 --dist worksteal tests -k "engines or r_hand_over"
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
[ ${#parts[@]} -gt 0 ] || parts=(wheel matrix engines readers site fuzz)
for part in "${parts[@]}"; do
    declare -F "check_$part" >/dev/null || { echo "release-check: no part $part; see the head of $0" >&2; exit 2; }
done
for part in "${parts[@]}"; do "check_$part"; done
say "all of it holds: ${parts[*]}"
