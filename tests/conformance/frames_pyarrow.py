"""Arrow tables of every type, flat and nested, with metadata, in one batch or several."""

from __future__ import annotations

import decimal
from typing import Any

import numpy as np


def flat() -> Any:
    """Numbers, text and bytes of every width and layout, a null in each."""
    import pyarrow as pa

    text, raw = ["", "é\0ü", "a text that is too long for a view"], [b"", b"\xff\0\xfe", b"bytes too long for a view"]
    columns: dict[str, Any] = {
        "null": pa.nulls(4),
        "bool": pa.array([True, False, True, None]),
        **{
            f"int{n}": pa.array([-(2 ** (n - 1)), 2 ** (n - 1) - 1, 0, None], getattr(pa, f"int{n}")())
            for n in (8, 16, 32, 64)
        },
        **{f"uint{n}": pa.array([0, 2**n - 1, 1, None], getattr(pa, f"uint{n}")()) for n in (8, 16, 32, 64)},
        **{f"float{n}": pa.array([-0.0, float("inf"), 1.5, None], getattr(pa, f"float{n}")()) for n in (16, 32, 64)},
        **{str(kind): pa.array([*text, None], kind) for kind in (pa.string(), pa.large_string(), pa.string_view())},
        **{str(kind): pa.array([*raw, None], kind) for kind in (pa.binary(), pa.large_binary(), pa.binary_view())},
        "fixed": pa.array([b"abc", b"\0\0\0", b"xyz", None], pa.binary(3)),
    }
    return pa.table(columns)


def flat_times() -> Any:
    """Dates, times, durations, intervals and decimals, a null in each."""
    import pyarrow as pa

    ticks = np.array([0, -1, 2**62], "i8")
    columns: dict[str, Any] = {
        "date32": pa.array([0, -1, 18_321, None], pa.date32()),
        "date64": pa.array([0, -86_400_000, 86_400_000, None], pa.date64()),
        **{f"time32 {unit}": pa.array([0, 1, 86_399, None], pa.time32(unit)) for unit in ("s", "ms")},
        **{f"time64 {unit}": pa.array([0, 1, 86_399, None], pa.time64(unit)) for unit in ("us", "ns")},
        **{
            f"timestamp {unit}": pa.array([*ticks.tolist(), None], pa.timestamp(unit))
            for unit in ("s", "ms", "us", "ns")
        },
        "zoned": pa.array([*ticks.tolist(), None], pa.timestamp("us", "Europe/Berlin")),
        **{
            f"duration {unit}": pa.array([*ticks.tolist(), None], pa.duration(unit)) for unit in ("s", "ms", "us", "ns")
        },
        "interval": pa.array([(0, 0, 0), (1, -1, 2**62), (-5, 3, -1), None], pa.month_day_nano_interval()),
        "decimal128": pa.array([decimal.Decimal("1.50"), decimal.Decimal("-9999.99"), None, None], pa.decimal128(6, 2)),
        "decimal256": pa.array([decimal.Decimal(10**75), decimal.Decimal(-1), None, None], pa.decimal256(76, 0)),
    }
    return pa.table(columns)


def nested() -> Any:
    """Lists of each layout, structs, maps, unions, one inside the other."""
    import pyarrow as pa

    entries = [[("a", 1), ("b", None)], [], None]
    return pa.table(
        {
            "list": pa.array([[1, None], [], None], pa.list_(pa.int32())),
            "large list": pa.array([["a", None], [], None], pa.large_list(pa.string())),
            "fixed-size list": pa.array([[1, 2], [3, None], None], pa.list_(pa.int16(), 2)),
            "list view": pa.array([[1, None], [], None], pa.list_view(pa.int32())),
            "large list view": pa.array([["a"], [], None], pa.large_list_view(pa.string())),
            "struct": pa.array(
                [{"x": 1, "y": ["a"]}, {"x": None, "y": None}, None],
                pa.struct({"x": pa.int64(), "y": pa.list_(pa.string())}),
            ),
            "map": pa.array(entries, pa.map_(pa.string(), pa.int32())),
            "sorted map": pa.array(entries, pa.map_(pa.string(), pa.float64(), keys_sorted=True)),
            "sparse union": pa.UnionArray.from_sparse(
                pa.array([5, 9, 5], pa.int8()), [pa.array([1, 0, None]), pa.array(["", "b", ""])], ["i", "s"], [5, 9]
            ),
            "dense union": pa.UnionArray.from_dense(
                pa.array([5, 9, 5], pa.int8()),
                pa.array([0, 0, 1], pa.int32()),
                [pa.array([1, None]), pa.array([[1, 2]])],
                ["i", "l"],
                [5, 9],
            ),
        }
    )


def dictionaries() -> Any:
    """Codes of each width, ordered and not, values never used, null values, dictionaries within lists."""
    import pyarrow as pa

    make = pa.DictionaryArray.from_arrays
    words = pa.array(["low", "mid", "high"])
    return pa.table(
        {
            "ordered": make(pa.array([2, 0, None], pa.int8()), words, ordered=True),
            **{f"uint{n}": make(pa.array([1, None, 1], getattr(pa, f"uint{n}")()), words) for n in (8, 16, 32)},
            "int64": make(pa.array([0, 1, None], pa.int64()), pa.array([30, 10, 20])),
            "null value": make(pa.array([0, 1, None], pa.int16()), pa.array(["a", None])),
            "in lists": pa.ListArray.from_arrays(pa.array([0, 2, 2, 3]), make(pa.array([1, 0, 2], pa.int32()), words)),
        }
    )


def metadata() -> Any:
    """Metadata of the schema, of fields and their children; fields that cannot be null; an extension nobody knows."""
    import pyarrow as pa

    fields = [
        pa.field("unit", pa.int64(), metadata={"unit": "m", "": "empty key"}),
        pa.field("deep", pa.list_(pa.field("element", pa.int8(), nullable=False, metadata={"deep": "yes"}))),
        pa.field("never null", pa.float64(), nullable=False),
        pa.field(
            "extension",
            pa.binary(2),
            metadata={"ARROW:extension:name": "nobody.knows", "ARROW:extension:metadata": "é"},
        ),
    ]
    arrays = [
        pa.array([1, 2]),
        pa.array([[1], None], fields[1].type),
        pa.array([0.5, 1.5]),
        pa.array([b"ab", None], pa.binary(2)),
    ]
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields, metadata={"who": "é", "b": "2"}))


def repeated_names() -> Any:
    """A name that stands twice, one that such a name would be renamed to, and none at all."""
    import pyarrow as pa

    return pa.Table.from_arrays(
        [pa.array([1]), pa.array(["x"]), pa.array([2.5]), pa.array([True])], names=["a", "a", "a_1", ""]
    )


def batches() -> Any:
    """Three batches, the last with nulls that the others have not."""
    import pyarrow as pa

    text = [["a", "b"], ["b", "c", "a"], [None]]
    return pa.table(
        {
            "i": pa.chunked_array([[1, 2], [3, 4, 5], [None]]),
            "s": pa.chunked_array(text),
            "d": pa.chunked_array([pa.array(words, pa.string()).dictionary_encode() for words in text]),
        }
    )
