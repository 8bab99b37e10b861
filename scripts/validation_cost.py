"""What validation and limits cost in time: `python -m scripts.validation_cost`.

Copies the sources to `target/unchecked` and takes the checks of contents out of the copy: UTF-8, offsets, checksums of
compressed members, limits. Builds it, and compares both builds by `scripts/compare_speed.py` on everyday tables. A row
is time with checks / time without: 1.05 is a cost of 5 %. The copy reads damaged files wrong, so it is of no other use.
Run it on an idle machine.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COPY = ROOT / "target" / "unchecked"
CORE = "crates/colonnade/src"

# A file, what stands there, and what replaces it.
EDITS = [
    (
        f"{CORE}/arrow/ipc/check.rs",
        "pub(crate) fn values(data: &ArrayData, threads: usize) -> Result<()> {\n",
        "pub(crate) fn values(data: &ArrayData, threads: usize) -> Result<()> {\n"
        "    if data.offset() < usize::MAX {\n        return Ok(());\n    }\n",
    ),
    (
        f"{CORE}/arrow/ipc/check.rs",
        "let scanned = content::scan(items, covered.filter(|_| is_text).unwrap_or(&[]), threads)?;",
        "let scanned = content::Scanned { grows: threads < usize::MAX, is_ascii: true };",
    ),
    (f"{CORE}/container/store/scan.rs", "let found = crc32fast::hash(bytes);", "let found = self.crc32;"),
    (f"{CORE}/limits.rs", "if nbytes <= self.decoded_nbytes(input, ncells) {", "if nbytes < u64::MAX {"),
    (f"{CORE}/limits/budget.rs", "if spent <= self.limits.decoded_nbytes(input, cells) {", "if spent < u64::MAX {"),
]

UTF8 = """//! Takes any bytes for UTF-8.
macro_rules! module {
    ($name:ident) => {
        pub mod $name {
            #[derive(Debug, Clone, Copy)]
            pub struct Utf8Error;
            impl Utf8Error {
                pub fn valid_up_to(&self) -> usize {
                    0
                }
                pub fn error_len(&self) -> Option<usize> {
                    None
                }
            }
            impl std::fmt::Display for Utf8Error {
                fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    f.write_str("not UTF-8")
                }
            }
            impl std::error::Error for Utf8Error {}
            #[inline]
            pub fn from_utf8(bytes: &[u8]) -> Result<&str, Utf8Error> {
                Ok(unsafe { std::str::from_utf8_unchecked(bytes) })
            }
        }
    };
}
module!(basic);
module!(compat);
"""


def main() -> int:
    """Makes the copy, builds it and compares."""
    if not COPY.is_dir():
        subprocess.run(["git", "worktree", "add", "--detach", COPY, "HEAD"], cwd=ROOT, check=True)
    try:
        edit()
        build()
        speed = [sys.executable, ROOT / "scripts" / "compare_speed.py", COPY, ROOT, *sys.argv[1:]]
        return subprocess.run(speed, cwd=ROOT, check=False).returncode
    finally:
        subprocess.run(["git", "worktree", "remove", "--force", COPY], cwd=ROOT, check=True)


def edit() -> None:
    """Takes the checks out of the copy."""
    for name, found, instead in EDITS:
        path = COPY / name
        text = path.read_text()
        if text.count(found) != 1:
            raise SystemExit(f"{name}: expected once: {found!r}, found {text.count(found)} times. Mend EDITS.")
        path.write_text(text.replace(found, instead))
    crate = COPY / "target" / "simdutf8"
    (crate / "src").mkdir(parents=True)
    features = '[features]\ndefault = ["std"]\nstd = []\naarch64_neon = []\npublic_imp = []\nhints = []\n'
    (crate / "Cargo.toml").write_text(
        f'[package]\nname = "simdutf8"\nversion = "0.1.5"\nedition = "2021"\n\n{features}\n[workspace]\n'
    )
    (crate / "src" / "lib.rs").write_text(UTF8)
    manifest = COPY / "Cargo.toml"
    manifest.write_text(manifest.read_text() + '\n[patch.crates-io]\nsimdutf8 = { path = "target/simdutf8" }\n')


def build() -> None:
    """Builds the copy's module and puts it where the copy's Python files import it."""
    cargo = ["cargo", "build", "--release", "-p", "colonnade-python", "--features", "extension-module"]
    subprocess.run([*cargo, "--target-dir", ROOT / "target" / "unchecked-build"], cwd=COPY, check=True)
    module = ROOT / "target" / "unchecked-build" / "release" / "lib_core.so"
    (COPY / "python" / "colonnade" / "_core.abi3.so").write_bytes(module.read_bytes())


if __name__ == "__main__":
    sys.exit(main())
