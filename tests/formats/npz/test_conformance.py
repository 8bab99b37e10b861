"""The golden .npz files: read as recorded, by us and by others, and written again to the same bytes."""

import io
import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import colonnade as cn
from tests.conformance import golden
from tests.conformance.cases import NPZ
from tests.conformance.describe import describe
from tests.conformance.values import cells
from tests.helpers.each import each
from tests.helpers.filtered import undone

ENTRIES = golden.entries("npz")
every = each("entry", ENTRIES.values(), ids=ENTRIES)


def _path(entry: dict[str, Any]) -> Path:
    return golden.path_of("npz", entry)


def _opened(entry: dict[str, Any], source: Any, **options: Any) -> dict[str, cn.Frame]:
    """Its frames by label."""
    return dict(cn.read_bundle(source, **options)) if "frames" in entry else {"": cn.read(source, **options)}


@pytest.mark.quick
def test_every_case_has_its_entry_and_its_file() -> None:
    assert list(ENTRIES) == list(NPZ)
    files = {path.name for path in (golden.FOLDER / "npz").iterdir()}
    assert files == {entry["file"] for entry in ENTRIES.values()} | {"cases.json"}


@every
def test_the_file_is_the_one_recorded(entry: dict[str, Any]) -> None:
    assert golden.hashes(_path(entry)) == entry["sha256"]
    assert _path(entry).stat().st_size < 20 << 10


@every
@each("mmap", [True, False])
def test_it_reads_as_recorded(entry: dict[str, Any], mmap: bool) -> None:
    golden.needs_library(entry)
    cn.verify(_path(entry))
    read = _opened(entry, _path(entry), mmap=mmap, verify=True)
    held = golden.frames_of(entry)
    assert list(read) == list(held)
    for label, frame in read.items():
        assert golden.as_json(describe(frame.to_native())) == held[label]


@every
def test_it_says_the_recorded_types_and_shape_before_it_is_read(entry: dict[str, Any]) -> None:
    read = _opened(entry, _path(entry).read_bytes())
    for label, held in golden.frames_of(entry).items():
        frame = read[label]
        assert list(frame.shape) == held["shape"]
        assert frame.attrs == held.get("attrs", {})
        assert frame._file.dtypes() == [column["dtype"] for column in held["data"]]
        for axis, wanted in ((frame._file.index, held["index"]), (frame._file.columns, held["columns"])):
            assert (axis.cls, axis.is_auto) == (wanted["class"], "auto" in wanted)
            if axis.is_auto:
                assert list(axis.range) == wanted["auto"]
            else:
                assert axis.classes == [level["class"] for level in wanted["levels"]]


@every
def test_numpy_and_zipfile_see_the_recorded_values(entry: dict[str, Any]) -> None:
    if entry["options"].get("compression") == "zstd" and not hasattr(zipfile, "ZIP_ZSTANDARD"):
        pytest.skip("zipfile reads zstd from Python 3.14 on")
    with zipfile.ZipFile(_path(entry)) as archive:
        assert archive.testzip() is None
        for label, held in golden.frames_of(entry).items():
            if label and entry["options"]["layout"] == "npz":
                with zipfile.ZipFile(io.BytesIO(archive.read(f"{label}.npz"))) as inner:
                    _assert_members_hold(inner, "", held)
            else:
                _assert_members_hold(archive, f"{label}/" if label else "", held)


def _assert_members_hold(archive: zipfile.ZipFile, prefix: str, held: dict[str, Any]) -> None:
    names = [name.removeprefix(prefix) for name in archive.namelist() if name.startswith(prefix)]

    def load(name: str) -> np.ndarray:
        return np.load(io.BytesIO(archive.read(prefix + name)), allow_pickle=False)

    unfiltered = undone(archive) if not prefix else {}
    found: list[np.ndarray] = []
    for i in range(sum(re.fullmatch(r"__blocks_\d+__\.npy", name) is not None for name in names)):
        name = f"__blocks_{i}__.npy"
        block = unfiltered[name] if name in unfiltered else load(name)
        found += [block] if block.ndim == 1 else list(block.T)
    wanted = [column for column in held["data"] if column["dtype"][0] in "<>|"]
    assert [{"dtype": one.dtype.str, "values": cells(one)} for one in found] == wanted
    for side in ("index", "columns"):
        for i, level in enumerate(held[side].get("levels", [])):
            if level["dtype"][0] in "<>|":
                labels = load(f"__values_{side}_{i}__.npy")
                assert (labels.dtype.str, cells(labels)) == (level["dtype"], level["values"])


@each("case", [case for case, entry in ENTRIES.items() if entry["static_frame"]])
def test_static_frame_sees_the_recorded_frame(case: str, tmp_path: Path) -> None:
    sf = pytest.importorskip("static_frame")
    entry = ENTRIES[case]
    for label, held in golden.frames_of(entry).items():
        # A frame of no library of its own has the class that its reader gives it.
        wanted = held | {"library": "static_frame", "frame_class": held.get("frame_class", "Frame")}
        reader = getattr(sf, wanted["frame_class"])
        if label:
            bundle = getattr(sf.Batch, f"from_zip_{entry['options']['layout']}")(_path(entry))
            frame = dict(bundle.items())[label]
            # A Batch calls a frame without a name by its label.
            frame = frame if held["name"] is not None else frame.rename(None)
        else:
            frame = reader.from_npz(_path(entry))
        assert golden.as_json(describe(frame)) == wanted


@every
def test_the_same_frame_is_written_to_the_same_bytes(entry: dict[str, Any], tmp_path: Path) -> None:
    golden.needs_library(entry)
    case = golden.case_of("npz", entry)
    for again in ("first", "second"):
        if case.bundle:
            cn.write_bundle(case.make(), tmp_path / f"{again}.npz", **case.options)
        else:
            cn.write(case.make(), tmp_path / f"{again}.npz", **case.options)
    assert (tmp_path / "first.npz").read_bytes() == (tmp_path / "second.npz").read_bytes()
    if not case.packed:
        assert (tmp_path / "first.npz").read_bytes() == _path(entry).read_bytes()


@every
def test_what_was_read_is_written_to_the_same_bytes(entry: dict[str, Any], tmp_path: Path) -> None:
    case = golden.case_of("npz", entry)
    read = _opened(entry, _path(entry))
    if case.bundle:
        cn.write_bundle(read, tmp_path / "again.npz", **case.options)
    else:
        cn.write(read[""], tmp_path / "again.npz", **case.options)
    if not case.packed:
        assert (tmp_path / "again.npz").read_bytes() == _path(entry).read_bytes()
