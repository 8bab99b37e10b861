"""Tables of Iceberg as datasets."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

pytest.importorskip("pyiceberg.catalog.sql")

from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import DoubleType, LongType, NestedField, StringType

import colonnade as cn

pytestmark = pytest.mark.engines

ROWS = pa.table({"n": [1, 2, 3], "city": ["A", None, "C"], "fare": [7.5, 9.0, 1.0]})
SCHEMA = Schema(
    NestedField(1, "n", LongType()), NestedField(2, "city", StringType()), NestedField(3, "fare", DoubleType())
)
BY_CITY = PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "city"))


@pytest.fixture
def catalog(tmp_path: Path) -> SqlCatalog:
    found = SqlCatalog("test", uri=f"sqlite:///{tmp_path}/catalog.db", warehouse=f"file://{tmp_path}/warehouse")
    found.create_namespace("db")
    return found


def rows(source: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = source.to_arrow().sort_by("n").to_pylist()
    return found


@pytest.mark.parametrize("spec", [PartitionSpec(), BY_CITY], ids=["whole", "by city"])
def test_the_current_files_are_the_parts(catalog: SqlCatalog, spec: PartitionSpec) -> None:
    table = catalog.create_table("db.trips", SCHEMA, partition_spec=spec)
    table.append(ROWS)
    table.append(pa.table({"n": [4], "city": ["D"], "fare": [2.0]}))
    found = cn.dataset(table)
    assert found.count_rows() == 4
    assert rows(found) == rows(table.scan())
    assert rows(found.filter("fare > 2").select(["n", "city"])) == [{"n": 1, "city": "A"}, {"n": 2, "city": None}]


def test_replaced_files_are_no_parts(catalog: SqlCatalog) -> None:
    table = catalog.create_table("db.trips", SCHEMA)
    table.append(ROWS)
    table.overwrite(ROWS.slice(0, 1))
    assert cn.dataset(table).count_rows() == 1
    table.delete("n == 1")
    with pytest.raises(FileNotFoundError):
        cn.dataset(table)


def test_an_added_column_is_null_in_older_files(catalog: SqlCatalog) -> None:
    table = catalog.create_table("db.trips", SCHEMA)
    table.append(ROWS)
    with table.update_schema() as update:
        update.add_column("tip", DoubleType())
    table.append(ROWS.append_column("tip", pa.array([0.5, 1.0, 2.0])))
    found = cn.dataset(table, on_schema="union")
    assert sorted(row["tip"] or 0 for row in rows(found)) == [0, 0, 0, 0.5, 1.0, 2.0]


@pytest.mark.parametrize("change", ["renamed", "removed"])
def test_columns_that_files_have_under_other_names_are_refused(catalog: SqlCatalog, change: str) -> None:
    table = catalog.create_table("db.trips", SCHEMA)
    table.append(ROWS)
    with table.update_schema(allow_incompatible_changes=True) as update:
        update.rename_column("fare", "price") if change == "renamed" else update.delete_column("fare")
    with pytest.raises(cn.UnsupportedError, match=f"found the {change} column 'fare'"):
        cn.dataset(table)
