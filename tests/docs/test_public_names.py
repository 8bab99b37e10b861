"""docs/api.md lists the public names, all of them and no other."""

import re

import pytest

import colonnade as cn
from tests.helpers.corpora import ROOT
from tests.helpers.each import each

LAZY = {"bench", "advise"}
"""Public, and loaded when they are asked for: `import *` does not bring the bench's own weight."""


@pytest.mark.quick
def test_api_page_lists_exactly_the_public_names() -> None:
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"\bcn\.([A-Za-z]\w*)", page))
    public = {name for name in cn.__all__ if not name.startswith("__")}
    assert listed == public | LAZY


def test_public_names_are_distinct_and_there() -> None:
    assert len(set(cn.__all__)) == len(cn.__all__)
    assert [name for name in cn.__all__ if not hasattr(cn, name)] == []


@each("name", [*cn.__all__, *sorted(LAZY)])
def test_public_name_is_documented(name: str) -> None:
    found = getattr(cn, name)
    if callable(found):
        assert (found.__doc__ or "").strip(), f"colonnade.{name} has no docstring"
