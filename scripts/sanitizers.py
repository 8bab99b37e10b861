"""Runs the Rust tests under a sanitizer: `python -m scripts.sanitizers address`, `... thread`.

Needs a nightly toolchain; the builds have folders of their own in `target`. AddressSanitizer finds overruns, uses after
free and leaks; ThreadSanitizer finds unsynchronised accesses. For it the standard library is built too, from the
component `rust-src` of the toolchain. `scripts/thread_sanitizer.supp` lists what it still does not see, with reasons.
"""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = "x86_64-unknown-linux-gnu"
SUPPRESSIONS = ROOT / "scripts" / "thread_sanitizer.supp"
OF_ADDRESS = {
    "ASAN_OPTIONS": "detect_odr_violation=0:allocator_may_return_null=1",
    "LSAN_OPTIONS": f"suppressions={ROOT / 'scripts' / 'leak_sanitizer.supp'}:print_suppressions=0",
}
"""Variables of AddressSanitizer and of its search for leaks."""
# A C compiler links the example against the library, without the sanitizer's functions.
SKIPPED = ["--skip", "a_c_program_reads_a_file"]
# The module for Python has no tests of its own, and links Python. The fuzz crate has the tests with eight threads.
PACKAGES = {
    "address": ["colonnade", "colonnade-transport", "colonnade-capi", "colonnade-fuzz"],
    "thread": ["colonnade", "colonnade-transport", "colonnade-capi", "colonnade-fuzz"],
}


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=sorted(PACKAGES))
    parser.add_argument("arguments", nargs="*", help="names of tests, to run fewer")
    options = parser.parse_args()
    packages = [word for name in PACKAGES[options.kind] for word in ("-p", name)]
    cargo = ["cargo", "+nightly", "test", "--locked", "--target", TARGET, "--lib", "--tests", "--no-fail-fast"]
    log = ROOT / "target" / f"sanitizer-{options.kind}.log"
    log.parent.mkdir(exist_ok=True)
    with log.open("w") as out:
        # An uninstrumented standard library hides the synchronisation of its channels, threads and locks.
        build_std = ["-Zbuild-std"] if options.kind == "thread" else []
        command = [*cargo, *build_std, *packages, "--", *options.arguments, *SKIPPED]
        done = subprocess.run(command, cwd=ROOT, env=environment(options.kind), stdout=out, stderr=out, check=False)
    text = log.read_text(errors="replace")
    passed = sum(int(count) for count in re.findall(r"test result: \w+\. (\d+) passed", text))
    failed = sum(int(count) for count in re.findall(r"(\d+) failed;", text))
    reports = re.findall(r"^(?:==\d+==ERROR|WARNING): \w+Sanitizer.*$", text, re.MULTILINE)
    print(f"{options.kind}: {passed} tests passed, {failed} failed, {len(reports)} reports; {log}")
    for report in sorted(set(reports)):
        print(report)
    return 1 if done.returncode or failed or reports else 0


def environment(kind: str) -> dict[str, str]:
    """The variables for the compiler and for the sanitizer."""
    flags = f"-Zsanitizer={kind} -Cunsafe-allow-abi-mismatch=sanitizer -Cforce-frame-pointers=yes"
    return {
        **os.environ,
        "CARGO_TARGET_DIR": str(ROOT / "target" / f"sanitizer-{kind}"),
        "CARGO_PROFILE_DEV_OPT_LEVEL": "1",
        "CARGO_PROFILE_TEST_OPT_LEVEL": "1",
        "CARGO_PROFILE_DEV_DEBUG": "line-tables-only",
        "RUSTFLAGS": flags,
        "RUSTDOCFLAGS": flags,
        **OF_ADDRESS,
        "TSAN_OPTIONS": f"suppressions={SUPPRESSIONS}:halt_on_error=0",
    }


if __name__ == "__main__":
    sys.exit(main())
