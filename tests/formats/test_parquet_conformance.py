"""The golden Parquet files: read as recorded, by us and by others. What is written again holds the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import colonnade as cn
from tests.conformance import golden
from tests.conformance.cases import CASES
from tests.conformance.describe import describe
from tests.conformance.values import cells

ENTRIES = golden.entries("parquet")
every = pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)


def test_every_case_has_its_entry_and_its_file() -> None:
    assert list(ENTRIES) == list(CASES["parquet"])
    files = {path.name for path in (golden.FOLDER / "parquet").iterdir()}
    assert files == {entry["file"] for entry in ENTRIES.values()} | {"cases.json"}


@every
def test_the_file_is_the_one_recorded(entry: dict[str, Any]) -> None:
    path = golden.path_of("parquet", entry)
    assert golden.hashes(path) == entry["sha256"]
    assert path.stat().st_size < 20 << 10


@every
@pytest.mark.parametrize("mmap", [True, False])
def test_it_reads_as_recorded(entry: dict[str, Any], mmap: bool) -> None:
    golden.needs_library(entry)
    path = golden.path_of("parquet", entry)
    cn.verify(path)
    read = cn.read(path, mmap=mmap, verify=True)
    (held,) = golden.frames_of(entry).values()
    assert golden.as_json(describe(read.to_native())) == held
    assert list(read.shape) == held["shape"]
    assert read.attrs == held.get("attrs", {})


@every
def test_its_columns_stand_alone(entry: dict[str, Any]) -> None:
    golden.needs_library(entry)
    (held,) = golden.frames_of(entry).values()
    path = golden.path_of("parquet", entry)
    labels = list(cn.read(path).columns)
    if len(set(labels)) < len(labels) or held["library"] == "numpy":
        pytest.skip("a label that stands twice gives both columns; a lone column of arrays is an array")
    for position, label in enumerate(labels):
        one = golden.as_json(describe(cn.read(path, columns=[label]).to_native()))
        assert one["data"] == held["data"][position : position + 1]
        assert one["index"] == held["index"]


@every
def test_pyarrow_sees_the_recorded_values(entry: dict[str, Any]) -> None:
    pytest.importorskip("pyarrow")
    from colonnade.testing._arrow_cells import columns_of
    from tests.formats.parquet_look import checked_table

    (held,) = golden.frames_of(entry).values()
    table = checked_table(golden.path_of("parquet", entry).read_bytes())
    assert b"colonnade" in table.schema.metadata
    assert table.num_rows == held["shape"][0]
    assert table.num_columns >= held["shape"][1]
    plain = columns_of(table)
    for position, column in enumerate(held["data"]):
        if column["dtype"][1:3] in ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"):
            if column["dtype"][0] == ">":
                continue  # numbers of the other order are what their field says they are
            dtype = np.dtype(column["dtype"])
            bits = np.array(plain[position], f"u{dtype.itemsize}" if dtype.kind == "f" else dtype)
            assert cells(bits.view(dtype)) == column["values"]


@every
def test_the_same_frame_is_written_to_the_same_bytes(entry: dict[str, Any], tmp_path: Path) -> None:
    golden.needs_library(entry)
    case = golden.case_of("parquet", entry)
    for again in ("first", "second"):
        cn.write(case.make(), tmp_path / f"{again}.parquet", **case.options)
    assert (tmp_path / "first.parquet").read_bytes() == (tmp_path / "second.parquet").read_bytes()


@every
def test_what_was_read_is_written_again(entry: dict[str, Any], tmp_path: Path) -> None:
    golden.needs_library(entry)
    case, path = golden.case_of("parquet", entry), golden.path_of("parquet", entry)
    cn.write(cn.read(path), tmp_path / "again.parquet", **case.options)
    (held,) = golden.frames_of(entry).values()
    assert golden.as_json(describe(cn.read(tmp_path / "again.parquet").to_native())) == held
