"""Paths into nested columns: projections of leaves, of every format, in memory and chunk by chunk."""

import gc
import os
import re
import threading
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.helpers.each import each

pytest.importorskip("pyarrow")

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import colonnade as cn
from colonnade.cli import main
from tests.helpers.ways import WAYS, Way, exactly

every_nested_way = each("way", [pytest.param(way, id=name) for name, way in WAYS.items() if way.format != "csv"])

HIT = pa.struct([("x", pa.float32()), ("y", pa.dictionary(pa.int8(), pa.string()))])
JET = pa.struct([("eta", pa.float64()), ("hits", pa.large_list(HIT)), ("name", pa.large_string())])
MUON = pa.struct(
    [("pt", pa.float64()), ("eta", pa.float32()), ("at", pa.struct([("run", pa.int32()), ("lumi", pa.string())]))]
)
MAP = pa.map_(pa.string(), pa.struct([("u", pa.int64()), ("v", pa.list_(pa.int16()))]))


def _jet(i: int) -> dict[str, Any] | None:
    if i % 5 == 4:
        return None
    hits = None if i % 7 == 3 else [{"x": i / 2, "y": "ab"[i % 2]} if j else None for j in range(i % 3)]
    return {"eta": None if i % 4 == 3 else i / 3, "hits": hits, "name": f"a jet with a long name {i}"}


ROWS: list[dict[str, Any]] = [
    {
        "n": i,
        "muon": None
        if i % 6 == 5
        else {"pt": i * 1.5, "eta": None, "at": None if i % 4 == 1 else {"run": i, "lumi": str(i)}},
        "jet": None if i % 8 == 6 else [_jet(i + j) for j in range(i % 4)],
        "m": None if i % 9 == 8 else [(f"k{j}", None if j == 1 else {"u": i, "v": [j] * j}) for j in range(i % 3)],
        "pair": None if i == 3 else [{"pt": i, "q": 1}, None],
    }
    for i in range(40)
]
SCHEMA = pa.schema(
    [
        ("n", pa.int64()),
        ("muon", MUON),
        ("jet", pa.list_(JET)),
        ("m", MAP),
        ("pair", pa.list_(pa.struct([("pt", pa.int64()), ("q", pa.int8())]), 2)),
    ]
)
TABLE = pa.Table.from_pylist(ROWS, SCHEMA)


def _structs(array: pa.Array, names: list[str]) -> pa.Array:
    """Some fields of structs, where they are null themselves too."""
    children = [pc.struct_field(array, name) for name in names]
    fields = [array.type.field(name) for name in names]
    return pa.StructArray.from_arrays(children, fields=fields, mask=array.is_null())


def _column(name: str) -> pa.Array:
    return TABLE.column(name).combine_chunks()


def _expected(paths: list[str]) -> dict[str, list[Any]]:
    """The rows as plain values, projected by the rules of the documentation, independently of any library."""
    out: dict[str, list[Any]] = {}
    for root in dict.fromkeys(path.replace("[", ".").split(".")[0] for path in paths):
        mine = [path[len(root) :] for path in paths if path.startswith(root)]
        out[root] = [_cut(row[root], mine) for row in ROWS]
    return out


def _cut(value: Any, paths: list[str]) -> Any:
    if value is None or "" in paths:
        return value
    if isinstance(value, tuple):
        value = {"key": value[0], "value": value[1]}
    if isinstance(value, list):
        return [_cut(item, [path.removeprefix("[]") for path in paths]) for item in value]
    heads = dict.fromkeys(path[1:].replace("[", ".").split(".")[0] for path in paths)
    return {
        key: _cut(item, [path[len(key) + 1 :] for path in paths if path[1:].replace("[", ".").split(".")[0] == key])
        for key, item in value.items()
        if key in heads
    }


def _plain(values: Any) -> Any:
    return [_pairs(value) for value in values]


