"""The site is built strictly and looked at in a real browser, in four sizes and colours, without a network."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.browser import NARROW, WIDE, chromium, emulate, needs_browser
from tests.helpers.corpora import ROOT

ZENSICAL = Path(sys.executable).with_name("zensical")
LOOKED_AT = ["index", "guides/exact-round-trips", "formats/npz", "reference/frame", "benchmarks/losses", "cli"]

CLIPPED = """
const clipped = [];
if (document.documentElement.scrollWidth > innerWidth + 1) clipped.push("the page is wider than the window");
for (const each of document.querySelectorAll(".md-content :is(p, li, h1, h2, h3)")) {
  const style = getComputedStyle(each);
  if (each.offsetParent && style.overflowX === "hidden" && each.scrollWidth > each.clientWidth + 1)
    clipped.push(each.textContent.slice(0, 60));
}
for (const each of document.querySelectorAll(".md-content img")) {
  if (!each.complete || !each.naturalWidth) clipped.push("not loaded: " + each.src);
  else if (each.getBoundingClientRect().right > innerWidth + 1) clipped.push("too wide: " + each.src);
}
return clipped;
"""
# The search is in a shadow tree, which exists once its button was pressed.
SEARCH = """
const host = [...document.querySelectorAll("div")].find((each) => each.shadowRoot);
return host ? host.shadowRoot.textContent : null;
"""
LIGHTNESS = "return getComputedStyle(document.body).backgroundColor"


def build(folder: Path, docs: Path = ROOT / "docs") -> subprocess.CompletedProcess:
    """Builds the site of a copy of `docs` in `folder`, so that runs side by side do not share files."""
    shutil.copytree(docs, folder / "docs", dirs_exist_ok=True)
    config = (ROOT / "zensical.toml").read_text()
    config = config.replace('site_dir = "target/site"', 'site_dir = "site"')
    for source in ("python", "bench/src"):
        config = config.replace(f'"{source}"', f'"{ROOT / source}"')
    (folder / "zensical.toml").write_text(config)
    command = [ZENSICAL, "build", "--strict", "--config-file", "zensical.toml"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    built = build(folder)
    assert built.returncode == 0, re.sub(r"\x1b\[[0-9;]*m", "", built.stdout + built.stderr)
    return folder / "site"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with chromium(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


def test_nothing_is_loaded_from_elsewhere(site):
    loaded = re.compile(
        r'<(?:script|img|iframe)\b[^>]*\bsrc="(https?:)?//|<link\b[^>]*rel="stylesheet"[^>]*href="https?://'
    )
    assert [str(page) for page in site.rglob("*.html") if loaded.search(page.read_text())] == []


def test_a_link_that_leads_nowhere_fails_the_build(tmp_path):
    docs = tmp_path / "source"
    docs.mkdir()
    (docs / "index.md").write_text("# Start\n\n[where](nowhere.md)\n")
    folder = tmp_path / "built"
    folder.mkdir()
    built = build(folder, docs)
    assert built.returncode != 0
    assert "index.md" in built.stdout + built.stderr


class TestInABrowser:
    pytestmark = needs_browser

    @pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
    def test_no_text_is_clipped(self, site, browser, size):
        found = {}
        for scheme in ("light", "dark"):
            emulate(browser, size, scheme)
            for page in LOOKED_AT:
                browser.get((site / f"{page}.html").as_uri())
                clipped = browser.execute_script(CLIPPED)
                if clipped:
                    found[page, scheme] = clipped
        assert found == {}

    def test_the_theme_follows_the_system(self, site, browser):
        shown = {}
        for scheme in ("light", "dark"):
            emulate(browser, WIDE, scheme)
            browser.get((site / "index.html").as_uri())
            shown[scheme] = sum(map(int, re.findall(r"\d+", browser.execute_script(LIGHTNESS))[:3]))
        assert shown["light"] > 600 > 200 > shown["dark"]

    def test_code_has_a_copy_button(self, site, browser):
        emulate(browser, WIDE, "light")
        browser.get((site / "index.html").as_uri())
        blocks, buttons = (
            len(browser.find_elements("css selector", css)) for css in (".highlight pre", ".md-code__nav")
        )
        assert blocks > 5
        assert buttons >= blocks

    def test_search_finds_multiindex(self, site, browser):
        from selenium.webdriver import ActionChains
        from selenium.webdriver.support.wait import WebDriverWait

        emulate(browser, WIDE, "light")
        browser.get((site / "index.html").as_uri())
        browser.execute_script("document.querySelector('.md-search__button').click()")
        WebDriverWait(browser, 30).until(lambda b: b.execute_script(SEARCH) is not None)
        ActionChains(browser).send_keys("multiindex").perform()
        WebDriverWait(browser, 30).until(lambda b: "Exact round trips" in b.execute_script(SEARCH))
