"""Every way out of a frame answers a value or a typed error, whatever the frame holds that our formats can hold."""

import itertools
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from tests.helpers.each import each

pytest.importorskip("pyarrow")

import pandas as pd
import pyarrow as pa

import colonnade as cn
from colonnade._core import Axis
from colonnade._frame.frame import frame_of
from colonnade._values import tagged_labels
from colonnade.adapters._from_data import load_adapter
from colonnade.adapters._object_columns import level_from_labels
from tests.helpers import exit_cases
from tests.helpers.exit_cases import Case, arrow_file, claimed, core_of, interval_frame, of_arrow

WAYS: dict[str, Callable[[Any], Any]] = {
    "to_pandas": lambda frame: frame.to_pandas(),
    "to_pandas(numpy_nullable)": lambda frame: frame.to_pandas(dtype_backend="numpy_nullable"),
    "to_pandas(pyarrow)": lambda frame: frame.to_pandas(dtype_backend="pyarrow"),
    "to_arrow": lambda frame: frame.to_arrow(),
    "to_polars": lambda frame: frame.to_polars(),
    "to_numpy": lambda frame: frame.to_numpy(),
    "to_static_frame": lambda frame: frame.to_static_frame(),
    "to_awkward": lambda frame: frame.to_awkward(),
    "to_native": lambda frame: frame.to_native(),
    "repr": repr,
    "html": lambda frame: frame._repr_html_(),
    "schema": lambda frame: (repr(frame.schema), repr(frame.dtypes), frame.name, frame.attrs),
    "labels": lambda frame: (repr(frame.index), repr(frame.columns), list(frame.index), list(frame.columns)),
}


def untyped(cases: Iterator[Case]) -> list[str]:
    """What was raised that is neither of Colonnade nor an absent library, of which case and way."""
    found = []
    for (name, frame), way in itertools.product(cases, WAYS):
        try:
            WAYS[way](frame)
        except (cn.ColonnadeError, ImportError):
            continue
        except BaseException as error:
            found.append(f"{name}: {way}: {type(error).__name__}: {error!s:.120}")
    return found


@pytest.mark.filterwarnings("ignore")
@each("kind", ["arrow", "numpy", "pandas", "label", "name", "claim"])
def test_every_exit_is_typed(kind: str) -> None:
    assert untyped(getattr(exit_cases, f"{kind}_cases")()) == []


