"""The page in a real browser: its first screen is the ranking, its sliders find the winner, and nothing leaves it."""

import base64
import itertools
import json
import math
import time
from pathlib import Path

import pytest

from colonnade.cli.amounts import bit_rate_text, nbytes_text, seconds_text
from colonnade_bench.panel.model import Candidate, break_even_bps, pipelined_s, serial_s, winners
from colonnade_bench.panel.page import embedded, page
from colonnade_bench.panel.ranking import ranking
from colonnade_bench.panel.report_answer import HIGH_BPS, LOW_BPS, candidates
from colonnade_bench.panel.summary import Results
from tests.helpers.browser import NARROW, WIDE, chromium, emulate, needs_browser
from tests.helpers.panel_records import CONTESTANTS, HOSTILE, TRANSPORTS, cell, records

pytestmark = needs_browser

MANY = {name: each for name, each in CONTESTANTS.items() if name[0] not in ("orjson", "msgspec", "msgpack", "jsonlite")}
TWO = {name: TRANSPORTS[name] for name in ("memory", "tcp-1gbit")}
FEW = {name: CONTESTANTS[name] for name in list(CONTESTANTS)[:3]}


@pytest.fixture(scope="module")
def results():
    return Results(
        records(names=MANY, rounds=5) + records("r2", slower=2.0, names=FEW, processor="Other", transports=TWO)
    )


