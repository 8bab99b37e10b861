"""The golden Arrow files and streams: read as recorded, by us and by others, and written again to the same bytes."""

from pathlib import Path
from typing import Any

import pytest

import colonnade as cn
from tests.conformance import golden
from tests.helpers.applies import applies
from tests.helpers.each import each

FORMATS = ("arrow", "arrows")
ENTRIES = {format: golden.entries(format) for format in FORMATS}
# Read in batches, which are then joined or cut: the same frame, other bytes.
RECUT = ("batches", "several_batches")
every = each(
    ("format", "entry"),
    [
        pytest.param(format, entry, id=f"{format}-{case}")
        for format in FORMATS
        for case, entry in ENTRIES[format].items()
    ],
)


@pytest.mark.quick
@pytest.mark.parametrize("format", FORMATS)
def test_every_case_has_its_entry_and_its_file(format: str) -> None:
    golden.assert_all_there(format)


@every
def test_the_file_is_the_one_recorded(format: str, entry: dict[str, Any]) -> None:
    golden.assert_recorded(format, entry)


@every
@each("mmap", [True, False], per=50)
def test_it_reads_as_recorded(format: str, entry: dict[str, Any], mmap: bool) -> None:
    golden.assert_reads_as_recorded(format, entry, mmap)


@every
def test_its_columns_stand_alone(format: str, entry: dict[str, Any]) -> None:
    golden.assert_columns_stand_alone(format, entry, lambda path, label: cn.read(path).select([label]))


@every
def test_pyarrow_sees_the_recorded_values(format: str, entry: dict[str, Any]) -> None:
    pa = pytest.importorskip("pyarrow")
    from colonnade.testing._arrow_cells import columns_of
    from tests.conformance.describe_arrow import of_pyarrow

    (held,) = golden.frames_of(entry).values()
    content = golden.path_of(format, entry).read_bytes()
    table = (pa.ipc.open_file if format == "arrow" else pa.ipc.open_stream)(content).read_all()
    table.validate(full=True)
    assert b"colonnade" in table.schema.metadata
    assert table.num_rows == held["shape"][0]
    assert table.num_columns >= held["shape"][1]
    found = of_pyarrow(table)["data"]
    for position, column in enumerate(held["data"]):
        if "field" in column:
            assert found[position]["values"] == column["values"]
    golden.assert_numbers(held, columns_of(table))


@every
@applies(lambda entry: [held["library"] for held in golden.frames_of(entry).values()] == ["pandas"])
def test_pandas_sees_the_recorded_frame(format: str, entry: dict[str, Any]) -> None:
    golden.needs_library(entry)
    pa = pytest.importorskip("pyarrow")
    content = golden.path_of(format, entry).read_bytes()
    table = (pa.ipc.open_file if format == "arrow" else pa.ipc.open_stream)(content)
    wanted = golden.case_of(format, entry).make()
    import pandas.core.arrays.arrow.extension_types  # noqa: F401  pandas tells pyarrow of its types when it needs them

    found = table.read_all().to_pandas()
    assert found.shape == wanted.shape
    assert list(found.index) == list(wanted.index)
    assert list(found.index.names) == list(wanted.index.names)
    assert found.columns.nlevels == wanted.columns.nlevels


@every
def test_the_same_frame_is_written_to_the_same_bytes(format: str, entry: dict[str, Any], tmp_path: Path) -> None:
    golden.needs_library(entry)
    case = golden.case_of(format, entry)
    for again in ("first", "second"):
        cn.write(case.make(), tmp_path / f"{again}.{format}", **case.options)
    assert (tmp_path / f"first.{format}").read_bytes() == (tmp_path / f"second.{format}").read_bytes()
    if not case.packed:
        assert (tmp_path / f"first.{format}").read_bytes() == golden.path_of(format, entry).read_bytes()


@every
def test_what_was_read_is_written_to_the_same_bytes(format: str, entry: dict[str, Any], tmp_path: Path) -> None:
    case, path = golden.case_of(format, entry), golden.path_of(format, entry)
    cn.write(cn.read(path), tmp_path / f"again.{format}", **case.options)
    if not case.packed and entry["case"] not in RECUT:
        assert (tmp_path / f"again.{format}").read_bytes() == path.read_bytes()


@every
@applies(lambda format, entry: not golden.case_of(format, entry).packed and entry["case"] not in RECUT)
def test_the_other_form_holds_the_same(format: str, entry: dict[str, Any], tmp_path: Path) -> None:
    """A stream converted to a file is the golden file, and the other way round."""
    (other,) = set(FORMATS) - {format}
    case, path = golden.case_of(format, entry), golden.path_of(format, entry)
    cn.convert(path, tmp_path / f"again.{other}", write_options=case.options)
    wanted = golden.path_of(other, ENTRIES[other][entry["case"]]).read_bytes()
    assert (tmp_path / f"again.{other}").read_bytes() == wanted
