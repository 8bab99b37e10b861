"""Writes pandas DataFrames for R before any clock starts: plain arrays in files that base R can read.

A folder holds one file for each column and ``tables.jsonl`` with one line for each table. If R's types cannot hold a
value, the nearest one is written, and ``tables.jsonl`` notes the loss. Every engine in R starts from the same data
frames, and its own losses come on top.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

NA_INTEGER = -(2**31)
NA_REAL = 0x7FF00000000007A2
"""R's NA among doubles is a NaN with these bits."""
EXACT = 2**53
PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def hand_over(tables: Mapping[str, Any], folder: Path) -> None:
    """Writes `tables` into `folder` for R.

    Integers become integer, or numeric if they do not fit. Floats become numeric, and NaN stays. Text becomes character
    with NA. Times become POSIXct with their zone (UTC if they have none). bool becomes logical, and categories become
    factor. Row labels other than 0, 1, 2... become columns.

    Raises
    ------
    TypeError
        R's data frames have no type for a column.
    ValueError
        Text contains a NUL character, which R cannot hold.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    for number, (name, frame) in enumerate(tables.items()):
        plain = labelled(frame)
        writer = Writer(folder, number)
        columns = [writer.column(str(label), plain.iloc[:, k]) for k, label in enumerate(plain.columns)]
        lines.append({"table": name, "nrows": len(plain), "columns": columns, "lost": writer.lost})
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    (folder / "tables.jsonl").write_text(text, encoding="utf-8")


def labelled(frame: Any) -> Any:
    """Returns the frame with plain row labels. Other labels become its first columns."""
    import pandas as pd

    plain = isinstance(frame.index, pd.RangeIndex) and frame.index.name is None
    if plain and frame.index.step == 1:  # a slice of rows keeps its first label, but R counts from 1
        return frame.reset_index(drop=True)
    return frame.reset_index()


class Writer:
    """Writes the columns of one table, and notes the losses of R's types."""

    def __init__(self, folder: Path, number: int) -> None:
        self.folder, self.number = folder, number
        self.lost: list[str] = []
        self.count = 0

    def column(self, name: str, column: Any) -> dict[str, Any]:
        """Writes one column and describes how R must read its file."""
        import pandas as pd

        self.count += 1
        file = f"{self.number}-{self.count}"
        missing = np.asarray(column.isna(), dtype=bool)
        if isinstance(column.dtype, pd.CategoricalDtype):
            about = self.factor(name, column, file)
        elif isinstance(column.dtype, pd.PeriodDtype | pd.IntervalDtype | pd.SparseDtype):
            raise TypeError(f"bench: R has no type for column {name} of {column.dtype}")
        else:
            about = self.plain(name, column, missing, file)
        return {"name": name, "file": file, **about}

    def plain(self, name: str, column: Any, missing: Any, file: str) -> dict[str, Any]:
        kind = getattr(column.dtype, "kind", "O")
        if kind == "b":
            self.array(file, filled(column, missing, bool).astype("<i4"), missing)
            return {"kind": "logical"}
        if kind in "iu":
            return self.integers(name, filled(column, missing, np.dtype("u8" if kind == "u" else "i8")), missing, file)
        if kind == "f":
            numpy = isinstance(column.dtype, np.dtype)
            values = column.to_numpy() if numpy else filled(column, missing, np.float64)
            # In a NumPy array, NaN is a value. In a nullable column, a missing cell is NA.
            self.array(file, values.astype("<f8"), np.zeros_like(missing) if numpy else missing)
            return {"kind": "numeric"}
        if kind in "Mm" and not str(column.dtype).startswith(("date32", "date64")):  # Arrow's days are excluded
            return self.times(name, column, missing, file)
        return self.objects(name, column, missing, file)

    def integers(self, name: str, values: Any, missing: Any, file: str) -> dict[str, Any]:
        if not len(values) or (values.min() > NA_INTEGER and values.max() < 2**31):
            self.array(file, values.astype("<i4"), missing)
            return {"kind": "integer"}
        if ((values > EXACT) | (values < -EXACT)).any():
            self.lost.append(f"{name}: integers beyond 2^53 are rounded (R has none of 64 bits)")
        self.array(file, values.astype("<f8"), missing)
        return {"kind": "numeric"}

    def times(self, name: str, column: Any, missing: Any, file: str) -> dict[str, Any]:
        zone = column.dt.tz if column.dtype.kind == "M" else None
        utc = column if zone is None else column.dt.tz_convert("UTC").dt.tz_localize(None)
        values = utc.to_numpy()
        if values.dtype.kind not in "Mm":  # nullable columns give objects
            values = values.astype(f"{column.dtype.kind}8[ns]")
        unit = PER_SECOND[np.datetime_data(values.dtype)[0]]
        ticks = values.view("i8")
        # Converts whole seconds separately. Nanoseconds as doubles would be rounded before the division.
        rest = np.fmod(ticks, unit)
        whole = (ticks - rest) // unit
        seconds = whole + rest / unit
        back = whole * unit + np.rint((seconds - whole) * unit).astype("i8")
        if not np.array_equal(back[~missing], ticks[~missing]):
            self.lost.append(f"{name}: parts of a second are rounded (R keeps times as doubles)")
        self.array(file, seconds.astype("<f8"), missing)
        if column.dtype.kind == "M":
            return {"kind": "time", "zone": "UTC" if zone is None else str(zone)}
        return {"kind": "difference"}

    def factor(self, name: str, column: Any, file: str) -> dict[str, Any]:
        levels = [str(level) for level in column.cat.categories]
        if not all(isinstance(level, str) for level in column.cat.categories):
            self.lost.append(f"{name}: categories are text (R's levels are)")
        codes = column.cat.codes.to_numpy().astype("<i4")
        self.array(file, codes + np.int32(1), codes < 0)
        self.texts(name, f"{file}-levels", levels)
        return {"kind": "factor", "ordered": bool(column.cat.ordered), "nlevels": len(levels)}

    def objects(self, name: str, column: Any, missing: Any, file: str) -> dict[str, Any]:
        """Writes text, truth values or dates from Python objects."""
        import datetime

        values = column.to_numpy(dtype=object)
        there = values[~missing]
        if all(isinstance(value, str) for value in there):
            self.texts(name, file, [None if gone else value for value, gone in zip(values, missing, strict=True)])
            return {"kind": "text"}
        if all(isinstance(value, bool | np.bool_) for value in there):
            self.array(file, np.where(missing, False, values).astype("<i4"), missing)
            return {"kind": "logical"}
        if all(type(value) is datetime.date for value in there):
            days = np.zeros(len(values), dtype="<f8")
            days[~missing] = [value.toordinal() - 719163 for value in there]
            self.array(file, days, missing)
            return {"kind": "date"}
        kinds = sorted({type(value).__name__ for value in there})
        raise TypeError(f"bench: R's data frames have no type for column {name} of {', '.join(kinds[:4])}")

    def texts(self, name: str, file: str, values: Iterable[str | None]) -> None:
        """Writes lengths in bytes to one file (-1 for NA), and all bytes to another."""
        encoded = [None if value is None else value.encode() for value in values]
        joined = b"".join(value for value in encoded if value)
        if b"\0" in joined:
            raise ValueError(f"bench: text of column {name} has a NUL character, which R cannot hold")
        lengths = np.array([-1 if value is None else len(value) for value in encoded], dtype="<i4")
        (self.folder / f"{file}-lengths").write_bytes(lengths.tobytes())
        (self.folder / file).write_bytes(joined)

    def array(self, file: str, values: Any, missing: Any) -> None:
        """Writes one value after another, and R's NA for a missing one."""
        if missing.any():
            values = values.copy()
            if values.dtype.itemsize == 8:
                values.view("<u8")[missing] = NA_REAL  # sets the bits, because assigning a NaN may change some
            else:
                values[missing] = NA_INTEGER
        values.tofile(self.folder / file)


def filled(column: Any, missing: Any, dtype: Any) -> Any:
    """Returns the values as a NumPy array, with zero for missing ones."""
    if isinstance(column.dtype, np.dtype):
        return column.to_numpy()
    zero = {"na_value": np.dtype(dtype).type(0)} if missing.any() else {}
    return column.to_numpy(dtype=dtype, **zero)
