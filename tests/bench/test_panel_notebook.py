"""Results and advice in a notebook: tables of escaped text, and DataFrames with a row for each figure."""

import math
from html.parser import HTMLParser

import pytest

import colonnade_bench
from colonnade_bench.panel.advise import Advice
from colonnade_bench.panel.answer import Answer
from colonnade_bench.panel.measure_link import Link
from colonnade_bench.panel.race import Entrant, Lap, Standing
from colonnade_bench.panel.sample import Sample
from colonnade_bench.panel.summary import Results
from tests.helpers.panel_records import CONTESTANTS, HOSTILE, records

pd = pytest.importorskip("pandas")


class Tables(HTMLParser):
    """The texts of all cells, by table and row."""

    def __init__(self, html):
        super().__init__()
        self.tables, self.inside = [], False
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.inside = tag in ("td", "th")
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif self.inside:
            self.tables[-1][-1].append("")

    def handle_endtag(self, tag):
        self.inside = False

    def handle_data(self, text):
        if self.inside:
            self.tables[-1][-1][-1] += text


NAMES = {name: each for name, each in CONTESTANTS.items() if name[0] in ("colonnade", "pandas", "pickle")}


@pytest.fixture(scope="module")
def results():
    return Results(records(names=NAMES, transports={"memory": math.inf, "tcp-1gbit": 0.94e9}))


def test_a_table_for_each_transport_under_the_answer(results):
    html = results._repr_html_()
    tables = Tables(html).tables
    assert [table[0][:4] for table in tables] == [["engine", "time", "95 % interval", "repetitions"]] * 2
    assert tables[0][1][0] == "colonnade npz"
    assert {row[3] for row in tables[0][1:]} == {"3"}
    assert html.startswith("<p>Fastest over 1 Gbit/s: Arrow file with zstd (colonnade), 161 ms.")


def test_text_from_records_is_escaped(results):
    html = results._repr_html_()
    assert HOSTILE not in html
    assert "<script" not in html
    assert "&lt;script&gt;" in html


def test_an_incomplete_run_says_so_first(results):
    cut = Results([record for record in results.records if record["kind"] != "end"])
    assert cut._repr_html_().startswith("<p><strong>INCOMPLETE RUN (interrupted")


def test_a_frame_has_a_row_for_each_figure(results):
    frame = results.to_pandas()
    keys = ["engine", "format", "codec", "transport", "size"]
    assert not frame.duplicated(keys).any()
    found = frame.set_index(keys).loc[("colonnade", "npz", "none", "memory", 1.0)]
    assert found["median_s"] == pytest.approx(0.0242)
    assert found["low_s"] < found["median_s"] < found["high_s"]
    assert (found["repetitions"], found["nbytes"], found["exact"]) == (3, 60_000_000, True)
    lossy = frame[frame["engine"] == "pandas"]
    assert not lossy["exact"].any()
    assert lossy["losses"].str.contains("zone of time_hour").any()


def test_too_few_repetitions_have_no_interval(results):
    frame = results.to_pandas()
    few = frame[frame["repetitions"] < 3]
    assert len(few)
    assert few["low_s"].isna().all()
    assert few["median_s"].notna().all()


def test_what_bench_returns_has_the_same_two(results):
    returned = colonnade_bench.Results(results.records)
    assert returned._repr_html_() == results._repr_html_()
    pd.testing.assert_frame_equal(returned.to_pandas(), results.to_pandas())


def test_nothing_measured_is_no_error():
    assert colonnade_bench.Results([])._repr_html_() == "<p>Nothing was measured.</p>"
    assert len(colonnade_bench.Results([]).to_pandas()) == 0


def advice(*standings):
    whole = Sample(pd.DataFrame({"a": range(1000)}), 1000, 3, 62_000_000, 62_000_000)
    return Advice(Answer(whole, Link(940e6), standings))


QUICK = Standing(Entrant("pickle", "pickle"), [], [Lap(0.1 * k, 0.1, 1e6) for k in (1, 2, 3)])
SLOW = Standing(Entrant("pandas", "csv"), ["zone"], [Lap(9.0, 9.0, 3e6)], "1 lap, then out: it could not win")
GONE = Standing(Entrant("gone", "csv"), None, [], "<b>refuses nulls</b>")


def test_advice_in_a_frame():
    frame = advice(SLOW, GONE, QUICK).to_pandas()
    assert frame["engine"].tolist() == ["pickle", "pandas", "gone"]
    assert frame["repetitions"].tolist() == [3, 1, 0]
    assert frame["exact"].tolist() == [True, False, pd.NA]
    assert frame["losses"].tolist() == ["", "zone", ""]
    assert frame["median_s"][0] == pytest.approx(0.3 + 8e6 / 940e6)
    assert frame["encode_s"][0] == pytest.approx(0.2)
    assert frame["low_s"].notna().tolist() == [True, False, False]


def test_advice_in_a_table():
    html = advice(SLOW, GONE, QUICK)._repr_html_()
    assert html.startswith("<p><strong>Fastest over 940 Mbit/s: pickle, ")
    (table,) = Tables(html).tables
    assert [row[0] for row in table] == ["candidate", "pickle", "pandas csv", "gone csv"]
    assert "1 lap, then out: it could not win" in html
    assert "&lt;b&gt;refuses nulls&lt;/b&gt;" in html
