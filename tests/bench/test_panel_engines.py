"""Engines of a panel: whole frames to bytes and back, streams of several tables, what is missing, plug-ins."""

import contextlib
import os
import re
import socket
import sys
import tempfile
import threading
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colonnade_bench.cell import Cell
from colonnade_bench.datasets.base import convert
from colonnade_bench.engines import ENGINES, Engine
from colonnade_bench.engines.plugins import GROUP, Engines
from colonnade_bench.libraries import LIBRARIES
from colonnade_bench.panel.fidelity import losses
from colonnade_bench.panel.loss_kinds import kind_of
from tests.helpers.corpora import ROOT

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

NROWS = 12
PANDAS = [name for name in ENGINES if "pandas" in ENGINES[name].libraries and ENGINES[name].panel]
ROWS = [(name, *row) for name in PANDAS for row in ENGINES[name].panel]
STREAMED = [row for row in ROWS if row[1] in ENGINES[row[0]].streams]
NOT_ENOUGH = {  # refuses text with nulls, zones or categories
    ("static-frame", "npz"): "object dtypes",
    ("uproot", "ttree"): "cannot write Awkward Array type",
    ("pytables", "hdf-fixed"): "category",
}


def simple(nrows: int = NROWS) -> Any:
    """What everybody holds."""
    numbers = np.arange(nrows)
    floats = np.where(numbers == 1, np.nan, numbers / 8)
    text = [f"no {k}, é" for k in numbers]
    return pd.DataFrame({"i": numbers * 2**40, "f": floats, "b": numbers % 3 == 0, "s": pd.array(text, dtype="str")})


