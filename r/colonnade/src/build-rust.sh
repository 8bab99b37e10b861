#!/bin/sh
# Builds the static library of Rust. COLONNADE_RUST_LIBRARY names one that was built before (tests of the repository do).
set -e
mkdir -p rust-library
if [ -n "$COLONNADE_RUST_LIBRARY" ]; then
  cp "$COLONNADE_RUST_LIBRARY" rust-library/libcolonnade_r.a
  exit 0
fi
command -v cargo >/dev/null || {
  echo "colonnade: expected Rust >= 1.88 (cargo on PATH), found none. Install it from https://rustup.rs, or as rustc and cargo of your system." >&2
  exit 1
}
# The sources are a workspace in src/rust with all crates in vendor.tar.xz.
cd rust
[ -d vendor ] || tar -xJf vendor.tar.xz
export CARGO_HOME="$PWD/cargo-home" CARGO_TARGET_DIR="$PWD/target"
cargo build --release --offline --locked --jobs 2 -p colonnade-r
cp target/release/libcolonnade_r.a ../rust-library/
# The build takes a gigabyte that the package does not need.
rm -rf target vendor cargo-home