# --------------------------------------------------------------------------- the net
def test_an_error_of_a_library_names_the_column(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(frames: Any) -> None:
        if "bool" in frames[0].dtypes() or "|b1" in frames[0].dtypes():
            raise RuntimeError("no bools today")

    pytest.importorskip("polars")
    monkeypatch.setattr(load_adapter("polars"), "from_frames", refuse)
    frame = cn.Frame({"a": np.array([1]), "b": np.array([True])})
    with pytest.raises(cn.EncodeError, match=r"polars: column 'b' .*RuntimeError: no bools today.*select\(\)") as found:
        frame.to_polars()
    assert isinstance(found.value.__cause__, RuntimeError)


def test_warnings_that_are_errors_stay_what_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    def warn(core: Any) -> None:
        raise DeprecationWarning("soon")

    monkeypatch.setattr(load_adapter("numpy"), "from_frame", warn)
    with pytest.raises(DeprecationWarning):
        cn.Frame({"a": np.array([1])}).to_numpy()


# --------------------------------------------------------------------------- nulls, names and extension types
def never_null() -> pa.RecordBatch:
    schema = pa.schema([pa.field("a", pa.int64(), nullable=False), pa.field("t", pa.string(), nullable=False)])
    return pa.RecordBatch.from_arrays([pa.array([1, None]), pa.array(["x", "y"])], schema=schema)


def test_a_null_where_the_field_says_never_makes_the_field_nullable() -> None:
    frame = of_arrow(never_null())
    table = frame.to_arrow()
    assert table.to_pydict() == {"a": [1, None], "t": ["x", "y"]}
    assert [field.nullable for field in table.schema] == [True, False]
    assert pa.table(frame).equals(table)
    pl = pytest.importorskip("polars")
    assert frame.to_polars().equals(pl.DataFrame({"a": [1, None], "t": ["x", "y"]}))


def test_nul_in_nested_names() -> None:
    frame = cn.decode(b'[{"a":{"b\\u0000":1}},{"a":null}]', "json")
    assert frame.to_arrow().to_pydict() == {"a": [{"b\u2400": 1}, None]}
    assert frame["a"].to_numpy().tolist() == [{"b\0": 1}, None]
    assert frame.to_pandas()["a"].tolist() == [{"b\0": 1}, None]
    assert frame.to_static_frame()["a"].values.tolist() == [{"b\0": 1}, None]
    assert "b\\x00" in repr(frame)
    pytest.importorskip("polars")
    assert frame.to_polars()["a"].to_list() == [{"b\u2400": 1}, None]
    deeper = cn.decode(b'[{"a":[{"b":{"c\\u0000":1}}]}]', "json")
    assert deeper["a"].to_numpy().tolist() == [[{"b": {"c\0": 1}}]]


FALSE_CLAIMS = [
    ("arrow.json", "", pa.array([[1], None])),
    ("arrow.uuid", "", pa.array([1, None])),
    ("arrow.fixed_shape_tensor", '{"shape":["x"]}', pa.array([1, None])),
    ("pandas.period", "{", pa.array([1, None])),
    ("pandas.period", "[]", pa.array([1, None])),
    ("pandas.period", '{"freq":"D"}', pa.array([1, None], pa.int8())),
    ("pandas.period", '{"freq":"D"}', pa.array(["x", None])),
    ("pandas.interval", '{"subtype":"int64","closed":"left"}', pa.array([1, None])),
]


@each(("claim", "text", "array"), list(FALSE_CLAIMS))
def test_an_extension_type_that_is_not_of_its_storage_is_left_out(claim: str, text: str, array: pa.Array) -> None:
    pd.array(["2020"], "period[D]").__arrow_array__()  # registers pandas' types
    told = {"ARROW:extension:name": claim, "ARROW:extension:metadata": text}
    field = pa.field("a", array.type, metadata=told)
    frame = claimed([array, pa.array([1, 2])], [field, pa.field("b", pa.int64())])
    table = frame.to_arrow()
    assert table.schema.field("a").type == array.type
    assert table["a"].to_pylist() == array.to_pylist()
    assert [None if pd.isna(value) else value for value in frame.to_pandas()["b"]] == [1, 2]
    inner = claimed([pa.StructArray.from_arrays([array], fields=[field])], [pa.field("s", pa.struct([field]))])
    assert inner.to_arrow()["s"].to_pylist() == [{"a": value} for value in array.to_pylist()]
    assert inner["s"].to_numpy().tolist() == [{"a": value} for value in array.to_pylist()]


def test_extension_types_of_their_storage_stay_beside_false_ones() -> None:
    uuids = pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"0" * 16], pa.binary(16)))
    false = pa.field("f", pa.int8(), metadata={"ARROW:extension:name": "arrow.json"})
    fields = [pa.field("u", pa.uuid()), false, pa.field("s", pa.struct([pa.field("u", pa.uuid())]))]
    nested = pa.StructArray.from_arrays([uuids], ["u"])
    table = claimed([uuids, pa.array([1], pa.int8()), nested], fields).to_arrow()
    assert table.schema.types == [pa.uuid(), pa.int8(), pa.struct([pa.field("u", pa.uuid())])]


def test_a_registered_type_whose_values_cannot_be_made() -> None:
    class Broken(pa.ExtensionScalar):
        def as_py(self, **_: Any) -> Any:
            raise ZeroDivisionError("no values")

    class Type(pa.ExtensionType):
        def __init__(self) -> None:
            super().__init__(pa.int64(), "colonnade.test.broken")

        def __arrow_ext_serialize__(self) -> bytes:
            return b""

        @classmethod
        def __arrow_ext_deserialize__(cls, storage_type: Any, serialized: bytes) -> "Type":
            return cls()

        def __arrow_ext_scalar_class__(self) -> type:
            return Broken

    pa.register_extension_type(Type())
    try:
        values = pa.ExtensionArray.from_storage(Type(), pa.array([1]))
        data = arrow_file(pa.table({"a": pa.StructArray.from_arrays([values], ["f"])}))
        frame = cn.decode(data, "arrow")
        with pytest.raises(cn.EncodeError, match="no values"):
            frame.to_numpy()
        assert "?" in repr(frame)
    finally:
        pa.unregister_extension_type("colonnade.test.broken")


# --------------------------------------------------------------------------- intervals and times
INTERVALS = {
    "month_interval": [(14, 0, 0), None, (-1, 0, 0)],
    "day_time_interval": [(0, 3, 2_000_000), None, (0, 5, 0)],
}


@pytest.mark.parametrize("kind", INTERVALS)
def test_intervals_are_held(kind: str) -> None:
    frame = interval_frame(kind)
    cells = [None if value is None else pa.MonthDayNano(value) for value in INTERVALS[kind]]
    assert frame["i"].to_numpy().tolist() == cells
    assert frame.to_static_frame()["i"].values.tolist() == cells
    offsets = pa.array(cells, pa.month_day_nano_interval()).to_pandas().tolist()
    assert frame.to_pandas()["i"].tolist() == offsets
    assert "MonthDayNano" in repr(frame)
    assert "MonthDayNano" in frame._repr_html_()
    assert str(frame.to_arrow().schema.field("i").type) == kind
    for way, library in (("to_polars", "polars"), ("to_awkward", "awkward")):
        pytest.importorskip(library)
        with pytest.raises(cn.EncodeError, match=kind):
            getattr(frame, way)()


