"""The keys of a part as columns of its frames."""

from typing import Any

import numpy as np

from .. import _core
from .._frame.frame import Frame
from ..errors import UnsupportedError
from .hive import Keys


def with_keys(frame: Frame, keys: Keys) -> Frame:
    """The frame with a column for each key that it has no column of. Each has the same value in all rows.

    Raises
    ------
    UnsupportedError
        The column labels are hierarchical, so that the name of a key is no label.
    """
    labels = list(frame.columns)
    new = {name: value for name, value in keys.items() if name not in labels}
    if not new:
        return frame
    core = frame._load()
    if any(not isinstance(label, str) for label in labels):
        raise UnsupportedError(
            f"dataset: expected column labels of text beside the keys {', '.join(new)}, found {labels[0]!r}. "
            "Pass partitioning=None."
        )
    constant = _core.keep_rows(_row(new), np.zeros(core.nrows, np.int64), _core.Axis.auto(0, core.nrows, 1))
    builder = _core.FrameBuilder(core.nrows, core.ncols + constant.ncols)
    at = 0
    for part in (core, constant):
        for column in part.arrays():
            if isinstance(column, np.ndarray):
                at = builder.add_arrays([column], at)
            else:
                builder.add_arrow(at, column)
                at += 1
    columns = Frame(dict.fromkeys([*labels, *new], np.zeros(0)))._load().columns
    return Frame._make(builder.finish(core.index, columns, core.name, core.attrs, core.origin))


def _row(values: dict[str, Any]) -> _core.CoreFrame:
    return Frame({name: np.array([value]) if isinstance(value, np.generic) else [value] for name, value in values.items()})._load()
