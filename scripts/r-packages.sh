#!/usr/bin/env bash
# Installs the R packages that the benchmark measures and Debian does not have, as far as they are available: into the
# user's own library, from source (a compiler is needed). A package that fails to install is a row that says so, in the
# benchmark as here. No test needs these packages. Debian's packages of R are in system-packages.sh.
#
#   R_PACKAGES_S=900   seconds that each may take
set -euo pipefail

packages=(msgpack msgpackR RJSONIO fst qs2)
patience=${R_PACKAGES_S:-900}

command -v Rscript >/dev/null || { echo "r-packages: no Rscript; bash scripts/system-packages.sh" >&2; exit 1; }

# R ignores a library that does not exist, so the user's library is created under the name that R gives it.
library=$(Rscript -e 'cat(path.expand(strsplit(Sys.getenv("R_LIBS_USER"), .Platform$path.sep)[[1]][1]))')
mkdir -p "$library"

has() { Rscript -e 'quit(status = !requireNamespace(commandArgs(TRUE), quietly = TRUE))' "$1" >/dev/null 2>&1; }

log=$(mktemp)
trap 'rm -f "$log"' EXIT
absent=()
for package in "${packages[@]}"; do
    if has "$package"; then
        echo "r-packages: $package is there"
        continue
    fi
    echo "r-packages: installing $package into $library"
    install='args <- commandArgs(TRUE); install.packages(args[1], lib = args[2])'
    if timeout "$patience" Rscript -e "$install" "$package" "$library" >"$log" 2>&1 && has "$package"; then
        echo "r-packages: $package is installed"
    else
        grep -m1 -iE 'error|cannot|not available' "$log" | sed 's/^/    /' || true
        absent+=("$package")
    fi
done
[ ${#absent[@]} -eq 0 ] || echo "r-packages: not to be had, so not measured: ${absent[*]}"
