"""DataFrames that must be refused when they are written: name -> a function that makes one, a piece of the message."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd

from .cases_cells import REFUSED as REFUSED_CELLS
from .cases_cells import object_column


def _objects(cells: list[Any]) -> Callable[[], pd.DataFrame]:
    def make() -> pd.DataFrame:
        return pd.DataFrame({"fine": range(len(cells)), "bad": pd.Series(object_column(cells), dtype=object)})

    return make


def _with_attrs(attrs: dict[Any, Any]) -> pd.DataFrame:
    frame = pd.DataFrame({"a": [1]})
    frame.attrs = attrs
    return frame


REFUSED: dict[str, tuple[Callable[[], pd.DataFrame], str]] = {
    "lone surrogates": (_objects(["a", "\ud800"]), "'bad'"),
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

for _name, (_cell, _message) in REFUSED_CELLS.items():
    REFUSED[f"object that is {_name}"] = (partial(lambda cell: _objects(["x", cell()])(), _cell), _message)
REFUSED["object of an odd type"] = (_objects(["x", 1, object()]), "pandas: column 'bad': row 2: expected None, bool")
