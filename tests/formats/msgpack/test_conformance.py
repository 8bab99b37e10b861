"""The golden MessagePack files: read as recorded, by us and by another decoder, and written again to the same bytes."""

from pathlib import Path
from typing import Any

import pytest

import colonnade as cn
from tests.conformance import golden
from tests.conformance.describe import describe
from tests.helpers.each import each

ENTRIES = golden.entries("msgpack")
FRAMES = {name: entry for name, entry in ENTRIES.items() if "frames" not in entry}
every = each("entry", [pytest.param(entry, id=name) for name, entry in FRAMES.items()])
# Read in batches, which are then joined: the same frame, other bytes.
RECUT = ("batches",)


@pytest.mark.quick
def test_every_case_has_its_entry_and_its_file() -> None:
    golden.assert_all_there("msgpack")


@each("name", list(ENTRIES))
def test_the_file_is_the_one_recorded(name: str) -> None:
    golden.assert_recorded("msgpack", ENTRIES[name])


@every
@each("mmap", [True, False], per=50)
def test_it_reads_as_recorded(entry: dict[str, Any], mmap: bool) -> None:
    golden.assert_reads_as_recorded("msgpack", entry, mmap)


def test_the_bundle_reads_as_recorded() -> None:
    entry = ENTRIES["bundle"]
    golden.needs_library(entry)
    read = cn.read_bundle(golden.path_of("msgpack", entry))
    wanted = golden.frames_of(entry)
    assert list(read) == list(wanted)
    for label, held in wanted.items():
        assert golden.as_json(describe(read[label].to_native())) == held


@every
def test_its_columns_stand_alone(entry: dict[str, Any]) -> None:
    golden.assert_columns_stand_alone("msgpack", entry, lambda path, label: cn.read(path).select([label]))


@every
def test_another_decoder_sees_the_recorded_numbers(entry: dict[str, Any]) -> None:
    msgpack = pytest.importorskip("msgpack")
    (held,) = golden.frames_of(entry).values()
    content = golden.path_of("msgpack", entry).read_bytes()
    seen = msgpack.unpackb(content, strict_map_key=False, timestamp=0, unicode_errors="surrogateescape")
    header = seen.pop("__colonnade__")
    assert header["version"] == 1
    assert header["orient"] == entry["options"].get("orient", "columns")
    assert header["nrows"] == held["shape"][0]
    if header["orient"] != "columns" or "numbers" in header:
        return
    assert len(seen) >= held["shape"][1]
    for cells, column in zip(seen.values(), held["data"], strict=False):
        assert len(cells) == held["shape"][0]
        if column["dtype"][1:] in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1"):
            assert cells == column["values"]


@each("name", list(ENTRIES))
def test_the_same_frame_is_written_to_the_same_bytes(name: str, tmp_path: Path) -> None:
    golden.needs_library(ENTRIES[name])
    case = golden.case_of("msgpack", ENTRIES[name])
    put = cn.write_bundle if case.bundle else cn.write
    put(case.make(), tmp_path / "again.msgpack", **case.options)
    assert (tmp_path / "again.msgpack").read_bytes() == golden.path_of("msgpack", ENTRIES[name]).read_bytes()


@every
def test_what_was_read_is_written_to_the_same_bytes(entry: dict[str, Any], tmp_path: Path) -> None:
    case, path = golden.case_of("msgpack", entry), golden.path_of("msgpack", entry)
    cn.write(cn.read(path), tmp_path / "again.msgpack", **case.options)
    if entry["case"] not in RECUT:
        assert (tmp_path / "again.msgpack").read_bytes() == path.read_bytes()
