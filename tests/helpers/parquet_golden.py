"""What the tests of Parquet files of other projects compare: hyparquet's golden rows, and its golden metadata."""

import datetime
import decimal
import math
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


def golden_difference(table: Any, rows: Sequence[Sequence[Any]]) -> str | None:
    """Where a pyarrow Table differs from rows of JSON, or None.

    JSON knows fewer kinds of values than Parquet: bytes are text, times are text to the millisecond, decimals numbers.
    """
    found = [list(row.values()) for row in as_rows(table)]
    if len(found) != len(rows):
        return f"{len(found)} rows, {len(rows)} expected"
    for number, (a, b) in enumerate(zip(found, rows, strict=True)):
        if len(a) != len(b):
            return f"{len(a)} columns, {len(b)} expected"
        for column, (x, y) in enumerate(zip(a, b, strict=True)):
            if not same(x, y):
                return f"row {number}, column {column}: {x!r}, expected {y!r}"
    return None


def as_rows(table: Any) -> list[dict[str, Any]]:
    """Rows of Python's own values; times are nanoseconds since 1970, with what says so."""
    import pyarrow as pa

    columns: dict[str, list[Any]] = {}
    for field, column in zip(table.schema, table.columns, strict=True):
        if pa.types.is_timestamp(field.type):
            scale = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}[field.type.unit]
            counts = column.cast(pa.timestamp(field.type.unit)).cast(pa.int64()).to_pylist()
            columns[field.name] = [None if count is None else Time(count * scale) for count in counts]
        else:
            columns[field.name] = column.to_pylist()
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


class Time(int):
    """Nanoseconds since 1970."""


def same(found: Any, golden: Any) -> bool:
    """Whether a value is what JSON says."""
    if isinstance(found, Time | datetime.datetime | datetime.date):
        return isinstance(golden, str) and same_time(found, golden)
    if isinstance(found, datetime.time):
        micros = ((found.hour * 60 + found.minute) * 60 + found.second) * 10**6 + found.microsecond
        return golden in (micros, micros // 1000, micros * 1000)
    if isinstance(found, bytes | uuid.UUID | str):
        return same_bytes(found, golden)
    if found == [] and golden is None:
        return True  # hyparquet's word for a repeated field that is not there
    if isinstance(found, bool) or isinstance(golden, bool) or golden is None or found is None:
        return found is golden or (golden is None and isinstance(found, float) and math.isnan(found))
    if isinstance(found, int) and isinstance(golden, int):
        return found == golden
    if isinstance(found, int | float | decimal.Decimal):
        return isinstance(golden, int | float) and math.isclose(float(found), golden, rel_tol=1e-7, abs_tol=1e-30)
    if isinstance(found, Mapping):
        # hyparquet leaves out of a struct what is null.
        return isinstance(golden, Mapping) and all(same(found.get(k), golden.get(k)) for k in {*found, *golden})
    if found and isinstance(found[0], tuple) and isinstance(golden, Mapping):
        return same({str(key): value for key, value in found}, golden)
    if not found and golden == {}:
        return True  # a map of nothing
    return isinstance(golden, list) and len(found) == len(golden) and all(map(same, found, golden))


def same_time(found: Any, golden: str) -> bool:
    """To the millisecond, which is all that JavaScript keeps."""
    told = datetime.datetime.fromisoformat(golden)
    told = told if told.tzinfo else told.replace(tzinfo=datetime.UTC)
    millis = (told - EPOCH) // datetime.timedelta(milliseconds=1)
    if isinstance(found, Time):
        return millis == found // 10**6
    if not isinstance(found, datetime.datetime):
        found = datetime.datetime(found.year, found.month, found.day)
    found = found if found.tzinfo else found.replace(tzinfo=datetime.UTC)
    return millis == (found - EPOCH) // datetime.timedelta(milliseconds=1)


def same_bytes(found: Any, golden: Any) -> bool:
    if isinstance(found, uuid.UUID):
        return golden == str(found)
    if isinstance(golden, list):
        return list(found) == golden
    text = found if isinstance(found, str) else None
    if isinstance(found, bytes):
        if len(found) == 16 and isinstance(golden, str) and golden == str(uuid.UUID(bytes=found)):
            return True
        text = found.decode("utf-8", "replace")
    return text == golden
