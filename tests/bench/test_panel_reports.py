"""Reports from records: figures by hand, ties, what is modelled kept apart, interrupted and merged runs."""

import io
import json
import math

import numpy as np
import pytest
from rich.console import Console

from colonnade_bench.panel.growth import extrapolated, fit, larger_half
from colonnade_bench.panel.model import winners
from colonnade_bench.panel.ranking import ranking
from colonnade_bench.panel.report_all import write_reports
from colonnade_bench.panel.report_answer import banner, candidates, headline, winner
from colonnade_bench.panel.report_figures import achieved
from colonnade_bench.panel.report_findings import findings
from colonnade_bench.panel.report_looks import PALETTE
from colonnade_bench.panel.report_markdown import as_markdown
from colonnade_bench.panel.report_pictures import by_transport, kept, looks, splits, steps
from colonnade_bench.panel.report_sections import parts
from colonnade_bench.panel.report_terminal import print_report
from colonnade_bench.panel.report_trust import safety
from colonnade_bench.panel.summary import Contestant, Place, Results
from tests.helpers.panel_records import CONTESTANTS, HOSTILE, TRANSPORTS, cell, machine, panel, records, written

NPZ, ZSTD = Contestant("colonnade", "npz"), Contestant("colonnade", "arrow", "zstd")
PARQUET = Contestant("pyarrow", "parquet", "zstd")
PLACE = Place("r1", "nycflights13")
SHORT = ("colonnade", "pandas", "dput")
FEW = {name: each for name, each in CONTESTANTS.items() if name[0] in SHORT}


@pytest.fixture(scope="module")
def results():
    return Results(records())


def tables(results, place=PLACE):
    return {part.name: part for part in parts(results, place)}


def rows(part, first):
    return [row for row in part.rows if row[0].removesuffix(" (with losses)") == first]


def measured(name, seconds, transport="memory", run="r1", size=1.0):
    """Panel records of a whole time each, and a check without losses."""
    where = cell((name, name, "none"), transport, size)
    out = [{"kind": "check", "cell": where, "ok": True, "losses": [], "run": run}]
    for number, value in enumerate(seconds, 1):
        record = panel(where, value / 2, value / 2, 1000, size, number, 1e12)
        out.append({**record, "union_s": value, "run": run})
    return out


# --- figures ---


def test_the_median_and_the_interval_of_a_cell_are_without_its_first_call(results):
    figure = results.figure(PLACE, NPZ, "memory", 1.0)
    assert figure.n == 3
    of_three = [0.0242 * wobble for wobble in (0.98, 1.0, 1.03)]  # their bootstrap interval is their range
    assert (figure.low, figure.median, figure.high) == pytest.approx(tuple(of_three))
    assert len(results.first_calls(PLACE, NPZ, "memory", 1.0)) == 1


def test_the_model_starts_from_encoding_and_decoding_in_memory(results):
    found = results.candidate(PLACE, NPZ, 1.0)
    assert (found.encode_s, found.decode_s, found.nbytes) == (pytest.approx(0.0201), pytest.approx(0.0041), 60_000_000)
    assert found.column_decode_s == pytest.approx(0.0041 / 8)
    assert results.candidate(PLACE, PARQUET, 1.0).column_decode_s is None


def test_without_memory_the_model_takes_what_a_file_tells_apart():
    found = Results(records(transports={"file": 12e9}, names=FEW)).candidate(PLACE, NPZ, 1.0)
    assert found.encode_s == pytest.approx(0.0201)
    piped = Results(records(transports={"fifo": 12e9}, names=FEW))
    assert piped.candidate(PLACE, NPZ, 1.0) is None
    assert candidates(piped, PLACE) == {}


def test_links_and_floors_are_those_that_points_stood_on():
    def ground(kind, bps):
        floor = {"dataset": PLACE.dataset, "what": "raw bytes", "nbytes": 100, "seconds": 100 / bps}
        link = {"bps": bps, "delay_s": 0.0}
        return {"kind": kind, "transport": "tcp-1gbit", "run": "r1", **(floor if kind == "floor" else link)}

    before = [ground(kind, bps) for bps in (5.0, 1.0, 4.0) for kind in ("link", "floor")]
    after = [ground(kind, bps) for bps in (7.0, 8.0, 9.0) for kind in ("link", "floor")]
    found = Results([*before, *measured("a", [1.0]), *after])
    assert found.link_bps("r1", "tcp-1gbit") == 4.0, "the middle one of three pieces"
    assert [record["seconds"] for record in found.baselines("floor", "r1")] == [25.0]
    assert Results(before).link_bps("r1", "tcp-1gbit") == 4.0


