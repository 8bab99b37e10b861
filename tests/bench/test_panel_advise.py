"""Advice: data, link, race, sentence; with synthetic candidates and clocks, and once with real processes."""

import argparse
import contextlib
import json
import threading
from pathlib import Path

import numpy as np
import pytest

pd = pytest.importorskip("pandas")

import colonnade as cn  # noqa: E402
from colonnade_bench.panel import advise as advising  # noqa: E402
from colonnade_bench.panel import answer, measure_link, race, sample, terminal_answer  # noqa: E402
from colonnade_bench.panel.advise import advise  # noqa: E402
from colonnade_bench.panel.race import Entrant, Lap, OutOfRace, Race, Standing, Track  # noqa: E402
from colonnade_bench.panel.sample import Sample  # noqa: E402

# ---------------------------------------------------------------- the data


def frame_of(nrows):
    return pd.DataFrame({"row": np.arange(nrows), "text": [f"{'x' * (k % 40)}{k}" for k in range(nrows)]})


def test_a_small_frame_is_taken_whole():
    frame = frame_of(100)
    taken = sample.take(frame, 10**9)
    assert taken.frame is frame
    assert (taken.nrows, taken.ncols, taken.nblocks, taken.scale, taken.note) == (100, 2, 0, 1.0, "")


