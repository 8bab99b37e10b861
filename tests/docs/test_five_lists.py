"""A format bears one name in five places: Rust module, options class, tests, docs page, conformance folder."""

import re

import pytest

import colonnade as cn
from tests.helpers.corpora import ROOT

RUST = {
    name
    for path in ROOT.glob("crates/colonnade/src/formats/**/format.rs")
    for name in re.findall(r'^    name: "(\w+)"', path.read_text(encoding="utf-8"), re.MULTILINE)
}
OPTIONS = {found[1].lower() for name in cn.__all__ if (found := re.fullmatch(r"(\w+)Options", name))}
PAGES = {path.stem for path in ROOT.glob("docs/formats/*.md") if path.stem != "index"}
CONFORMANCE = {path.name for path in ROOT.glob("conformance/*") if path.is_dir()}
TESTS = {path.parent.name for path in ROOT.glob("tests/formats/*/test_*.py")} - {"every"}


@pytest.mark.quick
@pytest.mark.parametrize(
    ("place", "names"),
    [
        ("options classes (colonnade.<Name>Options)", OPTIONS),
        ("tests (tests/formats/<name>/)", TESTS),
        ("docs pages (docs/formats/<name>.md)", PAGES),
        ("conformance folders (conformance/<name>/)", CONFORMANCE),
    ],
)
def test_the_lists_are_one(place: str, names: set[str]) -> None:
    assert RUST, "no Rust format modules found"
    assert names == RUST, f"{place} and the formats of the core (crates/colonnade/src/formats/**/format.rs) differ"
