"""Every pyarrow type that an `ArrowDtype` can have, with a value and a null."""

import datetime as dt
import decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

_PLAIN: list[tuple[list[str], list[Any]]] = [
    (["bool_"], [True, None]),
    (["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"], [1, None]),
    (["float32", "float64"], [1.5, None]),
    (["string", "large_string"], ["é", None]),
    (["binary", "large_binary"], [b"\0", None]),
    (["date32", "date64"], [dt.date(2020, 1, 2), None]),
]
TYPES: dict[str, tuple[Any, list[Any]]] = {
    name: (getattr(pa, name)(), cells) for names, cells in _PLAIN for name in names
}
TYPES |= {
    "float16": (pa.float16(), [np.float16(1.5), None]),
    "null": (pa.null(), [None, None]),
    "decimal128": (pa.decimal128(20, 3), [decimal.Decimal("1.250"), None]),
    "decimal256": (pa.decimal256(50, -2), [decimal.Decimal("1200"), None]),
    "time32 s": (pa.time32("s"), [dt.time(1, 2, 3), None]),
    "time32 ms": (pa.time32("ms"), [dt.time(1, 2, 3, 4000), None]),
    "time64 us": (pa.time64("us"), [dt.time(1, 2, 3, 4), None]),
    "time64 ns": (pa.time64("ns"), [dt.time(1, 2, 3, 4), None]),
    "fixed binary": (pa.binary(3), [b"a\0c", None]),
    "dictionary": (pa.dictionary(pa.int8(), pa.string()), ["a", None]),
    "dictionary of int": (pa.dictionary(pa.int32(), pa.int64(), ordered=True), [5, None]),
}
_ROW = pa.struct([pa.field("a", pa.int64(), nullable=False), pa.field("é", pa.string())])
TYPES |= {
    "month day nano": (pa.month_day_nano_interval(), [(1, 2, 3), None]),
    "list": (pa.list_(pa.int64()), [[1, None], None]),
    "list of a named field": (pa.list_(pa.field("x", pa.int8(), nullable=False, metadata={"k": "v"})), [[1], None]),
    "large list": (pa.large_list(pa.string()), [["é", None], None]),
    "fixed size list": (pa.list_(pa.float64(), 2), [[1.5, None], None]),
    "list of lists": (pa.list_(pa.list_(pa.bool_())), [[[True], None, []], None]),
    "list of a dictionary": (pa.list_(pa.dictionary(pa.int8(), pa.string(), ordered=True)), [["a", "b"], None]),
    "struct": (_ROW, [{"a": 1, "é": None}, None]),
    "struct without fields": (pa.struct([]), [{}, None]),
    "list of structs": (pa.list_(_ROW), [[{"a": 1, "é": "x"}], None]),
    "map": (pa.map_(pa.string(), pa.int64()), [[("a", 1), ("b", None)], None]),
    "sorted map": (pa.map_(pa.int8(), pa.list_(pa.binary()), keys_sorted=True), [[(1, [b"\0"])], None]),
}
for _name in ("string_view", "binary_view"):
    TYPES[_name] = (getattr(pa, _name)(), ["é" if _name[0] == "s" else b"\0", None])
for _name in ("list_view", "large_list_view"):
    TYPES[_name] = (getattr(pa, _name)(pa.int64()), [[1, 2], None])
for _unit in ("s", "ms", "us", "ns"):
    TYPES[f"timestamp {_unit}"] = (pa.timestamp(_unit), [dt.datetime(2020, 1, 2), None])
    TYPES[f"timestamp {_unit} zone"] = (
        pa.timestamp(_unit, "Europe/Berlin"),
        [dt.datetime(2020, 1, 2, tzinfo=dt.UTC), None],
    )
    TYPES[f"duration {_unit}"] = (pa.duration(_unit), [dt.timedelta(3), None])


def arrow_frame(kind: Any, cells: list[Any]) -> pd.DataFrame:
    once, twice = pa.array(cells, kind), pa.chunked_array([pa.array(cells[:1], kind), pa.array(cells[1:], kind)])
    if pa.types.is_dictionary(kind):
        twice = once
    sliced = pa.chunked_array([pa.concat_arrays([once, once]).slice(1, 2)])
    return pd.DataFrame({i: pd.arrays.ArrowExtensionArray(part) for i, part in enumerate([once, twice, sliced])})