def test_what_stands_out_is_said_in_a_sentence(results):
    (grows,) = [row[0] for row in findings(results, PLACE).rows]
    assert "faster than the data" in grows
    assert "dput" in grows

    def slower(record):
        shaped = record["kind"] == "panel" and record["cell"]["transport"] == "tcp-1gbit"
        return {**record, "union_s": 3 * record["union_s"]} if shaped else record

    (_, misses) = [row[0] for row in findings(Results(map(slower, records())), PLACE).rows]
    assert "over 20 % from both models" in misses
    assert findings(Results(measured("a", [1.0])), PLACE).rows == []


def test_safety_is_told_of_each_format(results):
    rows = {row[0]: row[3] for row in safety(results, PLACE).rows}
    assert rows["colonnade npz"].startswith("reading runs no code; CRC-32")
    assert rows["colonnade msgpack"] == "reading runs no code; no checksum"


def test_ratios_whose_interval_holds_one_are_ties():
    found = Results(
        [*measured("a", [1.0, 1.1, 1.2]), *measured("b", [1.1, 1.15, 1.3]), *measured("c", [2.0, 2.1, 2.2])]
    )
    best = winner(found, PLACE, "memory")
    assert best.contestant.name == "a"
    assert [each.name for each in best.tied] == ["b"]
    assert headline(found, PLACE).startswith("Fastest in memory: a, 1.1 s. ")
    assert "3 repetitions: tied with b; limited by" in headline(found, PLACE)


def test_contestants_meet_where_all_have_come_to():
    both = [*measured("a", [1.0], size=0.1), *measured("b", [2.0], size=0.1)]
    assert Results([*both, *measured("b", [9.0])]).full_size(PLACE) == 0.1, (
        "the budget was over when a's turn had not come"
    )
    ended = {"kind": "failed", "cell": cell(("a", "a", "none"), "memory", 1.0), "reason": "too slow", "run": "r1"}
    assert Results([*both, *measured("b", [9.0]), ended]).full_size(PLACE) == 1.0


def test_framed_ones_keep_what_their_round_trip_keeps():
    records = [record for record in measured("a", [1.0], "unix") if record["kind"] == "panel"]
    for record in records:
        record["cell"] = {**record["cell"], "options": {"via": "framed"}}
    checks = [record for record in measured("a", [1.0]) if record["kind"] == "check"]
    found = Results([*records, *checks])
    (framed,) = [each for each in found.contestants(PLACE) if each.options]
    assert found.exact(PLACE, framed)
    both = Results([*records, *measured("a", [2.0], "unix")])
    assert [(row[0], row[-1]) for row in tables(both)["framed"].rows] == [("a", "-50 %")]


def test_runs_never_meet():
    found = Results([*measured("a", [1.0]), *measured("b", [1.0], run="r2")])
    assert found.places() == [Place("r1", "nycflights13"), Place("r2", "nycflights13")]
    for place, name in zip(found.places(), ("a", "b"), strict=True):
        best = winner(found, place, "memory")
        assert (best.contestant.name, best.tied) == (name, ())


def test_lossy_ones_are_ranked_apart_even_where_they_are_faster():
    slow, quick = measured("exact", [2.0, 2.1, 2.2]), measured("quick", [1.0, 1.1, 1.2])
    quick[0]["losses"] = ["zone of t"]
    found = Results([*quick, *slow])
    best = winner(found, PLACE, "memory")
    assert (best.contestant.name, best.exact, best.lossy[0].name) == ("exact", True, "quick")
    assert "quick takes 1.1 s but loses something" in headline(found, PLACE)
    assert [row[0] for row in tables(found)["times"].rows] == ["exact", "quick (with losses)"]
    assert [each.name for each in candidates(found, PLACE)] == ["exact"]


def test_where_nothing_is_exact_the_answer_says_so():
    only = measured("quick", [1.0])
    only[0]["losses"] = ["zone of t"]
    assert "nothing that was measured keeps this data exactly" in headline(Results(only), PLACE)


