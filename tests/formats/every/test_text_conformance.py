"""The golden files of the text formats: read as recorded, and written again to the same bytes."""

from pathlib import Path
from typing import Any

import pytest

import colonnade as cn
from tests.conformance import golden
from tests.conformance.cases import CASES
from tests.conformance.describe import describe
from tests.helpers.each import each

TEXTS = ("csv", "json", "ndjson", "yaml")
# Read in batches, which are then joined: the same frame, another number of them.
RECUT = ("batches",)
SIDECAR = ".schema.json"

every = each(
    ("format", "entry"),
    [
        pytest.param(format, entry, id=f"{format}-{name}")
        for format in TEXTS
        for name, entry in golden.entries(format).items()
    ],
)


@pytest.mark.quick
@pytest.mark.parametrize("format", TEXTS)
def test_every_case_has_its_entry_and_its_file(format: str) -> None:
    entries = golden.entries(format)
    assert list(entries) == list(CASES[format])
    files = {path.name for path in (golden.FOLDER / format).iterdir() if not path.name.endswith(SIDECAR)}
    assert files == {entry["file"] for entry in entries.values()} | {"cases.json"}


@every
def test_it_reads_as_recorded(format: str, entry: dict[str, Any]) -> None:
    path = golden.path_of(format, entry)
    assert golden.hashes(path) == entry["sha256"]
    golden.needs_library(entry)
    cn.verify(path)
    frames = cn.read_bundle(path) if "frames" in entry else {"": cn.read(path)}
    wanted = golden.frames_of(entry)
    assert list(frames) == list(wanted)
    for label, held in wanted.items():
        frame = frames[label]
        assert golden.as_json(describe(frame.to_native())) == held
        assert list(frame.shape) == held["shape"]
        assert frame.attrs == held.get("attrs", {})


@every
def test_it_is_written_to_the_same_bytes(format: str, entry: dict[str, Any], tmp_path: Path) -> None:
    """By the frame of the case, and by what was read of its file."""
    golden.needs_library(entry)
    case, path = golden.case_of(format, entry), golden.path_of(format, entry)
    put, get = (cn.write_bundle, cn.read_bundle) if case.bundle else (cn.write, cn.read)
    put(case.make(), tmp_path / case.file, **case.options)
    assert (tmp_path / case.file).read_bytes() == path.read_bytes()
    if entry["case"] not in RECUT:
        put(get(path), tmp_path / case.file, **case.options)
        assert (tmp_path / case.file).read_bytes() == path.read_bytes()
