"""The pyarrow rows of the round-trip matrix, nested types among them, through every format."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from tests.helpers.each import each

pytest.importorskip("pyarrow")

import pyarrow as pa

import colonnade as cn
from colonnade.testing import strategies_pyarrow
from colonnade.testing._arrow_cells import cells
from colonnade.testing.cases_pyarrow import CASES, assert_identical, is_identical_in_memory
from tests.helpers.ways import (
    WAYS,
    Way,
    check_comes_back,
    every_case_and_way,
    every_way,
    every_whole_format,
    exactly,
)


def assert_valid_and_identical(wanted: pa.Table, found: pa.Table) -> None:
    found.validate(full=True)
    assert_identical(wanted, found)


def valid_and_identical_in_memory(first: pa.Table, further: pa.Table) -> bool:
    further.validate(full=True)
    return is_identical_in_memory(first, further)


@every_case_and_way(CASES)
def test_every_case_comes_back(name: str, way: Way, tmp_path: Path) -> None:
    table = CASES[name]()
    check_comes_back(table, way, tmp_path, cn.Frame.to_arrow, assert_valid_and_identical, valid_and_identical_in_memory)


@each("name", list(CASES), per=50)
def test_every_case_comes_back_without_a_file(name: str) -> None:
    table = CASES[name]()
    assert_identical(table, cn.Frame(table).to_arrow())


@every_whole_format
@each("name", list(CASES), per=20)
def test_the_same_table_gives_the_same_bytes(name: str, format: str) -> None:
    table = CASES[name]()
    options = exactly(format)
    assert cn.encode(table, format, **options) == cn.encode(table, format, **options)


@every_way
@pytest.mark.parametrize("name", ["long enough for many batches", "many chunks of many types"])
def test_slices_across_batches_and_chosen_columns(name: str, way: Way, tmp_path: Path) -> None:
    table = CASES[name]()
    path = way.write(table, tmp_path)
    size = table.num_rows
    for start, stop in ((0, 1), (size - 1, size), (3, 7), (size // 2 - 3, size // 2 + 3), (1, size - 1), (4, 4)):
        assert_identical(table.slice(start, stop - start), cn.read(path, rows=slice(start, stop)).to_arrow())
    names = table.column_names[::-2]
    found = cn.read(path, columns=names, rows=slice(2, size - 2)).to_arrow()
    assert_identical(table.select(names).slice(2, size - 4), found)


def _run_ends() -> Any:
    values = pa.array(["a", None, "b"])
    return pa.table({"r": pa.RunEndEncodedArray.from_arrays(pa.array([2, 3, 6], pa.int32()), values)})


@every_way
def test_run_ends_keep_their_values(way: Way, tmp_path: Path) -> None:
    """Taken on input; whether they stay run-end encoded is left open."""
    table = _run_ends()
    found = cn.read(way.write(table, tmp_path)).to_arrow()
    assert cells(found.column(0)) == ["a", "a", None, "b", "b", "b"]
    assert cells(cn.read(tmp_path / f"frame.{way.format}", rows=slice(1, 5)).to_arrow().column(0)) == [
        "a",
        None,
        "b",
        "b",
    ]


@every_way
def test_a_name_with_nul_comes_back_or_is_refused(way: Way, tmp_path: Path) -> None:
    """The C data interface ends names at NUL."""
    table = pa.table({"a\0b": [1]})
    try:
        path = way.write(table, tmp_path)
    except cn.EncodeError:
        return
    assert cn.read(path).to_arrow().column_names == ["a\0b"]


@pytest.mark.parametrize(
    "way", ["npz", "npz zstd", "arrow", "arrows", "arrow of small batches", "arrows zstd", "msgpack"]
)
@settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
@given(table=strategies_pyarrow.tables())
def test_random_tables_come_back(way: str, table: Any) -> None:
    found = cn.decode(WAYS[way].encode(table), WAYS[way].format).to_arrow()
    found.validate(full=True)
    assert_identical(table, found)


@pytest.mark.parametrize("format", ["arrow", "arrows"])
@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
@settings(deadline=None, max_examples=50, suppress_health_check=list(HealthCheck))
@given(table=strategies_pyarrow.tables())
def test_random_tables_that_pyarrow_wrote(format: str, compression: str | None, table: Any) -> None:
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression=compression, emit_dictionary_deltas=format == "arrows")
    open_writer = pa.ipc.new_file if format == "arrow" else pa.ipc.new_stream
    try:
        with open_writer(sink, table.schema, options=options) as writer:
            writer.write_table(table.unify_dictionaries() if format == "arrow" else table)
    except pa.ArrowException:
        return  # dictionaries within lists that differ by batch, in a file
    content = sink.getvalue()
    wanted = (pa.ipc.open_file if format == "arrow" else pa.ipc.open_stream)(content).read_all()
    assert_identical(wanted, cn.decode(content).to_arrow())


@pytest.mark.parametrize("format", ["arrow", "arrows"])
@pytest.mark.parametrize("options", [{}, {"compression": "lz4"}, {"compression": "zstd", "batch_nbytes": 64}])
@settings(deadline=None, max_examples=50, suppress_health_check=list(HealthCheck))
@given(table=strategies_pyarrow.tables())
def test_pyarrow_reads_random_tables_of_ours(format: str, options: dict[str, Any], table: Any) -> None:
    content = cn.encode(table, format, **options)
    found = (pa.ipc.open_file if format == "arrow" else pa.ipc.open_stream)(content).read_all()
    found.validate(full=True)
    for position in range(table.num_columns):
        assert cells(found.column(position)) == cells(table.column(position))
        assert found.schema.field(position).type == table.schema.field(position).type
