"""Files of Awkward's own, read as Awkward reads them, and ours as Awkward reads them."""

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings

from tests.helpers.each import each

pytest.importorskip("awkward")
pytest.importorskip("pyarrow")

import awkward as ak
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import feather

import colonnade as cn
from colonnade.testing import strategies_awkward, strategies_pyarrow
from colonnade.testing.cases_awkward import CASES, values_of
from tests.helpers.applies import applies

WRITERS: dict[str, Callable[[Any, Path], Any]] = {
    "parquet": lambda array, path: ak.to_parquet(array, path),
    "parquet, plain": lambda array, path: ak.to_parquet(array, path, extensionarray=False),
    "parquet, 32 bits": lambda array, path: ak.to_parquet(array, path, list_to32=True, string_to32=True),
    "feather": lambda array, path: ak.to_feather(array, path),
    "feather, plain": lambda array, path: ak.to_feather(array, path, extensionarray=False),
}


def read_by_awkward(path: Path) -> Any:
    return ak.from_parquet(path) if path.suffix == ".parquet" else ak.from_feather(path)


def check_read_alike(array: Any, way: str, folder: Path) -> bool:
    """Whether Awkward itself writes and reads it; if so, we read the same."""
    path = folder / f"array.{way.partition(',')[0]}"
    if path.suffix == ".parquet" and re.search(r"\b0 \* ", str(array.layout.form.type)):
        return False  # over lists of size 0, pyarrow's writer ends the process
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            WRITERS[way](array, path)
            expected = read_by_awkward(path)
            # Awkward 2.14 cuts the values of a slice at the wrong rows, where its mask is of bits.
            table = pq.read_table(path) if path.suffix == ".parquet" else feather.read_table(path)
            table.validate(full=True)
        except Exception:
            return False
    if not isinstance(expected, ak.Array) or len(expected) != len(array) or ak.validity_error(expected):
        return False  # it loses the rows of arrays without values
    if not len(array) and "unknown" in str(expected.type):
        return False  # of no rows it forgets what it said of columns of no type
    found = cn.read(path).to_awkward()
    assert str(found.type) == str(expected.type), (found.type, expected.type)
    assert found.type == expected.type
    assert dict(found.attrs) == dict(expected.attrs)
    ours, theirs = values_of(found.layout), values_of(expected.layout)
    assert ours == theirs, (ours, theirs)
    return True


@each("way", list(WRITERS))
def test_what_awkward_wrote_is_read_as_awkward_reads_it(way: str, tmp_path: Path) -> None:
    done = [name for name, make in CASES.items() if check_read_alike(make(), way, tmp_path)]
    assert len(done) > len(CASES) / 2
    assert {"records with a name", "tuples", "lists with parameters", "missing records, of bytes"} <= set(done)


def test_one_record_is_read_as_one(tmp_path: Path) -> None:
    ak.to_parquet(ak.Record({"x": 1, "y": [1.5]}), tmp_path / "record.parquet")
    found = cn.read(tmp_path / "record.parquet").to_awkward()
    assert isinstance(found, ak.Record)
    assert found.to_list() == {"x": 1, "y": [1.5]}


def test_row_groups_that_awkward_wrote_one_by_one(tmp_path: Path) -> None:
    parts = [
        ak.Array([{"x": [1, 2], "o": None}, {"x": [], "o": 1}]),
        ak.Array([{"x": [3], "o": None}, {"x": [], "o": 2}]),
    ]
    path = tmp_path / "groups.parquet"
    ak.to_parquet_row_groups(iter(parts), path)
    expected = ak.from_parquet(path)
    found = cn.read(path).to_awkward()
    assert found.type == expected.type
    assert found.to_list() == expected.to_list()
    assert cn.read(path, columns=["x"]).to_awkward().to_list() == ak.from_parquet(path, columns=["x"]).to_list()


