"""The lower bounds of libraries: the same in both distributions and in docs/trust/stability.md."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_BOUND = re.compile(r"([A-Za-z0-9-]+)>=([0-9.]+)")
LIBRARIES = {"numpy", "pandas", "polars", "pyarrow", "static-frame", "awkward"}


def _bounds(*requirements):
    return {name: bound for name, bound in _BOUND.findall(" ".join(requirements)) if name in LIBRARIES}


def _project(path):
    project = tomllib.loads((ROOT / path).read_text())["project"]
    return _bounds(
        *project["dependencies"], *(one for extra in project["optional-dependencies"].values() for one in extra)
    )


@pytest.mark.quick
def test_both_distributions_name_the_same_bounds():
    ours, benchmark = _project("pyproject.toml"), _project("bench/pyproject.toml")
    assert set(ours) == LIBRARIES
    assert benchmark == ours


@pytest.mark.quick
def test_the_page_of_supported_versions_has_the_bounds():
    page = (ROOT / "docs/trust/stability.md").read_text()
    listed = {name.lower(): bound for name, bound in re.findall(r"^\| (\w+)[ \w]* \| ([0-9.]+) \|", page, re.MULTILINE)}
    assert listed.pop("cpython") == "3.11"
    names = {"staticframe": "static-frame"}
    assert {names.get(name, name): bound for name, bound in listed.items()} == _project("pyproject.toml")
