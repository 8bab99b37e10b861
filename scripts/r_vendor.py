"""Puts the Rust sources of the R package and all crates that they need into its source directory.

    python3 scripts/r_vendor.py ROOT RUST STAGE

ROOT is the repository, RUST the workspace within the package (crates/ is there already), STAGE the package. The crates
come from `cargo vendor` with the repository's lock file, without the files that no build reads. inst/AUTHORS lists
authors and licences.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

CRATES = ["colonnade", "colonnade-transport", "colonnade-capi", "colonnade-r"]
# Folders that no build of a crate reads. Those that a crate's code includes are kept by the names of their files.
UNUSED = {"tests", "benches", "examples", "fuzz", ".github", "ci", "doc", "docs", "proptest-regressions"}
# Crates whose code or build script reads one of these folders.
KEPT = {"zstd-sys", "lz4-sys", "ring"}
TARGET = "x86_64-unknown-linux-gnu"


def main(root: Path, rust: Path, stage: Path) -> None:
    """Make the archive of the package at `stage`."""
    workspace = (root / "Cargo.toml").read_text()
    members = ", ".join(f'"crates/{name}"' for name in CRATES)
    workspace = re.sub(r"members = \[.*?\]", f"members = [{members}]", workspace, flags=re.S)
    # Profiles of packages that are not here would be warnings.
    workspace = workspace.split("# What is published.")[0]
    (rust / "Cargo.toml").write_text(workspace)
    shutil.copy(root / "Cargo.lock", rust / "Cargo.lock")
    for name in CRATES:
        manifest = rust / "crates" / name / "Cargo.toml"
        text = manifest.read_text()
        # Tests and benchmarks are not in the package, so neither is what they need.
        text = re.sub(r"\[dev-dependencies\]\n(?:[^\[\n].*\n|\n)*", "", text)
        text = re.sub(r"\[\[bench\]\]\n(?:[^\[\n].*\n|\n)*", "", text)
        if name == "colonnade-capi":
            text = text.replace('crate-type = ["rlib", "staticlib", "cdylib"]', 'crate-type = ["rlib"]')
        manifest.write_text(text)
    run(["cargo", "vendor", "--quiet", "--versioned-dirs", "vendor"], rust)
    metadata = json.loads(run(["cargo", "metadata", "--format-version=1", "--filter-platform", TARGET], rust))
    wanted = needed(metadata)
    for folder in sorted((rust / "vendor").iterdir()):
        if folder.name in wanted:
            prune(folder)
        else:
            stub(folder)
    (rust / ".cargo").mkdir()
    (rust / ".cargo" / "config.toml").write_text(
        '[source.crates-io]\nreplace-with = "vendored-sources"\n\n[source.vendored-sources]\ndirectory = "vendor"\n'
    )
    write_authors(metadata, wanted, stage / "inst" / "AUTHORS")
    # One archive: paths of more than 100 bytes are not portable in R's.
    archive = str(stage / "tools" / "rust.tar.xz")
    run(["tar", "--sort=name", "--mtime=2000-01-01", "--owner=0", "--group=0", "-cJf", archive, "rust"], rust.parent)
    shutil.rmtree(rust)


def run(command: list[str], folder: Path) -> str:
    """Run a command, and return what it prints."""
    return subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout


def needed(metadata: dict[str, Any]) -> set[str]:
    """The vendored folders of the crates that a build on Linux compiles."""
    resolved = {node["id"] for node in metadata["resolve"]["nodes"]}
    used = [package for package in metadata["packages"] if package["id"] in resolved and package["source"]]
    return {f"{package['name']}-{package['version']}" for package in used}


def prune(folder: Path) -> None:
    """Removes tests, benchmarks and documents, and their entries in cargo's list of checksums."""
    if re.sub(r"-\d.*", "", folder.name) not in KEPT:
        for unused in UNUSED:
            shutil.rmtree(folder / unused, ignore_errors=True)
    checksums = folder / ".cargo-checksum.json"
    listed = json.loads(checksums.read_text())
    listed["files"] = {name: value for name, value in listed["files"].items() if (folder / name).exists()}
    checksums.write_text(json.dumps(listed))


def stub(folder: Path) -> None:
    """Leaves only the manifest of a crate for other systems: cargo wants to see it, and never compiles it."""
    for path in folder.iterdir():
        if path.name not in ("Cargo.toml", ".cargo-checksum.json"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    (folder / "src").mkdir()
    (folder / "src" / "lib.rs").write_text("")
    manifest = folder / "Cargo.toml"
    text = re.sub(r"(?m)^build = .*\n", "build = false\n", manifest.read_text())
    text = re.sub(r"(?m)^links = .*\n", "", text)  # needs a build script
    text = re.sub(r"(?ms)^\[\[(bin|example|test|bench)\]\]\n.*?(?=^\[|\Z)", "", text)
    text = re.sub(r'(?ms)(^\[lib\]\n.*?^path = )"[^"]*"', r'\1"src/lib.rs"', text)
    manifest.write_text(text)
    checksums = folder / ".cargo-checksum.json"
    checksums.write_text(json.dumps({"files": {}, "package": json.loads(checksums.read_text())["package"]}))


def write_authors(metadata: dict[str, Any], wanted: set[str], target: Path) -> None:
    """Authors and licence of each crate in the library."""
    target.parent.mkdir(exist_ok=True)
    lines = [
        "The library of this package contains these Rust crates.",
        "Their sources are in tools/rust.tar.xz, with their licence texts.",
        "",
    ]
    for package in sorted(metadata["packages"], key=lambda package: package["name"]):
        if f"{package['name']}-{package['version']}" not in wanted:
            continue
        authors = ", ".join(package["authors"]) or "the authors named in its repository"
        licence = package["license"] or package["license_file"]
        lines.append(
            f"{package['name']} {package['version']}: {licence}. {authors}. {package['repository'] or ''}".rstrip()
        )
    target.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
