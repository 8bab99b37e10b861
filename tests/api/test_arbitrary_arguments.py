"""The Python boundary, at random: any object as data, any options, any bytes and file objects.

A call returns, or raises an error of Colonnade, of the system, or of the hostile object itself. What was written can be
read, and an error leaves the folder as it was.
"""

import inspect
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("pandas")
pytest.importorskip("polars")
pytest.importorskip("pyarrow")
pytest.importorskip("awkward")
pytest.importorskip("static_frame")

import colonnade as cn
from tests.helpers import hostile_objects as hostile
from tests.helpers.arbitrary_arguments import FORMATS, Failed, called, contents, describe, options, plans, uses, values
from tests.helpers.arbitrary_cells import one_of
from tests.helpers.arbitrary_objects import data as any_data
from tests.helpers.ways import exactly

_EXAMPLES = 2000 if os.environ.get("COLONNADE_TEST_EXPLORE") else 100
quickly = settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=_EXAMPLES)
formats = st.sampled_from(FORMATS)


@quickly
@given(data=any_data, format=formats)
def test_any_object_comes_back_or_is_refused(data: Any, format: str) -> None:
    frame = called(lambda: cn.Frame(data))
    encoded = called(lambda: cn.encode(frame if isinstance(frame, cn.Frame) else data, format, **exactly(format)))
    if isinstance(frame, cn.Frame):
        describe(frame)
    if isinstance(encoded, Failed):
        return
    found = cn.decode(encoded, format)
    describe(found)
    if isinstance(frame, cn.Frame):
        # One array of NPY has no place for how labels are stored.
        assert found.equals(frame) if format == "npy" else found.identical(frame)


