"""The quick comparisons of the matrix: what differs in one bit, type or name they never call the same."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.helpers.each import each

pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

import pandas as pd
import pyarrow as pa

from colonnade.testing import cases_pandas, cases_pyarrow
from colonnade.testing._arrow_cells import cells
from colonnade.testing.cases_cells import CELLS, object_column, pandas_cells, same_cell, same_cells


def _nan(payload: int, dtype: str = "f8") -> Any:
    width = np.dtype(dtype).itemsize
    quiet = {2: 0x7E00, 4: 0x7FC00000, 8: 0x7FF8000000000000}[width]
    return np.array([quiet | payload], f"u{width}").view(dtype)


def _objects(*values: Any) -> pd.DataFrame:
    return pd.DataFrame({"o": pd.Series(object_column(list(values)), dtype=object)})


def _arrow(array: Any) -> pd.DataFrame:
    return pd.DataFrame({"a": pd.arrays.ArrowExtensionArray(array)})


def _codes(*categories: Any, ordered: bool = False, codes: tuple[int, ...] = (0, 1, -1)) -> pd.DataFrame:
    dtype = pd.CategoricalDtype(pd.Index(categories), ordered=ordered)
    return pd.DataFrame({"c": pd.Categorical.from_codes(list(codes), dtype=dtype)})


def _with(**said: Any) -> pd.DataFrame:
    frame = pd.DataFrame({"a": [1, 2]})
    for name, value in said.items():
        setattr(frame, name, value)
    return frame


def _named(index: Any = None, columns: Any = None) -> pd.DataFrame:
    return pd.DataFrame({"a": [1, 2]}).rename_axis(index=index, columns=columns)


def _zone(unit: str, zone: Any) -> pd.DataFrame:
    return pd.DataFrame({"t": pd.DatetimeIndex(["2020-01-01", None], tz=zone).as_unit(unit)})


def _days(freq: str | None) -> pd.DataFrame:
    return pd.DataFrame({"a": range(3)}, index=pd.DatetimeIndex(["2020-01-01", "2020-01-02", "2020-01-03"], freq=freq))


def _masked(values: Any) -> pd.DataFrame:
    return pd.DataFrame({"f": pd.arrays.FloatingArray(np.array([*values, 1.0]), np.array([False, True]))})


def _struct(value: float) -> Any:
    return pa.array([{"x": value}, None], pa.struct([("x", pa.float64())]))


# Of each pair, two frames with one difference that `assert_identical` tells.
PAIRS: dict[str, Callable[[], tuple[pd.DataFrame, pd.DataFrame]]] = {
    "payload of NaN": lambda: (pd.DataFrame(_nan(0)), pd.DataFrame(_nan(1))),
    "payload of NaN, float32": lambda: (pd.DataFrame(_nan(0, "f4")), pd.DataFrame(_nan(1, "f4"))),
    "payload of NaN, complex": lambda: (pd.DataFrame(_nan(0) * 1j + 0), pd.DataFrame((_nan(0) * 1j + 0).conj())),
    "sign of zero": lambda: (pd.DataFrame([0.0]), pd.DataFrame([-0.0])),
    "dtype": lambda: (pd.DataFrame([1], dtype="i4"), pd.DataFrame([1], dtype="i8")),
    "signedness": lambda: (pd.DataFrame([1], dtype="u8"), pd.DataFrame([1], dtype="i8")),
    "nullable dtype": lambda: (pd.DataFrame([1], dtype="Int64"), pd.DataFrame([1], dtype="int64")),
    "value": lambda: (pd.DataFrame([1, 2]), pd.DataFrame([1, 3])),
    "label of a column": lambda: (pd.DataFrame({"a": [1]}), pd.DataFrame({"b": [1]})),
    "type of a label": lambda: (
        pd.DataFrame([[1, 2]], columns=pd.Index([1, "x"], dtype=object)),
        pd.DataFrame([[1, 2]], columns=pd.Index([True, "x"], dtype=object)),
    ),
    "class of an index": lambda: (pd.DataFrame({"a": [1, 2]}), pd.DataFrame({"a": [1, 2]}, index=[0, 1])),
    "start of a range": lambda: (_with(), _with(index=pd.RangeIndex(1, 3))),
    "name of the rows": lambda: (_named("r"), _named("s")),
    "type of a name": lambda: (_named(1), _named(True)),
    "name of the columns": lambda: (_named(None, "c"), _named(None, "d")),
    "frequency": lambda: (_days("D"), _days(None)),
    "attrs": lambda: (_with(attrs={"a": 1}), _with(attrs={"a": True})),
    "flags": lambda: (_with(), _with().set_flags(allows_duplicate_labels=False)),
    "level of labels": lambda: (
        _with(index=pd.MultiIndex.from_tuples([("a", 1), ("b", 2)])),
        _with(index=pd.MultiIndex.from_tuples([("a", 1), ("b", 3)])),
    ),
    "name of a level": lambda: (
        _with(index=pd.MultiIndex.from_tuples([("a", 1), ("b", 2)], names=["x", None])),
        _with(index=pd.MultiIndex.from_tuples([("a", 1), ("b", 2)], names=["y", None])),
    ),
    "bool and int": lambda: (_objects(1, "x"), _objects(True, "x")),
    "int and float": lambda: (_objects(1, "x"), _objects(1.0, "x")),
    "object of NaN's payload": lambda: (_objects("x", float(_nan(0)[0])), _objects("x", float(_nan(1)[0]))),
    "object of zero's sign": lambda: (_objects("x", 0.0), _objects("x", -0.0)),
    "Python's float and NumPy's": lambda: (_objects("x", 1.5), _objects("x", np.float64(1.5))),
    "text and NumPy's": lambda: (_objects("x", 1), _objects(np.str_("x"), 1)),
    "None and NaN": lambda: (_objects("x", None), _objects("x", float("nan"))),
    "NA and NaT": lambda: (_objects("x", pd.NA), _objects("x", pd.NaT)),
    "list and tuple": lambda: (_objects([1, 2]), _objects((1, 2))),
    "bool in a list": lambda: (_objects([1, 2]), _objects([True, 2])),
    "zero in a dict": lambda: (_objects({"a": [0.0]}), _objects({"a": [-0.0]})),
    "order of a dict": lambda: (_objects({"a": 1, "b": 2}), _objects({"b": 2, "a": 1})),
    "length of a list": lambda: (_objects([1, 2]), _objects([1])),
    "order of categories": lambda: (_codes("a", "b"), _codes("b", "a", codes=(1, 0, -1))),
    "unused category": lambda: (_codes("a", "b", "c"), _codes("a", "b", "d")),
    "ordered categories": lambda: (_codes("a", "b"), _codes("a", "b", ordered=True)),
    "type of categories": lambda: (_codes(0, 1), _codes(0.0, 1.0)),
    "sign of a category": lambda: (_codes(0.0, 1.0), _codes(-0.0, 1.0)),
    "code": lambda: (_codes("a", "b"), _codes("a", "b", codes=(1, 1, -1))),
    "unit": lambda: (_zone("ms", None), _zone("us", None)),
    "zone": lambda: (_zone("ms", "UTC"), _zone("ms", "Europe/Berlin")),
    "closed": lambda: tuple(  # type: ignore[return-value]
        pd.DataFrame({"i": pd.arrays.IntervalArray.from_breaks([0, 1], closed=side)}) for side in ("left", "right")
    ),
    "end of an interval": lambda: tuple(  # type: ignore[return-value]
        pd.DataFrame({"i": pd.arrays.IntervalArray.from_breaks([0.0, 1.0, end])}) for end in (2.0, 3.0)
    ),
    "frequency of periods": lambda: tuple(  # type: ignore[return-value]
        pd.DataFrame({"p": pd.PeriodIndex(["2020-01"], freq=freq)}) for freq in ("M", "3M")
    ),
    "payload under a mask's hole": lambda: (_masked(_nan(0)), _masked(_nan(1))),
    "missing value": lambda: (pd.DataFrame({"n": pd.array([1, None])}), pd.DataFrame({"n": pd.array([1, 1])})),
    "text's missing value": lambda: tuple(  # type: ignore[return-value]
        pd.DataFrame({"s": pd.Series(["a"], dtype=pd.StringDtype("pyarrow", na_value=value))})
        for value in (pd.NA, np.nan)
    ),
    "text": lambda: (pd.DataFrame({"s": ["a", "b"]}), pd.DataFrame({"s": ["a", "c"]})),
    "Arrow's type": lambda: (_arrow(pa.array(["a"])), _arrow(pa.array(["a"], pa.large_string()))),
    "Arrow's zero": lambda: (_arrow(pa.array([0.0])), _arrow(pa.array([-0.0]))),
    "Arrow's nested zero": lambda: (_arrow(_struct(0.0)), _arrow(_struct(-0.0))),
    "Arrow's null": lambda: (_arrow(pa.array([1, None])), _arrow(pa.array([1, 0]))),
    "Arrow's NaN and null": lambda: (
        _arrow(pa.array([1.0, float("nan")], from_pandas=False)),
        _arrow(pa.array([1.0, None])),
    ),
}


@each("name", list(PAIRS))
def test_one_difference_is_told(name: str) -> None:
    left, right = PAIRS[name]()
    for a, b in ((left, right), (right, left)):
        assert not cases_pandas.is_identical_in_memory(a, b)
        with pytest.raises(AssertionError):
            cases_pandas.assert_identical(a, b)
    for frame in (left, right):
        assert cases_pandas.is_identical_in_memory(frame, frame.copy(deep=True))


def test_only_what_compares_as_identical_is_surely_so() -> None:
    """Every case of pandas with itself, made again, and with every other."""
    frames = {name: make() for name, make in cases_pandas.CASES.items()}
    unsure = set()
    for name, make in cases_pandas.CASES.items():
        again = make()
        if not cases_pandas.is_identical_in_memory(frames[name], again):
            unsure.add(name)
            cases_pandas.assert_identical(frames[name], again)
        for other, frame in frames.items():
            if other != name and cases_pandas.is_identical_in_memory(again, frame):
                cases_pandas.assert_identical(again, frame)
    assert len(unsure) < len(frames) // 10, unsure


# --------------------------------------------------------------------------- cells
def _one_by_one(a: Any, b: Any) -> bool:
    """`same_cell` as it is where nothing is compared at once."""
    if type(a) is type(b) and isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(_one_by_one, a, b))
    if type(a) is type(b) and isinstance(a, dict):
        return _one_by_one(list(a.items()), list(b.items()))
    return same_cell(a, b)


def test_cells_compared_at_once_are_those_compared_one_by_one() -> None:
    columns = [make() for name, make in (CELLS | pandas_cells()).items() if name != "one long list"]
    every = [cell for column in columns for cell in column] + [True, 1, 1.0, 0.0, -0.0, "1", b"1", np.str_("1")]
    for a in every:
        for b in every:
            assert same_cell(a, b) == _one_by_one(a, b)
            for wrap in (lambda cell: [1, cell], lambda cell: ("x", cell), lambda cell: {"k": cell, 1: None}):
                assert same_cell(wrap(a), wrap(b)) == _one_by_one(a, b)
    assert not same_cells([1, 2], [1])
    assert not same_cells([1, 2], [1, True])
    assert not same_cells(["1", 2], [np.str_("1"), 2])


# --------------------------------------------------------------------------- Arrow
def _table(array: Any, **said: Any) -> Any:
    return pa.table([array], schema=pa.schema([pa.field("a", array.type, **said)]))


def _dictionary(codes: list[Any], words: list[str], ordered: bool = False) -> Any:
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int8()), pa.array(words), ordered=ordered)


@each(
    ("left", "right"),
    [
        (_table(pa.array(_nan(0))), _table(pa.array(_nan(1)))),
        (_table(pa.array([0.0])), _table(pa.array([-0.0]))),
        (_table(_struct(0.0)), _table(_struct(-0.0))),
        (_table(pa.array([[0.0]])), _table(pa.array([[-0.0]]))),
        (_table(pa.array([1, None])), _table(pa.array([1, 0]))),
        (_table(pa.array([[], None])), _table(pa.array([None, []], pa.list_(pa.null())))),
        (_table(pa.array(["a"])), _table(pa.array(["a"], pa.large_string()))),
        (_table(pa.array([1])), _table(pa.array([1]), nullable=False)),
        (_table(pa.array([1])), _table(pa.array([1]), metadata={"k": "v"})),
        (_table(pa.array([1])), _table(pa.array([1])).replace_schema_metadata({"k": "v"})),
        (_table(pa.array([1])), _table(pa.array([1])).rename_columns(["b"])),
        (_table(_dictionary([0, 1], ["a", "b"])), _table(_dictionary([0, 1], ["a", "c"]))),
        (_table(_dictionary([0, 1], ["a", "b"])), _table(_dictionary([0, 1], ["a", "b"], ordered=True))),
    ],
)
def test_tables_of_one_difference(left: Any, right: Any) -> None:
    for a, b in ((left, right), (right, left)):
        assert not cases_pyarrow.is_identical_in_memory(a, b)
        with pytest.raises(AssertionError):
            cases_pyarrow.assert_identical(a, b)
    assert cases_pyarrow.is_identical_in_memory(left, left.slice(0))


def test_tables_and_frames_of_every_case() -> None:
    pl = pytest.importorskip("polars")
    from colonnade.testing import cases_polars

    for cases in (cases_pyarrow, cases_polars):
        made = {name: make() for name, make in cases.CASES.items()}
        unsure = []
        for name, make in cases.CASES.items():
            again = make()
            if not cases.is_identical_in_memory(made[name], again):
                unsure.append(name)
            for other, table in made.items():
                if other != name and cases.is_identical_in_memory(again, table):
                    cases.assert_identical(again, table)
        assert len(unsure) < len(made) // 10, unsure
    zero, negative = pl.DataFrame({"a": [0.0]}), pl.DataFrame({"a": [-0.0]})
    assert not cases_polars.is_identical_in_memory(zero, negative)
    enums = [pl.DataFrame({"a": pl.Series(["x"], dtype=pl.Enum(words))}) for words in (["x", "y"], ["x", "z"])]
    assert not cases_polars.is_identical_in_memory(*enums)


@each("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"])
@each("start", [0, 3, 9])
def test_cells_of_constant_width_and_their_nulls(dtype: str, start: int) -> None:
    width, n = np.dtype(dtype).itemsize, 21
    raw = np.random.default_rng(3).bytes(width * n)
    held = np.random.default_rng(4).random(n) < 0.5
    bitmap = np.packbits(held, bitorder="little").tobytes()
    kind = pa.from_numpy_dtype(np.dtype(dtype))
    array = pa.Array.from_buffers(kind, n, [pa.py_buffer(bitmap), pa.py_buffer(raw)]).slice(start)
    parts = [raw[i * width : (i + 1) * width] for i in range(n)]
    wanted = [int.from_bytes(part, "little", signed=dtype[0] == "i") for part in parts]
    assert cells(array) == [value if is_held else None for value, is_held in zip(wanted, held, strict=True)][start:]
    flags = pa.Array.from_buffers(pa.bool_(), n, [None, pa.py_buffer(bitmap)]).slice(start)
    assert cells(flags) == held.tolist()[start:]


# --------------------------------------------------------------------------- StaticFrame
def test_frames_of_static_frame_of_one_difference() -> None:
    sf = pytest.importorskip("static_frame")
    from colonnade.testing import cases_static_frame

    zero = np.array([0.0])
    frames = [
        sf.Frame(zero),
        sf.Frame(-zero),
        sf.Frame(_nan(0)),
        sf.Frame(_nan(1)),
        sf.Frame(zero.astype("f4")),
        sf.Frame(zero, name="n"),
        sf.FrameGO(zero),
        sf.Frame(zero, index=sf.Index([0], name="i")),
        sf.Frame(zero, index=sf.IndexDate(["2020-01-01"])),
        sf.Frame(zero, columns=["a"]),
        sf.Frame(object_column([0.0])),
        sf.Frame(object_column([-0.0])),
        sf.Frame(object_column([1])),
        sf.Frame(object_column([True])),
    ]
    for i, a in enumerate(frames):
        for j, b in enumerate(frames):
            assert cases_static_frame.is_identical_in_memory(a, b) == (i == j)
            if i != j:
                with pytest.raises(AssertionError):
                    cases_static_frame.assert_identical(a, b)
