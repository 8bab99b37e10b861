"""The pages of the site: each is in the menu, each picture has a text, and links out of the site lead to files."""

import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urldefrag

import pytest

from tests.helpers.corpora import ROOT
from tests.helpers.repository import REPOSITORY

DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
IMAGE = re.compile(r"!\[(?P<text>[^\]]*)\]\([^)]+\)|<img\b(?P<tag>[^>]*)>")
URL = re.compile(re.escape(REPOSITORY) + r"/(?P<path>[^)\s\"'<>]*)")


def _menu(entries: object) -> Iterator[str]:
    if isinstance(entries, str):
        yield entries
        return
    assert isinstance(entries, list)
    for entry in entries:
        for part in entry.values() if isinstance(entry, dict) else [entry]:
            yield from _menu(part)


@pytest.mark.quick
def test_every_page_is_in_the_menu_once():
    menu = Counter(_menu(tomllib.loads((ROOT / "zensical.toml").read_text())["project"]["nav"]))
    pages = Counter(str(path.relative_to(DOCS)) for path in PAGES)
    assert sorted((menu - pages).elements()) == [], "in the menu of zensical.toml, but not a page, or listed twice"
    assert sorted((pages - menu).elements()) == [], "pages that the menu of zensical.toml does not list"


@pytest.mark.quick
def test_every_picture_has_a_text():
    def described(match: re.Match[str]) -> bool:
        return bool(match["text"]) if match["tag"] is None else bool(re.search(r'\balt="[^"]+"', match["tag"]))

    pages = [ROOT / "README.md", *PAGES]
    silent = [(str(page), m[0]) for page in pages for m in IMAGE.finditer(page.read_text()) if not described(m)]
    assert silent == []


@pytest.mark.quick
def test_links_to_the_repository_lead_to_files():
    pages = [*ROOT.glob("*.md"), *PAGES, *ROOT.glob("bench/*.md"), *ROOT.glob("examples/**/*.md")]
    broken = []
    for page in pages:
        for match in URL.finditer(page.read_text()):
            path = urldefrag(match["path"].rstrip(".,"))[0]
            if not (ROOT / path).exists():
                broken.append(f"{page.relative_to(ROOT)}: {match[0]}")
    assert broken == []


@pytest.mark.quick
def test_links_of_pages_outside_the_site_lead_to_files():
    pages: list[Path] = [*ROOT.glob("*.md"), *ROOT.glob("examples/**/*.md"), *ROOT.glob("conformance/**/*.md")]
    broken = []
    for page in pages:
        for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
            path = urldefrag(target)[0]
            if path and "://" not in path and not path.startswith("mailto:") and not (page.parent / path).exists():
                broken.append(f"{page.relative_to(ROOT)}: {target}")
    assert broken == []


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text().split()) <= 600
