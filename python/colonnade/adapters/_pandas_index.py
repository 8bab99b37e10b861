"""Converts the two indexes of a DataFrame to the axes of a core frame, and back.

A flat index is one level. A MultiIndex is several levels, each with its full labels. The axis' meta, ``{"pandas":
[...]}``, has an entry for each level. It holds the facts that a NumPy dtype lacks: a zone, a frequency, object or
string dtype.
"""

import contextlib
from typing import Any

import numpy as np
import pandas as pd

from .._core import ArrowColumn, Axis, ColonnadeError, DecodeError, EncodeError
from .._values import tagged_labels
from ._pandas_arrays import MISFITS, freq_to_text
from ._pandas_levels import MISSING_TAG, array_from_level, level_from_index, pin_freq


def axis_from_index(index: pd.Index, where: str) -> Axis:
    """The axis of a pandas index."""
    if isinstance(index, pd.MultiIndex):
        return _axis_from_multi(index, where)
    name = tagged_labels.encode(index.name)
    if isinstance(index, pd.RangeIndex):
        return Axis.auto(index.start, index.stop, index.step, "Index", name)
    labels, cls, meta = level_from_index(index, f"pandas: {where}")
    return Axis.levels([labels], [cls], cls, name, None if meta is None else tagged_labels.encode({"pandas": [meta]}))


def index_from_axis(axis: Axis, where: str) -> pd.Index:
    """The pandas index of an axis, whichever library wrote it."""
    try:
        name = tagged_labels.decode(axis.name)
        if axis.is_auto:
            return pd.RangeIndex.from_range(range(*axis.range), name=_hashable(name, where))
        meta = {} if axis.meta is None else tagged_labels.decode(axis.meta)
        levels = meta.get("pandas") or [None] * axis.depth
        if axis.depth == 1 and not meta.get("multi"):
            return _flat(axis, 0, levels[0], where, _hashable(name, where))
        indexes = [_flat(axis, i, levels[i], f"{where} level {i}", None) for i in range(axis.depth)]
        names = name if isinstance(name, tuple | list) and len(name) == axis.depth else [None] * axis.depth
        return _multi(indexes, levels, [_hashable(part, where) for part in names])
    except (ColonnadeError, ImportError):
        raise
    except MISFITS as error:
        raise DecodeError(f"pandas: {where}: the meta data of the labels does not fit them: {error}") from error


# --------------------------------------------------------------------------- flat
def _flat(axis: Axis, i: int, meta: dict[str, Any] | None, where: str, name: Any) -> Any:
    level = axis.level(i, writable=True)
    if isinstance(level, ArrowColumn) and level.tag == MISSING_TAG:
        return level
    array = array_from_level(level, meta, where)
    dtype = object if array.dtype == object else None
    index = pd.Index(array, dtype=dtype, copy=False, name=name, tupleize_cols=False)
    if meta is not None and "freq" in meta and not isinstance(index, pd.PeriodIndex):
        pin_freq(index, meta)
    return index


def _hashable(name: Any, where: str = "index") -> Any:
    """Converts a list, which StaticFrame may store for a tuple, to a tuple: pandas' names must be hashable."""
    found = _tupled(name)
    try:
        hash(found)
    except TypeError:
        raise EncodeError(
            f"pandas: name of {where}: expected a name that can be hashed, found {name!r:.60}. "
            "Read the file with to_arrow() or to_numpy(), or write it again with another name."
        ) from None
    return found


def _tupled(name: Any) -> Any:
    return tuple(map(_tupled, name)) if isinstance(name, list | tuple) else name


