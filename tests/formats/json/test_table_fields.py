"""Fields of a table schema: the dtypes that they give to cells, and the names that they give to labels."""

import io
import json
from typing import Any

import numpy as np
import pytest

import colonnade as cn
from tests.helpers.each import each

pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")


def table(fields: list[dict[str, Any]], rows: list[dict[str, Any]], key: list[str] | None = None) -> bytes:
    schema: dict[str, Any] = {"fields": fields, "pandas_version": "1.4.0"}
    if key is not None:
        schema["primaryKey"] = key
    return json.dumps({"schema": schema, "data": rows}).encode()


def column(field: dict[str, Any], cells: list[Any]) -> Any:
    content = table([{"name": "x", **field}], [{"x": cell} for cell in cells])
    return cn.decode(content, "json").to_pandas()["x"]


@each("dtype", ["float64", "Float64", "float32", "Float32"])
def test_integers_beyond_64_signed_bits_are_floats_where_the_dtype_says_so(dtype: str) -> None:
    cells = [2**63, 2**64 - 2**40]
    found = column({"type": "number", "extDtype": dtype}, cells)
    pd.testing.assert_series_equal(found, pd.Series(cells, dtype=dtype, name="x"), check_exact=True)


def test_integers_beyond_64_signed_bits_are_numbers() -> None:
    found = column({"type": "number"}, [2**63, 2**63 + 2048])
    pd.testing.assert_series_equal(found, pd.Series([2.0**63, 2.0**63 + 2048], name="x"), check_exact=True)
    inexact = column({"type": "number"}, [2**63, 2**63 + 1])
    assert inexact.tolist() == [2**63, 2**63 + 1]


@each("bits", [8, 16, 32, 64])
@each("signed", [True, False])
@each("nullable", [True, False])
def test_integers_have_the_width_that_the_dtype_says(bits: int, signed: bool, nullable: bool) -> None:
    dtype = np.dtype(f"{'i' if signed else 'u'}{bits // 8}")
    said = dtype.name.replace("uint", "UInt").replace("int", "Int") if nullable else dtype.name
    most = min(np.iinfo(dtype).max, 2**63 - 1)
    found = column({"type": "integer", "extDtype": said}, [0, most])
    pd.testing.assert_series_equal(found, pd.Series([0, most], dtype=said, name="x"))
    if bits < 64:
        with pytest.raises(cn.DecodeError, match=f"extDtype {said}"):
            column({"type": "integer", "extDtype": said}, [0, most + 1])


@each("cells", [[1, 2**62], [1.5, -0.0], [True, False]])
def test_cells_that_are_no_text_are_no_times(cells: list[Any]) -> None:
    assert column({"type": "datetime"}, cells).tolist() == cells


@each("cells", [[1, 2], [1.5, 2.5], [True, False], ["a", "b"]])
@each("said", ["string", "integer", "boolean", "number", "any", "duration", "unheard of"])
def test_cells_of_one_kind_stay_so_whatever_else_the_schema_says(said: str, cells: list[Any]) -> None:
    found = column({"type": said}, cells).tolist()
    assert found == cells
    assert [type(cell) for cell in found] == [float if said == "number" and cells == [1, 2] else type(cells[0])] * 2


def test_text_that_is_missing_in_every_row_is_text() -> None:
    content = table([{"name": "x", "type": "string"}], [{"x": None}, {"x": None}])
    found = cn.decode(content, "json")
    assert found.to_arrow().schema.field("x").type == pa.large_string()
    pd.testing.assert_frame_equal(found.to_pandas(), pd.DataFrame({"x": pd.Series([None, None], dtype="str")}))


@each(
    ("key", "names"),
    [
        (["level_0", "level_1"], [None, None]),
        (["level_1", "level_0"], ["level_1", "level_0"]),
        (["level_0", "k"], [None, "k"]),
        (["k", "level_1"], ["k", None]),
        (["k", "level_0"], ["k", "level_0"]),
        (["index", "k"], ["index", "k"]),
        (["k", "index"], ["k", "index"]),
        (["index"], [None]),
        (["level_0"], ["level_0"]),
        (["k"], ["k"]),
    ],
)
@each("backwards", [False, True])
def test_labels_are_in_the_order_of_the_key_and_keep_their_names(
    key: list[str], names: list[str | None], backwards: bool
) -> None:
    fields = [*({"name": name, "type": "string"} for name in key), {"name": "v", "type": "integer"}]
    row: dict[str, Any] = {name: f"label of {name}" for name in key} | {"v": 1}
    content = table(fields[::-1] if backwards else fields, [row], key)
    frame = cn.decode(content, "json")
    assert frame.index.name == (names[0] if len(names) == 1 else tuple(names) if any(names) else None)
    found = frame.to_pandas()
    assert list(found.index.names) == names
    assert found.index.tolist() == [tuple(row[name] for name in key) if len(key) > 1 else row[key[0]]]
    assert found.columns.tolist() == ["v"]


@each("names", [[None, None], [None, "k"], ["k", None], ["index", "k"]])
def test_names_of_labels_are_those_that_pandas_reads(names: list[str | None]) -> None:
    index = pd.MultiIndex.from_arrays([["a", "b"], [3, 4]], names=names)
    content = pd.DataFrame({"v": [1, 2]}, index=index).to_json(orient="table").encode()
    theirs = pd.read_json(io.BytesIO(content), orient="table")
    pd.testing.assert_frame_equal(cn.decode(content, "json").to_pandas(), theirs)
