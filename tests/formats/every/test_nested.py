"""Nested types of every kind, optional at every level, five levels deep: one table through every format at once."""

import contextlib
import csv
import io
import json
from typing import Any

import pytest

from tests.helpers.each import each

pytest.importorskip("hypothesis")
pytest.importorskip("pyarrow")

import pyarrow as pa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import colonnade as cn
from colonnade.testing import strategies_pyarrow
from colonnade.testing._arrow_cells import cells
from colonnade.testing.cases_pyarrow import assert_identical
from tests.helpers.ways import WAYS, WHOLE, Way, exactly

many = settings(deadline=None, max_examples=30, suppress_health_check=list(HealthCheck))
NESTED = [way for way in WAYS.values() if way.format != "npy" and way.options.get("schema") != "sidecar"]
DEEP = strategies_pyarrow.tables(depth=5, flat=3)


def held(table: Any, way: Way) -> Any:
    """The columns that come back whole. Parquet refuses a later chunk whose values do not fit the first one, or
    whose order of categories contradicts it."""
    if way.format != "parquet":
        return table
    kept = list(range(table.num_columns))
    for i in list(kept):
        try:
            way.encode(table.select([i]))
        except cn.EncodeError as error:
            if "chunk" not in str(error):
                raise
            kept.remove(i)
    return table.select(kept)


@many
@given(table=DEEP)
def test_a_nested_table_comes_back_from_every_format(table: Any) -> None:
    for way in NESTED:
        wanted = held(table, way)
        found = cn.decode(way.encode(wanted), way.format).to_arrow()
        found.validate(full=True)
        assert_identical(wanted, found)


@many
@given(table=DEEP)
def test_plain_csv_of_what_is_nested_is_json(table: Any) -> None:
    nested = [i for i, field in enumerate(table.schema) if pa.types.is_nested(field.type)]
    for i in nested:
        column = table.select([i]).rename_columns(["x"])
        if column["x"].null_count == len(table):
            continue
        with pytest.raises(cn.EncodeError, match=r"^csv: plain text does not bring back everything: x: "):
            cn.encode(column, "csv", on_loss="raise")
        rows = list(csv.DictReader(io.StringIO(cn.encode(column, "csv", on_loss="ignore").decode(), newline="")))
        assert len(rows) == len(table)
        for row in rows:
            json.loads("null" if row["x"] == "NA" else row["x"])


@many
@given(table=DEEP, data=st.data())
def test_rows_and_leaves_of_a_nested_table(table: Any, data: st.DataObject) -> None:
    """The same of every format: the part that is asked for of what lies in memory."""
    start, stop = (data.draw(st.integers(0, table.num_rows)) for _ in range(2))
    names = [name for name in table.column_names if table.column_names.count(name) == 1]
    whole = cn.Frame(table)
    within = whole._lookup._paths
    assert within is not None
    paths = [name + path for name in names for path, *_ in within.field_paths(table.column_names.index(name))]
    asked = data.draw(st.lists(st.sampled_from(names + paths), max_size=3)) if names else []
    wanted = whole.select(asked).slice(start, max(start, stop)).to_arrow()
    wanted.validate(full=True)
    for way in NESTED:
        if held(table, way).num_columns < table.num_columns:
            continue
        found = cn.decode(way.encode(table), way.format, columns=asked, rows=slice(start, stop)).to_arrow()
        found.validate(full=True)
        assert found.schema.equals(wanted.schema), way
        for ours, theirs in zip(found.columns, wanted.columns, strict=True):
            assert cells(ours) == cells(theirs), way


FEW = [WAYS[name] for name in ("npz", "arrow", "arrow of small batches", "parquet", "msgpack", "json", "ndjson")]


@many
@given(table=DEEP)
def test_nested_columns_of_pandas(table: Any) -> None:
    """Columns in Arrow's dtypes."""
    pd = pytest.importorskip("pandas")
    nested = [column for column in table.columns if pa.types.is_nested(column.type)]
    arrays = [pd.arrays.ArrowExtensionArray(column) for column in nested]
    whole = pd.DataFrame({f"c{i}": pd.Series(array, copy=False) for i, array in enumerate(arrays)})
    for way in FEW:
        names = held(pa.table(nested, list(whole.columns)), way).column_names
        found = cn.decode(way.encode(whole[names]), way.format).to_pandas()
        assert list(found.columns) == names
        for name in names:
            assert found[name].dtype == whole[name].dtype, way
            assert cells(found[name].array._pa_array) == cells(whole[name].array._pa_array), way


@many
@given(table=DEEP)
def test_nested_columns_of_polars(table: Any) -> None:
    pl = pytest.importorskip("polars")
    kept = []
    for i, column in enumerate(table.columns):
        # What polars has no type for it says by panicking.
        with contextlib.suppress(Exception, pl.exceptions.PanicException):
            made = pl.DataFrame(pa.table([column], [f"c{i}"]))
            made.to_arrow()
            kept.append(made)
    wanted = pl.concat(kept, how="horizontal") if kept else pl.DataFrame()
    for way in FEW:
        if way.format == "parquet" and any("Struct({})" in str(kind) for kind in wanted.dtypes):
            continue
        found = cn.decode(way.encode(wanted), way.format).to_polars()
        assert found.schema == wanted.schema, way
        assert found.equals(wanted), way


_TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=3)
_VALUES = (
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["", "a", "é"]) | st.sampled_from([0.5, -0.0])
)


@st.composite
def _objects(draw: st.DrawFn) -> list[Any]:
    """Cells of lists and dicts: of one type, most often."""
    leaf = draw(st.sampled_from([st.integers(-9, 9), _TEXT, st.floats(), st.binary(max_size=2), _VALUES]))
    cell = leaf
    for _ in range(draw(st.integers(1, 4))):
        inner = cell | st.none() if draw(st.booleans()) else cell
        names = draw(st.lists(_TEXT, max_size=2, unique=True))
        cell = (
            st.lists(inner, max_size=3) if draw(st.booleans()) else st.fixed_dictionaries(dict.fromkeys(names, inner))
        )
    return draw(st.lists(cell | st.none(), max_size=6))


@many
@given(columns=st.lists(_objects(), min_size=1, max_size=3))
def test_lists_and_dicts_of_pandas(columns: list[list[Any]]) -> None:
    """What they are kept as is inferred; what comes back is what was there."""
    pd = pytest.importorskip("pandas")
    from colonnade.testing.cases_pandas import assert_identical as same_frames

    for values in columns:
        wanted = pd.DataFrame({"cells": pd.Series(values, dtype=object)})
        for way in FEW:
            same_frames(wanted, cn.decode(way.encode(wanted), way.format).to_pandas())


def deep(depth: int) -> pa.Table:
    kind: pa.DataType = pa.int8()
    cell: Any = 1
    for _ in range(depth):
        kind, cell = pa.list_(kind), [cell]
    return pa.table({"x": pa.array([cell], kind)})


@each("format", list(WHOLE))
def test_what_nests_deeper_than_readers_go_is_refused_by_writers(format: str) -> None:
    table = deep(48)
    assert cn.decode(cn.encode(table, format, **exactly(format)), format).to_arrow().equals(table)
    named = "" if format == "npz" else '"x": '
    with pytest.raises(
        cn.EncodeError, match=f"^{format.removesuffix('s')}: {named}expected types nested at most 48 deep"
    ):
        cn.encode(deep(49), format, **exactly(format))
