"""Datasets: listing, schema, selection, filters, and rows in the order of the parts."""

import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import colonnade as cn
from tests.helpers.each import each

FORMATS = ["npz", "arrow", "arrows", "parquet", "msgpack", "csv", "ndjson", "json", "yaml"]


def write_parts(folder: Path, suffix: str = "parquet") -> None:
    """Three parts of two years, as other programs lay them out."""
    schema = {"schema": "header"} if suffix in ("csv", "ndjson", "json", "yaml") else {}
    for year, month, fares in ((2023, 12, [7.5, 9.0]), (2024, 1, [1.0]), (2024, 2, [2.0, 3.0, 4.0])):
        path = folder / f"year={year}" / f"month={month}" / f"part-0.{suffix}"
        cn.write({"fare": np.array(fares), "n": np.arange(len(fares))}, path, mkdir=True, **schema)


@each("suffix", FORMATS)
def test_keys_are_columns(tmp_path: Path, suffix: str) -> None:
    write_parts(tmp_path, suffix)
    trips = cn.dataset(tmp_path)
    assert trips.format == suffix
    assert trips.keys == ["year", "month"]
    found = trips.to_pandas()
    assert list(found.columns) == ["fare", "n", "year", "month"]
    assert found["year"].tolist() == [2023, 2023, 2024, 2024, 2024, 2024]
    assert found["fare"].tolist() == [7.5, 9.0, 1.0, 2.0, 3.0, 4.0]
    assert isinstance(found.index, pd.RangeIndex)


@each("suffix", FORMATS)
def test_conditions_on_keys_and_columns(tmp_path: Path, suffix: str) -> None:
    write_parts(tmp_path, suffix)
    trips = cn.dataset(tmp_path)
    assert trips.filter("year == 2024 and fare > 1").read()["fare"].to_numpy().tolist() == [2.0, 3.0, 4.0]
    assert trips.filter("month == 12 or fare == 1").count_rows() == 3
    assert trips.filter([("month", "in", [1, 2])]).filter("n >= 1").count_rows() == 2
    assert trips.filter("fare > 100").read().shape == (0, 4)


def test_parts_that_cannot_match_are_not_opened(tmp_path: Path) -> None:
    write_parts(tmp_path)
    found = cn.dataset(tmp_path).filter("year == 2023")
    for path in tmp_path.glob("year=2024/**/*.parquet"):
        path.write_bytes(b"not Parquet")
    assert [part.name for part in found.parts] == ["year=2023/month=12/part-0.parquet"]
    assert len(found.read()) == 2


def test_of_a_thousand_parts_only_those_that_may_match_are_opened(tmp_path: Path) -> None:
    for i in range(1000):
        path = tmp_path / f"day={i // 10}" / f"city=city {i % 10}" / "part-0.parquet"
        cn.write({"fare": [float(i)]}, path, mkdir=True)
    found = cn.dataset(tmp_path).filter("day in (7, 42) and city == 'city 3' and fare > 0")
    assert len(cn.dataset(tmp_path).parts) == 1000
    needed = {f"day={day}/city=city 3/part-0.parquet" for day in (7, 42)}
    assert {part.name for part in found.parts} == needed
    for path in tmp_path.rglob("*.parquet"):
        if path.relative_to(tmp_path).as_posix() not in needed:
            path.write_bytes(b"not Parquet")
    assert sorted(found.read()["fare"].to_numpy().tolist()) == [73.0, 423.0]


def test_pyarrow_reads_the_same_rows(tmp_path: Path) -> None:
    write_parts(tmp_path)
    theirs = pq.read_table(tmp_path, partitioning="hive").to_pandas()
    ours = cn.dataset(tmp_path, partition_types={"year": "int32", "month": "int32"}).to_pandas()
    # pyarrow makes keys categories.
    theirs["year"], theirs["month"] = theirs["year"].astype("int32"), theirs["month"].astype("int32")
    pd.testing.assert_frame_equal(ours, theirs)


def test_what_pyarrow_wrote(tmp_path: Path) -> None:
    table = pa.table({"city": ["Den Haag", "a/b", None, "x=y", "%"], "n": range(5)})
    pq.write_to_dataset(table, tmp_path, partition_cols=["city"])
    found = cn.dataset(tmp_path).to_arrow().sort_by("n")
    assert found["city"].to_pylist() == table["city"].to_pylist()
    assert found["n"].to_pylist() == list(range(5))


def test_columns_come_in_the_asked_order(tmp_path: Path) -> None:
    write_parts(tmp_path)
    found = cn.dataset(tmp_path).select(["month", "fare"])
    assert [field.label for field in found.schema.fields] == ["month", "fare"]
    assert list(found.to_pandas().columns) == ["month", "fare"]
    assert found.filter("n == 0").head(1).to_pandas().to_dict("list") == {"month": [12], "fare": [7.5]}


def test_scan_holds_one_batch(tmp_path: Path) -> None:
    cn.write({"n": np.arange(100)}, tmp_path / "a.parquet", row_group_size=30)
    cn.write({"n": np.arange(100, 150)}, tmp_path / "b.parquet")
    assert [len(frame) for frame in cn.dataset(tmp_path).scan()] == [30, 30, 30, 10, 50]
    assert [len(frame) for frame in cn.dataset(tmp_path).scan(batch_rows=20)] == [
        20,
        10,
        20,
        10,
        20,
        10,
        10,
        20,
        20,
        10,
    ]
    assert cn.dataset(tmp_path).read()["n"].to_numpy().tolist() == list(range(150))


