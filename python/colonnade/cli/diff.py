"""The command `diff`: whether two files hold the same frame, whatever their formats, and what differs first."""

import argparse
import dataclasses
import os
import stat
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

import colonnade as cn

from .._formats.options import CLASSES
from .._frame.axes import arrow_values
from .._values.terminal_text import cell_text, clean, label_text
from .extras import require_values
from .reading import format_of_file, read_options, source_of

_MOST = 10
"""Differences that are shown."""


def diff(options: argparse.Namespace) -> int:
    """``colonnade diff``: exit status 0 if the frames are equal, 1 if they differ."""
    from ..cli import FAILED, OK

    names = options.one, options.other
    if names == ("-", "-"):
        raise cn.OptionError("diff: expected at most one file from stdin, found - twice.")
    one, other = (cn.read(source_of(name), **_options_for(name, options)) for name in names)
    for frame in (one, other):
        require_values(frame)
    found = list(islice(differences(one, other), _MOST + 1))
    if not found:
        return OK
    print(f"--- {clean(names[0])}\n+++ {clean(names[1])}")
    for what, ours, theirs in found[:_MOST]:
        print(f"{clean(what)}\n- {clean(ours)}\n+ {clean(theirs)}")
    if len(found) > _MOST:
        print("... and more")
    return FAILED


def _options_for(name: str, options: argparse.Namespace) -> dict[str, Any]:
    """The options of reading that the format of this file has: those of the other file may be of another one."""
    keywords = read_options(options)
    if name == "-" or not os.path.exists(name) or stat.S_ISFIFO(os.stat(name).st_mode):
        return keywords
    format = format_of_file(name, keywords.get("format"))
    fields = {item.name for item in dataclasses.fields(CLASSES[format])} | {"format"}
    return {keyword: value for keyword, value in keywords.items() if keyword in fields}


def differences(one: cn.Frame, other: cn.Frame) -> Iterator[tuple[str, str, str]]:
    """What differs, and both sides: rows, column labels, types, row labels, then the first cell of each column.

    Two formats may keep equal values in two types: text of fixed width is equal to text of Arrow here.
    """
    ours, theirs = list(one), list(other)
    if len(one) != len(other):
        yield "number of rows", f"{len(one):,}", f"{len(other):,}"
    pairs = list(enumerate(range(len(ours))))
    if ours != theirs:
        place = {label: i for i, label in reversed(list(enumerate(theirs)))}
        pairs = [(i, place[label]) for i, label in enumerate(ours) if label in place]
        missing = [label for label in ours if label not in place]
        known = set(ours)
        extra = [label for label in theirs if label not in known]
        if missing or extra:
            yield "columns of only one side", _listed(missing), _listed(extra)
        else:
            yield "order of columns", _listed(ours), _listed(theirs)
    our_types, their_types = one.dtypes.names(), other.dtypes.names()
    for i, j in pairs:
        if _kind(our_types[i]) != _kind(their_types[j]):
            yield f"type of column {label_text(ours[i])}", our_types[i], their_types[j]
    nrows = min(len(one), len(other))
    yield from _differing_labels(one, other, nrows)
    for i, j in pairs:
        a, b = _cells(one, i, nrows), _cells(other, j, nrows)
        row = first_difference(a, b)
        if row is not None:
            yield f"row {row:,}, column {label_text(ours[i])}", cell_text(a[row]), cell_text(b[row])


def _differing_labels(one: cn.Frame, other: cn.Frame, nrows: int) -> Iterator[tuple[str, str, str]]:
    if one.index.is_auto and other.index.is_auto and one.index[:2] == other.index[:2]:
        return
    if one.index.depth != other.index.depth:
        yield "levels of row labels", str(one.index.depth), str(other.index.depth)
        return
    for level in range(one.index.depth):
        a, b = one.index.level(level)[:nrows], other.index.level(level)[:nrows]
        row = first_difference(a, b)
        if row is not None:
            where = f", level {level}" if one.index.depth > 1 else ""
            yield f"label of row {row:,}{where}", label_text(a[row]), label_text(b[row])


def first_difference(a: np.ndarray, b: np.ndarray) -> int | None:
    """The first position at which two arrays of cells differ; missing values of one kind equal each other."""
    if a.dtype.kind in "biufcmM" and b.dtype.kind in "biufcmM":
        with np.errstate(invalid="ignore"):
            differs = (a != b) & ~((a != a) & (b != b))
        return int(differs.argmax()) if differs.any() else None
    for row, (ours, theirs) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
        if ours is not theirs and not _equal(ours, theirs):
            return row
    return None


def _equal(ours: Any, theirs: Any) -> bool:
    if isinstance(ours, np.ndarray) or isinstance(theirs, np.ndarray):
        return np.array_equal(ours, theirs)
    return bool(ours == theirs) or bool(ours != ours and theirs != theirs)


def _cells(frame: cn.Frame, position: int, nrows: int) -> np.ndarray:
    column = frame._column(position).slice(0, nrows)._load().column(0)
    return column if isinstance(column, np.ndarray) else arrow_values(column)


def _kind(dtype: str) -> str:
    """A type without what only one layout has: text by any name is text, a float of Arrow is NumPy's."""
    if dtype.startswith("<U") or dtype in ("utf8", "large_utf8", "utf8_view"):
        return "text"
    return {"double": "float64", "float": "float32", "boolean": "bool"}.get(dtype, dtype)


def _listed(labels: list[Any]) -> str:
    more = f", ... ({len(labels):,} in all)" if len(labels) > 5 else ""
    return ", ".join(map(label_text, labels[:5])) + more if labels else "none"
