"""docs/reference has every public name, and no other."""

import re

import pytest

import colonnade as cn
from tests.helpers.corpora import ROOT
from tests.helpers.each import each

LAZY = {"bench", "advise"}
"""Public, and loaded when they are asked for: `import *` does not bring the bench's own weight."""


REFERENCE = ROOT / "docs" / "reference"
PUBLIC = {name for name in cn.__all__ if not name.startswith("__")} | LAZY


@pytest.mark.quick
def test_the_reference_lists_exactly_the_public_names() -> None:
    page = (REFERENCE / "index.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\bcn\.([A-Za-z]\w*)", page)) == PUBLIC


@pytest.mark.quick
def test_each_public_name_is_described_once_from_its_docstring() -> None:
    pages = "\n".join(page.read_text(encoding="utf-8") for page in REFERENCE.glob("*.md"))
    # `colonnade.dask.read` is another function than `cn.read`.
    described = re.findall(r"^::: colonnade(?!\.(?:dask|ray|daft|polars)\.)[\w.]*\.(\w+)$", pages, re.MULTILINE)
    # `cn.bench` is an object that is called.
    found = ["bench" if name == "__call__" else name for name in described]
    assert sorted(name for name in found if name in PUBLIC) == sorted(PUBLIC)


def test_public_names_are_distinct_and_there() -> None:
    assert len(set(cn.__all__)) == len(cn.__all__)
    assert [name for name in cn.__all__ if not hasattr(cn, name)] == []


@each("name", sorted(PUBLIC))
def test_public_name_is_documented(name: str) -> None:
    found = getattr(cn, name)
    if callable(found):
        assert (found.__doc__ or "").strip(), f"colonnade.{name} has no docstring"
