"""Streams that are given, the marks of Arrow and its report: small, and judged by nothing that takes time."""

import json

import numpy as np
import pytest
from colonnade_bench.marks_arrow import ARROW_MARKS, COPIES, OURS_STREAM, PYARROW_STREAM, StreamMark, StreamMemoryMark
from colonnade_bench.paper_arrow import file_entries, given, readers
from colonnade_bench.plot import points, stream_curve
from colonnade_bench.run import Run, run

from colonnade_bench import bend, marks_arrow, report_arrow
from colonnade_bench.__main__ import main
from colonnade_bench.cell import Cell, Spec
from colonnade_bench.datasets import DATASETS
from colonnade_bench.datasets.streams import KINDS, label
from colonnade_bench.engines import ENGINES
from colonnade_bench.summary import Summary
from colonnade_bench.transports import TRANSPORTS
from tests.bench.test_summary import record

pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")
native = pytest.importorskip("colonnade_bench._native")


def kinds(records, kind):
    return [record for record in records if record["kind"] == kind]


# ---------------------------------------------------------------- datasets and the given stream


def test_the_sweep_is_one_gibibyte_in_whole_chunks():
    for chunk in KINDS["floats"].chunks:
        dataset = DATASETS[f"stream-floats-{label(chunk)}"]
        assert dataset.frame_nbytes(1.0) == 1 << 30
        assert dataset.nbatches(1.0) == (1 << 30) // chunk
        assert dataset.chunk_rows * 16 * 8 == chunk


@pytest.mark.parametrize("kind", KINDS)
def test_a_given_stream_is_cut_as_its_dataset_says(tmp_path, kind):
    chunk = KINDS[kind].chunks[0]
    dataset = DATASETS[f"stream-{kind}-{label(chunk)}"]
    size = 0.002
    frame = dataset.load("pandas", size, tmp_path)
    assert frame.shape == (dataset.nrows(size), KINDS[kind].ncols)
    cell = Cell(dataset.name, "pandas", "pyarrow", "arrows", transport="given", size=size)
    session = TRANSPORTS["given"](ENGINES["pyarrow"], cell, tmp_path)
    session.establish(frame)
    batches = list(pa.ipc.open_stream(session.path.read_bytes()))
    assert len(batches) == dataset.nbatches(size)
    assert {batch.num_rows for batch in batches[:-1]} <= {dataset.chunk_rows}
    pd.testing.assert_frame_equal(session.read(), frame)

    # Who is asked with another library's frame makes the same stream.
    before = session.path.read_bytes()
    session.clear()
    assert not session.exists()
    if kind == "floats":
        session.establish(dataset.load("polars", size, tmp_path))
        assert session.path.read_bytes() == before


def test_text_columns_are_random_words():
    frame = DATASETS["stream-text-1MiB"].load("pandas", 0.001, None)
    lengths = frame["c0"].str.len()
    assert 4 <= lengths.min() <= lengths.max() <= 20
    assert frame["c0"].nunique() == len(frame)
    assert abs(lengths.mean() + 8 - KINDS["text"].value_nbytes) < 1


def test_the_cross_product_asks_nobody_for_what_is_given_in_vain():
    cells = list(Spec(dataset=["stream-floats-1MiB"], transport=["given"]).cells())
    found = {(cell.engine, cell.format, cell.library) for cell in cells}
    assert found == {
        ("colonnade", "arrows", "pandas"),
        ("colonnade", "arrows", "polars"),
        ("pyarrow", "arrows", "pandas"),
        ("polars", "ipc-stream", "polars"),
        ("polars", "ipc-stream", "pandas"),
        ("limit", "copy", "pandas"),
    }
    assert {cell.codec for cell in cells} == {"none"}


def test_a_given_stream_is_only_read(tmp_path):
    engines = ["pyarrow", "limit"]
    spec = Spec(dataset=["stream-floats-64KiB"], engine=engines, transport=["given"], size=[0.0005], rounds=1)
    records = run(spec, tmp_path, memory=False)
    assert {r["ok"] for r in kinds(records, "check")} == {True}
    assert {r["difference"] for r in kinds(records, "check")} == {None}
    assert {r["operation"] for r in kinds(records, "time")} == {"read"}
    assert {r["cell"]["engine"] for r in kinds(records, "time")} == set(engines)
    assert not kinds(records, "error")


# ---------------------------------------------------------------- the run


