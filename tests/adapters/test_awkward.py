"""The Awkward adapter: arrays to the core and back over one memory, by column, and other libraries' frames."""

import datetime as dt
import decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.helpers.each import each
from tests.helpers.ways import exactly

pytest.importorskip("awkward")

import awkward as ak

import colonnade as cn
from colonnade.testing.cases_awkward import CASES, assert_identical


def events(count: int = 1000) -> Any:
    counts = np.arange(count) % 4
    total = int(counts.sum())
    jet = ak.zip({"pt": np.arange(total) * 1.5, "eta": np.arange(total, dtype=np.float32)}, with_name="Jet")
    return ak.Array(
        {
            "run": np.arange(count, dtype=np.int32),
            "jet": ak.unflatten(jet, counts),
            "name": [f"event {row}" for row in range(count)],
            "weight": ak.mask(ak.Array(np.arange(count) / 3), np.arange(count) % 5 > 0),
        }
    )


def buffers(array: Any) -> dict[str, np.ndarray]:
    _, _, found = ak.to_buffers(array)
    return {name.removeprefix("part0-"): np.asarray(values) for name, values in found.items()}


def is_decoded(frame: cn.Frame) -> bool:
    return frame._core is not None


# ---------------------------------------------------------------------------- memory


def test_nothing_is_copied_but_masks_of_bytes() -> None:
    array = ak.to_packed(events())
    before, after = buffers(array), buffers(cn.Frame(array).to_awkward())
    assert before.keys() == after.keys()
    copied = [name for name in before if not np.shares_memory(before[name], after[name])]
    assert all(name.endswith(("-mask", "-index")) for name in copied), copied
    assert len(copied) < len(before) / 2


def test_masks_of_bits_and_offsets_of_32_bits_without_a_sign_are_not_copied() -> None:
    content = ak.contents.NumpyArray(np.arange(20))
    lists = ak.contents.ListOffsetArray(ak.index.IndexU32(np.arange(0, 21, 2, dtype=np.uint32)), content)
    masked = ak.contents.BitMaskedArray(ak.index.IndexU8(np.array([0b1011, 3], np.uint8)), lists, True, 10, True)
    out = cn.Frame(ak.Array(masked)).to_awkward().layout
    assert np.shares_memory(out.mask.data, masked.mask.data)
    assert np.shares_memory(out.content.offsets.data, lists.offsets.data)
    assert np.shares_memory(out.content.content.data, content.data)


def test_a_mapped_file_is_the_array(tmp_path: Path) -> None:
    array = events(100_000)
    cn.write(array, tmp_path / "events.npz")
    frame = cn.read(tmp_path / "events.npz")
    first, second = frame.to_awkward(), frame.to_awkward()
    assert_identical(array, first)
    found = buffers(first), buffers(second)
    for name, values in found[0].items():
        if not name.endswith(("-mask", "-index")):
            assert not values.flags.writeable, name
    del frame, second
    assert ak.sum(first.jet.pt) == ak.sum(array.jet.pt)


def test_a_slice_holds_its_own_rows_alone() -> None:
    array = events(100_000)
    assert len(cn.encode(array[10:20], "npz")) < 10_000
    assert_identical(array[10:20], cn.Frame(array[10:20]).to_awkward())
    assert_identical(array[10:20], cn.Frame(array).slice(10, 20).to_awkward())


def test_what_a_mask_leaves_is_written_alone() -> None:
    array = events(10_000)
    chosen = array[array.run % 1000 == 0]
    assert chosen.layout.is_indexed
    assert len(cn.encode(chosen, "npz")) < 10_000
    out = cn.decode(cn.encode(chosen, "npz")).to_awkward()
    assert out.type == chosen.type
    assert out.to_list() == chosen.to_list()


# ---------------------------------------------------------------------------- columns


def test_one_column_is_decoded_alone_and_kept() -> None:
    array = events()
    frame = cn.decode(cn.encode(array, "npz"))
    column = frame["jet"]
    assert_identical(array.jet, column.to_awkward())
    assert (is_decoded(column), is_decoded(frame)) == (True, False)
    frame.release()
    assert not is_decoded(column)
    assert_identical(array[["name", "run"]], frame[["name", "run"]].to_awkward())


def test_other_columns_are_not_touched() -> None:
    array = events()
    data = bytearray(cn.encode(array, "npz"))
    place = data.index(b"event 17")
    data[place] ^= 0xFF
    assert_identical(array.jet, cn.decode(data)["jet"].to_awkward())
    with pytest.raises(cn.DecodeError):
        cn.decode(data, verify=True)


