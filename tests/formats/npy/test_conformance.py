"""The golden .npy files and directories: read as recorded, by us and by others, and written again to the same bytes."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import colonnade as cn
from tests.conformance import golden
from tests.conformance.cases import NPY
from tests.conformance.describe import describe
from tests.conformance.values import cells
from tests.helpers.each import each

ENTRIES = golden.entries("npy")
LONE = [case for case, entry in ENTRIES.items() if "array" in entry]
FOLDERS = [case for case in ENTRIES if case not in LONE]
every = each("entry", ENTRIES.values(), ids=ENTRIES)


def _path(entry: dict[str, Any]) -> Path:
    return golden.path_of("npy", entry)


@pytest.mark.quick
def test_every_case_has_its_entry_and_its_file() -> None:
    assert list(ENTRIES) == list(NPY)
    files = {path.name for path in (golden.FOLDER / "npy").iterdir()}
    assert files == {entry["file"] for entry in ENTRIES.values()} | {"cases.json"}


@every
def test_the_file_is_the_one_recorded(entry: dict[str, Any]) -> None:
    assert golden.hashes(_path(entry)) == entry["sha256"]


@every
@each("mmap", [True, False])
def test_it_reads_as_recorded(entry: dict[str, Any], mmap: bool) -> None:
    golden.needs_library(entry)
    cn.verify(_path(entry))
    frame = cn.read(_path(entry), mmap=mmap, verify=True)
    (held,) = golden.frames_of(entry).values()
    assert list(frame.shape) == held["shape"]
    assert golden.as_json(describe(frame.to_native())) == held


@each("case", list(LONE))
def test_numpy_reads_it_as_recorded(case: str) -> None:
    entry = ENTRIES[case]
    (held,) = golden.frames_of(entry).values()
    assert golden.as_json(describe(np.load(_path(entry), allow_pickle=False))) == held


@each("case", list(LONE))
def test_numpy_writes_the_same_bytes(case: str) -> None:
    file = io.BytesIO()
    np.save(file, NPY[case].make())
    assert file.getvalue() == _path(ENTRIES[case]).read_bytes()


@pytest.mark.parametrize("case", FOLDERS)
def test_numpy_reads_every_member(case: str) -> None:
    entry = ENTRIES[case]
    depths = json.loads((_path(entry) / "__meta__.json").read_bytes())["__depths__"]
    arrays = {path.stem: np.load(path, allow_pickle=False) for path in _path(entry).glob("*.npy")}
    found: list[np.ndarray] = []
    for i in range(depths[0]):
        block = arrays[f"__blocks_{i}__"]
        found += [block] if block.ndim == 1 else list(block.T)
    wanted = [column for column in entry["data"] if column["dtype"][0] in "<>|"]
    assert [{"dtype": one.dtype.str, "values": cells(one)} for one in found] == wanted


def test_static_frame_reads_the_articles_frame() -> None:
    sf = pytest.importorskip("static_frame")
    entry = ENTRIES["article"]
    (held,) = golden.frames_of(entry).values()
    assert golden.as_json(describe(sf.Frame.from_npy(_path(entry)))) == held


@every
def test_the_same_frame_is_written_to_the_same_bytes(entry: dict[str, Any], tmp_path: Path) -> None:
    golden.needs_library(entry)
    case = golden.case_of("npy", entry)
    cn.write(case.make(), tmp_path / case.file, **case.options)
    assert golden.hashes(tmp_path / case.file) == entry["sha256"]
    cn.write(cn.read(_path(entry)), tmp_path / "again", **case.options)
    assert golden.hashes(tmp_path / "again") == entry["sha256"]
