"""Files of Awkward's own, read as Awkward reads them, and ours as Awkward reads them."""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

pytest.importorskip("awkward")
pytest.importorskip("pyarrow")

import awkward as ak

import colonnade as cn
from colonnade.testing import strategies_awkward, strategies_pyarrow
from colonnade.testing.cases_awkward import CASES, values_of

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
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            WRITERS[way](array, path)
            expected = read_by_awkward(path)
        except Exception:
            return False
    if len(expected) != len(array) if isinstance(expected, ak.Array) else not len(array):
        return False  # Awkward loses the rows of arrays without values
    found = cn.read(path).to_awkward()
    assert str(found.type) == str(expected.type)
    assert found.type == expected.type
    assert dict(found.attrs) == dict(expected.attrs)
    if isinstance(expected, ak.Array):
        assert values_of(found.layout) == values_of(expected.layout)
    else:
        assert found.to_list() == expected.to_list()
    return True


@pytest.mark.parametrize("way", WRITERS)
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
    parts = [ak.Array([{"x": [1, 2], "o": None}]), ak.Array([{"x": [], "o": 1}, {"x": [3], "o": 2}])]
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


# What Arrow has no type for, and the description of which is ours alone.
_OURS_ALONE = (
    "complex",
    "float128",
    "15us",
    "[D]",
    "nothing",
    "without",
    "size 0",
    "tuple",
    "empty",
    "chars",
    "no type",
)


@pytest.mark.parametrize("format", ["parquet", "arrow"])
@pytest.mark.parametrize("name", [name for name in CASES if not any(word in name for word in _OURS_ALONE)])
def test_what_we_wrote_is_read_by_awkward(name: str, format: str, tmp_path: Path) -> None:
    array = CASES[name]()
    path = tmp_path / f"array.{format}"
    try:
        cn.write(array, path)
    except cn.EncodeError as error:
        if "union" not in str(error) and "no fields" not in str(error):
            raise
        return
    if name == "all layouts side by side":
        array = array[[field for field in array.fields if not any(word in field for word in _OURS_ALONE)]]
        cn.write(array, path) if format == "arrow" else cn.write(
            array[[f for f in array.fields if "union" not in f]], path
        )
        array = array if format == "arrow" else array[[f for f in array.fields if "union" not in f]]
    assert _plain(read_by_awkward(path)) == _plain(array)


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


@settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=200)
@given(table=strategies_pyarrow.tables())
def test_random_tables_become_what_awkward_makes_of_them(table: Any) -> None:
    if len(set(table.column_names)) < table.num_columns:
        return
    try:
        expected = ak.from_arrow(table)
    except Exception:
        return  # maps, decimals, views: what Awkward does not take
    if not isinstance(expected, ak.Array) or len(expected) != table.num_rows:
        return
    found = cn.Frame(table).to_awkward()
    assert found.type == expected.type, (found.type, expected.type)
    assert values_of(found.layout) == values_of(expected.layout)
