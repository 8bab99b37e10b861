#!/usr/bin/env bash
# Creates .venv: a virtual environment with the pinned packages of requirements/<name>.txt.
# Does nothing and prints nothing if it was created before for the same files and the same Python.
#
#   scripts/setup.sh dev      the packages of tests and lints (includes bench.txt)
#   scripts/setup.sh bench    the packages of the benchmarks
#   scripts/setup.sh demo     the packages of the demo, all of them also in bench.txt
#   scripts/setup.sh wheel    the builder of the wheel, and a linker for old systems
#
# PYTHON names the interpreter (3.11 or newer); otherwise python3, then python3.14 ... python3.11 are tried. An existing
# .venv is kept, unless PYTHON names another version.
set -euo pipefail
cd "$(dirname "$0")/.."

name="${1:-dev}"
file="requirements/$name.txt"
[ -f "$file" ] || { echo "setup: no $file; known: $(cd requirements && echo *.txt)" >&2; exit 2; }

# Old interpreters parse this line too, so the answer is a status and never a traceback.
new_enough='import sys; sys.exit(sys.version_info < (3, 11))'

find_python() {
    local candidate
    for candidate in ${PYTHON:+"$PYTHON"} python3 python3.14 python3.13 python3.12 python3.11 python; do
        # `import ensurepip` fails on Debian where python3-venv is not installed: such a Python cannot make the environment.
        if "$candidate" -c "$new_enough" 2>/dev/null && "$candidate" -c 'import venv, ensurepip' 2>/dev/null; then
            echo "$candidate"
            return
        fi
        if [ -n "${PYTHON:-}" ]; then
            echo "setup: PYTHON=$PYTHON is not a Python >= 3.11 with venv and ensurepip" >&2
            return 1
        fi
    done
    echo "setup: no Python >= 3.11 with venv found. Install one (Debian: apt install python3-venv), or set PYTHON=/path/to/python3" >&2
    return 1
}

venv=.venv
usable() {
    "$venv/bin/python" -c "$new_enough" 2>/dev/null || return 1
    [ -z "${PYTHON:-}" ] || [ "$("$PYTHON" --version 2>&1)" = "$("$venv/bin/python" --version)" ]
}
if ! usable; then
    python=$(find_python)
    echo "setup: new environment in $venv with $("$python" --version)"
    rm -rf "$venv"
    "$python" -m venv "$venv"
fi

# The stamp records the pins and the interpreter of the environment. If one changes, the packages are installed again.
stamp="$venv/.stamp-$name"
made_from=$("$venv/bin/python" --version; cat requirements/*.txt)
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$made_from" ]; then
    exit 0
fi
echo "setup: installing $file into $venv"
rm -f "$stamp"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$file"
printf '%s\n' "$made_from" > "$stamp"
