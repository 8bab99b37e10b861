"""Parts of different schemas, of other formats, cut or missing."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import colonnade as cn
from tests.helpers.each import each


def test_other_columns_are_refused_with_both_sides(tmp_path: Path) -> None:
    cn.write({"a": [1], "b": ["x"]}, tmp_path / "1.parquet")
    cn.write({"a": [1], "c": ["x"]}, tmp_path / "2.parquet")
    with pytest.raises(cn.DecodeError) as error:
        cn.dataset(tmp_path).read()
    assert str(error.value) == (
        "2.parquet: expected the columns as in 1.parquet, ['a', 'b'], found no 'b'. "
        'Pass on_schema="union" if parts may lack columns.'
    )


def test_other_types_are_refused_with_both_sides(tmp_path: Path) -> None:
    cn.write({"a": [1]}, tmp_path / "1.parquet")
    cn.write({"a": [1.5]}, tmp_path / "2.parquet")
    for options in ({}, {"on_schema": "union"}):
        with pytest.raises(cn.DecodeError, match=r"2\.parquet: expected column 'a' as in 1\.parquet, int64, found"):
            cn.dataset(tmp_path, **options).read()


@each("suffix", ["parquet", "arrow", "npz", "msgpack"])
def test_a_union_has_nulls_where_a_part_lacks_a_column(tmp_path: Path, suffix: str) -> None:
    first = {"a": np.array([1, 2]), "b": np.array(["x", "y"]), "t": np.array(["2024-01-01", "2024-01-02"], "M8[us]")}
    cn.write(first, tmp_path / f"1.{suffix}")
    cn.write({"a": np.array([3]), "c": np.array([1.5])}, tmp_path / f"2.{suffix}")
    found = cn.dataset(tmp_path, on_schema="union")
    assert [field.label for field in found.schema.fields] == ["a", "b", "t", "c"]
    table = found.to_arrow()
    assert table["a"].to_pylist() == [1, 2, 3]
    assert table["b"].to_pylist() == ["x", "y", None]
    assert table["c"].to_pylist() == [None, None, 1.5]
    assert table["t"].null_count == 1
    assert found.select(["c", "a"]).to_arrow().to_pylist()[0] == {"c": None, "a": 1}
    assert found.select(["b"]).only(1).to_arrow().to_pylist() == [{"b": None}]


def test_a_filter_of_a_union_is_on_columns_that_a_part_lacks(tmp_path: Path) -> None:
    cn.write({"a": [1, 2]}, tmp_path / "1.parquet")
    cn.write({"a": [3], "c": [1.5]}, tmp_path / "2.parquet")
    found = cn.dataset(tmp_path, on_schema="union")
    assert found.filter("c > 1").to_arrow().to_pylist() == [{"a": 3, "c": 1.5}]
    assert found.filter([("c", "is", None)]).to_arrow()["a"].to_pylist() == [1, 2]
    assert found.filter([[("c", ">", 1)], [("a", "==", 2)]]).to_arrow()["a"].to_pylist() == [2, 3]


def test_a_union_of_a_type_without_nulls_is_refused(tmp_path: Path) -> None:
    cn.write({"a": [1], "z": np.array([1 + 2j])}, tmp_path / "1.npz")
    cn.write({"a": [1]}, tmp_path / "2.npz")
    with pytest.raises(cn.UnsupportedError, match=r"column 'z' of 1\.npz: expected a type with nulls"):
        cn.dataset(tmp_path, on_schema="union").read()


def test_several_formats_are_refused(tmp_path: Path) -> None:
    cn.write({"a": [1]}, tmp_path / "1.parquet")
    cn.write({"a": [1]}, tmp_path / "2.npz")
    with pytest.raises(cn.UnsupportedError, match="expected files of one format, found npz, parquet"):
        cn.dataset(tmp_path)
    (tmp_path / "3.txt").write_text("x")
    with pytest.raises(cn.UnsupportedError, match="found None, npz, parquet"):
        cn.dataset(tmp_path)


def test_parts_without_a_key_are_refused(tmp_path: Path) -> None:
    cn.write({"a": [1]}, tmp_path / "k=1" / "1.npz", mkdir=True)
    cn.write({"a": [1]}, tmp_path / "2.npz")
    with pytest.raises(cn.DecodeError, match="expected the key 'k' in the folders of all parts"):
        cn.dataset(tmp_path)
    assert cn.dataset(tmp_path, partitioning=None).count_rows() == 2


def test_a_cut_part_is_named(tmp_path: Path) -> None:
    cn.write({"a": np.arange(1000)}, tmp_path / "1.parquet")
    data = (tmp_path / "1.parquet").read_bytes()
    (tmp_path / "2.parquet").write_bytes(data[: len(data) // 2])
    with pytest.raises(cn.DecodeError, match=r"^2\.parquet: "):
        cn.dataset(tmp_path).read()


def test_a_part_that_was_removed_is_named(tmp_path: Path) -> None:
    cn.write({"a": [1]}, tmp_path / "1.parquet")
    cn.write({"a": [1]}, tmp_path / "2.parquet")
    found = cn.dataset(tmp_path)
    (tmp_path / "2.parquet").unlink()
    with pytest.raises(FileNotFoundError, match=r"2\.parquet"):
        found.read()


def test_streams_are_no_parts(tmp_path: Path) -> None:
    import os

    reader, writer = os.pipe()
    refused = pytest.raises(cn.UnsupportedError, match="source 0: expected a file, found a stream")
    with open(reader, "rb") as source, open(writer, "wb"), refused:
        cn.dataset([source], format="npz")


def test_a_delta_table_is_not_read_as_its_files(tmp_path: Path) -> None:
    cn.write({"a": [1]}, tmp_path / "1.parquet")
    (tmp_path / "_delta_log").mkdir()
    (tmp_path / "_delta_log" / "0.json").write_text("{}")
    with pytest.raises(cn.UnsupportedError, match=r"found a Delta Lake table. Pass deltalake\.DeltaTable"):
        cn.dataset(tmp_path)


@each("kind", ["folder", "store"])
def test_too_many_files(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("colonnade._dataset.places.MOST_FILES", 2)
    options = {}
    if kind == "store":
        options["filesystem"] = pytest.importorskip("obstore.store").MemoryStore()
    source = str(tmp_path) if kind == "folder" else "trips"
    for i in range(3):
        cn.write({"a": [i]}, f"{source}/p{i}.parquet", **options)
    with pytest.raises(cn.LimitError, match="expected at most 2 files, found more"):
        cn.dataset(source, **options)


def test_no_files(tmp_path: Path) -> None:
    for source in (tmp_path, tmp_path / "nowhere", f"{tmp_path}/*.npz", []):
        with pytest.raises(FileNotFoundError, match="expected the files of a dataset, found none"):
            cn.dataset(source)


@each(
    ("options", "message"),
    [
        ({"partitioning": "dir"}, "partitioning: expected 'hive' or None, found 'dir'"),
        ({"on_schema": "merge"}, "on_schema: expected 'strict' or 'union', found 'merge'"),
        ({"columns": ["a"]}, r"columns: expected no columns here. Use select\(\) of the dataset"),
        ({"filters": "a > 1"}, r"filters: expected no filters here. Use filter\(\) of the dataset"),
    ],
)
def test_wrong_options(tmp_path: Path, options: dict[str, object], message: str) -> None:
    with pytest.raises(cn.OptionError, match=message):
        cn.dataset(tmp_path, **options)


def test_typos_are_told(tmp_path: Path) -> None:
    cn.write({"price": [1]}, tmp_path / "kind=a" / "1.npz", mkdir=True)
    found = cn.dataset(tmp_path)
    with pytest.raises(cn.ColumnNotFound, match="column 'prise' is not there; nearest: 'price'"):
        found.select(["prise"])
    with pytest.raises(cn.ColumnNotFound, match="filters: column 'knd' is not there; nearest: 'kind'"):
        found.filter("knd == 'a'")


def test_conditions_on_levels_of_row_labels(tmp_path: Path) -> None:
    index = pd.MultiIndex.from_product([["a", "b"], range(3)], names=["k", "i"])
    cn.write(pd.DataFrame({"x": range(6)}, index=index), tmp_path / "1.parquet")
    found = cn.dataset(tmp_path).filter("i == 2").to_pandas()
    assert found.index.tolist() == [("a", 2), ("b", 2)]
