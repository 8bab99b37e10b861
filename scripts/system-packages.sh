#!/usr/bin/env bash
# Installs the Debian packages that some tests and benchmarks use, and pyright; only what is missing.
# `make test` and `make demo` never need this: a test whose program is absent is skipped and says which.
#
#   valgrind      instruction counts of the benchmarks, and memory checks
#   strace        makes system calls fail in tests and `make attack`
#   p7zip-full    a second, independent reader of our archives (zstd members, padding extra fields)
#   unzip         a third
#   chromium      renders the page of `colonnade bench`; chromium-driver lets a test steer it
#   pyright       the type checker of editors, of npm (node's package manager, itself a package of Debian)
#   r-base-core   R as a peer of the benchmarks, and for the tests of the R package, with the packages of it that Debian has
#                 (r-packages.sh: the others)
# More packages are arguments: `make release-check` asks for jq and libreoffice-calc.
set -euo pipefail

packages=(valgrind strace p7zip-full unzip chromium chromium-driver
    r-base-core r-cran-jsonlite r-cran-rjson r-cran-yaml r-cran-data.table
    r-cran-testthat r-cran-cli r-cran-bit64 r-cran-nanotime r-cran-tibble r-cran-knitr r-cran-rmarkdown pandoc "$@")
pyright=1.1.414
# A node from elsewhere may have its own npm.
command -v npm >/dev/null || packages+=(nodejs npm)

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "system-packages: not a Debian system. Install the equivalents of: ${packages[*]} pyright" >&2
    exit 0
fi

missing=()
for package in "${packages[@]}"; do
    status=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing+=("$package")
done
wanted=${missing[*]}
[ "$(pyright --version 2>/dev/null)" = "pyright $pyright" ] || wanted+=" pyright@$pyright (of npm)"
[ -n "$wanted" ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "system-packages: not root and no sudo; ask for: apt-get install $wanted" >&2; exit 1; }
    as_root=(sudo)
    echo "system-packages: not root, so sudo installs: $wanted"
else
    echo "system-packages: installing $wanted"
fi

export DEBIAN_FRONTEND=noninteractive
install() { "${as_root[@]}" apt-get install --yes --quiet --no-install-recommends "${missing[@]}"; }
# A machine with fresh package lists needs no update; one without needs exactly one.
[ ${#missing[@]} -eq 0 ] || install || { "${as_root[@]}" apt-get update --quiet && install; }
[[ $wanted != *pyright@* ]] || "${as_root[@]}" npm install --global --no-fund "pyright@$pyright"