def test_the_headline(results):
    # 8 * (17 MB - 6.2 MB) / (0.6102 s - 0.1602 s), and 8 * (60 MB - 17 MB) / (0.1602 s - 0.0242 s)
    assert headline(results, PLACE) == (
        "Fastest over 1 Gbit/s: Arrow file with zstd (colonnade), 161 ms. Below 192 Mbit/s: Parquet with zstd "
        "(pyarrow). Above 2.53 Gbit/s: NPZ (colonnade). For nycflights13 (400,000 rows, 62 MB in memory) over "
        "1 Gbit/s (measured 940 Mbit/s, 400 µs), 3 repetitions: no ties; limited by the link."
    )


def test_without_a_link_the_winners_over_links_are_said_apart():
    found = Results(records(transports={"memory": math.inf}, names=FEW))
    assert headline(found, PLACE).startswith("Fastest in memory: NPZ (colonnade), 24.2 ms. Over a link below ")


def test_an_incomplete_run_has_a_banner_and_no_winner_where_a_rival_is_unmeasured():
    curves = [cell((name, name, "none"), "memory", 1.0) for name in ("a", "rival")]
    plan = {"kind": "plan", "spec": {"budget_s": 60.0}, "curves": curves, "run": "r1"}
    end = {"kind": "end", "reason": "time budget", "left": 4, "run": "r1"}
    found = Results([plan, *measured("a", [1.0, 1.1, 1.2]), end])
    assert banner(found, PLACE) == (
        "INCOMPLETE RUN (time budget, 4 cells left); rival is not measured everywhere. "
        "The same command goes on from here."
    )
    assert headline(found, PLACE).startswith("No winner in memory: rival is not measured. Fastest so far: a, 1.1 s.")
    assert tables(found)["fastest"].rows[0][:2] == ["Conversion in memory", "no winner yet: rival is not measured"]
    out = io.StringIO()
    print_report(found, Console(width=200, file=out))
    lines = out.getvalue().splitlines()
    assert lines[0].startswith("INCOMPLETE RUN")
    assert [line for line in lines if line.strip()][-1] == "Run r1, budget 1 min: time budget, 4 cells left."
    whole = Results(
        [plan, *measured("a", [1.0, 1.1, 1.2]), *measured("rival", [2.0]), {**end, "reason": "complete", "left": 0}]
    )
    assert banner(whole, PLACE) == ""


def test_too_few_repetitions_name_no_ties():
    found = Results([*measured("a", [1.0, 1.1]), *measured("b", [5.0, 5.1])])
    row = tables(found)["fastest"].rows[0]
    assert row[1:6] == ["a", "1.05 s", "none", "2", "unknown: too few repetitions"]
    assert "too few repetitions to tell others apart" in headline(found, PLACE)


def test_floors_and_per_cent_of_achievable(results):
    # Its own bytes over the link: 8 * 60 MB / 0.94 Gbit/s.
    floor = 8 * 60e6 / 0.94e9
    union = results.figure(PLACE, NPZ, "tcp-1gbit", 1.0).median
    assert achieved(results, PLACE, NPZ, "tcp-1gbit", 1.0) == pytest.approx(100 * floor / union)
    row = next(row for row in tables(results)["floors"].rows if row[0] == "TCP, 1 Gbit/s link")
    assert row[3] == "528 ms"
    assert row[-1] == "colonnade arrow zstd: 90 %"  # of the time for its own 17 MB, not of 62
    assert achieved(results, PLACE, NPZ, "memory", 1.0) == pytest.approx(100 * 8 * 62e6 / 60e9 / 0.0242, rel=0.05)


def test_a_floor_of_one_size_gives_no_share():
    """Records of earlier versions measured the frame's bytes, which no format moves."""
    old = [{k: v for k, v in record.items() if not k.startswith("few_")} for record in records()]
    found = Results(old)
    assert achieved(found, PLACE, NPZ, "file", 1.0) is None
    assert {row[-1] for row in tables(found)["floors"].rows} == {"-"}


def test_an_extrapolation_starts_at_the_last_point():
    points = [(0.1, 1.0), (0.2, 2.0), (0.4, 4.1), (0.5, 9.0)]
    found = extrapolated(points)
    assert found is not None
    assert found.low < 9.0 < found.value < found.high
    assert extrapolated([*points, (1.0, 12.0)]) is None
    assert extrapolated(points[:2]) is None


def test_ideal_time_stands_beside_each_row(results):
    assert rows(tables(results)["times"], "colonnade npz")[0][1] == "120 ms"  # 60 MB at 500 MB/s


