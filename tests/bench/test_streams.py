"""Streams that are given, the limit of copying, what a batch costs: small, and judged by no time."""

import numpy as np
import pytest

from colonnade_bench.cell import Cell
from colonnade_bench.datasets import DATASETS
from colonnade_bench.datasets.streams import KINDS, label
from colonnade_bench.engines import ENGINES
from colonnade_bench.small_batch_cost import batch_costs, cost_sections
from colonnade_bench.summary import Summary
from colonnade_bench.transports import TRANSPORTS
from tests.helpers.bench_records import kinds, rounds, time_record

pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")
native = pytest.importorskip("colonnade_bench._native")


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


def test_a_given_stream_is_only_read(tmp_path):
    given = {"format": "arrows", "transport": "given", "operation": ["write", "replace", "read"]}
    contestants = [{**given, "engine": "pyarrow"}, {**given, "engine": "limit", "format": "copy"}]
    measured = rounds(tmp_path, *contestants, dataset=["stream-floats-64KiB"], size=0.0005, rounds=1)
    measured.run()
    records = measured.records
    assert {r["ok"] for r in kinds(records, "check")} == {True}
    assert {r["difference"] for r in kinds(records, "check")} == {None}
    assert {r["operation"] for r in kinds(records, "time")} == {"read"}
    assert {r["cell"]["engine"] for r in kinds(records, "time")} == {"pyarrow", "limit"}
    assert not kinds(records, "error")


@pytest.mark.parametrize("streaming", [False, True])
def test_the_limit_takes_any_buffer(streaming):
    source = np.arange(70_001, dtype=np.uint8)
    assert len(native.limit_copy(memoryview(source)[1:], 2, 3, streaming)) == 3
    assert native.limit_copy(b"", 2, 1, streaming)[0] >= 0
    assert native.limit_copy(source, 1, 1, streaming, 3, 1000, True, True)[0] > 0
    with pytest.raises(ValueError, match="one column or more"):
        native.limit_copy(source, 1, 1, streaming, 0)


# ---------------------------------------------------------------- why the curve bends


def streams(ratios):
    """`ratios`: chunk to how many times longer pyarrow takes than our one second."""
    out = []
    for chunk, ratio in ratios.items():
        for engine, seconds in (("colonnade", 1.0), ("pyarrow", ratio)):
            cell = Cell(f"stream-floats-{chunk}", "pandas", engine, "arrows", transport="given")
            out += [time_record(cell, "read", seconds, number, "repeat") for number in range(7)]
    return out


def copy_record(chunk, order, speed):
    common = {"kind": "gather", "run": "r1", "streaming": False, "nbytes": 10**9}
    return {**common, "chunk": chunk, "order": order, "seconds": [1 / speed] * 3}


def test_why_the_curve_bends_is_told_from_the_figures():
    records = streams({"16KiB": 8.0, "64KiB": 3.0, "256KiB": 2.0, "1MiB": 1.5, "16MiB": 1.3})
    for chunk, hot in ((16 << 10, 20.0), (1 << 20, 40.0), (16 << 20, 20.0), (64 << 20, 10.0)):
        records += [copy_record(chunk, "by_chunk", 10.0), copy_record(chunk, "hot", hot)]
    text = "\n".join(note for part in cost_sections(Summary(records)) for note in part.notes)
    assert "at 40 GB/s with 1MiB and at 10 GB/s with 64MiB" in text
    assert "Colonnade tied" in text
    assert "pyarrow 15% faster with 16 MiB" in text
    records = [r | {"seconds": [0.1] * 3} if r["kind"] == "gather" else r for r in records]
    text = "\n".join(note for part in cost_sections(Summary(records)) for note in part.notes)
    assert "large chunks cost nothing extra here" in text


def test_the_price_of_a_batch():
    cells = {
        c: Cell(f"stream-floats-{c}", "pandas", "colonnade", "arrows", transport="given") for c in ("16KiB", "1MiB")
    }
    records = [time_record(cells[c], "read", seconds, 0, "repeat") for c, seconds in (("16KiB", 3.0), ("1MiB", 1.0))]
    ((name, costs),) = batch_costs(Summary(records))
    assert name == "Colonnade"
    assert costs == [(pytest.approx(2e9 / (65_536 - 1_024)), 16)]