def whole(nrows: int = NROWS) -> Any:
    """And what real tables have beside: nulls in text, times with a zone and without, categories."""
    frame = simple(nrows)
    frame.loc[2, "s"] = None
    times = pd.date_range("2013-01-01", periods=nrows, freq="h").as_unit("us")
    frame["zoned"] = times.tz_localize("UTC").tz_convert("America/New_York")
    frame["naive"] = times
    frame["kind"] = pd.Categorical(["u", "v"] * (nrows // 2))
    return frame


def cell(engine: str, form: str, codec: str, **more: Any) -> Cell:
    """Its dataset is no registered one, as that of a user's file."""
    return Cell("/tmp/mine.parquet", "pandas", engine, form, codec, "memory", 1.0, tuple(more.items()))


def known(name: str) -> Engine:
    """The engine, or a skipped test; under CI=true they are all installed."""
    reason = ENGINES[name].missing()
    if reason is not None and os.environ.get("CI") != "true":
        pytest.skip(reason)
    return ENGINES[name]


def check(found: Any, frame: Any) -> None:
    """The same shape, labels of columns, and values of integers, floats, flags and text."""
    assert found.shape == frame.shape
    assert list(found.columns) == list(frame.columns)
    for name in ("i", "f", "b"):
        np.testing.assert_array_equal(found[name].to_numpy(), frame[name].to_numpy())
        assert found[name].dtype == frame[name].dtype
    assert (
        found["s"].to_numpy(dtype=object, na_value=None).tolist() == frame["s"].to_numpy(object, na_value=None).tolist()
    )


def through_memory(engine: Engine, frame: Any, one: Cell, folder: Path) -> Any:
    return engine.decode(bytes(memoryview(engine.encode(frame, one))), one)


def through_a_file(engine: Engine, frame: Any, one: Cell, folder: Path) -> Any:
    path = folder / f"table.{one.format}"
    engine.write(frame, path, one)
    engine.write(frame.iloc[:6], path, one)  # onto what is there
    engine.write(frame, path, one)
    return engine.read(path, one)


WAYS = [through_memory, through_a_file]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("name", "form", "codec"), ROWS)
def test_rows_give_a_frame_back(name: str, form: str, codec: str, way: Callable[..., Any], tmp_path: Path) -> None:
    check(way(known(name), simple(), cell(name, form, codec), tmp_path), simple())


@pytest.mark.parametrize(("name", "form", "codec"), ROWS)
def test_real_frames_come_back_or_are_refused(name: str, form: str, codec: str, tmp_path: Path) -> None:
    engine, one = known(name), cell(name, form, codec)
    if (name, form) in NOT_ENOUGH:
        with pytest.raises(Exception, match=NOT_ENOUGH[name, form]):
            through_memory(engine, whole(), one, tmp_path)
    else:
        check(through_memory(engine, whole(), one, tmp_path), whole())


@pytest.mark.parametrize(("name", "form", "codec"), ROWS)
def test_what_reads_one_column_or_some_rows_reads_these(name: str, form: str, codec: str, tmp_path: Path) -> None:
    engine, one, frame = known(name), cell(name, form, codec), simple()
    path = tmp_path / f"table.{form}"
    engine.write(frame, path, one)
    asked: dict[str, tuple[dict[str, Any], Any]] = {
        "column": ({"column": "f"}, frame[["f"]]),
        "rows": ({"rows": slice(5, 8)}, frame.iloc[5:8]),
    }
    there = []
    for what, (told, wanted) in asked.items():
        try:
            found = engine.part(path, one, **told)
        except NotImplementedError:
            continue
        there.append(what)
        assert list(found.columns) == list(wanted.columns)
        for column in wanted.columns.drop("s", errors="ignore"):
            np.testing.assert_array_equal(found[column].to_numpy(), wanted[column].to_numpy())
    if (name, form) in READ_LESS:
        assert there == READ_LESS[name, form]


READ_LESS = {
    ("h5py", "hdf5"): ["column", "rows"],
    ("zarr", "zarr"): ["column", "rows"],
    ("uproot", "rntuple"): ["column", "rows"],
    ("uproot", "ttree"): ["column", "rows"],
    ("pytables", "hdf-table"): ["column", "rows"],
    ("pytables", "hdf-fixed"): ["rows"],
    ("vortex", "vortex"): ["column"],
    ("awkward", "parquet"): ["column"],
    ("awkward", "feather"): ["column"],
    ("awkward", "npz"): ["column"],
    ("numpy", "npz"): ["column"],
    ("colonnade", "npz"): ["column", "rows"],
}


@pytest.mark.parametrize("name", ["awkward", "uproot", "pytables"])
def test_missing_text_comes_back_in_its_place(name: str, tmp_path: Path) -> None:
    form, codec = ENGINES[name].panel[0]
    frame = simple().astype({"s": "str"})
    frame.loc[[0, 2, 3, 7], "s"] = None
    check(through_memory(known(name), frame, cell(name, form, codec), tmp_path), frame)


@pytest.mark.parametrize(
    ("name", "form"),
    [("orjson", "json"), ("json", "json"), ("pyyaml", "yaml-columns"), ("msgpack", "msgpack"), ("h5py", "hdf5"),
     ("zarr", "zarr"), ("blosc2", "cframe"), ("colonnade", "csv-schema"), ("pyarrow", "arrows")],
)  # fmt: skip
def test_what_says_its_types_is_exact(name: str, form: str, tmp_path: Path) -> None:
    codec = next(codec for row, codec in ENGINES[name].panel if row == form)
    frame = whole()
    frame["late"] = frame["naive"].dt.as_unit("ns") + pd.Timedelta(1, "ns")
    frame.loc[3, ["late", "zoned"]] = pd.NaT
    found = through_memory(known(name), frame, cell(name, form, codec), tmp_path)
    pd.testing.assert_frame_equal(found, frame, check_freq=False)


@pytest.mark.parametrize("name", ["msgpack", "orjson", "json"])
def test_plain_objects_hold_nullable_integers(name: str, tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {"n": pd.array([1, None, 2**53 + 1], dtype="Int64"), "none": pd.Series([None] * 3, dtype="M8[us]")}
    )
    form, codec = ENGINES[name].panel[0]
    found = through_memory(known(name), frame, cell(name, form, codec), tmp_path)
    pd.testing.assert_frame_equal(found, frame)


def labelled() -> Any:
    """A frame with what harnesses forget: an index of two levels, names, categories without cells, attrs, durations."""
    frame = whole().drop(columns="b")
    frame["kind"] = frame["kind"].cat.add_categories("w").cat.as_ordered()
    frame["span"] = pd.to_timedelta(np.arange(NROWS), unit="s").as_unit("ms")
    frame["n"] = pd.array([None, *range(1, NROWS)], dtype="Int32")
    frame = frame.set_index([frame["naive"].rename("at"), pd.Index(range(NROWS), name="k")])
    frame.columns.name = "what"
    frame.attrs["source"] = "x"
    return frame


OF_COLUMNS = ["msgpack", "ormsgpack", "msgspec", "orjson", "json", "pyyaml", "numpy", "h5py", "zarr"]


@pytest.mark.parametrize(("name", "form", "codec"), [row for row in ROWS if row[0] in OF_COLUMNS])
def test_formats_without_tables_are_given_index_names_and_types(
    name: str, form: str, codec: str, tmp_path: Path
) -> None:
    for frame in (labelled(), simple(8)[["i", "f"]].set_axis([3, 1], axis=1), simple(8).iloc[::2]):
        found = through_memory(known(name), frame, cell(name, form, codec), tmp_path)
        assert losses(frame, found) == []
        for label in found.columns:  # what reading gives can be written to
            found.iloc[0, found.columns.get_loc(label)] = found.iloc[1, found.columns.get_loc(label)]


def test_orjson_is_given_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    orjson = pytest.importorskip("orjson")
    seen: list[Any] = []
    monkeypatch.setattr(orjson, "dumps", lambda value, option=0: seen.append((value, option)) or b"")
    ENGINES["orjson"].encode(whole(), cell("orjson", "json", "none"))
    [(value, option)] = seen
    kinds = {type(column) for column in value["columns"].values()}
    assert kinds == {np.ndarray, list}  # text is a list
    assert sum(isinstance(column, list) for column in value["columns"].values()) == 1
    assert option & orjson.OPT_SERIALIZE_NUMPY


def test_packed_numbers_are_bytes_and_typed_decoders_are_kept() -> None:
    known("msgspec")
    import msgspec

    from colonnade_bench.engines.msgpack_io import decoder_of

    frame = simple(1000)
    for name in ("msgpack", "ormsgpack", "msgspec"):
        message = msgspec.msgpack.decode(ENGINES[name].encode(frame, cell(name, "msgpack", "packed")))
        assert [type(column) for column in message["columns"].values()] == [bytes, bytes, bytes, list]
    decoder_of.cache_clear()
    for nrows in (3, 1000):
        one = cell("msgspec", "msgpack", "typed")
        check(ENGINES["msgspec"].decode(ENGINES["msgspec"].encode(simple(nrows), one), one), simple(nrows))
    assert decoder_of.cache_info().misses == 1


JAGGED = [row for row in ROWS if row[0] in ("awkward", "polars", *OF_COLUMNS[:6])]


@pytest.mark.parametrize(("name", "form", "codec"), JAGGED)
def test_jagged_cells_come_back(name: str, form: str, codec: str, tmp_path: Path) -> None:
    import pyarrow as pa

    table = pa.table({"n": [1, 2, 3], "jet": [[{"pt": 1.5, "hits": [1]}], [], [{"pt": 2.5, "hits": []}]]})
    frame = table.to_pandas(types_mapper=pd.ArrowDtype)
    found = through_memory(known(name), frame, cell(name, form, codec), tmp_path)
    assert "values" not in {kind_of(loss) for loss in losses(frame, found)}


def test_fastparquet_makes_no_temporary_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    engine, one = known("fastparquet"), cell("fastparquet", "parquet", "snappy")
    monkeypatch.setattr(tempfile, "mkdtemp", None)
    check(through_memory(engine, simple(), one, tmp_path), simple())


OWN = [
    (name, library, *row)
    for name in PANDAS
    for library in ENGINES[name].panel_libraries
    if library != "pandas"
    for row in ENGINES[name].panel
]


@pytest.mark.parametrize(("name", "library", "form", "codec"), OWN)
def test_own_frames_are_not_converted(name: str, library: str, form: str, codec: str, tmp_path: Path) -> None:
    engine = known(name)
    data = convert(simple(), "pandas", library)
    one = replace(cell(name, form, codec), library=library)
    path = tmp_path / f"table.{form}"
    engine.write(data, path, one)
    for found in (through_memory(engine, data, one, tmp_path), engine.read(path, one)):
        assert type(found) is type(data)
        assert losses(data, found) == []
    with contextlib.suppress(NotImplementedError):
        assert LIBRARIES[library].labels(engine.part(path, one, column="f")) == ["f"]
    with contextlib.suppress(NotImplementedError):
        assert len(engine.part(path, one, rows=slice(5, 8))) == 3


def test_polars_infers_json_from_all_rows(tmp_path: Path) -> None:
    engine, frame = known("polars-text"), pd.DataFrame({"a": [None] * 300 + [1.5]}, dtype="float64")
    for form in ("json", "ndjson"):
        found = through_memory(engine, frame, cell("polars-text", form, "none"), tmp_path)
        assert found["a"].tolist()[-1] == 1.5


def test_every_row_is_one_of_its_engine() -> None:
    for name in ENGINES:
        engine = ENGINES[name]
        assert all(form in engine.formats and codec in engine.formats[form] for form, codec in engine.panel), name
        assert set(engine.streams) <= set(engine.formats), name
        assert not engine.panel or engine.security, name
    assert len(ROWS) == len(set(ROWS))
    assert {name for name in PANDAS if ENGINES[name].runs_code} == {"pickle", "pytables"}


def test_spooled_engines_leave_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    spooled = [row for row in ROWS if ENGINES[row[0]].spooled and ENGINES[row[0]].missing() is None]
    assert spooled
    for name, form, codec in spooled:
        through_memory(ENGINES[name], simple(), cell(name, form, codec), tmp_path)
        assert not list(tmp_path.iterdir()), name


# ---------------------------------------------------------------- streams


def send_two(engine: Engine, one: Cell, frames: list[Any], end: Any, raw: Callable[[bytes], object]) -> None:
    """Each table behind a line that is none of it, as a panel's head is."""
    for frame in frames:
        raw(b"head\n")
        engine.write_stream(frame, end, one)
    raw(b"tail\n")


def receive_two(engine: Engine, one: Cell, end: Any, raw: Callable[[int], bytes]) -> list[Any]:
    found = []
    for _ in range(2):
        assert raw(5) == b"head\n"
        found.append(engine.read_stream(end, one))
    assert raw(5) == b"tail\n"
    return found


@pytest.mark.parametrize("nrows", [NROWS, 30_000])
@pytest.mark.parametrize(("name", "form", "codec"), STREAMED)
def test_two_tables_follow_each_other_in_a_pipe(name: str, form: str, codec: str, nrows: int) -> None:
    engine, one = known(name), cell(name, form, codec)
    frames = [whole(nrows), whole()]
    source, target = os.pipe()
    if engine.ends:

        def send() -> None:
            send_two(engine, one, frames, target, lambda data: os.write(target, data))
            os.close(target)

    else:

        def send() -> None:
            with os.fdopen(target, "wb") as file:

                def raw(data: bytes) -> None:
                    file.write(data)
                    file.flush()

                send_two(engine, one, frames, file, raw)

    writer = threading.Thread(target=send, daemon=True)
    writer.start()
    if engine.ends:
        found = receive_two(engine, one, source, lambda nbytes: os.read(source, nbytes))
        os.close(source)
    else:
        with os.fdopen(source, "rb") as file:
            found = receive_two(engine, one, file, file.read)
    writer.join()
    for a, b in zip(found, frames, strict=True):
        check(a, b)


@pytest.mark.parametrize(("name", "form", "codec"), [row for row in STREAMED if ENGINES[row[0]].ends])
def test_two_tables_follow_each_other_over_a_socket(name: str, form: str, codec: str) -> None:
    engine, one, frames = known(name), cell(name, form, codec), [whole(3000), whole()]
    here, there = socket.socketpair()
    with here, there:
        writer = threading.Thread(target=send_two, args=(engine, one, frames, here, here.sendall), daemon=True)
        writer.start()
        found = receive_two(engine, one, there, there.recv)
        writer.join()
    for a, b in zip(found, frames, strict=True):
        check(a, b)


# ---------------------------------------------------------------- what is not there


def test_an_engine_that_is_not_installed_says_how() -> None:
    class Absent(Engine):
        name = "absent"
        modules = ("no_such_module",)
        install = "pip install no-such-module"

    assert Absent().missing() == "no_such_module is not installed; pip install no-such-module"


@pytest.fixture
def plugins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, str, dict[str, str]], None]]:
    """Puts a distribution with a module and its entry points onto the path."""
    made = []

    def install(module: str, code: str, entries: dict[str, str]) -> None:
        (tmp_path / f"{module}.py").write_text(code)
        folder = tmp_path / f"{module}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
        lines = [f"[{GROUP}]", *(f"{name} = {value}" for name, value in entries.items())]
        (folder / "entry_points.txt").write_text("\n".join(lines) + "\n")
        made.append(module)

    monkeypatch.syspath_prepend(str(tmp_path))
    yield install
    for module in made:
        sys.modules.pop(module, None)