@quickly
@given(data=any_data, plan=plans("write"))
def test_any_options_of_encode(data: Any, plan: tuple[str, dict[str, Any]]) -> None:
    format, keywords = plan
    encoded = called(lambda: cn.encode(data, format, **keywords))
    if not isinstance(encoded, Failed):
        called(lambda: cn.decode(encoded, format))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, for targets may have any names."""
    monkeypatch.chdir(tmp_path)
    for name in ("dir", "dir.npz"):
        (tmp_path / name).mkdir()
    return tmp_path


@quickly
@given(
    datas=st.lists(any_data, min_size=1, max_size=3),
    plan=plans("write", "format", "layout", "outer"),
    way=st.sampled_from(("write", "open_writer", "write_bundle")),
)
def test_an_error_leaves_the_folder_as_it_was(
    datas: list[Any], plan: tuple[str, dict[str, Any]], way: str, folder: Path
) -> None:
    format, keywords = plan
    target = folder / f"old.{format}"
    target.write_bytes(b"old")
    before = contents(folder)

    def write() -> None:
        if way == "write":
            cn.write(datas[0], target, **keywords)
        elif way == "write_bundle":
            cn.write_bundle(dict(zip("abc", datas, strict=False)), target, **keywords)
        else:
            with cn.open_writer(target, **keywords) as writer:
                for data in datas:
                    writer.write(data)

    if isinstance(called(write), Failed):
        assert contents(folder) == before
    else:
        assert target.read_bytes() != b"old"


_NAMES = [
    "x.npz",
    "",
    "\0",
    "a\0.npz",
    "\ud800.csv",
    "\udcff.csv",
    ".",
    "..",
    "/",
    "nope/x.npz",
    "x" * 300 + ".npz",
    "x",
]
_NAMES += ["~nobody/x.csv", "dir", "dir.npz", "x.npz/", "file:x", "file:///nope.npz", "nope://x", "\n.csv"]
_PLACES: list[Any] = [-1, 1 << 31, 1 << 70, 987_654, True, 1.5, None, object(), cn.BufferSink(), b"x", bytearray(b"y")]
_PLACES += [[], ["x.npz"], ["nope.npz", None], (), {"a"}, len, cn.BufferSink, *_NAMES, *(Path(name) for name in _NAMES)]
_READERS = ("read", "open_reader", "inspect", "verify", "read_bundle", "read_arrays", "read_pandas")


@quickly
@given(
    place=one_of(_PLACES) | hostile.objects() | hostile.files(b"a,b\n1,2\n"),
    plan=plans("read", "format", "columns", "rows", most=2),
    named=st.booleans(),
    way=st.sampled_from(_READERS),
    other=values,
)
def test_any_place(
    place: Any, plan: tuple[str, dict[str, Any]], named: bool, way: str, other: Any, folder: Path
) -> None:
    format = plan[0] if named else None
    _read(way, place, {"format": format} | plan[1])
    called(lambda: cn.convert(place, "out.npz", read_options=other))
    called(lambda: cn.write({"a": [1, 2]}, place, format=format))


_TABLE = {"a": [1, 2, 3], "b": ["x", None, "\ud7ff"], "c": [1.5, float("nan"), None], "d": [[1], [], None]}
_ENCODED = {format: cn.encode(_TABLE, format, **exactly(format)) for format in FORMATS if format != "npy"}
_ENCODED["npy"] = cn.encode([[1.5, 2.5]], "npz")


@st.composite
def _bytes(draw: st.DrawFn, format: str) -> bytes:
    """Bytes of a format, whole or with changes, of another one, or any."""
    raw = bytearray(_ENCODED[draw(st.sampled_from([format] * 4 + list(FORMATS)))])
    kind = draw(st.sampled_from(("whole", "whole", "changed", "cut", "any")))
    if kind == "any":
        return draw(st.binary(max_size=60) | st.text(max_size=30).map(lambda text: text.encode("utf-8", "replace")))
    if kind == "cut":
        return bytes(raw[: draw(st.integers(0, len(raw)))])
    if kind == "changed":
        for _ in range(draw(st.integers(1, 3))):
            raw[draw(st.integers(0, len(raw) - 1))] = draw(st.integers(0, 255))
    return bytes(raw)


@quickly
@given(st.data())
def test_any_bytes_any_options_and_any_use(draw: st.DataObject) -> None:
    format = draw.draw(formats)
    raw = draw.draw(_bytes(format))
    keywords = draw.draw(options(format, "read", "columns", "rows", "format"))
    source = draw.draw(hostile.files(raw) | st.just(raw))
    frame = _read(draw.draw(st.sampled_from(("read", *_READERS))), source, {"format": format} | keywords)
    if isinstance(frame, cn.Frame):
        describe(frame)
        for use in draw.draw(st.lists(uses(), max_size=4)):
            made = called(lambda use=use: use(frame))
            if isinstance(made, cn.Frame):
                describe(made)


_LIMITS = list(inspect.signature(cn.Limits).parameters)


@quickly
@given(
    data=any_data,
    reading=plans("read", "columns", "rows", "partitioning", "partition_types", "on_schema", "format", most=2),
    writing=plans("write", "partition_by", "rows_per_part", "mode", "table", most=2),
    odd=values,
    name=st.sampled_from(_LIMITS),
)
def test_any_dataset_and_any_other_call(
    data: Any, reading: Any, writing: Any, odd: Any, name: str, folder: Path
) -> None:
    place = folder / "set"
    called(lambda: cn.write_dataset(data, place, **({"mode": "overwrite"} | writing[1])))
    found = called(lambda: cn.dataset(place, **reading[1]))
    if isinstance(found, cn.Dataset):
        for use in (repr, cn.Dataset.count_rows, cn.Dataset.read, cn.Dataset.to_pyarrow):
            called(lambda use=use: use(found))
        for choose in (cn.Dataset.select, cn.Dataset.filter, cn.Dataset.head):
            called(lambda choose=choose: choose(found, odd))
        called(lambda: list(found.scan(odd)))
    called(lambda: cn.dataset(odd, **reading[1]))
    limits = called(lambda: cn.Limits(**{name: odd}))
    if isinstance(limits, cn.Limits):
        called(lambda: cn.decode(_ENCODED[reading[0]], reading[0], limits=limits))
    called(lambda: cn.Frame(data, densify_sparse=odd))
    called(lambda: cn.Frame(data, batch_rows=odd))
    called(lambda: cn.BufferSink().write(odd) if type(odd) in (bytes, str, list) else None)
    called(lambda: cn.remove_leftovers(place, older_than_s=odd, dry_run=True))
    before = called(lambda: cn.keep_memory(odd))
    if not isinstance(before, Failed):
        cn.keep_memory(before)  # it holds for the whole process
    called(lambda: cn.wait(odd, 0.001))
    called(lambda: cn.wait([], odd))
    called(lambda: cn.scan_polars(place, **reading[1]).collect())


def _read(way: str, source: Any, keywords: dict[str, Any]) -> Any:
    def read() -> Any:
        made = getattr(cn, way)(source, **keywords)
        if way == "open_reader":
            with made as reader:
                repr(reader.schema)
                return [frame.shape for frame in reader]
        if way == "read_bundle":
            return [frame.shape for frame in made.values()]
        repr(made)
        return made

    return called(read)