def test_a_sample_covers_the_whole_frame_in_blocks_and_keeps_texts():
    frame = frame_of(50_000)
    nbytes = sample.take(frame, 10**9).nbytes
    taken = sample.take(frame, nbytes // 10)
    rows = taken.frame["row"].to_numpy()
    assert len(np.unique(rows)) == len(rows)
    assert 0.05 < len(rows) / 50_000 < 0.2
    assert (np.diff(rows) > 0).all()
    assert taken.nblocks >= 8
    assert set(rows * taken.nblocks // 50_000) == set(range(taken.nblocks))  # one block in each stretch
    assert (np.diff(rows) == 1).mean() > 0.95
    assert list(taken.frame["text"]) == list(frame["text"].iloc[rows])
    assert taken.scale == pytest.approx(50_000 / len(rows), rel=0.05)
    assert isinstance(taken.frame.index, pd.RangeIndex)
    assert taken.note.startswith(f"Sampled: {len(rows):,} of 50,000 rows")


def test_the_same_seed_takes_the_same_rows_and_another_one_others():
    frame = frame_of(50_000)
    one, same, other = (sample.take(frame, 10**5, seed).frame for seed in (1, 1, 2))
    assert one.equals(same)
    assert not one.equals(other)


@pytest.mark.parametrize(("nrows", "want"), [(10, 1), (10, 9), (1000, 8), (4097, 4096), (100_000, 99_999)])
def test_blocks_stay_within_the_frame(nrows, want):
    found = sample.sample_rows(pd.DataFrame({"a": np.arange(nrows)}), want)["a"].to_numpy()
    assert 1 <= len(found) <= nrows
    assert len(np.unique(found)) == len(found)


def test_labels_go_with_their_rows():
    frame = pd.DataFrame({"a": np.arange(1000)}, index=[f"r{k}" for k in range(1000)])
    part = sample.sample_rows(frame, 50)
    assert list(part.index) == [f"r{k}" for k in part["a"]]


def test_paths_and_other_frames_are_read(tmp_path):
    frame = pd.DataFrame({"a": [1, 2, 3]})
    cn.write(frame, tmp_path / "a.npz")
    assert sample.as_pandas(tmp_path / "a.npz").equals(frame)
    assert sample.as_pandas(str(tmp_path / "a.npz")).equals(frame)
    assert sample.as_pandas(cn.Frame(frame)).equals(frame)


def test_an_empty_frame_is_refused():
    with pytest.raises(ValueError, match="0 rows x 1 columns: there is nothing to measure"):
        sample.take(pd.DataFrame({"a": []}), 100)


# ---------------------------------------------------------------- the link


@pytest.mark.parametrize(
    ("text", "bps", "delay_s"),
    [
        ("940Mbit/s", 940e6, 0),
        ("940 Mbit/s, 0.4 ms", 940e6, 0.4e-3),
        ("940mbit", 940e6, 0),
        ("940Mbps,5us", 940e6, 5e-6),
        ("1Gbit/s,1s", 1e9, 1),
        ("9600 bit/s", 9600, 0),
        ("100MB/s", 800e6, 0),
        ("1GiB/s", 8 * 2**30, 0),
        ("64KiB/s", 8 * 2**16, 0),
        ("12.5MBps,0ms", 100e6, 0),
        ("1e3kbit/s", 1e6, 0),
    ],
)
def test_links_as_told(text, bps, delay_s):
    found = measure_link.parse_link(text)
    assert (found.bps, found.delay_s) == (pytest.approx(bps), pytest.approx(delay_s))
    assert not found.measured


@pytest.mark.parametrize("text", ["940", "fast", "", "940 Mbyte/s", "0Mbit/s", "-1Mbit/s", "940Mb/s", "9 9Mbit/s"])
def test_an_unknown_rate_lists_the_units(text):
    with pytest.raises(
        ValueError, match=r"expected a rate such as 940Mbit/s, found .*known units: bit/s.*Mbit/s.*GiB/s"
    ):
        measure_link.parse_link(text)


def test_an_unknown_delay_lists_the_units():
    with pytest.raises(ValueError, match=r'expected a delay such as 0.4ms, found "4 fortnights"; known units: ns.*ms'):
        measure_link.parse_link("1Gbit/s,4 fortnights")


def test_a_disk_is_written_once_and_read_often():
    disk = measure_link.Link(1e9, write_bps=2e9, read_bps=2e9)
    assert disk.per_read_bps(1) == pytest.approx(1e9)
    assert 3 / disk.per_read_bps(3) == pytest.approx(1 / 2e9 + 3 / 2e9)
    assert measure_link.Link(1e9).per_read_bps(3) == 1e9


def test_a_folder_is_measured_and_left_as_it_was(tmp_path):
    found = measure_link.measure_disk(tmp_path, nbytes=1 << 20)
    assert found.measured
    assert found.disk
    assert found.bps > 0
    assert 1 / found.bps == pytest.approx(1 / found.write_bps + 1 / found.read_bps)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        measure_link.measure(str(tmp_path / "gone"))


@contextlib.contextmanager
def serving(answers=None):
    """A host as `colonnade bench serve` is one; `answers` replaces what it says to a word."""
    listener = cn.listen("tcp://127.0.0.1:0")
    heard = []

    def serve():
        with contextlib.suppress(EOFError, ConnectionError), listener.accept(timeout_s=10) as connection:
            while True:
                words = json.loads(connection.receive_bytes())
                heard.append(words)
                if words["word"] in ("echo", "decode"):
                    heard.append(len(connection.receive_bytes()))
                said = {"ping": {"word": "pong"}, "echo": {"word": "took", "seconds": 0.0}}
                connection.send_bytes(json.dumps((answers or said)[words["word"]]).encode())

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield listener.url, heard
    finally:
        listener.close()
        thread.join(10)


def ticking(step):
    """A clock that moves on by `step` each time it is asked."""
    at = [0.0]

    def clock():
        at[0] += step
        return at[0]

    return clock


def test_a_host_is_measured_by_pings_and_by_bytes():
    with serving() as (url, heard):
        found = measure_link.measure(url, clock=ticking(0.4))  # each ping and each echo takes 0.4 s
    assert (found.delay_s, found.where, found.measured) == (pytest.approx(0.2), url, True)
    assert found.bps == pytest.approx(8 * measure_link.FIRST_NBYTES / 0.04)  # of 0.4 s, all but a tenth is delay
    assert heard.count({"word": "ping"}) == measure_link.PINGS
    assert heard[-2:] == [{"word": "echo", "nbytes": measure_link.FIRST_NBYTES}, measure_link.FIRST_NBYTES]


def test_a_quick_link_is_given_more_to_do(monkeypatch):
    monkeypatch.setattr(measure_link, "LAST_NBYTES", 4 * measure_link.FIRST_NBYTES)
    with serving() as (url, heard):
        measure_link.measure(url, clock=ticking(0.01))
    assert [words for words in heard if isinstance(words, int)] == [measure_link.FIRST_NBYTES * k for k in (1, 2, 4)]


def test_a_host_that_speaks_of_something_else():
    with (
        serving({"ping": {"word": "hello"}}) as (url, _),
        pytest.raises(ConnectionError, match="is `colonnade bench serve` there"),
    ):
        measure_link.measure(url)


def test_a_host_that_refuses_to_decode_is_given_the_bytes():
    from colonnade_bench.cell import Cell
    from colonnade_bench.panel import _path, peer

    frame, cell = pd.DataFrame({"a": [1, 2]}), Cell("d", "pandas", "pickle", "pickle")
    answers = {
        "ping": {"word": "pong"},
        "decode": {"word": "failed", "error": "pickle can run code"},
        "echo": {"word": "took", "seconds": 0.0},
    }
    with serving(answers) as (url, heard), peer.Peer(url) as there:
        parts = _path.walk(frame, cell, _path.to_peer(there, cell.to_json()))
    assert [words["word"] for words in heard if isinstance(words, dict)] == ["ping", "decode", "echo"]
    assert set(parts) == {"encode_s", "move_s", "decode_s"}
    assert min(parts.values()) >= 0


def test_a_host_that_decodes_says_how_long_it_took():
    from colonnade_bench.cell import Cell
    from colonnade_bench.panel import _path, peer

    frame, cell = pd.DataFrame({"a": [1, 2]}), Cell("d", "pandas", "pickle", "pickle")
    answers = {"ping": {"word": "pong"}, "decode": {"word": "decoded", "usable_s": 0.25}}
    with serving(answers) as (url, _), peer.Peer(url) as there:
        assert _path.walk(frame, cell, _path.to_peer(there, cell.to_json()))["decode_s"] == 0.25


# ---------------------------------------------------------------- the race


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


class Paper(Track):
    """Candidates on paper: (encode_s, decode_s, nbytes) a lap, and a clock that laps move."""

    def __init__(self, costs, lossy=(), broken=(), interrupt_at=None):
        self.costs, self.lossy, self.broken, self.interrupt_at = costs, lossy, broken, interrupt_at
        self.clock, self.count, self.closed = Clock(), 0, []

    def losses(self, entrant):
        if entrant.engine in self.broken:
            raise OutOfRace("it refuses nulls")
        return ["categories became text"] if entrant.engine in self.lossy else []

    def laps(self, entrant):
        try:
            while True:
                self.count += 1
                if self.count == self.interrupt_at:
                    raise KeyboardInterrupt
                self.clock.now += sum(self.costs[entrant.engine][:2])
                yield Lap(*self.costs[entrant.engine])
        finally:
            self.closed.append(entrant.engine)


QUICK, SMALL, SLOW, SAME = "quick", "small", "slow", "same"
COSTS = {
    QUICK: (0.1, 0.1, 60e6),
    SMALL: (0.9, 0.1, 10e6),
    SLOW: (9.0, 9.0, 70e6),
    SAME: (0.1, 0.1, 60e6),
}


def raced(names=(QUICK, SMALL, SLOW), budget_s=1000.0, **more):
    track = Paper(COSTS, **more)
    found = Race(
        [Entrant(name, name) for name in names], track, budget_s=budget_s, low_bps=1e6, high_bps=1e11, clock=track.clock
    )
    found.run()
    return found, track


def test_who_cannot_win_is_out_early_and_the_others_run_on():
    found, track = raced()
    quick, small, slow = found.standings
    assert (len(quick.laps), len(small.laps)) == (race.LAPS, race.LAPS)
    assert (quick.out, small.out) == ("", "")
    assert len(slow.laps) <= 2
    assert slow.first is not None
    assert slow.out == f"{slow.count}, then out: it could not win on any link"
    assert terminal_answer.place_of(made_answer(found.standings), slow) == slow.out
    assert found.reason == "complete"
    assert sorted(track.closed) == sorted(COSTS.keys() - {SAME})


def test_the_first_lap_is_shown_and_not_counted():
    out = standing("a", 1.0, 1.0, 1000)
    out.first = Lap(9.0, 9.0, 1000)
    assert out.candidate().encode_s == 1.0
    assert made_answer([out]).to_json()["candidates"][0]["first_lap"] == [9.0, 9.0, 1000]
    few = standing("b", 1.0, 1.0, 1000)
    few.laps, few.first = [], Lap(2.0, 2.0, 1000)
    answer = made_answer([out, few])
    assert [row["nlaps"] for row in answer.to_json()["candidates"]] == [3, 0]
    assert "Too few laps for an interval: b (the first lap)." in answer.findings


def test_equals_are_not_thrown_out():
    found, _ = raced((QUICK, SAME))
    assert [len(standing.laps) for standing in found.standings] == [race.LAPS, race.LAPS]


def test_a_lossy_one_throws_nobody_out():
    found, _ = raced((QUICK, SLOW), lossy=(QUICK,))
    assert [len(standing.laps) for standing in found.standings] == [race.LAPS, race.LAPS]


def test_a_broken_candidate_is_a_row_with_its_reason():
    found, _ = raced(broken=(SMALL,))
    small = found.standings[1]
    assert (small.out, small.laps, small.measured) == ("it refuses nulls", [], False)
    assert found.reason == "complete"


def test_the_budget_ends_a_race_and_says_so():
    found, track = raced(budget_s=1.0)
    assert found.reason == "time budget"
    assert len(track.closed) < 3 or track.clock.now >= 1.0
    late = [standing for standing in found.standings if not standing.shown]
    assert all(standing.out == "not measured: the time budget ran out" for standing in late)


@pytest.mark.parametrize("at", range(1, 12))
def test_an_interrupted_race_leaves_a_readable_answer(at):
    found, track = raced((QUICK, SMALL), interrupt_at=at)
    assert found.reason == "interrupted"
    assert sum(len(s.laps) + (s.first is not None) for s in found.standings) == at - 1
    assert set(track.closed) <= {QUICK, SMALL}
    made = made_answer(found.standings, reason=found.reason)
    assert made.context.startswith("For this frame (1,000 x 3, 62 MB), from here to there")
    assert ("nothing was measured" in made.sentence) is (at == 1)
    assert json.dumps(made.to_json())
    assert any(text.startswith("The race ended early (interrupted)") for text in made.findings)


# ---------------------------------------------------------------- the answer


def standing(name, encode_s, decode_s, nbytes, losses=(), spread=0.0, out=""):
    laps = [Lap(encode_s * (1 + spread * k), decode_s, nbytes) for k in (-1, 0, 1)]
    return Standing(Entrant(name, name), list(losses), laps, out)


def made_answer(standings, way=None, **more):
    whole = Sample(pd.DataFrame({"a": range(1000)}), 1000, 3, 62_000_000, 62_000_000)
    return answer.Answer(whole, way or measure_link.Link(940e6, 0.4e-3, measured=True), standings, **more)


THREE = [
    standing("X", 0.5, 0.5, 250e6),
    standing("Z", 10.0, 5.0, 10e6),
    standing("W", 0.1, 0.1, 900e6),
    standing("Y", 0.5, 0.5, 252e6, spread=0.2),
]


def test_the_sentence():
    made = made_answer(THREE)
    assert made.sentence == (
        "Fastest over 940 Mbit/s: X, 3.1 s. Below 140 Mbit/s: Z. Above 6.5 Gbit/s: W. "
        "For this frame (1,000 x 3, 62 MB), from here to there (measured 940 Mbit/s, 400 µs): "
        "tied with Y; limited by the link."
    )
    # By hand: 240 MB less for 14 s more, 650 MB more for 0.8 s less.
    assert [piece[1] for piece in made.ribbon[:2]] == pytest.approx([8 * 240e6 / 14, 8 * 650e6 / 0.8])


def test_the_sentence_of_a_link_that_was_told_and_of_several_reads():
    made = made_answer(THREE[:1], measure_link.Link(1e9), reads=3)
    assert made.sentence == (
        "Fastest over 1 Gbit/s: X, 8 s. For this frame (1,000 x 3, 62 MB), from here to there, read 3 times "
        "(given as 1 Gbit/s): no ties; limited by the link."
    )


def test_the_sentence_of_a_disk():
    disk = measure_link.Link(1e9, where="/mnt/disk", measured=True, write_bps=2e9, read_bps=2e9)
    assert made_answer(THREE[1:2], disk).sentence == (
        "Fastest to /mnt/disk and back: Z, 15 s. "
        "For this frame (1,000 x 3, 62 MB), to /mnt/disk and back (measured 1 Gbit/s): no ties; limited by encoding."
    )


def test_lossy_candidates_are_ranked_apart():
    lossy = standing("L", 0.001, 0.001, 1e6, losses=["a: category became str"])
    made = made_answer([lossy, *THREE])
    assert made.winner.entrant.name == "X"
    assert made.ranked(lossless=False) == [lossy]
    assert "L" not in {name for _, _, name in made.ribbon}
    assert terminal_answer.remarks(made) == ["L: loses: a: category became str."]
    assert terminal_answer.place_of(made, lossy) == "lossy"
    alone = made_answer([lossy])
    assert alone.winner is lossy
    assert "No candidate brings this frame back as it was; the losses are listed." in alone.findings


def test_what_ran_once_or_twice_is_marked():
    short = standing("short", 1.0, 1.0, 1e6)
    short.laps = short.laps[:2]
    out = standing("out", 20.0, 20.0, 1e9, out="2 laps, then out: it could not win on any link")
    out.laps = out.laps[:2]
    made = made_answer([standing("X", 3.0, 3.0, 2e6), short, out])
    assert made.headline == "Fastest over 940 Mbit/s: short, 2 s (2 laps only)."
    words = [terminal_answer.place_of(made, each) for each in made.standings]
    assert words == ["tied", "fastest; 2 laps only", out.out]
    assert list(terminal_answer.table_of(made).columns[7].cells) == ["2", "3", "2"]


def test_a_whole_stack_is_one_line_of_the_row():
    gone = standing("gone", 1.0, 1.0, 1e6, out='Traceback (most recent call last):\n  File "x"\nValueError: no lists\n')
    gone.laps = []
    assert terminal_answer.remarks(made_answer([*THREE, gone])) == ["gone: ValueError: no lists."]


def test_a_sample_is_scaled_and_said():
    part = Sample(pd.DataFrame({"a": range(100)}), 1000, 3, 62_000_000, 6_200_000, 8)
    made = answer.Answer(part, measure_link.Link(940e6), [standing("X", 0.05, 0.05, 25e6)])
    assert made.of(made.winner).encode_s == pytest.approx(0.5)
    assert made.of(made.winner).nbytes == pytest.approx(250e6)
    assert made.findings[0] == (
        "Sampled: 100 of 1,000 rows (10.0%), in 8 random blocks from all over the data; times and sizes are scaled up."
    )


def test_a_gap_between_model_and_measurement_is_a_finding():
    walk = answer.Walk(1.0, 2.0, 1.0, total_s=4.0, model_s=3.2)
    assert (
        "Finding: the measured path took 4 s, 25% longer than the model's 3.2 s."
        in made_answer(THREE, path=walk).findings
    )
    close = answer.Walk(1.0, 1.5, 1.0, total_s=3.5, model_s=3.2)
    assert made_answer(THREE, path=close).findings == []


def test_some_columns_alone_change_the_winner():
    whole, able = standing("X", 0.5, 1.5, 1e6), standing("C", 1.5, 2.5, 1e6)
    able.columns_s = 0.1
    assert made_answer([whole, able]).winner is whole
    made = made_answer([whole, able], columns=("a",))
    assert made.winner is able
    assert made.sentence == (
        "Fastest over 940 Mbit/s: C, 1.6 s. "
        "For this frame (1,000 x 3, 62 MB), from here to there, 1 of 3 columns read (measured 940 Mbit/s, 400 µs): "
        "no ties; limited by encoding."
    )


def test_what_stands_under_the_table():
    made = made_answer(THREE, floors={"memcpy": 0.1, "raw bytes": 0.5, "write + fsync": 0.7})
    lines = terminal_answer.lines(made)
    assert lines[0] == "Break-even: 140 Mbit/s (Z below, X above); 6.5 Gbit/s (X below, W above)."
    assert lines[1].startswith("Robust pick for a link up to 10 times slower or faster: X, at worst ")
    assert lines[2] == "Floor for the raw frame: memcpy 100 ms, raw bytes 500 ms, write + fsync 700 ms."
    assert lines[3] == ("The winner runs at 71% of what is achievable with its bytes: moving them, and one copy.")


def test_the_json_holds_everything():
    out = json.loads(json.dumps(made_answer(THREE).to_json()))
    assert out["kind"] == "advice"
    assert (out["winner"], out["tied"], out["robust"]["name"]) == ("X", ["Y"], "X")
    assert [row["name"] for row in out["candidates"]] == ["X", "Z", "W", "Y"]
    assert out["candidates"][0]["serial_s"] == pytest.approx(1 + 8 * 250e6 / 940e6 + 0.4e-3)
    assert [piece["name"] for piece in out["ribbon"]] == ["Z", "X", "W"]


def test_the_terminal_shows_all_of_it():
    from rich.console import Console

    console = Console(record=True, width=80)
    out = standing("gone", 1.0, 1.0, 1e6)
    out.laps, out.out = [], "it refuses nulls"
    terminal_answer.show(made_answer([*THREE, out]), console)
    text = console.export_text()
    for word in ("X, 3.1 s", "fastest", "tied", "gone: it refuses nulls.", "Break-even", "Robust pick"):
        assert word in text


# ---------------------------------------------------------------- the whole


def test_names_and_candidates():
    assert Entrant("pickle", "pickle").name == "pickle"
    assert Entrant("colonnade", "parquet", "auto").name == "colonnade parquet"
    assert Entrant("polars", "ipc").name == "polars ipc from pandas"
    assert len({entrant.name for entrant in advising.CANDIDATES}) == len(advising.CANDIDATES)
    for entrant in advising.CANDIDATES:
        assert advising.known(f"{entrant.engine} {entrant.format} {entrant.codec}") == entrant
    assert advising.known("pandas parquet") == Entrant("pandas", "parquet", "snappy")
    assert advising.known("pandas feather") == Entrant("pandas", "feather", "lz4")


@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [
        ({"link": "fast"}, ValueError, "known units"),
        ({"link": "1Gbit/s", "to": "/tmp"}, ValueError, "not both"),
        ({"reads": 0}, ValueError, "reads must be 1 or more"),
        ({"columns": ["aa"]}, KeyError, 'no column "aa"; did you mean "a"'),
        ({"candidates": ["colonnade"]}, ValueError, "engine format"),
        ({"candidates": ["colonade npz"]}, KeyError, 'did you mean "colonnade"'),
        ({"candidates": ["colonnade npzz"]}, ValueError, "known: npz"),
        ({"candidates": ["colonnade npz brotli"]}, ValueError, "known: none, zstd"),
    ],
)
def test_what_cannot_be_asked(arguments, error, match):
    with pytest.raises(error, match=match):
        advise(pd.DataFrame({"a": [1]}), **arguments)


def test_off_a_terminal_it_is_silent_but_for_its_answer(tmp_path, capsys):
    cn.write(frame_of(100), tmp_path / "data.npz")
    parser = argparse.ArgumentParser()
    advising.add_arguments(parser)
    words = [str(tmp_path / "data.npz"), "--link", "1Gbit/s", "--candidate", "pickle pickle"]
    assert advising.main(parser.parse_args(words)) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.startswith("Fastest over 1 Gbit/s: pickle, ")
    assert advising.main(parser.parse_args([*words, "--progress"])) == 0
    assert "checking pickle" in capsys.readouterr().err


def test_real_processes(tmp_path, capsys):
    cn.write(frame_of(2000), tmp_path / "data.npz")
    parser = argparse.ArgumentParser()
    advising.add_arguments(parser)
    names = ["colonnade npz", "pickle pickle"]
    words = [str(tmp_path / "data.npz"), "--to", str(tmp_path), "--budget", "60", "--json", "--columns", "text"]
    for name in names:
        words += ["--candidate", name]
    assert advising.main(parser.parse_args(words)) == 0
    out = json.loads(capsys.readouterr().out)
    assert out["frame"]["nrows"] == 2000
    assert out["winner"] in ("colonnade npz", "pickle")
    assert [row["losses"] for row in out["candidates"]] == [[], []]
    assert out["link"]["columns"] == ["text"]
    assert out["path"]["total_s"] > 0
    assert [path.name for path in tmp_path.iterdir()] == ["data.npz"]


def test_an_engine_that_fails_is_a_row():
    frame = pd.DataFrame({"a": [1, "x"]}, dtype=object)
    found = advise(frame, link="1Gbit/s", candidates=["pandas feather lz4"])
    assert found.answer.standings[0].out
    assert found.sentence.endswith("nothing was measured.")
    assert repr(found) == found.sentence
    assert found.table().row_count == 1


@pytest.mark.parametrize("suffix", ["npz", "parquet", "arrow", "csv"])
def test_blocks_of_a_file_are_read_by_themselves_and_are_those_of_the_frame(tmp_path: Path, suffix: str) -> None:
    frame = pd.DataFrame({"n": np.arange(50_000), "t": [f"text {k % 977}" for k in range(50_000)]})
    path = tmp_path / f"data.{suffix}"
    cn.write(frame, path)
    found = sample.rows_of_file(cn.read(path), 5_000)
    pd.testing.assert_frame_equal(found, sample.sample_rows(frame, 5_000))
    taken = sample.take(path, 20_000)
    assert taken.nrows == 50_000
    assert 0 < len(taken.frame) < 3_000
    assert taken.nbytes == pytest.approx(sample.take(frame, 1 << 40).nbytes, rel=0.1)


def test_the_best_of_many_says_so():
    rivals = [standing("a", 1.0, 1.0, 1000), standing("b", 1.2, 1.2, 1000), standing("c", 3.0, 3.0, 1000)]
    rivals[1].entrant = Entrant("a", "b")
    assert "The winner is the best of 2 candidates of a; another engine has 1 at most." in made_answer(rivals).findings
    assert not [text for text in made_answer(rivals[1:]).findings if "best of" in text]