def test_steps_are_split_only_where_they_follow_each_other(results):
    file = steps(results, PLACE, NPZ, "file", 1.0)
    assert file == pytest.approx({"encode": 0.0201, "move": 0.04, "decode": 0.0041})
    assert list(steps(results, PLACE, NPZ, "fifo", 1.0)) == ["not apart"]


def test_only_a_gap_between_model_and_measurement_is_shown(results):
    assert "gaps" not in tables(results)
    slow = [record for record in records(names=FEW) if record["kind"] != "end"]
    for record in slow:
        if record["kind"] == "panel" and record["cell"]["format"] == "npz" and "tcp" in record["cell"]["transport"]:
            record["union_s"] *= 10
    part = tables(Results(slow))["gaps"]
    assert {row[0] for row in part.rows} == {NPZ.name}
    assert part.notes[0].endswith("times are within 20 % of one model, and are omitted.")


# --- growth and what is modelled ---


def test_the_exponent_and_its_interval_agree_with_numpy():
    points = [
        (0.001 * 2**k, 3 * (0.001 * 2**k) ** 1.3 * w)
        for k, w in enumerate((1, 1, 1, 1, 0.97, 1.02, 1.0, 1.03, 0.99, 1.01))
    ]
    used = larger_half(points)
    assert used == points[5:]
    (slope, intercept), covariance = np.polyfit(*np.log(used).T, 1, cov=True)
    found = fit(points)
    assert found.exponent.value == pytest.approx(slope)
    assert found.exponent.high - slope == pytest.approx(3.182 * np.sqrt(covariance[0, 0]))
    assert found.at(1.0).value == pytest.approx(np.exp(intercept))
    assert found.at(1.0).low < found.at(1.0).value < found.at(1.0).high
    assert found.warns
    assert found.certain


def test_too_few_points_give_no_exponent():
    assert fit([(0.1, 1.0), (0.2, 2.0)]) is None
    assert fit([(0.1, 1.0), (0.1, 1.1), (0.1, 1.2)]) is None


def test_what_grows_faster_than_the_data_is_pointed_out(results):
    growth = tables(results)["growth"]
    assert all(text.startswith("! 1.90") for text in rows(growth, "dput")[0][1:])
    assert not any("!" in text for text in rows(growth, "colonnade npz")[0])


def test_modelled_figures_are_marked_and_in_no_measured_table(results):
    found = tables(results)
    modelled = {row[0] for row in found["extrapolated"].rows}
    assert modelled == {"dput", "PyYAML yaml", "jsonlite json", "write.csv csv"}
    assert all(row[-1].startswith("≈ ") and " to " in row[-1] for row in found["extrapolated"].rows)
    for name in ("times", "stored", "details", "fastest", "floors"):
        text = json.dumps(found[name].rows, ensure_ascii=False)
        assert "≈" not in text
        assert not any(f'"{each}"' in text for each in modelled), name


# --- tables ---


def test_failures_are_rows_with_reasons(results):
    failed = tables(results)["failures"].rows
    assert ["fst", "not measured", "fst is not installed; install.packages('fst')"] in failed
    assert ["msgpackR msgpack", "Conversion in memory, check", "refuses NA"] in failed
    assert ["yaml", "Conversion in memory, 14 %", "crashed (signal 11)"] in failed


def test_safety_tells_what_a_bad_copy_does(results):
    safety = tables(results)["safety"]
    assert rows(safety, "polars ipc from pandas")[0][1:3] == ["error", "silently wrong"]
    assert "runs any code" in rows(safety, "pickle")[0][3]


def test_fidelity_lists_the_losses(results):
    part = tables(results)["fidelity"]
    assert rows(part, "pandas json")[0][1:] == ["with losses", "zone of time_hour; integers over 2^53"]
    assert rows(part, "colonnade npz")[0][1:] == ["exact", "-"]
    assert rows(part, "msgpackR msgpack")[0][1:] == ["failed", "refuses NA"]


# --- files ---


def test_a_run_that_was_stopped_counts_as_far_as_it_goes(tmp_path):
    path = written(tmp_path / "run.jsonl", [r for r in records(names=FEW) if r["kind"] != "end"])
    with open(path, "a") as file:
        file.write('{"kind": "panel", "cell": {"dataset": "nycfl')
    found = Results.load(path)
    assert ranking(found, PLACE, "memory").exact
    assert ["ended", "interrupted: the records stop without an end"] in tables(found)["machine"].rows


