#!/usr/bin/env bash
# Makes the directory of the R package in target/r/tested, from r/colonnade and the headers. With --vendor makes it in target/r/source,
# with the Rust sources and all crates that they need, so that it builds without a network.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
folder=$root/target/r/$([ "${1:-}" = --vendor ] && echo source || echo tested)
stage=$folder/colonnade
mkdir -p "$folder"
rm -rf "$stage"
cp -R "$root/r/colonnade" "$stage"
cp "$root/include/colonnade.h" "$stage/src/"
[ "${1:-}" = --vendor ] || exit 0

# A workspace of the four crates that the package needs, with their own lock file.
rust=$stage/src/rust
mkdir -p "$rust/crates"
for crate in colonnade colonnade-transport colonnade-capi colonnade-r; do
    mkdir -p "$rust/crates/$crate"
    cp -R "$root/crates/$crate/Cargo.toml" "$root/crates/$crate/src" "$rust/crates/$crate/"
done
python3 "$root/scripts/r_vendor.py" "$root" "$rust" "$stage"
