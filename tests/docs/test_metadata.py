"""What a package index shows of both distributions: metadata, URLs and the README."""

import re
import tomllib

import pytest
import trove_classifiers
from readme_renderer import markdown

from tests.helpers.corpora import ROOT
from tests.helpers.each import each
from tests.helpers.repository import REPOSITORY

DISTRIBUTIONS = ("pyproject.toml", "bench/pyproject.toml")
project_of = each("path", DISTRIBUTIONS)


def _project(path):
    return tomllib.loads((ROOT / path).read_text())["project"]


@pytest.mark.quick
@project_of
def test_classifiers_are_known_and_in_order(path):
    classifiers = _project(path)["classifiers"]
    assert set(classifiers) <= trove_classifiers.classifiers
    assert classifiers == sorted(classifiers)
    oldest = _project(path)["requires-python"].removeprefix(">=")
    assert f"Programming Language :: Python :: {oldest}" in classifiers


@pytest.mark.quick
@project_of
def test_urls_begin_with_the_repository(path):
    assert all(url.startswith(REPOSITORY) for url in _project(path)["urls"].values())


@pytest.mark.quick
def test_no_page_names_another_placeholder():
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("bench/*.md")]
    found = {url for page in pages for url in re.findall(r"https://example\.invalid[^)\s]*", page.read_text())}
    assert all(url.startswith(REPOSITORY) for url in found)


@pytest.mark.quick
@project_of
def test_the_readme_is_rendered_whole(path):
    folder = (ROOT / path).parent
    page = (folder / _project(path)["readme"]).read_text()
    html = markdown.render(page)
    assert html
    assert html.count("<h2") == len(re.findall(r"^## ", page, re.MULTILINE))
    assert html.count("<table") == len(re.findall(r"^\|[-|: ]+\|$", page, re.MULTILINE))
    assert html.count("<pre") == page.count("\n```") // 2
