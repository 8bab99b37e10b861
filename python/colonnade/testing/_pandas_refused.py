"""DataFrames that must be refused when they are written: name -> a function that makes one, a piece of the message."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd


def _objects(cells: list[Any]) -> Callable[[], pd.DataFrame]:
    def make() -> pd.DataFrame:
        values = np.empty(len(cells), dtype=object)
        values[:] = cells
        return pd.DataFrame({"fine": range(len(cells)), "bad": pd.Series(values, dtype=object)})

    return make


def _with_attrs(attrs: dict[Any, Any]) -> pd.DataFrame:
    frame = pd.DataFrame({"a": [1]})
    frame.attrs = attrs
    return frame


REFUSED: dict[str, tuple[Callable[[], pd.DataFrame], str]] = {
    "mixed objects": (_objects(["a", 1]), "'bad'"),
    "object ints": (_objects([1, 2]), "'bad'"),
    "object float among text": (_objects(["a", 1.5]), "'bad'"),
    "objects that are lists": (_objects([[1], [2, 3]]), "'bad'"),
    "objects that are dicts": (_objects([{"a": 1}, None]), "'bad'"),
    "NaT among text": (_objects(["a", pd.NaT]), "'bad'"),
    "NumPy text cells": (_objects([np.str_("a"), "b"]), "'bad'"),
    "lone surrogates": (_objects(["a", "\ud800"]), "'bad'"),
    "sparse": (lambda: pd.DataFrame({"bad": pd.arrays.SparseArray([0.0, 1.0])}), "densify_sparse"),
    "attrs of an odd type": (lambda: _with_attrs({"fine": 1, "bad": object()}), "'bad'"),
    "a name of an odd type": (lambda: pd.DataFrame({"a": [1]}, index=pd.Index([1], name=frozenset([1]))), "frozenset"),
    "a label of an odd type": (
        lambda: pd.DataFrame([[1]], columns=pd.Index([frozenset([1])], dtype=object)),
        "frozenset",
    ),
    "a custom frequency": (
        lambda: pd.DataFrame({"a": [1, 2]}, index=pd.date_range("2020-01-01", periods=2, freq=pd.DateOffset(months=1))),
        "freq",
    ),
}