def test_behavior_is_known_by_name_and_never_by_code() -> None:
    class Jets(ak.Array):  # type: ignore[misc]
        def sum_of_pt(self) -> Any:
            return ak.sum(self.pt, axis=1)

    array = ak.Array(events(), behavior={("*", "Jet"): Jets})
    data = cn.encode(array, "npz")
    assert b"sum_of_pt" not in data
    out = cn.decode(data).to_awkward()
    assert type(out.jet) is ak.Array
    assert ak.Array(out, behavior={("*", "Jet"): Jets}).jet.sum_of_pt().to_list() == array.jet.sum_of_pt().to_list()


def test_attributes_come_back_but_those_that_awkward_never_keeps() -> None:
    array = ak.Array([{"x": 1}], attrs={"source": ["a", {"b": None}], "@cache": object()})
    out = cn.decode(cn.encode(array, "npz"))
    assert out.attrs == {"source": ["a", {"b": None}]}
    assert dict(out.to_awkward().attrs) == {"source": ["a", {"b": None}]}


def test_lazy_buffers_are_loaded() -> None:
    if not hasattr(ak, "materialize"):
        pytest.skip("this Awkward has no lazy buffers")
    array = events()
    form, length, found = ak.to_buffers(array)
    lazy = ak.from_buffers(form, length, {name: (lambda values=values: values) for name, values in found.items()})
    assert_identical(array, cn.Frame(lazy).to_awkward())


def test_chunks_follow_each_other(tmp_path: Path) -> None:
    array = events(100)
    for format in ("arrow", "arrows", "parquet", "msgpack", "ndjson"):
        path = tmp_path / f"events.{format}"
        with cn.open_writer(path, **exactly(format)) as writer:
            for start in (0, 30, 60):
                writer.write(array[start : start + 30])
            writer.write(array[90:])
        frame = cn.read(path) if format != "msgpack" else cn.open_reader(path).read_all()
        assert_identical(array, frame.to_awkward())
    with cn.open_reader(tmp_path / "events.arrows") as reader:
        assert ak.concatenate([part.to_awkward() for part in reader]).to_list() == array.to_list()


# ---------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ak.Record({"x": 1}), "found a Record. Make an array of it first: ak.Array([record])."),
        (lambda: ak.ArrayBuilder(), "found a ArrayBuilder. Call .snapshot() first."),
        (lambda: ak.Array([1]).layout, "found a NumpyArray. Wrap it first: ak.Array(layout)."),
    ],
    ids=["Record", "ArrayBuilder", "layout"],
)
def test_what_is_no_array_is_refused_with_advice(make: Any, message: str) -> None:
    with pytest.raises(TypeError) as raised:
        cn.Frame(make())
    assert str(raised.value) == f"awkward: expected an ak.Array, {message}"


def test_an_array_that_is_still_to_be_computed_is_refused_with_advice() -> None:
    dask_awkward = pytest.importorskip("dask_awkward")
    with pytest.raises(TypeError, match=r"Call \.compute\(\) first\.$"):
        cn.Frame(dask_awkward.from_awkward(ak.Array([1, 2, 3]), npartitions=2))


def test_an_array_without_data_is_refused() -> None:
    array = ak.to_backend(ak.Array([[1.5]]), "typetracer")
    with pytest.raises(cn.EncodeError, match="found a typetracer"):
        cn.Frame(array)


@each(
    ("form", "message"),
    [
        ("no primitive", "expected a form of Awkward's"),
        ("int8", "expected int8 as the form says, found large_list"),
        ({"class": "RecordArray", "fields": ["a"], "contents": ["int64"]}, "expected a struct as the form says"),
        ({"class": "ListOffsetArray", "offsets": "i64", "content": "int8"}, "column 'x'[]: expected int8"),
        ({"class": "ListOffsetArray", "offsets": "i65", "content": "int64"}, "expected a form of Awkward's"),
        ({"class": "ListOffsetArray", "offsets": "i64"}, "expected a form of Awkward's"),
        ({"class": "RegularArray", "size": 2, "content": "int64"}, "expected lists of 2 values each"),
        ({"class": "UnionArray", "index": "i64", "contents": ["int64"]}, "expected a union of 1"),
        ({"class": "IndexedArray", "index": "i64", "content": "int64"}, "expected a dictionary"),
        ({"class": "EmptyArray"}, "expected no values as the form says"),
        ({"class": "__import__"}, "expected a form of Awkward's"),
        ([], "expected a form of Awkward's"),
        (7, "expected a form of Awkward's"),
    ],
)
def test_a_form_that_is_not_that_of_its_column_is_an_error(form: Any, message: str) -> None:
    from colonnade._values import tagged_labels

    core = cn.Frame(ak.Array([{"x": [1, 2], "y": 1}]))._load()
    origin = tagged_labels.encode({"library": "awkward", "class": "record", "forms": {"x": form}})
    frame = cn.Frame._make(core.with_meta("null", None, origin))
    with pytest.raises(cn.DecodeError) as raised:
        frame.to_awkward()
    assert str(raised.value).startswith("awkward: column 'x'")
    assert message in str(raised.value)
    assert frame["y"].to_awkward().to_list() == [1]