def test_head_opens_the_parts_that_it_needs(tmp_path: Path) -> None:
    cn.write({"n": [1, 2]}, tmp_path / "a.parquet")
    (tmp_path / "b.parquet").write_bytes(b"not Parquet")
    assert cn.dataset(tmp_path).head(2).shape == (2, 1)
    assert cn.dataset(tmp_path).head(0).shape == (0, 1)
    with pytest.raises(cn.DecodeError, match=r"^b\.parquet: "):
        cn.dataset(tmp_path).head(3)


@each(
    ("texts", "dtype"),
    [
        (["1", "22"], "int64"),
        (["007", "1"], "large_utf8"),
        (["2024-01-31", "2024-02-01"], "datetime64[D]"),
        (["2024-02-31", "2024-02-01"], "large_utf8"),
        (["9223372036854775808", "1"], "large_utf8"),
        (["1", "__HIVE_DEFAULT_PARTITION__"], "int64"),
        (["-0", "1"], "large_utf8"),
    ],
)
def test_types_of_keys_are_inferred(tmp_path: Path, texts: list[str], dtype: str) -> None:
    for text in texts:
        cn.write({"n": [1]}, tmp_path / f"k={text}" / "p.npz", mkdir=True)
    assert cn.dataset(tmp_path).schema.fields[1].dtype == dtype


def test_null_keys(tmp_path: Path) -> None:
    for text in ("1", "__HIVE_DEFAULT_PARTITION__"):
        cn.write({"n": [1]}, tmp_path / f"k={text}" / "p.npz", mkdir=True)
    found = cn.dataset(tmp_path)
    assert found.to_arrow()["k"].to_pylist() == [1, None]
    assert found.filter([("k", "is", None)]).count_rows() == 1
    assert found.filter("k == 1").count_rows() == 1


@each(
    ("types", "error", "message"),
    [
        ({"yaer": "int32"}, cn.OptionError, "'yaer' is no key of the folders.*nearest: 'year'"),
        ({"year": "complex128"}, cn.OptionError, "partition_types of 'year': expected 'str', 'date'"),
        ({"month": "bool"}, cn.DecodeError, "key 'month': expected bool, found the folder month=12"),
        ({"year": "int8"}, cn.DecodeError, "key 'year': expected int8, found the folder year=2023"),
    ],
)
def test_wrong_types_of_keys(tmp_path: Path, types: dict[str, str], error: type[Exception], message: str) -> None:
    write_parts(tmp_path)
    with pytest.raises(error, match=message):
        cn.dataset(tmp_path, partition_types=types)


def test_a_key_that_is_a_column_too(tmp_path: Path) -> None:
    cn.write({"year": [1999], "n": [1]}, tmp_path / "year=2024" / "p.parquet", mkdir=True)
    found = cn.dataset(tmp_path).to_pandas()
    assert found.to_dict("list") == {"year": [2024], "n": [1]}
    assert cn.dataset(tmp_path).filter("year == 2024").count_rows() == 1
    assert cn.dataset(tmp_path, partitioning=None).to_pandas()["year"].tolist() == [1999]


def test_patterns_lists_and_single_files(tmp_path: Path) -> None:
    write_parts(tmp_path)
    assert cn.dataset(f"{tmp_path}/year=2024/*/*.parquet").count_rows() == 4
    paths = sorted(tmp_path.glob("**/*.parquet"))
    assert cn.dataset(paths[:2]).count_rows() == 3
    assert cn.dataset(paths[0]).keys == []


def test_hidden_files_are_no_parts(tmp_path: Path) -> None:
    write_parts(tmp_path)
    (tmp_path / "_SUCCESS").write_bytes(b"")
    (tmp_path / "year=2024" / ".crc").write_bytes(b"x")
    (tmp_path / "_temporary").mkdir()
    (tmp_path / "_temporary" / "x.parquet").write_bytes(b"x")
    assert len(cn.dataset(tmp_path).parts) == 3


def test_a_pickle_opens_the_files_again(tmp_path: Path) -> None:
    write_parts(tmp_path)
    found = cn.dataset(tmp_path).filter("year == 2024").select(["fare"])
    found.count_rows()
    again = pickle.loads(pickle.dumps(found))
    assert again.read()["fare"].to_numpy().tolist() == [1.0, 2.0, 3.0, 4.0]
    assert len(pickle.dumps(found.only(0))) < 8_000


def test_datasets_are_data(tmp_path: Path) -> None:
    write_parts(tmp_path / "in")
    trips = cn.dataset(tmp_path / "in")
    cn.write(trips, tmp_path / "one.parquet")
    cn.convert(trips, tmp_path / "one.npz")
    for name in ("one.parquet", "one.npz"):
        pd.testing.assert_frame_equal(cn.read_pandas(tmp_path / name), trips.to_pandas())
    with pytest.raises(cn.OptionError, match="read_options: expected none for a dataset, found 'threads'"):
        cn.convert(trips, tmp_path / "x.npz", read_options={"threads": 1})
