"""Defines the in-memory types. Each reaches its buffers, compares two objects, and makes a small object."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from colonnade_bench import buffers, jagged, pandas_to_objects
from colonnade_bench.registry import Registry


class Library:
    """One in-memory DataFrame type. `collect_timed`: *usable* includes the time to reach the buffers."""

    name = ""
    collect_timed = True

    def buffers(self, data: Any) -> list[Any]:
        raise NotImplementedError

    def nbytes(self, data: Any) -> int:
        """Returns the bytes of values and labels. Memory and speed are relative to this size."""
        return buffers.nbytes(self.buffers(data))

    def head(self, data: Any, nrows: int) -> Any:
        return data.iloc[:nrows]

    def labels(self, data: Any) -> list[str]:
        """Returns the names of the columns."""
        return [str(label) for label in data.columns]

    def difference(self, result: Any, original: Any) -> str | None:
        """Describes a difference (values, dtypes, labels, names), or returns None."""
        raise NotImplementedError

    def tiny(self) -> Any:
        """Returns four rows: int, bool, float, text labels. They warm imports and code paths, but not memory."""
        raise NotImplementedError


class StaticFrameLibrary(Library):
    name = "static-frame"

    def buffers(self, data: Any) -> list[Any]:
        return buffers.of_static_frame(data)

    def difference(self, result: Any, original: Any) -> str | None:
        if type(result) is not type(original):
            return f"class {type(result).__name__}, not {type(original).__name__}"
        if result.equals(original, compare_name=True, compare_dtype=True, compare_class=True):
            return None
        if result.shape != original.shape:
            return f"shape {result.shape}, not {original.shape}"
        for side in ("index", "columns"):
            a, b = getattr(result, side), getattr(original, side)
            if not a.equals(b, compare_name=True, compare_dtype=True, compare_class=True):
                return f"{side} differ"
        return "values or dtypes differ"

    def tiny(self) -> Any:
        import static_frame as sf

        arrays = [np.arange(4), np.arange(4) > 1, np.arange(4) / 7]
        return sf.Frame.from_items(zip("abc", arrays, strict=True), index=np.arange(4) * 3 + 1)


class PandasLibrary(Library):
    name = "pandas"

    def buffers(self, data: Any) -> list[Any]:
        return buffers.of_pandas(data)

    def difference(self, result: Any, original: Any) -> str | None:
        if result.shape != original.shape:
            return f"shape {result.shape}, not {original.shape}"
        for side in ("index", "columns"):
            a, b = getattr(result, side), getattr(original, side)
            if a.dtype != b.dtype or list(a.names) != list(b.names) or not a.equals(b):
                return f"{side} differ: {a.dtype} against {b.dtype}"
        if result.equals(original):
            return None
        changed = [str(k) for k in range(result.shape[1]) if result.dtypes.iloc[k] != original.dtypes.iloc[k]]
        return f"dtypes differ in columns {', '.join(changed[:8])}" if changed else "values differ"

    def tiny(self) -> Any:
        import pandas as pd

        columns = {"a": np.arange(4), "b": np.arange(4) > 1, "c": np.arange(4) / 7, "d": ["w", "x", "y", None]}
        return pd.DataFrame(columns, index=np.arange(4) * 3 + 1)


class PolarsLibrary(Library):
    """polars. It has no row labels, so the index is its first column."""

    name = "polars"
    # Reaching polars' buffers takes microseconds a column, which is no part of reading. Leaving it out favours polars.
    collect_timed = False

    def buffers(self, data: Any) -> list[Any]:
        return buffers.of_polars(data)

    def head(self, data: Any, nrows: int) -> Any:
        return data.head(nrows)

    def difference(self, result: Any, original: Any) -> str | None:
        if result.schema != original.schema:
            return "schema differs"
        return None if result.equals(original) else "values differ"

    def tiny(self) -> Any:
        import polars as pl

        return pl.DataFrame({"a": [1, 2, 3, 4], "b": [True, False, True, True], "c": [0.5, 1.5, 2.5, 3.5]})


class ArrowLibrary(Library):
    """A pyarrow Table. Compared without pandas metadata and the width of codes, which Parquet does not keep."""

    name = "pyarrow"
    collect_timed = False  # as for polars: reaching buffers takes a microsecond a column and chunk

    def buffers(self, data: Any) -> list[Any]:
        return [buffer for column in data.columns for buffer in buffers.of_arrow(column.chunks)]

    def head(self, data: Any, nrows: int) -> Any:
        return data.slice(0, nrows)

    def labels(self, data: Any) -> list[str]:
        return [str(label) for label in data.column_names]

    def difference(self, result: Any, original: Any) -> str | None:
        result, original = _codes_of_four_bytes(result), _codes_of_four_bytes(original)
        if not result.schema.equals(original.schema):
            return "schema differs"
        return None if result.equals(original) else "values differ"

    def tiny(self) -> Any:
        import pyarrow as pa

        return pa.table({"a": [1, 2, 3, 4], "b": [True, False, True, True], "d": ["w", "x", "y", None]})


def _codes_of_four_bytes(table: Any) -> Any:
    import pyarrow as pa

    for k, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            kind = pa.dictionary(pa.int32(), field.type.value_type, field.type.ordered)
            table = table.set_column(k, field.with_type(kind), table.column(k).cast(kind))
    return table


class AwkwardLibrary(Library):
    """An `ak.Array` of records, with one field a column."""

    name = "awkward"
    collect_timed = False  # as for polars and pyarrow

    def buffers(self, data: Any) -> list[Any]:
        return buffers.of_awkward(data)

    def head(self, data: Any, nrows: int) -> Any:
        import awkward as ak

        return ak.to_packed(data[:nrows])

    def difference(self, result: Any, original: Any) -> str | None:
        return jagged.difference(result, original)

    def tiny(self) -> Any:
        return jagged.from_table(ArrowLibrary().tiny())


class ColonnadeLibrary(Library):
    """A `cn.Frame`, as `cn.read` returns it before anything is decoded. It has no buffers to touch yet."""

    name = "colonnade"

    def buffers(self, data: Any) -> list[Any]:
        return []

    def nbytes(self, data: Any) -> int:
        return int(data.nbytes)

    def head(self, data: Any, nrows: int) -> Any:
        return data.head(nrows)

    def difference(self, result: Any, original: Any) -> str | None:
        return None if result.equals(original) else "values, dtypes or labels differ"

    def tiny(self) -> Any:
        import colonnade as cn

        return cn.Frame(PandasLibrary().tiny())


class ObjectsLibrary(Library):
    """Plain Python objects, one a cell, as MessagePack libraries return them. Reaching them is not part of reading."""

    collect_timed = False

    def buffers(self, data: Any) -> list[Any]:
        return []

    def nbytes(self, data: Any) -> int:
        """Counts eight bytes a cell, plus the bytes of each text."""
        texts = sum(len(value) for value in self.cells(data) if isinstance(value, str))
        return texts + 8 * sum(1 for _ in self.cells(data))

    def cells(self, data: Any) -> Iterator[Any]:
        """Yields every value."""
        raise NotImplementedError

    def difference(self, result: Any, original: Any) -> str | None:
        same = all(a == b or (a != a and b != b) for a, b in zip(self.cells(result), self.cells(original), strict=True))
        return None if same and type(result) is type(original) else "values differ"


class Lists(ObjectsLibrary):
    """A dict of lists."""

    name = "lists"

    def cells(self, data: Any) -> Iterator[Any]:
        return itertools.chain.from_iterable(data.values())

    def head(self, data: Any, nrows: int) -> Any:
        return {name: values[:nrows] for name, values in data.items()}

    def tiny(self) -> Any:
        return pandas_to_objects.to_lists(PandasLibrary().tiny())


class Maps(ObjectsLibrary):
    """A list of dicts."""

    name = "maps"

    def cells(self, data: Any) -> Iterator[Any]:
        return itertools.chain.from_iterable(row.values() for row in data)

    def head(self, data: Any, nrows: int) -> Any:
        return data[:nrows]

    def tiny(self) -> Any:
        return pandas_to_objects.to_maps(PandasLibrary().tiny())


LIBRARIES: Registry[Library] = Registry("library")
_FRAMES = (StaticFrameLibrary(), PandasLibrary(), PolarsLibrary(), ArrowLibrary(), AwkwardLibrary(), ColonnadeLibrary())
for _library in (*_FRAMES, Lists(), Maps()):
    LIBRARIES.add(_library.name, _library)
