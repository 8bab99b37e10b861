"""StaticFrame frames of every index class, every kind of label and name: part of `cases_static_frame`."""

import datetime as dt
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import static_frame as sf

from .dtypes import DTYPES, sample

CASES: dict[str, Callable[[], Any]] = {}

DATED = {
    "Year": "Y",
    "YearMonth": "M",
    "Date": "D",
    "Hour": "h",
    "Minute": "m",
    "Second": "s",
    "Millisecond": "ms",
    "Microsecond": "us",
    "Nanosecond": "ns",
}


def _case(make: Callable[[], Any]) -> Callable[[], Any]:
    CASES[make.__name__.replace("_", " ").strip()] = make
    return make


def _repeated(arrays: list[np.ndarray], **keywords: Any) -> Any:
    return sf.Frame(sf.TypeBlocks.from_blocks(arrays), **keywords)


# --------------------------------------------------------------------------- labels


def _labelled(index: Any, columns: Any = None, cls: Any = sf.Frame, name: Any = None) -> Any:
    width = 2 if columns is None else len(columns)
    values = np.arange(len(index) * width, dtype=np.int64).reshape(len(index), width)
    return cls(values, index=index, columns=columns, own_index=True, own_columns=columns is not None, name=name)


def _dated(cls: str, *, mutable: bool) -> Any:
    ticks = np.array([-3, 0, 18_000, 7], np.int64).astype(f"M8[{DATED[cls.removeprefix('Index')]}]")
    rows = getattr(sf, cls)(ticks[::-1], name=("level", 1))
    columns = getattr(sf, cls + "GO" if mutable else cls)(ticks[:3], name=dt.date(2020, 1, 2))
    return _labelled(rows, columns, sf.FrameGO if mutable else sf.Frame)


for _stem in DATED:
    CASES[f"Index{_stem}"] = partial(_dated, f"Index{_stem}", mutable=False)
    CASES[f"Index{_stem}GO"] = partial(_dated, f"Index{_stem}", mutable=True)

for _dtype in DTYPES:
    if np.dtype(_dtype).kind not in "MVb" and _dtype != "<m8":  # StaticFrame cannot map labels of these dtypes.
        CASES[f"labels {_dtype}"] = partial(
            lambda dtype: _labelled(sf.Index(np.unique(sample(dtype, 6))[:3], name=dtype)), _dtype
        )

_OBJECT_LABELS: dict[str, tuple[Any, ...]] = {
    "text as objects": ("a", "bc", ""),
    "bytes as objects": (b"a", b"b\0", b""),
    "text and None": ("a", None, "c"),
    "mixed": (None, "a", 3, 2.5, True, b"x", dt.date(2020, 1, 1), (1, "two")),
    "tuples": ((1, "a"), (2, "b")),
    "dates": (dt.date(2020, 1, 1), dt.date(1999, 12, 31)),
    "big integers": (2**70, -(2**70)),
    "not a number": (float("nan"), float("inf"), 0.5),
}


def _objects(labels: tuple[Any, ...]) -> Any:
    values = np.empty(len(labels), dtype=object)
    for position, label in enumerate(labels):
        values[position] = label
    values.flags.writeable = False
    return _labelled(sf.Index(values, name="rows"), sf.Index(values, name="columns"))


for _name, _cells in _OBJECT_LABELS.items():
    CASES[f"object labels: {_name}"] = partial(_objects, _cells)


@_case
def _automatic_labels() -> Any:
    return sf.Frame(np.arange(6).reshape(3, 2))


@_case
def _automatic_labels_with_names() -> Any:
    frame = sf.Frame(np.arange(6).reshape(3, 2))
    return sf.Frame(frame, index=frame.index.rename("i"), columns=frame.columns.rename(("j", 2)), own_index=True)


@_case
def _automatic_labels_grow_only() -> Any:
    return sf.FrameGO(np.arange(6).reshape(3, 2), name="go")


@_case
def _labels_zero_to_n_given() -> Any:
    return _labelled(sf.Index(np.arange(3), name="given"), sf.Index(np.array([1, 0])))


@_case
def _duplicate_free_labels_with_nat() -> Any:
    return _labelled(sf.IndexDate(np.array(["NaT", "2020-01-01"], "M8[D]")))


# --------------------------------------------------------------------------- hierarchies


