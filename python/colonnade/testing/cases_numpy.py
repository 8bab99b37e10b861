"""NumPy arrays and mappings that must be restored unchanged: each row of the fidelity table that NumPy can express.

``CASES`` maps a name to a function without arguments that makes the data. ``REFUSED`` does the same for data that must
be refused, each with a piece of the message. ``assert_identical`` compares two of them to the bit.
"""

import datetime as dt
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal

import numpy as np

from .cases_cells import CELLS, object_column, same_cell, same_cells
from .cases_cells import REFUSED as REFUSED_CELLS
from .dtypes import DTYPES, sample

CASES: dict[str, Callable[[], Any]] = {}
REFUSED: dict[str, tuple[Callable[[], Any], str]] = {}


def assert_identical(left: Any, right: Any) -> None:
    """Asserts the same kind, shape, dtype, order and bits, except for padding of structured arrays."""
    if isinstance(left, Mapping):
        assert isinstance(right, Mapping), type(right)
        assert list(left) == list(right), (list(left), list(right))
        assert list(map(type, left)) == list(map(type, right)), (list(left), list(right))
        for label in left:
            assert_identical(left[label], right[label])
        return
    assert isinstance(left, np.recarray) == isinstance(right, np.recarray), (type(left), type(right))
    if isinstance(left, np.ma.MaskedArray):
        assert type(left) is type(right), (type(left), type(right))
        assert np.ma.getmaskarray(left).tolist() == np.ma.getmaskarray(right).tolist(), (left, right)
        assert repr(left.fill_value) == repr(right.fill_value), (left.fill_value, right.fill_value)
        assert left.hardmask == right.hardmask
        left, right = _with_zeros(left), _with_zeros(right)
    assert left.dtype == right.dtype, (left.dtype, right.dtype)
    assert left.shape == right.shape, (left.shape, right.shape)
    if left.dtype.names is not None:
        assert left.dtype.isalignedstruct == right.dtype.isalignedstruct
        assert dict(left.dtype.fields) == dict(right.dtype.fields)
        for name in left.dtype.names:
            assert_identical(np.asarray(left[name]), np.asarray(right[name]))
        return
    if left.dtype.kind in "OT":
        cells, others = left.ravel().tolist(), right.ravel().tolist()
        if not same_cells(cells, others):
            for a, b in zip(cells, others, strict=True):
                assert same_cell(a, b), (a, b)
            raise AssertionError((cells, others))
    else:
        assert left.dtype.str == right.dtype.str, (left.dtype, right.dtype)
        assert left.tobytes() == right.tobytes(), (left, right)
    for order in ("c_contiguous", "f_contiguous"):
        assert getattr(right.flags, order) or not getattr(left.flags, order), (left.strides, right.strides)


def _with_zeros(array: Any) -> np.ndarray:
    """The data with zeros in place of the masked values, which are not kept."""
    values: np.ndarray = array.data.copy("K")
    for name in array.dtype.names or ("",):
        part, mask = (values[name], array.mask[name]) if name else (values, np.ma.getmaskarray(array))
        part[mask] = None if part.dtype.kind == "O" else np.zeros((), part.dtype)[()]
    return values


def _case(make: Callable[[], Any]) -> Callable[[], Any]:
    CASES[make.__name__.replace("_", " ").strip()] = make
    return make


# --------------------------------------------------------------------------- 1-D and 2-D


def _matrix(dtype: str, order: Literal["C", "F"]) -> np.ndarray:
    return sample(dtype, 12).reshape(4, 3).copy(order)


for _dtype in DTYPES:
    CASES[f"1-D {_dtype}"] = partial(sample, _dtype, 7)
    CASES[f"2-D {_dtype}"] = partial(_matrix, _dtype, "F")
    CASES[f"2-D row-major {_dtype}"] = partial(_matrix, _dtype, "C")

for _shape in ((0, 0), (0, 3), (3, 0), (1, 1), (1, 5), (5, 1), (0,), (1,)):
    for _dtype in ("<f8", "<M8[ns]", "|S3"):
        CASES[f"shape {_shape} {_dtype}"] = partial(np.zeros, _shape, _dtype)


@_case
def _strided_2d() -> Any:
    return np.arange(100, dtype=np.int32).reshape(10, 10)[1::2, ::-3]


@_case
def _strided_1d() -> Any:
    return np.arange(20.0)[::-3]


@_case
def _transposed() -> Any:
    return np.arange(12, dtype=np.uint16).reshape(3, 4).T


@_case
def _broadcast() -> Any:
    return np.broadcast_to(np.arange(3), (4, 3))


@_case
def _read_only() -> Any:
    return sample("<i8", 9)