def _pairs(value: Any) -> Any:
    """Pairs of maps as tuples and as structs are the same here."""
    if isinstance(value, tuple):
        return {"key": _pairs(value[0]), "value": _pairs(value[1])}
    if isinstance(value, list):
        return [_pairs(item) for item in value]
    return {key: _pairs(item) for key, item in value.items()} if isinstance(value, dict) else value


CASES = [
    ["muon.pt"],
    ["muon.at.lumi"],
    ["muon.at.lumi", "muon.eta"],
    ["jet[].eta"],
    ["jet[].hits[].y", "n"],
    ["jet[].hits[].x", "jet[].name"],
    ["jet[]"],
    ["m[].key"],
    ["m[].value"],
    ["m[].value.v[]"],
    ["m[].key", "m[].value.u"],
    ["pair[].q", "muon.pt", "pair[].pt"],
    ["n", "muon.at"],
]


@every_nested_way
@each("paths", list(CASES), ids=",".join, per=20)
def test_leaves_are_what_was_asked_for(way: Way, paths: list[str], tmp_path: Path) -> None:
    path = way.write(TABLE, tmp_path)
    frame = cn.read(path, columns=paths)
    expected = _expected(paths)
    assert list(frame.columns) == list(expected)
    found = frame.to_arrow()
    found.validate(full=True)
    assert {name: _plain(found.column(name).to_pylist()) for name in expected} == {
        name: _plain(values) for name, values in expected.items()
    }
    part = cn.read(path, columns=paths, rows=slice(7, 19)).to_arrow()
    part.validate(full=True)
    assert part.equals(found.slice(7, 12))
    assert found.equals(cn.Frame(TABLE).select(paths).to_arrow())
    assert cn.read(path)[paths].to_arrow().equals(found)
    assert frame.dtypes.names() == cn.Frame(found).dtypes.names()
    with cn.open_reader(path, columns=paths) as reader:
        chunks = [chunk.to_arrow() for chunk in reader]
    assert pa.concat_tables(chunks).equals(found)


@every_nested_way
def test_types_are_those_that_are_left(way: Way, tmp_path: Path) -> None:
    """Field names, nullability and types of the projection; pyarrow's own reader gives the same for Parquet."""
    frame = cn.read(way.write(TABLE, tmp_path))
    found = frame.select(["muon.at.run", "jet[].hits[].x", "m[].value.u", "m[].key"]).to_arrow().schema
    assert found.field("muon").type == pa.struct([("at", pa.struct([("run", pa.int32())]))])
    assert found.field("jet").type == pa.list_(pa.struct([("hits", pa.large_list(pa.struct([("x", pa.float32())])))]))
    assert found.field("m").type == pa.map_(pa.string(), pa.struct([("u", pa.int64())]))
    values = frame.select("m[].value.u").to_arrow().schema.field("m").type
    assert pa.types.is_list(values)
    assert not values.value_field.nullable
    assert values.value_type == pa.struct([("value", pa.struct([("u", pa.int64())]))])


def _nameless(kind: pa.DataType) -> str:
    return re.sub(r"<(entries|key_value|element|item|m): ", "<: ", str(kind)).replace("large_", "")


def test_pyarrow_reads_the_same_leaves(tmp_path: Path) -> None:
    plain = TABLE.drop_columns(["pair"])
    pq.write_table(plain, tmp_path / "x.parquet")
    file = pq.ParquetFile(tmp_path / "x.parquet")
    for ours, theirs in [
        (["muon.pt"], ["muon.pt"]),
        (["muon.at.lumi", "n"], ["muon.at.lumi", "n"]),
        (["jet[].eta"], ["jet.list.element.eta"]),
        (["jet[].hits[].x"], ["jet.list.element.hits.list.element.x"]),
        (["m[].key", "m[].value.u"], ["m.key_value.key", "m.key_value.value.u"]),
        (["m[].value.u"], ["m.key_value.value.u"]),
    ]:
        wanted = file.read(columns=theirs)
        found = cn.read(tmp_path / "x.parquet", columns=ours).to_arrow()
        assert sorted(found.column_names) == sorted(wanted.column_names)
        for name in wanted.column_names:
            assert found.column(name).to_pylist() == wanted.column(name).to_pylist(), ours
            # pyarrow's own reader loses the names of items within a projection.
            assert _nameless(found.schema.field(name).type) == _nameless(wanted.schema.field(name).type)