@pytest.mark.parametrize("way", ["parquet", "feather"])
@settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=100)
@given(array=strategies_awkward.arrays())
def test_random_layouts_that_awkward_wrote(way: str, array: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    check_read_alike(array, way, tmp_path_factory.mktemp("awkward"))


@pytest.mark.parametrize("nrows", [0, 3])
def test_categories_that_awkward_lost_are_read_as_what_is_left(nrows: int, tmp_path: Path) -> None:
    codes = ak.index.IndexU32(np.zeros(nrows, np.uint32))
    values = ak.contents.NumpyArray(np.array([7, 5, 9]))
    categories = ak.contents.IndexedArray(codes, values, parameters={"__array__": "categorical"})
    record = ak.contents.RecordArray([categories], ["x"], nrows)
    array = ak.Array(ak.contents.ByteMaskedArray(ak.index.Index8(np.ones(nrows, np.int8)), record, True))
    ak.to_parquet(array, tmp_path / "lost.parquet")
    found = cn.read(tmp_path / "lost.parquet").to_awkward()
    assert str(found.type) == f"{nrows} * ?{{x: int64}}"
    assert found.to_list() == [{"x": 7}] * nrows


# What Arrow has no type for, and the description of which is ours alone; NaT, a value within lists; all at once.
_OURS_ALONE = (
    "complex",
    "float128",
    "15us",
    "[D]",
    "of datetime64",
    "nothing",
    "without",
    "size 0",
    "tuple",
    "side by side",
)
_OURS_ALONE += ("empty", "chars", "no type")
# pyarrow reads no lists of fixed size under null structs of Parquet's; Awkward no Parquet file without rows.
_NOT_FROM_PARQUET = ("missing records of regular", "no rows", "union", "without fields")


@each("format", ["parquet", "arrow"])
@each("name", [name for name in CASES if not any(word in name for word in _OURS_ALONE)], per=20)
@applies(lambda name, format: format != "parquet" or not any(word in name for word in _NOT_FROM_PARQUET))
def test_what_we_wrote_is_read_by_awkward(name: str, format: str, tmp_path: Path) -> None:
    array = CASES[name]()
    cn.write(array, tmp_path / f"array.{format}")
    found = read_by_awkward(tmp_path / f"array.{format}")
    assert _plain(found) == _plain(array)


def _plain(array: Any) -> Any:
    """The values as Python's, NaN as text."""

    def told(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: told(part) for key, part in value.items()}
        if isinstance(value, list | tuple):
            return [told(part) for part in value]
        return "nan" if isinstance(value, float | np.floating) and value != value else value

    return told(array.to_list())


# ---------------------------------------------------------------------------- tables of others


def _packed(table: Any) -> Any:
    """The table without slices, whose nulls Awkward 2.14 takes from the wrong rows."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return pa.ipc.open_stream(sink.getvalue()).read_all()


def _has_lists_of_size_0(kind: Any, *, within: bool = False) -> bool:
    """Whether lists of size 0 are within lists or maps.

    Awkward 2.14 forgets how many there are: the offsets of the lists around them then point past their content.
    """
    if within and pa.types.is_fixed_size_list(kind) and kind.list_size == 0:
        return True
    below = within or any(is_list(kind) for is_list in _LISTS)
    return any(_has_lists_of_size_0(kind.field(i).type, within=below) for i in range(kind.num_fields))


_LISTS = (pa.types.is_list, pa.types.is_large_list, pa.types.is_list_view, pa.types.is_large_list_view, pa.types.is_map)


@settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=200)
@given(table=strategies_pyarrow.tables())
@example(
    table=pa.table({"a": pa.array([[], [[]]], pa.list_(pa.field("item", pa.list_(pa.null(), 0), nullable=False)))})
)
def test_random_tables_become_what_awkward_makes_of_them(table: Any) -> None:
    if len(set(table.column_names)) < table.num_columns:
        return
    try:
        expected = ak.from_arrow(_packed(table))
    except Exception:
        return  # maps, decimals, views: what Awkward does not take
    if not isinstance(expected, ak.Array) or len(expected) != table.num_rows:
        return
    found = cn.Frame(table).to_awkward()
    assert found.type == expected.type, (found.type, expected.type)
    if any(_has_lists_of_size_0(kind) for kind in table.schema.types):
        assert _plain(found) == _plain(expected)
        return
    ours, theirs = values_of(found.layout), values_of(expected.layout)
    assert ours == theirs, (ours, theirs)
