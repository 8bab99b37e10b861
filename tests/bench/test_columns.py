"""Columns that a part of a table asks for: expected text of hand-made records."""

import io

import pytest
from rich.console import Console

from colonnade_bench.cell import Cell
from colonnade_bench.report import sections
from colonnade_bench.section import to_markdown, to_terminal
from colonnade_bench.spec import Spec
from colonnade_bench.summary import Summary

OURS = Cell("wire-numbers", "pandas", "colonnade", "arrows", transport="unix")
PEER = Cell("wire-numbers", "pandas", "pyarrow", "arrows", transport="unix")
FILE = Cell("article", "static-frame", "pickle", "pickle")


def spec(*columns, cells=(OURS, PEER), measure="channels"):
    """A table of one part, named `big`."""
    contestants = [
        {"engine": c.engine, "format": c.format, "library": c.library, "transport": c.transport} for c in cells
    ]
    part = {"name": "big", "measure": measure, "dataset": [cells[0].dataset], "contestant": contestants}
    return Spec.of({"part": [{**part, "column": list(columns)}]})


def sent(cell, seconds, number, count=1, **more):
    """A timing of `count` messages between two processes."""
    ends = {"user_s": seconds * 0.25, "system_s": seconds, "sender_s": seconds * 0.5, "receiver_s": seconds * 0.75}
    times = {"open_s": seconds, "usable_s": seconds * 2, "message_s": seconds / count, "count": count, **ends}
    where = {"operation": "channel", "state": "repeat", "round": number, "run": "r", "part": "big"}
    return {"kind": "time", "cell": cell.to_json(), **where, **times, **more}


def checked(cell, frame_nbytes, wire_nbytes):
    sizes = {"frame_nbytes": frame_nbytes, "wire_nbytes": wire_nbytes}
    return {"kind": "check", "run": "r", "part": "big", "cell": cell.to_json(), "ok": True, "difference": None, **sizes}


BIG = [
    checked(OURS, 10**9, 1_000_000_512),
    checked(PEER, 10**9, 1_000_001_024),
    *[sent(OURS, s, k) for k, s in enumerate((0.4, 0.5, 0.8))],
    *[sent(PEER, s, k) for k, s in enumerate((0.8, 1.0, 1.6))],
]


def test_a_part_shows_the_columns_that_it_asks_for():
    asked = spec("time", "ratio", "throughput", "usable_throughput", "processor_time", "bytes")
    assert to_markdown(sections(Summary(BIG), asked)) == (
        "## From one process to another: the time of the call: big, pandas, repeated, earlier result dropped, pools"
        " warm, unix\n\n"
        "| dataset | contestant | ms | vs Colonnade | GB/s | usable GB/s | CPU ms | bytes | rounds |\n"
        "|---|---|---|---|---|---|---|---|---|\n"
        "| wire-numbers | colonnade arrows (unix) | 500 [450-650] |  | 2 [1.62-2.25] | 1 [0.812-1.12]"
        " | 625 [562-812] (125 + 500) | 1,000,000,512 | 3 |\n"
        "| wire-numbers | pyarrow arrows (unix) | 1000 [900-1300] | 2.00x | 1 [0.812-1.12] | 0.5 [0.406-0.562]"
        " | 1250 [1125-1625] (250 + 1000) | 1,000,001,024 | 3 |\n\n"
        "ms: elapsed milliseconds of one call or message, median [quartiles]. "
        "vs Colonnade: the time divided by that of colonnade arrows (unix), median of the rounds. "
        "GB/s: bytes of the result in memory per second, median [quartiles]. "
        "usable GB/s: the same with one pass over every byte of the result. "
        "CPU ms: processor time of one call or message in all processes, median [quartiles] (user + system). "
        "bytes: size of the file, or of all that is sent for one message. "
        "rounds: the number of samples behind each figure of the row.\n\n"
    )


def test_the_terminal_shows_the_same_figures():
    out = io.StringIO()
    parts = sections(Summary(BIG), spec("throughput", "processor_time", "bytes"))
    to_terminal(parts, Console(file=out, width=160))
    assert [part.brief for part in parts] == [True]
    for text in ("GB/s", "2 [1.62-2.25]", "CPU ms", "625 [562-812] (125 + 500)", "bytes", "1,000,000,512"):
        assert text in out.getvalue()


