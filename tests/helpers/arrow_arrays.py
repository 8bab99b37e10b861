"""Arrays of every Arrow type that pyarrow makes, three rows each, with nulls and without."""

import datetime as dt
import decimal
from typing import Any

import numpy as np
import pyarrow as pa

DAY = dt.date(2020, 1, 1)


def dictionary(values: Any, codes: Any = None, ordered: bool = False) -> Any:
    return pa.DictionaryArray.from_arrays(pa.array([0, None, 1], codes or pa.int8()), values, ordered=ordered)


_TICKS = [0, None, 1_600_000_000]
ARRAYS: dict[str, Any] = {
    **{f"{k}": pa.array([1, 2, 3], k) for k in (pa.int8(), pa.uint16(), pa.int64(), pa.uint64(), pa.float32())},
    **{
        f"{k} nulls": pa.array([1, None, 3], k)
        for k in (pa.int8(), pa.int64(), pa.uint64(), pa.float32(), pa.float64())
    },
    "float16 nulls": pa.array(np.array([1, 2, 3], "f2"), mask=np.array([False, True, False])),
    "large uint64 nulls": pa.array([2**64 - 1, None, 2**63 + 1], pa.uint64()),
    "NaN and null": pa.array([float("nan"), None, -0.0]),
    "float16": pa.array(np.array([1, 2, 3], "f2")),
    "bool": pa.array([True, False, True]),
    "bool nulls": pa.array([True, None, False]),
    "null": pa.nulls(3),
    **{f"timestamp {u}": pa.array([1, 2, 3], pa.timestamp(u)) for u in ("s", "ms", "us", "ns")},
    **{f"timestamp {u} nulls": pa.array(_TICKS, pa.timestamp(u)) for u in ("s", "ms", "us", "ns")},
    **{
        f"zone {z}": pa.array(_TICKS, pa.timestamp("us", z))
        for z in ("UTC", "Europe/Berlin", "+01:30", "-08:00", "Etc/GMT+5", "GMT")
    },
    "zone without nulls": pa.array([1, 2, 3], pa.timestamp("ns", "Asia/Kolkata")),
    "duration": pa.array([1, 2, 3], pa.duration("ms")),
    "duration nulls": pa.array([1, None, 3], pa.duration("s")),
    "date32": pa.array([DAY, None, DAY], pa.date32()),
    "date64": pa.array([DAY, None, DAY], pa.date64()),
    "time32": pa.array([1, None, 3], pa.time32("s")),
    "time64": pa.array([1, None, 3], pa.time64("us")),
    "month day nano": pa.array([(1, 2, 3), None, (0, 0, 0)], pa.month_day_nano_interval()),
    "decimal": pa.array([decimal.Decimal("1.5"), None, decimal.Decimal("-2.25")]),
    "decimal256": pa.array([decimal.Decimal("1.5"), None, decimal.Decimal(0)], pa.decimal256(50, 3)),
    "string": pa.array(["a", None, "ü\0"]),
    "string without nulls": pa.array(["a", "", "b"]),
    "large string": pa.array(["a", None, "b"], pa.large_string()),
    "string view": pa.array(["a", None, "a text that is longer than twelve bytes"], pa.string_view()),
    "binary": pa.array([b"a", None, b"\xff"]),
    "large binary": pa.array([b"a", None, b""], pa.large_binary()),
    "binary view": pa.array([b"a", None, b"b" * 20], pa.binary_view()),
    "fixed size binary": pa.array([b"ab", None, b"c\0"], pa.binary(2)),
    **{
        f"dictionary of {k} codes": dictionary(pa.array(["a", "b"]), k)
        for k in (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint32(), pa.uint64())
    },
    "ordered dictionary": dictionary(pa.array(["b", "a"]), ordered=True),
    **{
        f"dictionary of {values.type}": dictionary(values)
        for values in (
            pa.array([1, 2]),
            pa.array([1, 2], pa.uint8()),
            pa.array([1.5, -0.0]),
            pa.array([True, False]),
            pa.array(["a", "b"], pa.large_string()),
            pa.array(["a", "b"], pa.string_view()),
            pa.array([b"a", b"b"]),
            pa.array([1, 2], pa.timestamp("us")),
            pa.array([1, 2], pa.timestamp("us", "Europe/Berlin")),
            pa.array([1, 2], pa.duration("ms")),
            pa.array([DAY, dt.date(2021, 1, 1)]),
            pa.array([decimal.Decimal(1), decimal.Decimal(2)]),
        )
    },
    "dictionary, unused": pa.DictionaryArray.from_arrays(pa.array([2, 2, None], pa.int8()), pa.array(list("abc"))),
    "list": pa.array([[1, None], None, []]),
    "large list": pa.array([[1], None, []], pa.large_list(pa.int64())),
    "list of text": pa.array([["a", None], None, []]),
    "fixed size list": pa.array([[1, 2], None, [3, 4]], pa.list_(pa.int64(), 2)),
    "list view": pa.array([[1, 2], None, [3]], pa.list_view(pa.int64())),
    "struct": pa.array([{"a": 1, "b": "x"}, None, {"a": None, "b": None}]),
    "map": pa.array([[("a", 1)], None, []], pa.map_(pa.string(), pa.int64())),
    "nested deeply": pa.array([[{"a": [1.5]}], None, [None]]),
    "run-end encoded": pa.RunEndEncodedArray.from_arrays(pa.array([2, 3], pa.int32()), pa.array([1, None])),
    **{
        name: pa.ExtensionArray.from_storage(getattr(pa, name)(), storage)
        for name, storage in (
            ("uuid", pa.array([b"a" * 16, None, b"b" * 16], pa.binary(16))),
            ("bool8", pa.array([1, None, 0], pa.int8())),
            ("json_", pa.array(['{"a":1}', None, "1"])),
        )
        if hasattr(pa, name)
    },
}
