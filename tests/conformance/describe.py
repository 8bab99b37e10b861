"""What a frame of any library holds, as the record that `cases.json` keeps: asked of the library, not of Colonnade."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.conformance.mixed import packed
from tests.conformance.values import cells

_UNIT_CLASSES = {
    "Y": "IndexYear",
    "M": "IndexYearMonth",
    "D": "IndexDate",
    "h": "IndexHour",
    "m": "IndexMinute",
    "s": "IndexSecond",
    "ms": "IndexMillisecond",
    "us": "IndexMicrosecond",
    "ns": "IndexNanosecond",
}


def describe(data: Any) -> dict[str, Any]:
    """Shape, names, both axes and every column."""
    if isinstance(data, Mapping):
        return _of_arrays(list(data.values()), _labels(np.array(list(data))))
    if isinstance(data, np.ndarray):
        return _of_array(data)
    if type(data).__module__.startswith("static_frame"):
        return _of_static_frame(data)
    if type(data).__module__.startswith(("pyarrow", "polars")):
        from tests.conformance.describe_arrow import of_polars, of_pyarrow

        return of_pyarrow(data) if type(data).__module__.startswith("pyarrow") else of_polars(data)
    pandas = sys.modules["pandas"]
    assert isinstance(data, pandas.DataFrame), type(data)
    from tests.conformance.describe_pandas import of_pandas

    return of_pandas(data)


def record(
    library: str, shape: tuple[int, int], index: Any, columns: Any, data: list[Any], **more: Any
) -> dict[str, Any]:
    """The keys of a record, in their order."""
    head = {"library": library, "shape": list(shape), "name": more.pop("name", None), **more}
    return head | {"index": index, "columns": columns, "data": data}


def auto(start: int, stop: int, step: int, name: Any = None) -> dict[str, Any]:
    """An axis of automatic labels."""
    return {"class": "Index", "name": name, "auto": [start, stop, step]}


def levels(cls: str, name: Any, each: list[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    """An axis whose labels are stored: of each level its class and its labels."""
    return {"class": cls, "name": name, "levels": [{"class": inner, **labels} for inner, labels in each]}


def column(array: np.ndarray) -> dict[str, Any]:
    """A 1-D array: its dtype and its cells."""
    if array.dtype.kind == "O":
        return {"dtype": "large_binary", "values": [None if cell is None else packed(cell).hex() for cell in array]}
    return {"dtype": array.dtype.str, "values": cells(array)}


def index_class(dtype: np.dtype) -> str:
    """StaticFrame's class of labels of a dtype."""
    return _UNIT_CLASSES[np.datetime_data(dtype)[0]] if dtype.kind == "M" else "Index"


def tagged(name: Any) -> Any:
    """A name as JSON; what JSON has no word for is an object of one key that begins with a dollar sign."""
    if isinstance(name, tuple):
        return {"$tuple": [tagged(part) for part in name]}
    if isinstance(name, np.datetime64):
        return {"$datetime64": [str(name), np.datetime_data(name.dtype)[0]]}
    if type(name).__name__ == "date":
        return {"$date": name.isoformat()}
    assert name is None or isinstance(name, bool | int | float | str), type(name)
    return name


def _labels(array: np.ndarray) -> dict[str, Any]:
    return levels("Index", None, [("Index", column(array))])


def _of_arrays(arrays: list[np.ndarray], columns: dict[str, Any]) -> dict[str, Any]:
    nrows = len(arrays[0])
    return record("numpy", (nrows, len(arrays)), auto(0, nrows, 1), columns, [column(array) for array in arrays])


def _of_array(array: np.ndarray) -> dict[str, Any]:
    if array.dtype.names:
        each = [array[name] for name in array.dtype.names]
        descr: Any = [[name, array.dtype[name].str] for name in array.dtype.names]
        # Names of fields stand in the header: text of no width.
        labels = {"dtype": "large_utf8", "values": list(array.dtype.names)}
        out = _of_arrays(each, levels("Index", None, [("Index", labels)]))
    else:
        each = [array] if array.ndim == 1 else list(array.T)
        descr = array.dtype.str
        nrows, ncols = len(array), len(each)
        out = record("numpy", (nrows, ncols), auto(0, nrows, 1), auto(0, ncols, 1), [column(one) for one in each])
    fortran = array.flags.f_contiguous and not array.flags.c_contiguous
    return out | {"array": {"descr": descr, "fortran_order": fortran, "shape": list(array.shape)}}


def _of_static_frame(frame: Any) -> dict[str, Any]:
    data = [column(array) for array in frame.iter_array(axis=0)]
    index, columns = _static_frame_axis(frame.index), _static_frame_axis(frame.columns)
    more = {"name": tagged(frame.name), "frame_class": type(frame).__name__}
    return record("static_frame", frame.shape, index, columns, data, **more)


def _static_frame_axis(index: Any) -> dict[str, Any]:
    cls, name = type(index).__name__, tagged(index.name)
    if index.depth > 1:
        inner = [each.__name__ for each in index.index_types.values]
        arrays = [index.values_at_depth(i) for i in range(index.depth)]
        return levels(cls, name, [(one, column(array)) for one, array in zip(inner, arrays, strict=True)])
    if index._map is None:
        return auto(0, len(index), 1, name) | {"class": cls}
    return levels(cls, name, [(cls, column(index.values))])
