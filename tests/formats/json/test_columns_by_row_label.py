"""Columns as objects of cells by row label: a label that a column leaves out is a null cell at its row."""

import io
import json
from typing import Any

import pandas as pd

import colonnade as cn
from tests.helpers.each import each

FIRST = {"0": 1, "1": 2, "2": 3, "3": 4}
COLUMNS: dict[str, dict[str, Any]] = {
    "the first": {"1": 20, "2": 30, "3": 40},
    "one inside": {"0": 10, "2": 30, "3": 40},
    "several inside": {"0": 10, "3": 40},
    "the last": {"0": 10, "1": 20},
    "one of text": {"0": "x", "2": "z", "3": "w"},
}


@each("name", list(COLUMNS))
def test_a_left_out_label_is_null_where_pandas_has_it(name: str) -> None:
    content = json.dumps({"a": FIRST, "b": COLUMNS[name]})
    expected = pd.read_json(io.StringIO(content), orient="columns")
    found = cn.decode(content.encode(), "json").to_arrow().to_pydict()
    assert found["a"] == list(FIRST.values())
    assert found["b"] == [None if pd.isna(cell) else cell for cell in expected["b"]]
