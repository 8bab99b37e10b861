#!/bin/sh
# Builds the static library of Rust in src/rust-library; runs in src. COLONNADE_RUST_LIBRARY names one that was built before (tests of the repository do).
set -e
mkdir -p rust-library
if [ -n "$COLONNADE_RUST_LIBRARY" ]; then
  cp "$COLONNADE_RUST_LIBRARY" rust-library/libcolonnade_r.a
  exit 0
fi
# R clears PATH of what users install in their home.
[ -d "$HOME/.cargo/bin" ] && PATH="$PATH:$HOME/.cargo/bin"
command -v cargo >/dev/null || {
  echo "colonnade: expected Rust >= 1.88 (cargo on PATH), found none. Install it from https://rustup.rs, or as rustc and cargo of your system." >&2
  exit 1
}
# tools/rust.tar.xz is a workspace with all crates that it needs. At most two jobs, as packages of CRAN.
[ -d rust ] || tar -xJf ../tools/rust.tar.xz
cd rust
CARGO_TARGET_DIR="$PWD/target" cargo build --release --offline --locked --jobs "${COLONNADE_JOBS:-2}" -p colonnade-r
cp target/release/libcolonnade_r.a ../rust-library/
cd ..
# The build takes a gigabyte that the package does not need.
rm -rf rust