GOOD = """
from colonnade_bench.engines import Engine
class Good(Engine):
    name = "good"
    security = "none"
def other():
    return 3
"""


def test_plugins_are_loaded_when_they_are_asked_for(plugins: Callable[..., None]) -> None:
    plugins("good_engines", GOOD, {"good": "good_engines:Good"})
    engines = Engines()
    assert list(engines) == ["good"]
    assert "good" in engines
    assert len(engines) == 1
    assert "good_engines" not in sys.modules
    assert engines["good"].security == "none"
    assert engines["good"] is engines["good"]
    assert engines["good"].missing() is None


@pytest.mark.parametrize(
    ("code", "value", "reason"),
    [
        ("import no_such_module", "bad_engines:Bad", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("raise SystemExit(3)", "bad_engines:Bad", "SystemExit: 3"),
        (GOOD, "bad_engines:Bad", "AttributeError"),
        (GOOD, "bad_engines:other", "expected an Engine, found int"),
        (GOOD, "bad_engines:Good", 'the engine calls itself "good"'),
    ],
)
def test_a_plugin_that_fails_is_a_missing_row(plugins: Callable[..., None], code: str, value: str, reason: str) -> None:
    plugins("bad_engines", code, {"bad": value})
    engine = Engines()["bad"]
    assert reason in str(engine.missing())
    assert 'the entry point "bad" of bad_engines' in str(engine.missing())
    assert not engine.panel
    assert not engine.formats


def test_a_name_that_is_taken_stays_with_who_had_it(plugins: Callable[..., None]) -> None:
    plugins("good_engines", GOOD, {"pickle": "good_engines:Good"})
    engines = Engines()
    pickle = engines.add("pickle", ENGINES["pickle"])
    assert list(engines) == ["pickle", "pickle of good_engines"]
    assert engines["pickle"] is pickle
    assert "is there already" in str(engines["pickle of good_engines"].missing())
    assert "good_engines" not in sys.modules


def test_the_guide_s_engine_is_had_by_its_entry_point(plugins: Callable[..., None], tmp_path: Path) -> None:
    page = (ROOT / "docs" / "benchmarks" / "add-an-engine.md").read_text(encoding="utf-8")
    code = re.findall(r"```python\n(.*?)```", page, re.DOTALL)[0]
    project = tomllib.loads(re.findall(r"```toml\n(.*?)```", page, re.DOTALL)[0])
    plugins("my_engines", code, project["project"]["entry-points"][GROUP])
    engine = Engines()["csv-gzip"]
    assert engine.missing() is None
    for form, codec in engine.panel:
        for way in WAYS:
            check(way(engine, simple(), cell(engine.name, form, codec), tmp_path), simple())