# --------------------------------------------------------------------------- hierarchical
def _axis_from_multi(index: pd.MultiIndex, where: str) -> Axis:
    arrays, classes, metas = [], [], []
    for i in range(index.nlevels):
        place = f"pandas: {where} level {i}"
        labels, level_cls, level_meta = _level_of_multi(index, i, place)
        arrays.append(labels)
        classes.append(level_cls)
        metas.append(level_meta)
    names = tuple(index.names)
    meta: dict[str, Any] = {}
    if any(entry is not None for entry in metas):
        meta["pandas"] = metas
    if index.nlevels == 1:
        meta["multi"] = True
    name = tagged_labels.encode(names if any(name is not None for name in names) else None)
    cls = classes[0] if index.nlevels == 1 else "IndexHierarchy"
    return Axis.levels(arrays, classes, cls, name, tagged_labels.encode(meta) if meta else None)


def _level_of_multi(index: pd.MultiIndex, i: int, where: str) -> tuple[Any, str, dict[str, Any] | None]:
    level, codes = index.levels[i], np.asarray(index.codes[i])
    missing = codes < 0
    freq = getattr(level, "freq", None)
    if not missing.any():
        full = level.take(codes)
    elif isinstance(level.dtype, np.dtype) and level.dtype.kind in "biu":
        # get_level_values would convert these to floats or objects, because the dtype has no NaN.
        values = level._values.take(np.where(missing, 0, codes)) if len(level) else np.zeros(len(codes), level.dtype)
        return ArrowColumn.from_masked(values, missing, MISSING_TAG), "Index", None
    else:
        # The public get_level_values would treat i as a name if a level has that name (1 and True included).
        full = index._get_level_values(i)
    labels, cls, meta = level_from_index(full, where)
    if freq is not None and not isinstance(level, pd.PeriodIndex):
        meta = {**(meta or {"kind": "time"}), "freq": freq_to_text(freq, where)}
    if missing.any() and isinstance(level, pd.IntervalIndex) and level.dtype.subtype.kind in "iu":
        # With NaN the bounds become floats, so the meta keeps their integer dtype.
        if len(level) and max(abs(int(level.left.min())), abs(int(level.right.max()))) > 2**53:
            raise EncodeError(f"{where}: intervals beyond 2^53 in a level with missing labels are not held exactly.")
        meta = {**(meta or {}), "subtype": str(level.dtype.subtype)}
    return labels, cls, meta


def _multi(indexes: list[Any], metas: list[dict[str, Any] | None], names: Any) -> pd.MultiIndex:
    levels, codes = [], []
    for index, meta in zip(indexes, metas, strict=True):
        code, level = _missing_factors(index) if isinstance(index, ArrowColumn) else _factors(index)
        if meta is not None and "freq" in meta and not isinstance(level, pd.PeriodIndex):
            with contextlib.suppress(ValueError):  # A selection of rows may have gaps.
                level.freq = meta["freq"]
        if meta is not None and "subtype" in meta and isinstance(level, pd.IntervalIndex):
            whole = level.astype(pd.IntervalDtype(meta["subtype"], level.closed))
            if not (np.array_equal(whole.left, level.left) and np.array_equal(whole.right, level.right)):
                raise ValueError(f"expected bounds that {meta['subtype']} holds exactly")
            level = whole
        levels.append(level)
        codes.append(code)
    return pd.MultiIndex(levels=levels, codes=codes, names=list(names), verify_integrity=False)


def _factors(index: pd.Index) -> tuple[np.ndarray, pd.Index]:
    """Codes and sorted distinct labels, as MultiIndex.from_arrays makes them. A categorical keeps all categories."""
    if isinstance(index, pd.CategoricalIndex):
        every = np.arange(len(index.categories), dtype=index.codes.dtype)
        return index.codes, pd.CategoricalIndex(pd.Categorical.from_codes(every, dtype=index.dtype))
    try:
        codes, level = index.factorize(sort=True)
    except TypeError:  # The labels have no common order.
        codes, level = index.factorize(sort=False)
    return codes, level


def _missing_factors(column: ArrowColumn) -> tuple[np.ndarray, pd.Index]:
    values, missing = column.values(), column.mask()
    if missing is None:
        return _factors(pd.Index(values))
    codes = np.full(len(values), -1, dtype=np.intp)
    codes[~missing], level = _factors(pd.Index(values[~missing]))
    return codes, level