def test_a_line_in_the_middle_that_is_no_record_is_refused(tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_text(json.dumps(machine()) + "\nnonsense\n" + json.dumps(machine()) + "\n")
    with pytest.raises(ValueError, match=r"run\.jsonl: line 2 is no record"):
        Results.load(path)


def test_two_machines_that_share_a_run_id_stay_apart(tmp_path):
    one = written(tmp_path / "one.jsonl", records(names=FEW))
    other = written(tmp_path / "other.jsonl", records(names=FEW, slower=2, processor="Other"))
    found = Results.load(one, other)
    assert found.runs() == ["r1", "r1-2"]
    times = [winner(found, place, "memory").figure.median for place in found.places()]
    assert times[1] > 1.9 * times[0]
    assert len(Results.load(one, one).records) == len(records(names=FEW))


def test_all_reports_are_written_and_can_be_merged_again(tmp_path):
    names = {name: each for name, each in FEW.items() if name[1] in ("npz", "csv")}
    two = {name: TRANSPORTS[name] for name in ("memory", "tcp-1gbit")}
    one = written(tmp_path / "one.jsonl", records(names=names, transports=two))
    out = write_reports([one], tmp_path / "report")
    shown = {path.relative_to(tmp_path / "report").as_posix() for path in out}
    charts = [
        "elapsed",
        "elapsed-straight",
        "storage",
        "split",
        "ribbon",
        "packages/colonnade_npz",
        "packages/pandas_csv",
    ]
    pictures = {f"pictures/{name}.{kind}" for name in charts for kind in ("png", "svg")}
    assert shown == {"page.html", "report.md", "merged.json"} | pictures
    assert all(path.stat().st_size > 1000 for path in out)
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in out if path.suffix == ".png")
    svg = (tmp_path / "report/pictures/elapsed.svg").read_text()
    assert "currentColor" not in svg
    assert "var(" not in svg

    markdown = (tmp_path / "report" / "report.md").read_text()
    assert "](pictures/elapsed.svg)" in markdown
    assert "<script" not in markdown
    assert "colonnade npz" in markdown

    other = written(tmp_path / "other.jsonl", records("r2", names=names, transports=two, processor="Other"))
    again = write_reports([tmp_path / "report" / "merged.json", other], tmp_path / "both", pictures=False)
    assert [path.name for path in again] == ["page.html", "report.md", "merged.json"]
    assert len(Results.load(again[2]).places()) == 2


def test_a_report_joins_the_engines_that_lose_the_same():
    text = as_markdown(Results([*measured("a", [1.0]), *measured("b", [2.0])]))
    assert "| a, b | exact | - |\n" in text


def test_nothing_measured_is_still_a_report(tmp_path):
    failed = {"kind": "failed", "cell": cell(("yaml", "yaml", "none"), "memory", 0.1), "reason": "crashed", "run": "r1"}
    for content in ([], [machine()], [machine(), failed]):
        out = write_reports([written(tmp_path / "run.jsonl", content)], tmp_path / "report")
        assert [path.name for path in out[:3]] == ["page.html", "report.md", "merged.json"]
    assert "nothing was measured" in out[1].read_text()
    assert "crashed" in out[1].read_text()


def test_the_terminal_shows_what_records_say_as_text(results):
    out = io.StringIO()
    print_report(results, Console(width=400, file=out))
    assert "Arrow file with zstd (colonnade), 161 ms." in out.getvalue()
    assert HOSTILE in out.getvalue()
    for question in ("Which is fastest?", "What does it cost to store?", "What is lost?"):
        assert question in out.getvalue()
    assert out.getvalue().rstrip().endswith("Missing: fst: fst is not installed; install.packages('fst').")
    assert "Every figure of the largest size" not in out.getvalue()
    print_report(results, Console(width=400, file=out), everything=True)
    assert "Every figure of the largest size" in out.getvalue()


def test_a_question_shows_few_rows_and_few_losses_and_counts_the_others():
    losses = [f"column {k}: zone" for k in range(5)]
    lossy = [record for k in range(15) for record in measured(f"engine{k}", [1.0 + k])]
    for record in lossy:
        if record["kind"] == "check":
            record["losses"] = losses
    out = io.StringIO()
    print_report(Results(lossy), Console(width=300, file=out))
    assert "column 0: zone; column 1: zone; and 3 more" in out.getvalue()
    assert out.getvalue().count("And 3 more: `colonnade bench report` shows all.") == 2
    assert "column 4" not in out.getvalue()


