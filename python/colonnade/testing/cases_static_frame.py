"""StaticFrame frames that must be restored equal in value, dtype, class and name: each row of the fidelity table.

``CASES`` maps a name to a function without arguments that makes the frame. ``REFUSED`` does the same for frames that
must be refused, each with a piece of the message. ``assert_identical`` compares two frames to the bit.
``is_identical_in_memory`` is a cheaper check, which may return False for equal frames.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
import static_frame as sf

from . import _static_frame_labels, cases_cells
from ._static_frame_identical import assert_identical, is_identical_in_memory
from .dtypes import DTYPES, sample

__all__ = ["CASES", "REFUSED", "assert_identical", "is_identical_in_memory"]

CASES: dict[str, Callable[[], Any]] = {}
REFUSED: dict[str, tuple[Callable[[], Any], str]] = {}


def _of_dtype(dtype: str) -> Any:
    return sf.Frame(sample(dtype, 6), columns=("x",), name=dtype)


def _repeated(arrays: Iterable[np.ndarray], **keywords: Any) -> Any:
    return sf.Frame(sf.TypeBlocks.from_blocks(arrays), **keywords)


for _dtype in DTYPES:
    CASES[f"dtype {_dtype}"] = partial(_of_dtype, _dtype)


def _case(make: Callable[[], Any]) -> Callable[[], Any]:
    CASES[make.__name__.replace("_", " ").strip()] = make
    return make


@_case
def _all_dtypes_side_by_side() -> Any:
    return _repeated([sample(dtype, 4) for dtype in DTYPES], index=tuple("abcd"), name="all")


@_case
def _nan_payloads_and_signed_zeros() -> Any:
    bits = [0x7FF8000000000001, 0xFFF8000000000000, 0x7FF0000000000001, 1 << 63, 0x7FF0000000000000]
    return sf.Frame(np.array(bits, np.uint64).view(np.float64), columns=("x",))


@_case
def _nat_in_data() -> Any:
    times = np.array(["2020-01-01", "NaT", "1600-01-01"], "M8[s]")
    return _repeated([times, times - times[0]], columns=("at", "after"))


@_case
def _text_of_any_unicode() -> Any:
    cells = np.array(["", "a\0b", "é", "日本語", "\U0001f600\U0010ffff", "x" * 500])
    return sf.Frame(cells, columns=("text",))


@_case
def _bytes_with_embedded_nul() -> Any:
    return sf.Frame(np.array([b"", b"a\0b", b"\xff\x00\xfe"]), columns=("raw",))


@_case
def _blocks_1d_and_2d_in_both_orders() -> Any:
    rows = np.arange(12, dtype=np.int16).reshape(4, 3)
    blocks = [rows, np.asfortranarray(rows * 2.5), np.array([True, False, True, False]), rows[:, :1], rows * 7]
    return _repeated(blocks, columns=range(11, 22))


@_case
def _strided_blocks() -> Any:
    wide = np.arange(48, dtype=np.float64).reshape(6, 8)
    return _repeated([wide[::2, ::3], wide[::-2, 1], wide.T[1:4, ::4]], columns=tuple("abcdef"))


@_case
def _objects_all_text() -> Any:
    return sf.Frame(np.array(["a", "", "a long text\0", "é"], dtype=object), columns=("x",))


@_case
def _objects_text_and_none() -> Any:
    cells = np.array([["a", "p"], [None, "q"], ["c", None]], dtype=object)
    return sf.Frame(cells, columns=("x", "y"), index=tuple("abc"))


@_case
def _objects_text_and_nan() -> Any:
    return sf.Frame(np.array(["a", np.nan, "c"], dtype=object), columns=("x",))


@_case
def _objects_bytes_and_none() -> Any:
    return sf.Frame(np.array([b"a\0", None, b""], dtype=object), columns=("x",))


@_case
def _objects_bool_and_none() -> Any:
    return sf.Frame(np.array([True, None, False], dtype=object), columns=("x",))


@_case
def _objects_none_only() -> Any:
    return sf.Frame(np.array([None, None], dtype=object), columns=("x",))


@_case
def _objects_between_numbers() -> Any:
    text = np.array(["a", None], dtype=object)
    return _repeated([np.arange(4).reshape(2, 2), text, np.array([0.5, 1.5]), text], columns=tuple("abcde"))


def _mixed(cells: list[Any]) -> Any:
    values = cases_cells.object_column(cells)
    values.flags.writeable = False
    return _repeated([values, np.arange(len(cells))], columns=("odd", "fine"))


for _name, _cells in cases_cells.CELLS.items():
    CASES[f"mixed objects, {_name}"] = partial(lambda cells: _mixed(cells()), _cells)


# --------------------------------------------------------------------------- shapes

for _shape in ((0, 0), (0, 3), (3, 0), (1, 1), (1, 5), (5, 1)):
    CASES[f"shape {_shape[0]} x {_shape[1]}"] = partial(
        lambda shape: sf.Frame(np.arange(shape[0] * shape[1], dtype=np.int32).reshape(shape), name="shape"), _shape
    )


@_case
def _no_rows_several_dtypes() -> Any:
    return _repeated([np.empty(0, "U3"), np.empty((0, 2), "M8[D]"), np.empty(0, object)], columns=tuple("abcd"))


@_case
def _no_columns_labelled_rows() -> Any:
    return sf.Frame(index=sf.IndexDate(("2020-01-01", "2020-01-02"), name="day"), name="empty")


@_case
def _no_rows_labelled_columns() -> Any:
    return sf.Frame(np.empty((0, 2)), columns=sf.Index(("a", "b"), name="c"), index=sf.IndexYear((), name="y"))


@_case
def _one_hundred_thousand_columns() -> Any:
    numbers, flags = np.arange(2), np.array([True, False])
    return _repeated([flags if i % 3 == 0 else numbers + i for i in range(100_000)], name="wide")


CASES.update(_static_frame_labels.CASES)

# --------------------------------------------------------------------------- refused

for _name, (_cell, _message) in cases_cells.REFUSED.items():
    REFUSED[f"object that is {_name}"] = (partial(lambda cell: _mixed(["x", cell()]), _cell), _message)
REFUSED["object of an odd type"] = (lambda: _mixed(["x", {1}]), "static-frame: column 'odd': row 1: expected None")
REFUSED["lone surrogate"] = (
    lambda: sf.Frame(np.array(["a", "\ud800"], dtype=object), columns=("odd",)),
    "column 'odd'",
)
REFUSED["name of an unknown type"] = (lambda: sf.Frame(np.arange(2), name=frozenset({1})), "frozenset")