@_case
def _the_article_frame() -> Any:
    """3 x 4, hierarchical on both sides, names p, q, r: the frame of the article that first described the format."""
    months = np.array(["2012-03", "2012-03", "2012-04"], "M8[M]")
    rows = sf.IndexHierarchy.from_labels(
        zip(months, ("x", "y", "x"), strict=True), index_constructors=(sf.IndexYearMonth, sf.Index), name="r"
    )
    columns = sf.IndexHierarchy.from_labels((("data", "A"), ("data", "B"), ("data", "C"), ("valid", "*")), name="q")
    blocks = [np.array([[5, 4, 7], [9, 1, 8], [3, 6, 2]]), np.array([False, True, True])]
    return _repeated(blocks, index=rows, columns=columns, name="p")


def _hierarchy(cls: Any, frame: Any) -> Any:
    rows = sf.IndexHierarchy.from_product(
        sf.IndexDate(("2020-01-01", "2021-06-30")),
        sf.Index((1, 2)),
        sf.IndexNanosecond(np.array([0, 10**15], "M8[ns]")),
        name=("day", "n", None),
    )
    columns = cls.from_labels(
        (("a", 1, "2020"), ("a", 2, "2020"), ("b", 1, "1999")), index_constructors=_levels(cls), name="columns"
    )
    return _labelled(rows, columns, frame)


def _levels(cls: Any) -> tuple[Any, ...]:
    if cls is sf.IndexHierarchy:
        return sf.Index, sf.Index, sf.IndexYear
    return sf.IndexGO, sf.IndexGO, sf.IndexYearGO


CASES["IndexHierarchy of three levels"] = partial(_hierarchy, sf.IndexHierarchy, sf.Frame)
CASES["IndexHierarchyGO of three levels"] = partial(_hierarchy, sf.IndexHierarchyGO, sf.FrameGO)


@_case
def _hierarchy_with_object_labels() -> Any:
    outer = sf.Index(np.array(["a", None], dtype=object))
    return _labelled(sf.IndexHierarchy.from_product(outer, sf.Index((1, 2))))


@_case
def _hierarchy_of_named_levels() -> Any:
    rows = sf.IndexHierarchy.from_product(sf.Index((1, 2), name="one"), sf.Index(("a", "b"), name="two"))
    return _labelled(rows, name="named")


@_case
def _hierarchy_of_named_levels_without_a_name() -> Any:
    rows = sf.IndexHierarchy.from_product(sf.Index((1, 2), name="one"), sf.Index(("a", "b"), name="two"))
    return _labelled(rows.rename(None))


@_case
def _hierarchy_with_a_name_that_repeats() -> Any:
    return _labelled(sf.IndexHierarchy.from_labels(((1, 2), (3, 4)), name=("a", "a")))


@_case
def _hierarchy_without_rows() -> Any:
    rows = sf.IndexHierarchy.from_product(sf.Index((1, 2)), sf.IndexDate(("2020-01-01",)))
    return _labelled(rows).iloc[:0]


# --------------------------------------------------------------------------- names and classes

_NAMES: dict[str, Any] = {
    "none": None,
    "text": "a name with é",
    "empty text": "",
    "int": 3,
    "big int": 2**80,
    "float": 0.1,
    "bool": True,
    "infinity": float("-inf"),
    "bytes": b"\x00\xff",
    "date": dt.date(2020, 2, 29),
    "datetime": dt.datetime(2020, 2, 29, 1, 2, 3, 4),
    "datetime64": np.datetime64("2020-02", "M"),
    "tuple": ("a", 1, None),
    "nested tuple": (("a", (1, dt.date(2020, 1, 1))), (), np.datetime64("2020-01-01T00:00:00.000000001")),
    "text that looks like a date": "np.datetime64('2020-01-01')",
}


def _named(name: Any) -> Any:
    index, columns = sf.Index(("a", "b"), name=name), sf.Index((True, False), name=(name, name))
    return _labelled(index, columns, name=name)


for _name, _value in _NAMES.items():
    CASES[f"name: {_name}"] = partial(_named, _value)

for _cls in (sf.Frame, sf.FrameGO, sf.FrameHE):
    CASES[f"class {_cls.__name__}"] = partial(
        lambda cls: cls.from_dict({"a": (1, 2), "b": ("x", "y")}, name="classed", index=("p", "q")), _cls
    )


@_case
def _grow_only_after_growing() -> Any:
    frame = sf.FrameGO(np.arange(4).reshape(2, 2), columns=("a", "b"))
    frame["c"] = np.array(["x", "y"])
    return frame