@pytest.fixture(scope="module")
def file(results, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_text(page(results), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with chromium(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


def look(browser, file, size=WIDE, scheme="light"):
    """Open the page anew and wait until all is drawn."""
    emulate(browser, size, scheme)
    for kind in ("browser", "performance"):
        browser.get_log(kind)
    browser.get(file.as_uri())
    drawn(browser)


def drawn(browser):
    until(browser, "return document.body.dataset.drawn === 'yes'")


def until(browser, script):
    end = time.monotonic() + 30
    while not browser.execute_script(script):
        assert time.monotonic() < end, f"never true: {script}"
        time.sleep(0.05)


@pytest.fixture
def opened(browser, file):
    look(browser, file)
    return browser


def slide(browser, name, value):
    script = (
        "const e = document.getElementById(arguments[0]); e.value = arguments[1];"
        "e.dispatchEvent(new Event('input', {bubbles: true}))"
    )
    browser.execute_script(script, name, value)


def press_preset(browser, label):
    script = (
        "[...document.querySelectorAll('#presets button')].find(e => e.textContent.startsWith(arguments[0])).click()"
    )
    browser.execute_script(script, label)


def shown(browser):
    """The first screen: the winner, its seconds, and whether they are measured."""
    found = browser.execute_script("return {...document.getElementById('winner').dataset}")
    return found["winner"], float(found["seconds"] or "nan"), found["measured"] == "true"


def text(browser, css):
    return browser.execute_script("return document.querySelector(arguments[0]).textContent", css)


def stretches(browser):
    rows = browser.execute_script("return [...document.querySelectorAll('#stretches li')].map(e => ({...e.dataset}))")
    return [(float(row["low"]), float(row["high"]), row["name"]) for row in rows]


def bars(browser, group="exact"):
    script = (
        "return [...document.querySelectorAll(`#bars [data-group=${arguments[0]}] tr[data-name]`)]"
        ".map(e => e.dataset.name)"
    )
    return browser.execute_script(script, group)


def unfold(browser, name):
    browser.execute_script("document.getElementById(arguments[0]).open = true", name)
    until(browser, f"return document.getElementById('{name}').dataset.filled === 'yes'")


def test_the_first_screen_is_the_ranking(opened, results):
    place = results.places()[0]
    for label, transport in (("Memory", "memory"), ("File", "file"), ("1 GbE", "tcp-1gbit")):
        press_preset(opened, label)
        best = ranking(results, place, transport).winner
        assert shown(opened) == (best.contestant.name, best.figure.median, True)
        assert text(opened, "#winner .name") == best.contestant.spoken
        assert seconds_text(best.figure.median) == text(opened, "#winner .number")
        assert "≈" not in text(opened, "#winner")
    top = opened.execute_script("return document.querySelector('#others').getBoundingClientRect().bottom")
    assert top < 900


def test_a_link_that_was_not_measured_is_modelled_and_says_so(opened, results):
    press_preset(opened, "10 GbE")
    name, seconds, measured = shown(opened)
    known = candidates(results, results.places()[0])
    assert not measured
    assert seconds == pytest.approx(min(serial_s(each, 1e10) for each in known.values()), rel=1e-6)
    assert min(known.values(), key=lambda each: serial_s(each, 1e10)).name == name
    assert text(opened, "#winner .number").startswith("≈")
    assert "modelled" in text(opened, "#winner .how")
    press_preset(opened, "1 GbE")
    assert shown(opened)[2]
    slide(opened, "link", 8.5)
    assert not shown(opened)[2]
    assert text(opened, "#winner .number") in text(opened, "#now")  # one figure


def test_an_incomplete_run_has_a_banner_and_no_winner(browser, tmp_path):
    curve = {**cell(("rival", "rival", "none"), "memory", 0.1)}
    content = [r for r in records(names=FEW, transports=TWO) if r["kind"] != "end"]
    content = [{**r, "curves": [curve]} if r["kind"] == "plan" else r for r in content]
    path = tmp_path / "page.html"
    path.write_text(page(Results(content)), encoding="utf-8")
    look(browser, path)
    assert "INCOMPLETE RUN" in text(browser, "#banner")
    assert "rival" in text(browser, "#banner")
    press_preset(browser, "Memory")
    assert shown(browser)[0] == ""
    assert "rival" in text(browser, "#winner")
    assert "No winner yet" in text(browser, "#winner .winner")
    assert browser.execute_script("return document.querySelector('#winner .number')") is None
    press_preset(browser, "10 GbE")
    assert shown(browser)[0] == ""


def test_bars_are_sorted_searched_and_filtered(opened, results):
    place = results.places()[0]
    press_preset(opened, "Memory")
    found = ranking(results, place, "memory")
    assert bars(opened) == [row.contestant.name for row in found.exact]
    assert bars(opened, "lossy") == [row.contestant.name for row in found.lossy][: len(bars(opened, "lossy"))]
    opened.execute_script("document.querySelector('#bars [data-key=nbytes]').click()")
    assert bars(opened) == [row.contestant.name for row in sorted(found.exact, key=lambda row: row.nbytes)]
    slide(opened, "search", "parquet")
    assert bars(opened) == ["pyarrow parquet zstd"]
    slide(opened, "search", "")
    slide(opened, "whose", "ours")
    assert all(name.startswith("colonnade") for name in bars(opened))
    slide(opened, "whose", "all")
    opened.find_element("css selector", "#exact").click()
    assert bars(opened, "lossy") == []


def test_a_search_marks_lines_of_charts(opened):
    marked = (
        "return [...document.getElementById(arguments[0]).querySelectorAll('.mark-symbol path, .mark-line path')]"
        ".filter(e => e.getAttribute('stroke') === 'currentColor' && e.getAttribute('opacity') !== '0').length"
    )
    unfold(opened, "growth")
    unfold(opened, "split")
    assert opened.execute_script(marked, "growth-chart") == 0
    slide(opened, "search", "pickle")
    for name in ("growth-chart", "ribbon", "scatter"):
        until(opened, marked.replace("arguments[0]", f"'{name}'") + " === 1")


def test_tables_are_sorted_by_their_heads(opened):
    unfold(opened, "stored")
    script = (
        "document.querySelectorAll('#stored thead button')[1].click();"
        "return [...document.querySelectorAll('#stored tbody td:nth-child(2)')]"
        ".map(e => Number(e.textContent.replaceAll(',', '')))"
    )
    up = opened.execute_script(script)
    assert up == sorted(up)
    assert opened.execute_script(script) == sorted(up, reverse=True)


def test_at_most_eight_lines_are_labelled(opened):
    unfold(opened, "growth")
    until(opened, "return document.querySelector('#growth-chart svg') !== null")
    labels = opened.execute_script(
        "return [...document.querySelectorAll('#growth-chart .role-legend-label text')].map(e => e.textContent)"
    )
    assert 0 < len(labels) <= 8
    assert opened.execute_script("return document.querySelectorAll('#front li').length") <= 8


def test_it_is_short_and_small(browser, file):
    assert file.stat().st_size < 1_500_000
    look(browser, file)
    assert browser.execute_script("return document.documentElement.scrollHeight") < 12 * 900


def test_units_are_those_of_the_package(opened):
    seconds = [3e-9, 2.5e-5, 0.012, 0.1176, 0.9996, 1.5, 754.2, 12345.0]
    sizes = [12.0, 999.6, 1_500_000.0, 61_900_000.0, 2.5e9]
    script = (
        "return [arguments[0].map(e => Units.time(e)), arguments[1].map(e => Units.bytes(e)),"
        " arguments[1].map(e => Units.rate(e))]"
    )
    found = opened.execute_script(script, seconds, sizes)
    assert found == [list(map(write, each)) for write, each in
                     ((seconds_text, seconds), (nbytes_text, sizes), (bit_rate_text, sizes))]  # fmt: skip


def test_it_renders_without_an_error_or_a_request(opened, file):
    for name in ("growth", "split", "fidelity", "details"):
        unfold(opened, name)
    for name in ("scatter", "ribbon", "growth-chart", "split-chart"):
        until(opened, f"return document.querySelectorAll('#{name} svg').length === 1")
    assert [entry for entry in opened.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")] == []
    messages = [json.loads(entry["message"])["message"] for entry in opened.get_log("performance")]
    sent = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    assert {url for url in sent if not url.startswith("data:")} <= {file.as_uri()}
    assert opened.execute_script("return performance.getEntriesByType('resource').length") == 0


def test_no_request_could_leave_it(opened):
    answer = opened.execute_async_script(
        "const done = arguments[0]; fetch('https://example.invalid/').then(() => done('left'), e => done('refused'))"
    )
    assert answer == "refused"
    refusals = [entry["message"] for entry in opened.get_log("browser")]
    assert any("Content Security Policy" in text for text in refusals)


def test_what_records_say_stays_text(opened, file):
    assert opened.title.startswith("Which format is fastest")
    assert opened.execute_script("return document.images.length") == 0
    unfold(opened, "fidelity")
    assert HOSTILE in text(opened, "#fidelity")
    assert "<img src=https" not in file.read_text(encoding="utf-8")
    assert "</script" not in embedded({HOSTILE: [HOSTILE]})
    assert json.loads(embedded({HOSTILE: [HOSTILE]})) == {HOSTILE: [HOSTILE]}


def test_the_link_changes_the_winner_exactly_at_the_break_even_points(opened, results):
    place = results.places()[0]
    known = list(candidates(results, place).values())
    expected = winners(known, LOW_BPS, HIGH_BPS)
    assert len(expected) == 3
    found = stretches(opened)
    assert [name for *_, name in found] == [name for *_, name in expected]
    by_name = {each.name: each for each in known}
    for (_, high, below), (low, _, above) in itertools.pairwise(found):
        even = break_even_bps(by_name[below], by_name[above])
        assert low == high == pytest.approx(even, rel=1e-12)
        # The two neighbouring positions of the slider.
        before = math.floor(math.log10(even) * 100) / 100
        slide(opened, "link", before)
        assert shown(opened)[0] == below
        slide(opened, "link", before + 0.01)
        assert shown(opened)[0] == above
        assert above in text(opened, "#now")


def test_every_slider_changes_what_is_said(opened):
    def said():
        return text(opened, "#now"), stretches(opened)

    before = said()
    for name, value in (("link", 7), ("reads", 20), ("columns", 10)):
        slide(opened, name, value)
        after = said()
        assert after != before, name
        before = after
    opened.find_element("css selector", ".kind[value=pipelined]").click()
    overlapping = said()
    assert overlapping != before
    slide(opened, "link", 11)
    slide(opened, "reads", 1)
    before = said()
    slide(opened, "cores", 1)
    assert said() != before


@pytest.mark.parametrize("kind", ["serial", "pipelined"])
def test_the_page_reckons_as_the_model_does(opened, kind):
    known = [
        Candidate("plain", 0.02, 0.004, 60_000_000, 0.0005),
        Candidate("small", 0.42, 0.19, 6_200_000),
        Candidate("middle", 0.11, 0.05, 17_000_000, 0.02),
        Candidate("slow", 4.1, 1.2, 38_000_000),
    ]
    given = [vars(each) for each in known]
    for reads, columns, cores in itertools.product((1, 7), (1.0, 0.1), (1, 2)):
        set_ = {"reads": reads, "columns": columns, "cores": cores, "delay_s": 0.002, "kind": kind}
        links = [10 ** (6 + k / 20) for k in range(101)]
        script = (
            "const [c, b, s] = arguments;"
            "return [c.map(e => b.map(x => Model.seconds(e, x, s))), Model.winners(c, 1e6, 1e11, s)]"
        )
        times, pieces = opened.execute_script(script, given, links, set_)
        for each, line in zip(known, times, strict=True):
            more = {"cores": cores} if kind == "pipelined" else {}
            model = pipelined_s if kind == "pipelined" else serial_s
            assert line == pytest.approx([model(each, bps, 0.002, reads, columns, **more) for bps in links], rel=1e-12)
        assert (pieces[0]["low"], pieces[-1]["high"]) == pytest.approx((1e6, 1e11))
        for bps, *column in zip(links, *times, strict=True):
            owner = next(
                p["candidate"]["name"] for p in pieces if p["low"] * (1 - 1e-9) <= bps <= p["high"] * (1 + 1e-9)
            )
            mine = column[[each.name for each in known].index(owner)]
            assert mine <= min(column) * (1 + 1e-9)
        if kind == "serial":
            expected = winners(known, 1e6, 1e11, reads, columns)
            assert [p["candidate"]["name"] for p in pieces] == [name for *_, name in expected]
            assert [p["low"] for p in pieces] == pytest.approx([low for low, *_ in expected], rel=1e-9)


def test_keys_suffice(opened):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    def press(*keys):
        ActionChains(opened).send_keys(*keys).perform()

    def focused():
        return opened.execute_script(
            "const e = document.activeElement; return [e.id, e.className, e.tagName, e.matches(':focus-visible')]"
        )

    seen = []
    for _ in range(26):
        press(Keys.TAB)
        seen.append(focused())
    assert all(visible for *_, visible in seen)
    names = [found[0] or found[1] for found in seen]
    for name in ("skip", "place", "theme", "more", "search", "whose", "format", "exact"):
        assert name in names, names
    assert opened.execute_script("return getComputedStyle(document.activeElement).outlineWidth") != "0px"
    link = opened.find_element("css selector", "#link")
    before = text(opened, "#now")
    opened.execute_script("arguments[0].focus()", link)
    press(Keys.HOME)
    assert shown(opened)[0] == "pyarrow parquet zstd"
    press(Keys.ARROW_RIGHT)
    assert text(opened, "#now") != before
    assert link.accessible_name.startswith("Link")
    assert "Mbit/s" in link.get_dom_attribute("aria-valuetext")


def test_other_data_scale_and_theme(opened, results):
    from selenium.webdriver.support.ui import Select

    assert text(opened, "#by-table tbody").count("over 1 Gbit/s") == 2
    Select(opened.find_element("id", "place")).select_by_index(1)
    drawn(opened)
    second = results.places()[1]
    assert shown(opened)[0] == ranking(results, second, "tcp-1gbit").winner.contestant.name
    assert len(stretches(opened)) >= 1
    unfold(opened, "growth")
    Select(opened.find_elements("css selector", "#growth select")[1]).select_by_index(1)
    until(opened, "return document.querySelectorAll('#growth-chart svg').length === 1")
    paper = "return getComputedStyle(document.body).backgroundColor"
    light = opened.execute_script(paper)
    theme = opened.find_element("id", "theme")
    theme.click()
    theme.click()
    assert opened.execute_script(paper) != light
    theme.click()
    assert opened.execute_script(paper) == light
    assert [entry for entry in opened.get_log("browser") if entry["level"] == "SEVERE"] == []


def outside(browser):
    """Texts of charts that are cut off."""
    return browser.execute_script(
        "return [...document.querySelectorAll('main svg')].flatMap(svg => {"
        " const box = svg.getBoundingClientRect();"
        " return [...svg.querySelectorAll('text')].filter(e => e.textContent).filter(e => {"
        "  const r = e.getBoundingClientRect();"
        "  return r.left < box.left - 1 || r.right > box.right + 1 || r.top < box.top - 1 || r.bottom > box.bottom + 1;"
        " }).map(e => e.textContent); })"
    )


def meeting(browser):
    """Pairs of texts of a chart that stand on each other."""
    return browser.execute_script(
        "return [...document.querySelectorAll('main svg')].flatMap(svg => {"
        " const seen = new Map([...svg.querySelectorAll('text')].filter(e => e.textContent).map(e => {"
        "  const r = e.getBoundingClientRect();"
        "  return [`${e.textContent} ${Math.round(r.left)} ${Math.round(r.top)}`, r]; }));"
        " const all = [...seen]; return all.flatMap(([a, r], k) => all.slice(k + 1).filter(([b, s]) =>"
        "  Math.min(r.right, s.right) - Math.max(r.left, s.left) > 1 &&"
        "  Math.min(r.bottom, s.bottom) - Math.max(r.top, s.top) > 4).map(([b]) => `${a} / ${b}`)); })"
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_nothing_is_clipped_or_overlaps(browser, file, tmp_path, size, scheme):
    look(browser, file, size, scheme)
    assert browser.execute_script("return document.documentElement.scrollWidth <= innerWidth")
    assert outside(browser) == []
    assert meeting(browser) == []
    spilling = browser.execute_script(
        "return [...document.querySelectorAll('main p, main label:not(.hidden), main li, main h2,"
        " #presets button, .call code, header *')]"
        ".filter(e => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== 'inline')"
        ".map(e => e.textContent)"
    )
    assert spilling == []
    for name in ("growth", "split"):
        unfold(browser, name)
        until(browser, f"return document.querySelector('#{name}-chart svg') !== null")
    assert outside(browser) == []
    assert meeting(browser) == []
    picture = browser.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True})["data"]
    Path(tmp_path / "page.png").write_bytes(base64.b64decode(picture))
