"""The Rust crates that the package is built from: where they come from, their licences, and which are there twice.

`cargo deny` asks the same; it would be half a gigabyte of build for two lists. Nothing is fetched: advisories need a
network, and are read before a release (docs/trust/security.md).
"""

import json
import re
import shutil
import subprocess
from collections import defaultdict
from typing import Any

import pytest

from tests.helpers.corpora import ROOT

pytestmark = pytest.mark.skipif(not shutil.which("cargo"), reason="no cargo")

PERMISSIVE = {
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
}

# The names of crates that are built in more than one version, and who asks for the other one.
TWICE = {
    "getrandom": "ring asks for 0.2, ahash (Arrow) for 0.3",
    "syn": "only builds need it: zerocopy asks for 2, pyo3 for 3",
}


@pytest.fixture(scope="module")
def packages() -> list[dict[str, Any]]:
    """The crates that normal and build dependencies of the published modules need, on Linux."""
    command = ["cargo", "metadata", "--locked", "--format-version=1", "--filter-platform", "x86_64-unknown-linux-gnu"]
    metadata = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout)
    by_id = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    published = ("colonnade-python", "colonnade-r", "colonnade-capi")
    waiting = [package["id"] for package in metadata["packages"] if package["name"] in published]
    found: set[str] = set()
    while waiting:
        this = waiting.pop()
        if this in found:
            continue
        found.add(this)
        for needed in nodes[this]["deps"]:
            if any(kind["kind"] in (None, "build") for kind in needed["dep_kinds"]):
                waiting.append(needed["pkg"])
    return [by_id[one] for one in found]


def test_crates_come_from_the_registry(packages: list[dict[str, Any]]) -> None:
    sources = {package["name"]: package["source"] for package in packages if package["source"]}
    assert len(sources) > 50
    assert set(sources.values()) == {"registry+https://github.com/rust-lang/crates.io-index"}


def test_licences_are_permissive(packages: list[dict[str, Any]]) -> None:
    refused = {package["name"]: package["license"] for package in packages if not is_permissive(package["license"])}
    assert not refused


def is_permissive(expression: str | None) -> bool:
    """Whether one of the alternatives consists of permissive licences."""
    flat = re.sub(r"[()]", " ", (expression or "").replace("/", " OR ")).replace(" WITH LLVM-exception", "")
    return any({term.strip() for term in choice.split(" AND ")} <= PERMISSIVE for choice in flat.split(" OR "))


def test_no_crate_is_built_in_two_versions_without_a_reason(packages: list[dict[str, Any]]) -> None:
    versions = defaultdict(set)
    for package in packages:
        versions[package["name"]].add(package["version"])
    assert {name for name, found in versions.items() if len(found) > 1} == set(TWICE)


def test_tools_of_the_build_are_pinned() -> None:
    toolchain = (ROOT / "rust-toolchain.toml").read_text()
    assert re.search(r'channel = "\d+\.\d+\.\d+"', toolchain)
    for path in (ROOT / "requirements").glob("*.txt"):
        lines = [line for line in path.read_text().splitlines() if line and not line.startswith(("#", " ", "-"))]
        assert lines, path.name
        assert all("==" in line for line in lines), path.name
