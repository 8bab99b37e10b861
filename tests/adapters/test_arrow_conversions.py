"""Frames of pandas and NumPy as pyarrow tables, and Arrow columns of every type as NumPy arrays."""

import datetime as dt
import decimal
from typing import Any

import numpy as np
import pytest

from tests.helpers.each import each

pytest.importorskip("pyarrow")

import pyarrow as pa

import colonnade as cn


def test_a_pandas_frame_becomes_what_pandas_reads_back() -> None:
    import pandas as pd

    frame = pd.DataFrame(
        {"f": [1.5, np.nan], "i": [1, 2], "s": ["x", None], "c": pd.Categorical(["u", "v"])},
        index=pd.Index(["r0", "r1"], name="row"),
    )
    table = cn.Frame(frame).to_arrow()
    assert table.column_names == ["f", "i", "s", "c", "row"]
    pd.testing.assert_frame_equal(table.to_pandas(), frame)
    assert table.column("f").null_count == 0, "NaN is not null"
    theirs = pa.Table.from_pandas(frame)
    assert table.schema.types[:-1] == theirs.schema.types[:-1], "the label is of fixed width"


# What pandas' metadata does not say yet, so that `table.to_pandas()` differs; `cn.Frame(table)` knows.
_UNSAID = (
    "object labels, shape 0 x 0",
    "columns complex",
    "columns object int",
    "index object int",
    "columns object bytes",
    "index dates",
    "index interval of times",
)


def _pandas_cases() -> dict[str, Any]:
    pytest.importorskip("pandas")
    from colonnade.testing.cases_pandas import CASES

    return dict(CASES)


def _comes_back(frame: Any) -> bool:
    """Whether pandas and pyarrow bring it back themselves."""
    import pandas as pd

    try:
        pd.testing.assert_frame_equal(pa.Table.from_pandas(frame).to_pandas(), frame)
    except (AssertionError, pa.ArrowException, TypeError, KeyError, NotImplementedError, ValueError):
        return False
    return True


@pytest.mark.filterwarnings("ignore::UserWarning")  # pandas' own, of what it will not bring back
def test_pandas_reads_a_table_of_ours_as_one_of_its_own() -> None:
    import pandas as pd

    wrong, count = {}, 0
    for name, make in _pandas_cases().items():
        frame = make()
        if name in _UNSAID or name.startswith("mixed objects") or not _comes_back(frame):
            continue
        count += 1
        try:
            pd.testing.assert_frame_equal(cn.Frame(frame).to_arrow().to_pandas(), frame)
        except Exception as error:
            wrong[name] = error
    assert not wrong, wrong
    assert count > 100


@each("make", [pytest.param(make, id=name) for name, make in _pandas_cases().items()], per=50)
def test_a_table_of_ours_is_the_frame_again(make: Any) -> None:
    frame = make()
    table = cn.Frame(frame).to_arrow()
    assert cn.Frame(table).equals(frame)


@pytest.mark.parametrize("index", [None, ["a", "b"]], ids=["automatic", "text"])
def test_pandas_through_a_file_to_arrow(index: Any) -> None:
    import pandas as pd

    frame = pd.DataFrame({"t": pd.to_datetime(["2020-01-01", None]), "b": [True, False]}, index=index)
    for format in ("npz", "arrow"):
        table = cn.decode(cn.encode(frame, format)).to_arrow()
        pd.testing.assert_frame_equal(table.to_pandas(), frame)
        assert table.column("t").null_count == 1


def test_numpy_arrays_become_fields() -> None:
    columns = {"i": np.arange(3, dtype="i4"), "b": np.array([True, False, True]), "u": np.array(["x", "yy", ""])}
    table = cn.Frame(columns).to_arrow()
    assert table.to_pydict() == {"i": [0, 1, 2], "b": [True, False, True], "u": ["x", "yy", ""]}
    assert table.schema.field("i").type == pa.int32()


CELLS: dict[str, tuple[Any, Any]] = {
    "date32": (pa.array([0, 1], pa.date32()), np.array(["1970-01-01", "1970-01-02"], "M8[D]")),
    "date64": (pa.array([dt.date(1970, 1, 2)], pa.date64()), np.array(["1970-01-02"], "M8[ms]")),
    "date null": (pa.array([None, 1], pa.date32()), np.array(["NaT", "1970-01-02"], "M8[D]")),
    "time": (pa.array([1, None], pa.time32("s")), [dt.time(0, 0, 1), None]),
    "time64": (pa.array([1], pa.time64("us")), [dt.time(0, 0, 0, 1)]),
    "decimal": (pa.array([decimal.Decimal("1.20"), None]), [decimal.Decimal("1.20"), None]),
    "list": (pa.array([[1, None], None]), [[1, None], None]),
    "struct": (pa.array([{"a": 1, "b": ["x"]}]), [{"a": 1, "b": ["x"]}]),
    "map": (pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int8())), [[("k", 1)]]),
    "null": (pa.nulls(2), [None, None]),
    "view": (pa.array(["a", "bb"], pa.string_view()), np.array(["a", "bb"])),
    "view with nulls": (pa.array(["a", None], pa.string_view()), ["a", None]),
    "bytes view": (pa.array([b"a", None], pa.binary_view()), [b"a", None]),
    "bytes": (pa.array([b"a", b""]), [b"a", b""]),
    "half": (pa.array(np.array([1.5], "f2")), np.array([1.5], "f2")),
    "dictionary": (pa.array(["x", "y", "x"]).dictionary_encode(), np.array(["x", "y", "x"])),
    "duration": (pa.array([1, None], pa.duration("us")), np.array([1, "NaT"], "m8[us]")),
}


@each("name", list(CELLS))
def test_numpy_and_static_frame_read_every_type(name: str) -> None:
    array, expected = CELLS[name]
    frame = cn.Frame(pa.table({"x": array, "y": pa.array([1] * len(array))}))
    values = frame["x"].to_numpy()
    if isinstance(expected, list):
        assert values.dtype == object
        assert values.tolist() == expected
        assert list(map(type, values.tolist())) == list(map(type, expected))
    else:
        np.testing.assert_array_equal(values, expected, strict=True)
    static_frame = pytest.importorskip("static_frame")
    column = frame.to_static_frame()["x"]
    assert isinstance(column, static_frame.Series)
    assert column.values.tolist() == values.tolist() or np.array_equal(column.values, values, equal_nan=True)


def test_numpy_refuses_by_name_what_it_cannot_hold() -> None:
    table = pa.table({"a": [1, 2], "ns": pa.array([1, 2], pa.time64("ns"))})
    with pytest.raises(cn.EncodeError, match=r"position 1.*time64\[ns\]"):
        cn.Frame(table).to_numpy()