def test_an_origin_that_is_none_of_ours_is_an_error() -> None:
    core = cn.Frame(ak.Array([{"x": [1, 2]}]))._load()
    for origin in ('{"library":"awkward","forms":7}', '{"library":"awkward","forms":{},"parameters":3}'):
        with pytest.raises(cn.DecodeError, match="awkward: "):
            cn.Frame._make(core.with_meta("null", None, origin)).to_awkward()


# ---------------------------------------------------------------------------- other libraries


def test_numpy_becomes_records() -> None:
    frame = cn.Frame({"a": np.arange(3), "b": np.array([1.5, np.nan, 2])})
    assert str(frame.to_awkward().type) == "3 * {a: int64, b: float64}"
    assert cn.Frame(np.arange(6).reshape(3, 2)).to_awkward().to_list() == [
        {"0": 0, "1": 1},
        {"0": 2, "1": 3},
        {"0": 4, "1": 5},
    ]
    swapped = cn.Frame({"a": np.arange(3, dtype=">i4"), "s": np.array(["x", "yy", ""])}).to_awkward()
    assert str(swapped.type) == "3 * {a: int32, s: string}"
    assert swapped.to_list()[1] == {"a": 1, "s": "yy"}


def test_pandas_becomes_records_with_its_labels() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(
        {
            "i": [1, 2],
            "n": pd.array([1, None], dtype="Int64"),
            "s": ["x", None],
            "c": pd.Categorical(["u", "v"]),
            "t": pd.to_datetime(["2020-01-01", None]),
        },
        index=pd.Index(["k", "l"], name="key"),
    )
    for made in (cn.Frame(frame), cn.decode(cn.encode(frame, "npz")), cn.decode(cn.encode(frame, "parquet"))):
        array = made.to_awkward()
        assert array.fields == ["i", "n", "s", "c", "t", "key"]
        assert array.n.to_list() == [1, None]
        assert array.s.to_list() == ["x", None]
        assert array.c.to_list() == ["u", "v"]
        assert array.key.to_list() == ["k", "l"]
        assert ak.parameters(array.c.layout.content if array.c.layout.is_option else array.c)["__array__"] in (
            "categorical",
            "string",
        )


def test_polars_becomes_what_awkward_makes_of_it() -> None:
    pl = pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    frame = pl.DataFrame(
        {
            "i": [1, None],
            "l": [[1, 2], None],
            "r": [{"a": 1.5, "b": "x"}, {"a": None, "b": "a text that is longer than twelve bytes"}],
            "s": ["x", None],
            "b": [b"\x00", None],
            "d": [dt.date(2020, 1, 1), None],
        }
    )
    assert cn.Frame(frame).to_awkward().to_list() == frame.to_dicts()
    back = cn.Frame(cn.Frame(frame.drop("d")).to_awkward()).to_polars()
    assert back.to_dicts() == frame.drop("d").to_dicts()


def test_awkward_becomes_frames_of_every_library() -> None:
    pytest.importorskip("pyarrow")
    pytest.importorskip("pandas")
    array = ak.Array([{"n": 1, "x": [1.5], "r": {"a": "t"}, "o": None}, {"n": 2, "x": [], "r": {"a": ""}, "o": 3}])
    frame = cn.decode(cn.encode(array, "npz"))
    assert frame.to_arrow().to_pylist() == array.to_list()
    assert frame.to_pandas()["n"].tolist() == [1, 2]
    assert [list(cell) for cell in frame.to_pandas()["x"]] == [[1.5], []]
    assert frame["n"].to_numpy().tolist() == [1, 2]
    if pl := pytest.importorskip("polars"):
        assert pl.DataFrame(frame).to_dicts() == array.to_list()
    table = frame.to_arrow()
    assert not table.schema.field("x").nullable
    assert table.schema.field("o").nullable


def test_what_awkward_lacks_is_refused_by_name() -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"a": [1], "d": pa.array([[decimal.Decimal("1.5")]])})
    with pytest.raises(
        cn.EncodeError, match=r"awkward: column 'd'\[\]: expected a type that Awkward has, found decimal128"
    ):
        cn.Frame(table).to_awkward()
    twice = pa.table([pa.array([1]), pa.array([2])], names=["a", "a"])
    with pytest.raises(cn.EncodeError, match="found 'a' twice"):
        cn.Frame(twice).to_awkward()
    mixed = np.array([1, "a"], dtype=object)
    with pytest.raises(cn.EncodeError, match="column 'm': expected a type that Awkward has"):
        cn.Frame({"m": mixed}).to_awkward()


def test_equality_knows_awkward() -> None:
    array = CASES["all layouts side by side"]()
    assert cn.Frame(array).equals(array)
    assert cn.decode(cn.encode(array, "npz")).identical(array)
    assert not cn.Frame(array).equals(array[:2])