@_case
def _nan_payloads() -> Any:
    return np.array([0x7FF8000000000001, 0xFFF8000000000000, 0x7FF0000000000001, 1 << 63], np.uint64).view(np.float64)


@_case
def _one_hundred_thousand_columns() -> Any:
    return np.arange(200_000).reshape(2, 100_000)


@_case
def _objects_text_and_none() -> Any:
    return np.array([["a", "b"], [None, "c\0"], ["é", None]], dtype=object)


@_case
def _objects_1d_bytes() -> Any:
    return np.array([b"", b"a\0", b"\xff"], dtype=object)


@_case
def _objects_bool_and_none() -> Any:
    return np.array([True, None, False], dtype=object)


@_case
def _objects_text_and_nan() -> Any:
    return np.array(["a", np.nan], dtype=object)


@_case
def _objects_no_rows() -> Any:
    return np.empty((0, 2), dtype=object)


for _name, _cells in CELLS.items():
    CASES[f"mixed objects, {_name}"] = partial(lambda cells: object_column(cells()), _cells)


@_case
def _mixed_objects_2d() -> Any:
    return object_column([1, "a", None, [2], b"x", (3,)]).reshape(3, 2)


# --------------------------------------------------------------------------- structured


def _structured(dtype: np.dtype, nrows: int = 5) -> np.ndarray:
    values = np.zeros(nrows, dtype)
    for name in dtype.names or ():
        values[name] = sample(dtype[name].str, nrows)
    return values


_MIXED = [("a", "<i4"), ("b", "|b1"), ("c", ">f8"), ("d", "<U3"), ("e", "<M8[us]"), ("f", "|V3")]

CASES["structured"] = partial(_structured, np.dtype(_MIXED))
CASES["structured aligned"] = partial(_structured, np.dtype(_MIXED, align=True))
CASES["structured no rows"] = partial(_structured, np.dtype(_MIXED), 0)
CASES["structured of one dtype"] = partial(_structured, np.dtype([("x", "<f8"), ("y", "<f8")]))
CASES["structured of every dtype"] = partial(_structured, np.dtype([(dtype, dtype) for dtype in DTYPES]))
CASES["structured with titles"] = partial(_structured, np.dtype([(("A title", "a"), "<i2"), (("Another", "b"), "|S2")]))
CASES["structured without fields"] = partial(np.zeros, 3, np.dtype([]))
CASES["structured with gaps, out of order"] = partial(
    _structured,
    np.dtype({"names": ["z", "y"], "formats": ["<i2", "<f4"], "offsets": [12, 3], "itemsize": 21}),
)
CASES["structured with names of any text"] = partial(
    _structured, np.dtype([(" ", "<i2"), ("a b", "<i2"), ("é\n", "<i2")])
)


@_case
def _structured_strided() -> Any:
    return _structured(np.dtype(_MIXED), 12)[::-3]


@_case
def _record_array() -> Any:
    return _structured(np.dtype([("a", "<i4"), ("b", "<f8")])).view(np.recarray)


@_case
def _structured_with_objects() -> Any:
    values = np.zeros(2, np.dtype([("a", "<i4"), ("o", "O")]))
    values["o"] = ["text", None]
    return values


@_case
def _structured_with_mixed_objects() -> Any:
    values = np.zeros(2, np.dtype([("a", "<i4"), ("o", "O")]))
    values["o"] = object_column([["text", 1], {"k": (2,)}])
    return values


# --------------------------------------------------------------------------- subarrays and masked arrays

for _dtype in ("<i2", "|b1", "<f8", ">f4", "<c16", "<M8[us]", "<m8[D]", "<U2", "|S3", "|V2"):
    CASES[f"structured subarrays {_dtype}"] = partial(
        lambda dtype: np.array(
            [(i, sample(dtype, 6).reshape(2, 3), sample(dtype, 4)) for i in range(4)],
            [("n", "<i4"), ("a", dtype, (2, 3)), ("b", dtype, 4)],
        ),
        _dtype,
    )
CASES["structured subarrays of no values"] = partial(np.zeros, 3, [("a", "<i4", (0,)), ("b", "<f8", (2, 0))])
CASES["structured subarrays without rows"] = partial(np.zeros, 0, [("a", "<i4", (2,)), ("b", "|S1", (2, 2))])


def _masked(values: np.ndarray, **options: Any) -> Any:
    mask = np.zeros(values.shape, bool)
    mask.reshape(-1)[1::3] = True
    return np.ma.MaskedArray(values, mask, **options)