def test_null_structs_stay_null() -> None:
    found = cn.Frame(TABLE)["muon.pt"].to_arrow().column(0).combine_chunks()
    assert found.equals(_structs(_column("muon"), ["pt"]))
    assert found.null_count == _column("muon").null_count > 0


def test_one_column_has_all_its_leaves_in_the_files_order() -> None:
    found = cn.Frame(TABLE).select(["muon.at.lumi", "n", "muon.pt", "muon.pt"])
    assert list(found.columns) == ["muon", "n"]
    assert found.dtypes["muon"] == "struct<pt: double, at: struct<lumi: utf8>>"


def test_a_column_asked_for_as_a_whole_is_whole() -> None:
    frame = cn.Frame(TABLE)
    found = frame.select(["muon.pt", "n", "muon", "muon"])
    assert list(found.columns) == ["n", "muon", "muon"]
    assert found.to_arrow().column(2).equals(TABLE.column("muon"))


@each("format", ["npz", "arrow", "parquet", "msgpack", "json"])
def test_parts_of_parts(format: str) -> None:
    """A projected frame has only the selected leaves."""
    frame = cn.decode(cn.encode(TABLE, format, **exactly(format)), format).select(
        ["muon.at.lumi", "muon.eta", "jet[].hits"]
    )
    assert frame.select(["muon.at"]).to_arrow().schema.field("muon").type == pa.struct(
        [("at", pa.struct([("lumi", pa.string())]))]
    )
    assert frame["jet[].hits[].x"].to_arrow().column(0).to_pylist() == [
        _cut(row["jet"], ["[].hits[].x"]) for row in ROWS
    ]
    with pytest.raises(cn.ColumnNotFound, match=r"column 'muon\.pt' is not there; nearest: 'muon\.at'"):
        frame.select(["muon.pt"])


@each("format", ["npz", "arrow", "parquet", "msgpack", "json"])
def test_labels_win_over_paths(format: str) -> None:
    both = pa.table({"s.a": [1, 2], "s": [{"a": 3, "b": 4}, {"a": 5, "b": 6}], "s.b": [{"c": 7}, {"c": 8}]})
    frame = cn.decode(cn.encode(both, format), format)
    assert frame["s.a"].to_arrow().column(0).to_pylist() == [1, 2]
    assert frame["s.b.c"].to_arrow().column_names == ["s.b"]
    assert cn.decode(cn.encode(both, format), format, columns=["s.a"]).to_arrow().column_names == ["s.a"]


def test_text_that_stands_twice_means_all() -> None:
    inner = pa.StructArray.from_arrays([pa.array([1]), pa.array([9])], names=["b", "c"])
    twice = pa.StructArray.from_arrays([pa.array([2]), inner, pa.array([3])], names=["a.b", "a", "z"])
    found = cn.Frame(pa.table({"s": twice}))["s.a.b"].to_arrow().column(0)
    assert found.to_pylist() == [{"a.b": 2, "a": {"b": 1}}]


def test_names_need_no_quotes() -> None:
    odd = pa.table({"a.b[]": [{"x.y": 1, "[]": 2, "": 3}]})
    frame = cn.Frame(odd)
    assert [frame[f"a.b[].{name}"].to_arrow().column(0).to_pylist() for name in ("x.y", "[]", "")] == [
        [{"x.y": 1}],
        [{"[]": 2}],
        [{"": 3}],
    ]