def test_processes_that_start_together_are_measured_one_by_one(tmp_path):
    session = Run(tmp_path)
    cells = [
        given("stream-floats-64KiB", "pandas", "pyarrow", "arrows", 0.0005)[0],
        Cell("article", "pandas", "pickle", "pickle"),
    ]
    assert session.check(cells, together=2) == cells
    entries = [(cells[0], "read"), (cells[1], "read"), (cells[1], "write")]
    session.first(entries, 2, together=2, warm=1.0)
    times = kinds(session.records, "time")
    assert sorted((r["round"], r["operation"]) for r in times) == sorted(
        (k, call) for k in range(2) for _, call in entries
    )
    assert {r["state"] for r in times} == {"first"}


def test_a_process_that_dies_while_starting_up_is_an_error_record(tmp_path):
    session = Run(tmp_path)
    entries = [
        given("stream-floats-64KiB", "pandas", "pyarrow", "arrows", 0.0005),
        (Cell("article", "pandas", "pickle", "pickle"), "write"),
    ]
    session.first(entries, 1, together=2)
    (error,) = kinds(session.records, "error")
    assert "FileNotFoundError" in error["error"]
    assert len(kinds(session.records, "time")) == 1


def test_what_another_engine_wrote_is_read_back(tmp_path):
    session = Run(tmp_path)
    peer = Cell("article", "static-frame", "pickle", "pickle")
    ours = Cell("article", "static-frame", "pickle", "pickle", options=(("of", "pickle pickle"),))
    assert session.check([ours, peer]) == [ours, peer]  # the one that only reads is checked last
    assert [Cell.from_json(r["cell"]) for r in kinds(session.records, "check")] == [peer, ours]
    assert len(list(session.files.iterdir())) == 1


def test_copies_laid_out_like_streams(tmp_path):
    session = Run(tmp_path)
    session.gather(1 << 20, 16, [16 << 10, 64 << 20])
    records = kinds(session.records, "gather")
    assert {r["chunk"] for r in records} == {16 << 10}  # larger than the source: not measured
    assert {(r["order"], r["streaming"]) for r in records} == {
        (order, streaming) for order in bend.ORDERS for streaming in (False, True)
    }
    assert all(seconds > 0 for r in records for seconds in r["seconds"])


@pytest.mark.parametrize("streaming", [False, True])
def test_the_limit_takes_any_buffer(streaming):
    source = np.arange(70_001, dtype=np.uint8)
    assert len(native.limit_copy(memoryview(source)[1:], 2, 3, streaming)) == 3
    assert native.limit_copy(b"", 2, 1, streaming)[0] >= 0
    assert native.limit_copy(source, 1, 1, streaming, 3, 1000, True, True)[0] > 0
    with pytest.raises(ValueError, match="one column or more"):
        native.limit_copy(source, 1, 1, streaming, 0)


# ---------------------------------------------------------------- marks and report


def stream_records(ratios, state="repeat", rounds=7, copy=None):
    """`ratios`: chunk to how many times longer pyarrow takes than our one second."""
    out = []
    for chunk, ratio in ratios.items():
        dataset = f"stream-floats-{chunk}"
        contestants = [(readers(dataset, 1.0)[0], 1.0), (readers(dataset, 1.0)[1], ratio)]
        if copy:
            contestants.append((given(dataset, "pandas", "limit", "copy", 1.0), copy + 0.5))
            contestants.append((given(dataset, "pandas", "limit", "copy", 1.0, streaming=True), copy))
        for number in range(rounds):
            out += [record(cell, seconds, number, state=state, open_s=seconds) for (cell, _), seconds in contestants]
    return out


def stream_mark(state) -> StreamMark:
    return next(mark for mark in ARROW_MARKS if isinstance(mark, StreamMark) and mark.state == state and mark.peer)


GOOD = dict(zip(marks_arrow.FIVE, (8.0, 3.0, 2.0, 1.5, 1.3), strict=True))


def test_a_stream_mark_is_judged_chunk_by_chunk_in_its_own_state():
    assert stream_mark("repeat").judge(Summary(stream_records(GOOD))).word == "pass"
    assert stream_mark("repeat").judge(Summary(stream_records(GOOD | {"64KiB": 2.9}))).word == "short"
    assert stream_mark("repeat").judge(Summary(stream_records(GOOD, rounds=3))).word == "partly"
    assert stream_mark("repeat").judge(Summary(stream_records({"16KiB": 9.0}))).word == "partly"
    assert not stream_mark("first").judge(Summary(stream_records(GOOD))).measured