def test_times_without_a_unit() -> None:
    counts, nothing = np.array([5, -(2**63)]).view("M8"), np.array([-(2**63)] * 2).view("M8")
    frame = cn.Frame({"a": counts, "b": nothing, "c": nothing.view("m8")})
    assert frame["a"].to_numpy().view("i8").tolist() == [5, -(2**63)]
    assert "5" in repr(frame).splitlines()[3]
    assert "NaT" in frame._repr_html_()
    assert frame.select(["b", "c"]).to_pandas().isna().all(axis=None)
    assert [str(dtype) for dtype in frame.select(["b", "c"]).to_pandas().dtypes] == ["datetime64[s]", "timedelta64[s]"]
    with pytest.raises(cn.UnsupportedError, match="column 'a'"):
        frame.to_pandas()
    assert frame.to_arrow()["a"].to_pylist() == [5, None]
    pytest.importorskip("awkward")
    swapped = cn.Frame({"a": counts.astype("i8").astype(">i8").view(">M8")}).to_awkward()
    assert np.asarray(swapped["a"]).view("i8").tolist() == [5, -(2**63)]
    labels = frame_of(core_of(index=Axis.levels([counts], ["Index"])))
    assert "5" in repr(labels)
    assert repr(labels.index) == "<Index: [5, np.datetime64('NaT','generic')]>"


# --------------------------------------------------------------------------- labels and names
def test_an_empty_label_is_the_name_of_its_field() -> None:
    values = cn.decode(b'[{"":1,"f0":"x"}]', "json").to_numpy()
    assert values.dtype.names == ("", "f0")
    assert values[""].tolist() == [1]
    assert values["f0"].tolist() == ["x"]
    alone = cn.decode(b'[{"":1,"g":"x"}]', "json").to_numpy()
    assert alone.dtype.names == ("", "g")
    assert cn.Frame(values).to_numpy().dtype.names == ("", "f0")


@pytest.mark.parametrize("name", [{"a": 1}, [{"a": 1}], (1, [{}])], ids=repr)
def test_names_that_cannot_be_hashed(name: Any) -> None:
    text = tagged_labels.encode(name)
    labels = np.array(["a", "b"])
    named = Axis.levels([labels], ["Index"], "Index", text)
    with pytest.raises(cn.EncodeError, match="name of the frame"):
        frame_of(core_of(name=text)).to_static_frame()
    for side, frame in (("columns", core_of(columns=named)), ("index", core_of(index=named))):
        with pytest.raises(cn.EncodeError, match=f"static-frame: name of {side}"):
            frame_of(frame).to_static_frame()
        with pytest.raises(cn.EncodeError, match=f"pandas: name of {side}"):
            frame_of(frame).to_pandas()


@pytest.mark.parametrize("label", [{"a": 1}, [1]], ids=repr)
def test_labels_that_cannot_be_hashed(label: Any) -> None:
    labels = Axis.levels([level_from_labels([label, 1], "labels")], ["Index"])
    for side, frame in (("columns", core_of(columns=labels)), ("index", core_of(index=labels))):
        with pytest.raises(cn.EncodeError, match=f"static-frame: {side}: .*found {re.escape(repr(label))}"):
            frame_of(frame).to_static_frame()


def test_labels_that_are_no_text_where_their_tag_says_so() -> None:
    table = pa.table({"a": pa.array([True, None])})
    field = table.schema.field(0).with_metadata({"colonnade": json.dumps({"tag": {"kind": "labels"}})})
    frame = of_arrow(table.cast(pa.schema([field], metadata={"colonnade": meta_of(table)})))
    with pytest.raises(cn.DecodeError):
        repr(frame)


def meta_of(table: pa.Table) -> bytes:
    """The `colonnade` key of an Arrow file of ours with such columns."""
    written = pa.ipc.open_file(cn.encode(table, "arrow")).schema
    return bytes(written.metadata[b"colonnade"])


def test_a_list_as_a_name_is_a_tuple() -> None:
    frame = frame_of(core_of(name=tagged_labels.encode([1, [2]])))
    assert frame.to_static_frame().name == (1, (2,))


# --------------------------------------------------------------------------- Python's development mode
def test_awkward_under_python_dev_mode() -> None:
    pytest.importorskip("awkward")
    program = "import colonnade as cn, numpy as np\nprint(cn.Frame({'a': np.array([1, 2])}).to_awkward().to_list())\n"
    run = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "ignore", "-c", program], capture_output=True, text=True, check=False
    )
    assert run.stdout == "[{'a': 1}, {'a': 2}]\n", run.stderr