@each(
    ("asked", "message"),
    [
        ("muon.ptt", "column 'muon.ptt' is not there; nearest: 'muon.pt', 'muon.at', 'muon.eta'"),
        ("jet.eta", "column 'jet.eta' is not there; nearest: 'jet[].eta', 'jet'"),
        ("jett[].eta", "column 'jett[].eta' is not there; nearest: 'jet[].eta', 'jet[].name', 'jet[].hits'"),
        (
            "jet[].hits[].z",
            "column 'jet[].hits[].z' is not there; nearest: 'jet[].hits[].y', 'jet[].hits[].x', 'jet[].hits[]'",
        ),
        ("n.x", "column 'n.x' is not there; columns: 'n', 'muon', 'jet', 'm', 'pair'"),
        ("", "column '' is not there; columns: 'n', 'muon', 'jet', 'm', 'pair'"),
    ],
)
@each("format", [None, "npz", "arrow", "parquet", "msgpack", "json", "ndjson"])
def test_what_is_not_there_is_told_with_the_nearest(format: str | None, asked: str, message: str) -> None:
    frame = cn.Frame(TABLE) if format is None else cn.decode(cn.encode(TABLE, format, **exactly(format)), format)
    with pytest.raises(cn.ColumnNotFound) as raised:
        frame.select([asked])
    assert raised.value.args[0] == message
    if format is not None:
        with pytest.raises(cn.ColumnNotFound) as raised:
            cn.decode(cn.encode(TABLE, format), format, columns=[asked])
        assert raised.value.args[0] == message


def test_labels_that_are_no_text_have_no_paths() -> None:
    df = pd.DataFrame({0: [1], "a": pd.Series([{"b": 1}], dtype=pd.ArrowDtype(pa.struct([("b", pa.int64())])))})
    frame = cn.decode(cn.encode(df, "npz"))
    assert frame.select([0, "a.b"]).shape == (1, 2)
    with pytest.raises(cn.ColumnNotFound, match=r"column '0\.a' is not there"):
        frame.select("0.a")
    df.columns = pd.MultiIndex.from_tuples([("x", 0), ("x", "a")])
    with pytest.raises(cn.ColumnNotFound, match=r"column 'x\.a' is not there; columns: \('x', 0\), \('x', 'a'\)"):
        cn.Frame(df).select(["x.a"])


@each("format", ["npz", "arrow", "parquet", "msgpack", "json"])
def test_a_part_of_a_pandas_column_comes_to_pandas(format: str) -> None:
    kind = pd.ArrowDtype(MUON)
    df = pd.DataFrame({"muon": pd.Series([row["muon"] for row in ROWS], dtype=kind)})
    df.index = pd.Index(np.arange(40) * 2)
    found = cn.decode(cn.encode(df, format, **exactly(format)), format, columns=["muon.pt"]).to_pandas()
    assert found["muon"].dtype == pd.ArrowDtype(pa.struct([("pt", pa.float64())]))
    assert list(found.index) == list(df.index)
    cells = found["muon"].array._pa_array.combine_chunks()
    assert cells.to_pylist() == _structs(_column("muon"), ["pt"]).to_pylist()


def test_all_kinds_of_lists_and_codes_have_items() -> None:
    item = pa.struct([("a", pa.int64()), ("b", pa.string())])
    values = [[{"a": 1, "b": "x"}, None], None, []]
    kinds = [pa.list_(item), pa.large_list(item), pa.list_view(item), pa.large_list_view(item)]
    for kind in kinds:
        found = cn.Frame(pa.table({"l": pa.array(values, kind)})).select("l[].a").to_arrow().column(0)
        assert found.to_pylist() == [[{"a": 1}, None], None, []]
        assert str(found.type) == str(kind).replace(", b: string", "")
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([1, 3], pa.int32()), pa.array(values[0], item))
    found = cn.Frame(pa.table({"r": runs})).select("r.b").to_arrow().column(0).combine_chunks()
    assert found.values.to_pylist() == [{"b": "x"}, None]


