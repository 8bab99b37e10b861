"""The golden Parquet files: read as recorded, by us and by others. What is written again holds the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import colonnade as cn
from tests.conformance import golden
from tests.conformance.describe import describe
from tests.helpers.each import each

ENTRIES = golden.entries("parquet")
every = each("entry", ENTRIES.values(), ids=ENTRIES)


@pytest.mark.quick
def test_every_case_has_its_entry_and_its_file() -> None:
    golden.assert_all_there("parquet")


@every
def test_the_file_is_the_one_recorded(entry: dict[str, Any]) -> None:
    golden.assert_recorded("parquet", entry)


@every
@each("mmap", [True, False], per=50)
def test_it_reads_as_recorded(entry: dict[str, Any], mmap: bool) -> None:
    golden.assert_reads_as_recorded("parquet", entry, mmap)


@every
def test_its_columns_stand_alone(entry: dict[str, Any]) -> None:
    golden.assert_columns_stand_alone("parquet", entry, lambda path, label: cn.read(path, columns=[label]))


@every
def test_pyarrow_sees_the_recorded_values(entry: dict[str, Any]) -> None:
    pytest.importorskip("pyarrow")
    from colonnade.testing._arrow_cells import columns_of
    from tests.helpers.parquet_look import checked_table

    (held,) = golden.frames_of(entry).values()
    table = checked_table(golden.path_of("parquet", entry).read_bytes())
    assert b"colonnade" in table.schema.metadata
    assert table.num_rows == held["shape"][0]
    assert table.num_columns >= held["shape"][1]
    golden.assert_numbers(held, columns_of(table))


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
