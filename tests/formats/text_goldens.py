"""What the golden files of every text format must do."""

from pathlib import Path
from typing import Any

import pytest

import colonnade as cn
from tests.conformance import golden
from tests.conformance.cases import CASES
from tests.conformance.describe import describe

# Read in batches, which are then joined: the same frame, another number of them.
RECUT = ("batches",)
SIDECAR = ".schema.json"


def of(format: str) -> pytest.MarkDecorator:
    """Every entry of a format."""
    return pytest.mark.parametrize(
        "entry", [pytest.param(entry, id=name) for name, entry in golden.entries(format).items()]
    )


def check_listing(format: str) -> None:
    """Each case has its entry, each entry its file, and no file is without one."""
    entries = golden.entries(format)
    assert list(entries) == list(CASES[format])
    files = {path.name for path in (golden.FOLDER / format).iterdir() if not path.name.endswith(SIDECAR)}
    assert files == {entry["file"] for entry in entries.values()} | {"cases.json"}


def check_read(format: str, entry: dict[str, Any]) -> None:
    """It is the file that was recorded, and reads as what was recorded."""
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


def check_written(format: str, entry: dict[str, Any], folder: Path) -> None:
    """The frame of the case, and what was read of its file, are written to the same bytes."""
    golden.needs_library(entry)
    case, path = golden.case_of(format, entry), golden.path_of(format, entry)
    put, get = (cn.write_bundle, cn.read_bundle) if case.bundle else (cn.write, cn.read)
    put(case.make(), folder / case.file, **case.options)
    assert (folder / case.file).read_bytes() == path.read_bytes()
    if entry["case"] not in RECUT:
        put(get(path), folder / case.file, **case.options)
        assert (folder / case.file).read_bytes() == path.read_bytes()