def test_messages_in_a_row_are_compared_by_one_message():
    """Ours sends 1,000 in 0.1 s and the peer 10 in 0.01 s: a tenth as many a second."""
    records = [checked(OURS, 1024, 1500), checked(PEER, 1024, 2500), sent(OURS, 0.1, 0, 1000), sent(PEER, 0.01, 0, 10)]
    columns = ("message_rate", "ratio", "throughput", "processor_time", "sender_time", "receiver_time")
    (part,) = sections(Summary(records), spec(*columns))
    assert part.header[2:8] == ["messages/s", "vs Colonnade", "GB/s", "CPU ms", "sender CPU ms", "receiver CPU ms"]
    ours, peer = ([text.partition(" [")[0] for text in row[2:8]] for row in part.rows)
    assert ours == ["10,000", "", "0.0102", "0.125", "0.05", "0.075"]
    assert peer == ["1,000", "10.00x", "0.00102", "1.25", "0.5", "0.75"]


def test_calls_of_one_process_have_the_same_columns():
    where = {"operation": "read", "state": "first", "round": 0, "run": "r", "part": "big"}
    times = {"usable_s": 0.002, "user_s": 0.001, "system_s": 0.0005}
    record = {"kind": "time", "cell": FILE.to_json(), **where, **times}
    asked = spec("time", "throughput", "processor_time", "bytes", cells=[FILE], measure="calls")
    part = sections(Summary([checked(FILE, 4000, 5000), record]), asked)[0]
    row = ["2 [2-2]", "0.002 [0.002-0.002]", "1.5 [1.5-1.5] (1 + 0.5)", "5,000", "1"]
    assert part.rows == [["article", "pickle pickle", *row]]


def test_a_figure_that_is_not_recorded_is_a_dash():
    record = sent(OURS, 0.5, 0)
    for name in ("user_s", "sender_s", "usable_s"):
        del record[name]
    asked = spec("time", "throughput", "usable_throughput", "processor_time", "sender_time", "bytes")
    (part,) = sections(Summary([record]), asked)
    assert part.rows == [["wire-numbers", "colonnade arrows (unix)", "500 [500-500]", "-", "-", "-", "-", "-", "1"]]


def test_parts_without_columns_stay_as_they_are():
    text = Cell("wire-text", "pandas", "pyarrow", "arrows", transport="unix")
    asked, plain = sections(Summary([*BIG, {**sent(text, 1.0, 0), "part": "other"}]), spec("bytes"))
    assert plain.header == ["dataset", "pyarrow arrows (unix)"]
    assert plain.rows == [["wire-text", "1000 [1000-1000]"]]
    assert plain.notes[0].endswith("Rounds: 1.")
    assert asked.header == ["dataset", "contestant", "bytes", "rounds"]


def test_ratios_need_a_contestant_of_colonnade():
    (part,) = sections(Summary([sent(PEER, 1.0, 0)]), spec("time", "ratio"))
    assert part.header == ["dataset", "contestant", "ms", "rounds"]


def test_a_mistyped_column_names_the_nearest():
    with pytest.raises(KeyError) as caught:
        spec("througput")
    assert 'unknown column "througput"; did you mean "throughput"' in caught.value.args[0]


@pytest.mark.parametrize("table", ["connections", "msgpack", "arrow"])
def test_tables_that_move_bytes_ask_for_throughput_processor_time_and_bytes(table):
    columns = {part.name: set(part.column) for part in Spec.table(table).parts()}
    asked = {"connections": ["large", "text", "small", "pieces"], "msgpack": ["memory", "wire"], "arrow": ["streams"]}
    for name in asked[table]:
        assert columns[name] >= {"throughput", "processor_time", "bytes"}


def test_a_narrow_terminal_cuts_no_figure():
    out = io.StringIO()
    (part,) = sections(Summary(BIG), spec("throughput", "bytes"))
    to_terminal([part], Console(file=out, width=50))
    assert "…" not in out.getvalue()
