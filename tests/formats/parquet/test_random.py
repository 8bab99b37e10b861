"""Random tables, what Parquet has a place for: whole, and columns and rows of them."""

from typing import Any

import pytest

pytest.importorskip("hypothesis")
pytest.importorskip("pyarrow")
pytest.importorskip("pandas")

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import colonnade as cn
from colonnade.testing import strategies_pyarrow
from colonnade.testing._arrow_cells import cells
from colonnade.testing.cases_pyarrow import assert_identical
from tests.helpers.ways import WAYS

# Hypothesis draws for a test as a whole, so each way is a test of its own.
each_parquet_way = pytest.mark.parametrize("name", [name for name, way in WAYS.items() if way.format == "parquet"])
many = settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))


def held(table: Any) -> Any:
    """The columns that Parquet has a place for; what it has none for is refused by name."""
    kept = []
    for position in range(table.num_columns):
        try:
            cn.encode(table.select([position]), "parquet")
        except cn.EncodeError:
            continue
        kept.append(position)
    return table.select(kept)


@each_parquet_way
@many
@given(table=strategies_pyarrow.tables())
def test_random_tables_come_back(name: str, table: Any) -> None:
    way, table = WAYS[name], held(table)
    found = cn.decode(way.encode(table), way.format).to_arrow()
    found.validate(full=True)
    assert_identical(table, found)


@each_parquet_way
@many
@given(table=strategies_pyarrow.tables(), data=st.data())
def test_columns_and_rows_of_random_tables(name: str, table: Any, data: st.DataObject) -> None:
    way, table = WAYS[name], held(table)
    start, stop = (data.draw(st.integers(0, table.num_rows)) for _ in range(2))
    names = data.draw(st.lists(st.sampled_from(table.column_names), unique=True)) if table.num_columns else []
    if any(table.column_names.count(name) > 1 for name in names):
        names = []
    found = cn.read(way.encode(table), columns=names or None, rows=slice(start, stop)).to_arrow()
    found.validate(full=True)
    wanted = (table.select(names) if names else table).slice(start, max(stop - start, 0))
    assert found.schema.equals(wanted.schema)
    for ours, theirs in zip(found.columns, wanted.columns, strict=True):
        assert cells(ours) == cells(theirs)