def test_the_share_is_that_of_the_faster_copy():
    mark = next(mark for mark in ARROW_MARKS if isinstance(mark, StreamMark) and mark.peer is None)
    all_chunks = dict.fromkeys(("16KiB", "256KiB", "1MiB", "4MiB", "16MiB"), 2.0)
    verdict = mark.judge(Summary(stream_records(all_chunks, copy=0.8)))
    assert verdict.word == "pass"
    assert "16KiB 80%" in verdict.repeat
    assert mark.judge(Summary(stream_records(all_chunks, copy=0.7))).word == "short"


def test_a_part_of_a_stream_is_judged_by_nothing():
    cell, _ = readers("stream-floats-16KiB", 0.5)[0]
    peer, _ = readers("stream-floats-16KiB", 0.5)[1]
    summary = Summary([record(cell, 1.0, 0, open_s=1.0), record(peer, 9.0, 0, open_s=9.0)])
    assert not any(mark.judge(summary).measured for mark in ARROW_MARKS)


def test_peak_memory_of_streams():
    cell, _ = readers("stream-floats-1MiB", 1.0)[0]
    one = {"kind": "memory", "cell": cell.to_json(), "operation": "read", "private_nbytes": 1100, "frame_nbytes": 1000}
    assert StreamMemoryMark().judge(Summary([one])).word == "pass"
    assert StreamMemoryMark().judge(Summary([one | {"private_nbytes": 1101}])).word == "short"


def test_every_mark_has_its_contestants():
    names = {cell.contestant for codecs in (["none"], ["lz4", "zstd"]) for cell, _ in file_entries("d", codecs)[0]}
    names |= {cell.contestant for cell, _ in readers("d", 1.0)}
    for mark in ARROW_MARKS:
        wanted = {getattr(mark, "ours", OURS_STREAM), getattr(mark, "peer", None) or PYARROW_STREAM}
        assert wanted <= names
    assert COPIES[1] == given("d", "pandas", "limit", "copy", 1.0, streaming=True)[0].contestant


def gather_record(chunk, order, speed):
    return {
        "kind": "gather",
        "chunk": chunk,
        "order": order,
        "streaming": False,
        "nbytes": 10**9,
        "seconds": [1 / speed] * 3,
    }


def test_why_the_curve_bends_is_told_from_the_figures(tmp_path):
    records = stream_records(GOOD, copy=0.8)
    for chunk, hot in ((16 << 10, 20.0), (1 << 20, 40.0), (16 << 20, 20.0), (64 << 20, 10.0)):
        records += [gather_record(chunk, "by_chunk", 10.0), gather_record(chunk, "hot", hot)]
    text = "\n".join(note for part in report_arrow.sections(Summary(records)) for note in part.notes)
    assert "at 40.0 GB/s with 1MiB and at 10.0 with 64MiB" in text
    assert "Colonnade tied" in text
    assert "pyarrow 15% faster with 16 MiB" in text
    records = [r | {"seconds": [0.1] * 3} if r["kind"] == "gather" else r for r in records]
    text = "\n".join(note for part in report_arrow.sections(Summary(records)) for note in part.notes)
    assert "no bend at the large end" in text


def test_the_price_of_a_batch():
    seconds = {"16KiB": 3.0, "1MiB": 1.0}
    records = []
    for chunk, value in seconds.items():
        records.append(record(readers(f"stream-floats-{chunk}", 1.0)[0][0], value, 0, state="repeat", open_s=value))
    ((name, costs),) = bend.batch_costs(Summary(records))
    assert name == "Colonnade"
    assert costs == [(pytest.approx(2e9 / (65_536 - 1_024)), 16)]


def test_the_picture(tmp_path):
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    summary = Summary(stream_records(GOOD, copy=0.8))
    assert {row["name"] for row in points(summary)} == {"colonnade", "pyarrow", "two-thread copy"}
    assert stream_curve(summary, tmp_path / "curve.png")
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
    assert not stream_curve(Summary([]), tmp_path / "none.png")


def test_the_command_reports_what_was_measured_before(tmp_path, capsys):
    lines = "".join(json.dumps(r) + "\n" for r in stream_records(GOOD, copy=0.8))
    (tmp_path / "paper-arrow-streams.jsonl").write_text(lines)
    assert main(["paper-arrow", "--report-only", "--out", str(tmp_path)]) == 0
    text = (tmp_path / "arrow.md").read_text()
    assert "| 16KiB | 65,536 | 1.1 [1.1-1.1] | 80% |" in text
    assert "pass" in text
