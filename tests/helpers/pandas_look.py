"""Our files as pandas sees them, compared with what it sees in its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest

# Where pandas' reader sees another thing in our file than in its own; by the beginning of the case's name.
OTHERWISE = {
    "object": "a column of objects without one value has the type of text",
    "mixed objects": "cells of several kinds are bytes to others",
    "no rows of every kind": "the same, without rows",
    "everything at once": "the same, among others",
    "columns": "labels that are no text are seen as text",
    "arrow labels": "column labels are plain text",
    "arrow string_view": "pandas cannot compare them",
    "arrow binary_view": "pandas cannot compare them",
    "index object": "labels of mixed objects are seen as our JSON of them",
    "index dates": "the same",
    "index interval of times": "intervals of zoned times are seen as structs",
    "index hierarchical of one level": "the name of its one level is a tuple's",
    "names True": "the name of column labels is text",
}

RANGES = [pd.RangeIndex(3), pd.RangeIndex(5, 11, 2, name="odd"), pd.RangeIndex(2, -1, -1)]


def assert_seen_alike(
    name: str, found: Callable[[], pd.DataFrame], wanted: pd.DataFrame, otherwise: Mapping[str, str]
) -> None:
    """The frame is the wanted one; an expected failure where `otherwise` has a reason for the case of that name."""
    try:
        pd.testing.assert_frame_equal(found(), wanted, check_exact=True)
    except Exception:
        reason = next((why for start, why in otherwise.items() if name.startswith(start)), None)
        if reason is None:
            raise
        pytest.xfail(reason)


def assert_one_field_each(frame: pd.DataFrame, table: Any) -> None:
    """One field a column and one a stored level, in their order, nothing left out."""
    stored = 0 if isinstance(frame.index, pd.RangeIndex) else frame.index.nlevels
    assert table.num_rows == len(frame)
    assert table.num_columns == frame.shape[1] + stored
    assert len(set(table.column_names)) == table.num_columns


def labelled() -> pd.DataFrame:
    """Columns with a name, and two levels of which one has none: stored as x and __index_level_1__."""
    index = pd.MultiIndex.from_product([["b", "a"], [1, 2]], names=["x", None])
    frame = pd.DataFrame({"v": np.arange(4), "w": list("abcd")}, index=index)
    frame.columns.name = "what"
    return frame
