"""A table schema that gives the dtype "str": all cells are text, and no other type of the field counts."""

import json
from typing import Any

import pytest

import colonnade as cn
from tests.helpers.each import each

pa = pytest.importorskip("pyarrow")

TYPES = ["any", "string", "integer", "number", "boolean", "datetime"]


def read(kind: str, cells: list[Any]) -> Any:
    fields = [{"name": "x", "type": kind, "extDtype": "str"}]
    table = {"schema": {"fields": fields, "pandas_version": "1.4.0"}, "data": [{"x": cell} for cell in cells]}
    return cn.decode(json.dumps(table).encode(), "json").to_arrow()["x"]


@each("kind", TYPES)
@each("cells", [["x", None], [None, None], ["2020-01-01", "1"]])
def test_cells_are_text(cells: list[Any], kind: str) -> None:
    found = read(kind, cells)
    assert found.type == pa.large_string()
    assert found.to_pylist() == cells


@each("kind", TYPES)
@each("cells", [[1, 2], [1.5, "x"], [True]])
def test_cells_that_are_no_text_are_refused(cells: list[Any], kind: str) -> None:
    with pytest.raises(cn.DecodeError, match="x: expected cells of extDtype str"):
        read(kind, cells)