def test_where_nothing_is_lost_there_is_no_empty_table():
    out = io.StringIO()
    print_report(Results(measured("a", [1.0, 1.1, 1.2])), Console(width=200, file=out))
    assert "What is lost? Nothing. Exact: 1 of 1." in out.getvalue()


def test_a_reason_is_one_line_of_its_row():
    stack = "Traceback (most recent call last):\n  File x\nValueError: no lists"
    failed = {"kind": "failed", "cell": cell(("a", "a", "none"), "memory", 1.0), "reason": stack, "run": "r1"}
    assert [row[2] for row in tables(Results([failed]))["failures"].rows] == ["ValueError: no lists"]


def test_a_narrow_terminal_leaves_out_the_intervals(results):
    out = io.StringIO()
    print_report(results, Console(width=80, file=out), everything=True)
    assert "A wider terminal shows intervals." in out.getvalue()
    assert max(map(len, out.getvalue().splitlines())) <= 80


# --- pictures ---


def test_one_size_is_drawn_as_a_point():
    found = Results(measured("a", [1.0, 1.1, 1.2]))
    (chart,) = by_transport(found, PLACE)
    assert {row["size"] for layer in chart.to_dict()["layer"] for row in data(chart.to_dict(), layer)} == {1.0}
    low, high = chart.to_dict()["layer"][0]["encoding"]["x"]["scale"]["domain"]
    assert 0 < low < high


def test_every_transport_has_its_chart_with_eight_lines_in_the_legend(results):
    charts = [chart.to_dict() for chart in by_transport(results, PLACE)]
    assert [chart["title"] for chart in charts] == [
        "Conversion in memory",
        "File",
        "Named pipe",
        "TCP, same host",
        "TCP, 1 Gbit/s link",
    ]
    for chart in charts:
        line = chart["layer"][0]["encoding"]
        assert len(line["color"]["scale"]["domain"]) == 8
        assert len(set(line["color"]["scale"]["range"])) == 8
        grey = data(chart, chart["layer"][1])
        assert {row["name"] for row in grey} == {Contestant(*name).name for name in CONTESTANTS}
        assert line["color"]["legend"] == line["strokeDash"]["legend"]  # one legend for both
        assert len(line["color"]["scale"]["range"]) == len(line["color"]["scale"]["domain"])
        dots = next(layer for layer in chart["layer"] if layer["mark"]["type"] == "point")
        assert [tip["field"] for tip in dots["encoding"]["tooltip"]] == ["name", "shown"]


def test_whoever_is_ahead_on_some_link_has_a_colour_alone(results):
    colours = looks(results, PLACE)
    known = list(candidates(results, PLACE, lossy=True).values())
    ahead = {name for *_, name in winners(known, 1e6, 1e11)}
    assert len(ahead) >= 3
    assert len({(colour, *dash) for colour, dash in colours.values()}) == len(colours)
    assert len({colours[name][0] for name in ahead}) == len(ahead)


def test_extrapolated_storage_is_drawn_hollow(results):
    chart = kept(results, PLACE).to_dict()
    hollow = [layer for layer in chart["layer"] if layer["mark"].get("fillOpacity") == 0]
    assert {row["name"] for row in data(chart, hollow[0])} == {"dput", "PyYAML yaml", "jsonlite json", "write.csv csv"}
    solid = next(
        layer for layer in chart["layer"] if layer["mark"]["type"] == "bar" and "fillOpacity" not in layer["mark"]
    )
    assert not {"dput", "PyYAML yaml"} & {row["name"] for row in data(chart, solid)}


def test_the_split_leaves_out_those_that_are_far_slower(results):
    chart = splits(results, PLACE)[0].to_dict()
    names = {row["name"] for layer in chart["layer"] for row in data(chart, layer)}
    assert "colonnade npz" in names
    assert "pandas csv" not in names


def data(chart, layer):
    """The table of a layer, wherever altair has put it."""
    source = layer.get("data") or chart["data"]
    return source["values"] if "values" in source else chart["datasets"][source["name"]]


def test_colours_are_seen_on_white_and_on_near_black():
    def luminance(colour):
        parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    for colour in PALETTE:
        own = luminance(colour)
        assert 1.05 / (own + 0.05) >= 3, colour
        assert (own + 0.05) / (luminance("#181b1f") + 0.05) >= 3, colour