def test_unions_and_dictionaries_come_whole() -> None:
    union = pa.UnionArray.from_dense(
        pa.array([0, 1], pa.int8()), pa.array([0, 0], pa.int32()), [pa.array([1]), pa.array([{"a": 1}])], ["x", "y"]
    )
    frame = cn.Frame(pa.table({"u": union, "s": pa.StructArray.from_arrays([union], ["u"])}))
    assert frame.select("s.u").to_arrow().column(0).to_pylist() == [{"u": 1}, {"u": {"a": 1}}]
    with pytest.raises(cn.ColumnNotFound, match=r"column 'u\.y' is not there"):
        frame.select("u.y")


@pytest.mark.parametrize("options", [{}, {"filters": [("n", ">", 10)]}], ids=["all", "filtered"])
def test_parquets_own_spelling_stays(options: dict[str, Any]) -> None:
    data = cn.encode(TABLE, "parquet", row_group_size=16)
    ours = cn.decode(data, columns=["jet[].eta", "muon.pt"], **options).to_arrow()
    theirs = cn.decode(data, columns=["jet.list.element.eta", "muon.pt"], **options).to_arrow()
    assert ours.equals(theirs.select(["jet", "muon"]))
    assert ours.num_rows == (29 if options else 40)


def test_streams_give_leaves_too(tmp_path: Path) -> None:
    for format in ("arrows", "msgpack", "ndjson", "npz", "parquet"):
        data = cn.encode(TABLE, format, **exactly(format))
        reader, writer = os.pipe()
        feeder = threading.Thread(target=lambda d=data, w=writer: (os.write(w, d), os.close(w)))
        feeder.start()
        found = cn.read(reader, format=format, columns=["jet[].eta"]).to_arrow()
        feeder.join()
        os.close(reader)
        assert found.column(0).to_pylist() == [_cut(row["jet"], ["[].eta"]) for row in ROWS]


def test_inspect_lists_the_leaves(tmp_path: Path) -> None:
    wanted = {
        "muon": ["muon.pt", "muon.eta", "muon.at.run", "muon.at.lumi"],
        "jet": ["jet[].eta", "jet[].hits[].x", "jet[].hits[].y", "jet[].name"],
        "m": ["m[].key", "m[].value.u", "m[].value.v[]"],
        "pair": ["pair[].pt", "pair[].q"],
    }
    for format in ("npz", "arrow", "arrows", "parquet"):
        found = cn.inspect(cn.encode(TABLE, format))
        assert found.leaves == found.to_dict()["leaves"] == wanted
    cn.write(TABLE, tmp_path / "x.npz")
    assert list(cn.read(tmp_path / "x.npz", columns=wanted["jet"][:1]).columns) == ["jet"]


def test_the_command_line_takes_paths(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cn.write(TABLE.slice(0, 1), tmp_path / "x.arrow")
    assert main(["head", str(tmp_path / "x.arrow"), "--columns", "muon.at.run,n"]) == 0
    out = capsys.readouterr().out
    assert "{'at': {'run': 0}}" in out
    assert main(["head", str(tmp_path / "x.arrow"), "--columns", "muon.at.rum"]) != 0
    assert "nearest: 'muon.at.run'" in capsys.readouterr().err


def test_a_frame_goes_when_nobody_holds_it() -> None:
    """The lookup of columns holds no reference to a frame, whose memory must not wait for the cycle collector."""
    for make in (lambda: cn.Frame(TABLE), lambda: cn.decode(cn.encode(TABLE, "npz"))):
        frame = make()
        assert frame["muon.pt"].shape == (40, 1)
        held = weakref.ref(frame)
        gc.disable()
        try:
            del frame
            assert held() is None
        finally:
            gc.enable()
