"""What a file says of a frame's origin and columns may be any JSON: each way out gives data or a typed error."""

import contextlib
import io
import json
from typing import Any

import pytest

from tests.helpers.each import each

pytest.importorskip("pyarrow")

import pandas as pd
import pyarrow as pa

import colonnade as cn

WAYS = ("to_pandas", "to_arrow", "to_polars", "to_numpy", "to_static_frame", "to_awkward", "to_native")
FRAMES = {
    "a range": pd.DataFrame({"a": [1, 2], "t": ["x", "y"]}),
    "labels": pd.DataFrame({"a": [1, 2], "t": ["x", "y"]}, index=pd.Index(["r", "s"], name="n")),
    "times": pd.DataFrame({"a": pd.to_datetime(["2020-01-01", None]), "t": pd.Categorical(["x", None])}),
}
ORIGINS: list[Any] = [
    {"library": "pandas", "schema_metadata": [5]},
    {"library": "pandas", "schema_metadata": 5},
    {"library": "pandas", "schema_metadata": [["pandas"]]},
    {"library": "pandas", "schema_metadata": [["pandas", 5]]},
    {"library": "pandas", "schema_metadata": [["pandas", "[]"]]},
    {"library": "pandas", "schema_metadata": [["pandas", "{}"]]},
    {"library": "pyarrow", "schema_metadata": [["k", 5]]},
    {"library": "pyarrow", "schema_metadata": {"k": "v"}},
    {"library": "pyarrow", "schema_metadata": [], "index_fields": [5]},
    {"library": "pyarrow", "schema_metadata": [], "index_fields": [["a", "b"]]},
    {"library": "pyarrow", "schema_metadata": [], "index_fields": [[0, 5]]},
    {"library": "pyarrow", "class": 5},
    {"library": "numpy", "class": "ndarray"},
    {"library": "static_frame", "class": []},
    {"library": 5},
    {},
    [],
    5,
    "pandas",
]
TAGS: list[Any] = [
    {"kind": "numpy"},
    {"kind": "numpy", "descr": 5},
    {"kind": "numpy", "descr": "|O"},
    {"kind": []},
    {"kind": {}},
    {"kind": 5},
    {"kind": "object"},
    {"kind": "object_nulls"},
    {"kind": "labels"},
    {"kind": "masked"},
    {"kind": "string"},
    {"kind": "categorical"},
    {"kind": "datetimetz"},
    {"kind": "datetimetz", "tz": "Foo/Bar"},
    {"kind": "period"},
    {"kind": "interval"},
    {"kind": "field"},
    {"kind": "field", "metadata": 5},
    {"kind": "no such"},
    [],
    5,
    "text",
]


def _file(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def _taken_out(data: bytes, way: str) -> None:
    with contextlib.suppress(cn.ColonnadeError):
        getattr(cn.decode(data, "arrow"), way)()


@each("way", list(WAYS))
@each("origin", list(ORIGINS), ids=json.dumps)
@each("name", list(FRAMES), per=20)
def test_an_origin_that_is_none(name: str, origin: Any, way: str) -> None:
    table = pa.ipc.open_file(cn.encode(FRAMES[name], "arrow")).read_all()
    told = json.loads(table.schema.metadata[b"colonnade"])
    assert "origin" in told
    _taken_out(_file(table.replace_schema_metadata({"colonnade": json.dumps({**told, "origin": origin})})), way)


@each("way", list(WAYS))
@each("tag", list(TAGS), ids=json.dumps)
@each("name", list(FRAMES), per=20)
def test_a_tag_that_does_not_fit(name: str, tag: Any, way: str) -> None:
    table = pa.ipc.open_file(cn.encode(FRAMES[name], "arrow")).read_all()
    fields = [field.with_metadata({"colonnade": json.dumps({"tag": tag})}) for field in table.schema]
    schema = pa.schema(fields, metadata=table.schema.metadata)
    _taken_out(_file(pa.table(table.columns, schema=schema)), way)


def test_a_zone_that_nobody_knows() -> None:
    text = {
        "schema": {"fields": [{"name": "t", "type": "datetime", "tz": "Foo/Bar"}]},
        "data": [{"t": "2020-01-01T00:00:00Z"}],
    }
    frame = cn.decode(json.dumps(text).encode(), "json")
    with pytest.raises(cn.UnsupportedError, match="Foo/Bar"):
        frame.to_pandas()