# The padding of long doubles of the other byte order is not kept in a copy.
for _dtype in (dtype for dtype in DTYPES if dtype not in (">f16", ">c32")):
    CASES[f"masked 1-D {_dtype}"] = partial(lambda dtype: _masked(sample(dtype, 7)), _dtype)
    CASES[f"masked 2-D {_dtype}"] = partial(lambda dtype: _masked(_matrix(dtype, "F")), _dtype)
CASES["masked fill value, hard mask"] = lambda: _masked(np.arange(5, dtype="i2"), fill_value=-7, hard_mask=True)
CASES["masked nothing"] = lambda: np.ma.MaskedArray(np.arange(6.0).reshape(2, 3))
CASES["masked everything"] = lambda: {
    "x": np.ma.MaskedArray(np.zeros(3, "<f4"), True),
    "y": np.ma.MaskedArray(np.zeros(3, "<U3"), True),
}
CASES["masked objects"] = lambda: _masked(object_column(["a", None, 1, (2,)]))


@_case
def _masked_structured() -> Any:
    mask = [(i % 2 == 0, i == 1, False) for i in range(4)]
    fill: Any = (7, "zz", 0.5)
    return np.ma.MaskedArray(np.zeros(4, [("a", "<i4"), ("b", "<U2"), ("c", ">f8")]), mask, fill_value=fill)


# --------------------------------------------------------------------------- mappings


@_case
def _mapping() -> Any:
    return {dtype: sample(dtype, 4) for dtype in DTYPES}


@_case
def _mapping_of_nothing() -> Any:
    return {}


@_case
def _mapping_without_rows() -> Any:
    return {"a": np.empty(0, "<i2"), "b": np.empty(0, "<U4"), "c": np.empty(0, object)}


@_case
def _mapping_with_int_keys() -> Any:
    return {3: np.arange(2), -1: np.array([0.5, 1.5])}


@_case
def _mapping_with_keys_of_every_kind() -> Any:
    keys = ("a", 1, None, 2.5, b"raw", dt.date(2020, 1, 1), ("t", 2), "\0", 2**70)
    return {key: np.array([position, 0], np.int8) for position, key in enumerate(keys)}


@_case
def _mapping_of_strided_arrays() -> Any:
    table = np.arange(12, dtype=np.float32).reshape(4, 3)
    return {"a": table[:, 0], "b": table[::-1, 2], "same": table[:, 0]}


@_case
def _mapping_with_objects() -> Any:
    return {"x": np.array(["a", None], dtype=object), "y": np.arange(2)}


@_case
def _mapping_with_mixed_objects() -> Any:
    return {"x": object_column(["a", 1, (2,)]), "y": np.arange(3), "z": object_column([{"k": 1}, None, 2.5])}


if hasattr(np.dtypes, "StringDType"):
    CASES["StringDType"] = lambda: np.array(["a", "", "é\0", "x" * 100], np.dtypes.StringDType())
    CASES["StringDType with None"] = lambda: np.array(["a", None], np.dtypes.StringDType(na_object=None))
    CASES["StringDType with NaN"] = lambda: np.array([["a", np.nan]], np.dtypes.StringDType(na_object=np.nan))
    CASES["StringDType without coercion"] = lambda: {"s": np.array(["a"], np.dtypes.StringDType(coerce=False))}

# --------------------------------------------------------------------------- refused

REFUSED["0-d"] = (lambda: np.array(1.0), "shape ()")
REFUSED["3-d"] = (lambda: np.zeros((2, 3, 4)), "shape (2, 3, 4)")
REFUSED["matrix"] = (lambda: np.zeros((2, 2)).view(np.matrix), "found matrix")
for _name, (_cell, _message) in REFUSED_CELLS.items():
    REFUSED[f"object that is {_name}"] = (partial(lambda cell: object_column(["x", cell()]), _cell), _message)
REFUSED["object in a mapping"] = (
    lambda: {"ok": np.arange(2), "odd": np.array([1, {2}], object)},
    "column 'odd': row 1",
)
REFUSED["subarray of objects"] = (lambda: np.zeros(2, [("a", "O", (2,))]), "field 'a'")
REFUSED["nested field"] = (lambda: np.zeros(2, [("a", [("b", "<i4")])]), "field 'a'")
REFUSED["2-D structured"] = (lambda: np.zeros((2, 2), [("a", "<i4")]), "shape (2, 2)")
REFUSED["unequal lengths"] = (lambda: {"a": np.arange(2), "b": np.arange(3)}, "expected 2 rows")
REFUSED["2-D column"] = (lambda: {"a": np.zeros((2, 2))}, "shape (2, 2)")
REFUSED["list of objects"] = (lambda: {"a": [1, object()]}, "column 'a'")
