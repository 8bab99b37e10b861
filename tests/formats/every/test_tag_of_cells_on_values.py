"""A tag of cells over values of another type: the text formats write the values in the form that they read again."""

import json
from typing import Any

import numpy as np
import pyarrow as pa

import colonnade as cn
from colonnade import _core
from tests.helpers.each import each

ARRAYS = {
    "float16": pa.array([1.5, None, -0.25], pa.float16()),
    "float32": pa.array([1.5, None, -0.25], pa.float32()),
    "float64": pa.array([1.5, None, -0.25], pa.float64()),
    "int64": pa.array([1, None, -3], pa.int64()),
    "text": pa.array(["one", None, "two"]),
    "categories": pa.array(["one", None, "two"]).dictionary_encode(),
    "categories of numbers": pa.array([10, None, 20]).dictionary_encode(),
}


def tagged(array: pa.Array) -> Any:
    """A frame with a column "c" whose tag says that it holds cells in MessagePack."""
    builder = _core.FrameBuilder(len(array), 1)
    builder.add_arrow(0, _core.ArrowColumn.from_arrow(array, json.dumps({"cells": "msgpack"})))
    labels = _core.Axis.levels([np.array(["c"])], ["Index"], "Index")
    core = builder.finish(_core.Axis.auto(0, len(array), 1), labels, origin='{"library":"pandas"}')
    return cn.Frame._make(core)


@each("format", ["csv", "json", "yaml"])
@each("name", list(ARRAYS))
def test_values_under_a_tag_of_cells_are_read_again(name: str, format: Any) -> None:
    array = ARRAYS[name]
    found = cn.decode(cn.encode(tagged(array), format, schema="header"), format).to_arrow()["c"]
    assert found.to_pylist() == array.to_pylist()
    assert found.type == array.type
