"""Numbers and times with nulls, decoded for pandas, equal pyarrow's, and their memory is the DataFrame's own."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

import colonnade as cn
from tests.helpers.each import each

INTEGERS = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]
FLOATS = [pa.float16(), pa.float32(), pa.float64()]
TIMES = [kind(unit) for kind in (pa.timestamp, pa.duration) for unit in ("s", "ms", "us", "ns")]
TYPES = [*INTEGERS, *FLOATS, *TIMES, pa.timestamp("us", "UTC"), pa.bool_()]
LENGTHS = [0, 1, 63, 64, 65, 1023, 1025, 3000]
MASKS: dict[str, Any] = {
    "none": lambda n, rng: np.zeros(n, bool),
    "all": lambda n, rng: np.ones(n, bool),
    "tenth": lambda n, rng: rng.random(n) < 0.1,
    "half": lambda n, rng: rng.random(n) < 0.5,
    "runs": lambda n, rng: np.arange(n) // 700 % 2 == 1,
    "ends": lambda n, rng: np.isin(np.arange(n), [0, n - 1]),
}


def _table(nrows: int) -> pa.Table:
    rng = np.random.default_rng(nrows)
    columns = {}
    for kind in TYPES:
        for name, mask in MASKS.items():
            raw = rng.integers(0, 100, nrows)
            if kind == pa.int64():
                raw = raw + (1 << 62)  # past what float64 holds exactly
            if kind == pa.bool_():
                raw = raw % 2 == 1
            values = pa.array(raw.astype(np.float16) if kind == pa.float16() else raw).cast(kind)
            columns[f"{kind} {name}"] = pa.array(values.to_numpy(zero_copy_only=False), kind, mask=mask(nrows, rng))
    return pa.table(columns)


def _write(table: pa.Table, path: Path, how: str) -> None:
    if how.startswith("parquet"):
        dictionary, compression = "dictionary" in how, "snappy" if "snappy" in how else "none"
        pq.write_table(table, path, use_dictionary=dictionary, compression=compression, row_group_size=2000)
    elif how.startswith("arrow"):
        new = pa.ipc.new_stream if "stream" in how else pa.ipc.new_file
        compression = "lz4" if "lz4" in how else None
        options = pa.ipc.IpcWriteOptions(compression=compression)
        with pa.OSFile(str(path), "wb") as file, new(file, table.schema, options=options) as writer:
            writer.write_table(table, max_chunksize=None if "one" in how else 900)
    else:
        cn.write(table, path, format=how)


HOW = ["parquet", "parquet dictionary", "parquet snappy", "arrow one", "arrow", "arrow lz4", "arrow stream", "msgpack"]


@each("nrows", list(LENGTHS))
@each("how", list(HOW))
def test_nulls_are_as_pyarrow_has_them(how: str, nrows: int, tmp_path: Path) -> None:
    table, path = _table(nrows), tmp_path / "file"
    _write(table, path, how)
    frame = cn.read(path, format=how if how == "msgpack" else None)
    expected = frame.to_arrow().to_pandas()
    got = frame.to_pandas()
    pd.testing.assert_frame_equal(got, expected)
    _is_its_own(got)
    pd.testing.assert_frame_equal(frame.to_pandas(), expected)
    some = cn.read(path, format=how if how == "msgpack" else None, rows=slice(nrows // 3, nrows - nrows // 5))
    pd.testing.assert_frame_equal(some.to_pandas().reset_index(drop=True), some.to_arrow().to_pandas())


def _is_its_own(frame: pd.DataFrame) -> None:
    """Every number can be written to, and no other changes with it."""
    arrays = [block.values for block in frame._mgr.blocks]
    views = [
        array.view(f"u{array.itemsize}") for array in arrays if isinstance(array, np.ndarray) and array.dtype != "O"
    ]
    cells = [(np.arange(view.size) + k).astype(view.dtype).reshape(view.shape) for k, view in enumerate(views)]
    for view, cell in zip(views, cells, strict=True):
        view[...] = cell
    for view, cell in zip(views, cells, strict=True):
        np.testing.assert_array_equal(view, cell)


@each("how", list(HOW))
def test_the_dtypes_of_pandas_keep_their_nulls(how: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    mask, ints = rng.random(3000) < 0.1, rng.integers(-9, 9, 3000)
    given = pd.DataFrame(
        {
            "Int64": pd.arrays.IntegerArray(ints, mask.copy()),
            "UInt8": pd.arrays.IntegerArray(ints.astype("u1"), mask.copy()),
            "Float32": pd.arrays.FloatingArray(ints.astype("f4"), mask.copy()),
            "boolean": pd.arrays.BooleanArray(ints > 0, mask.copy()),
            "float": np.where(mask, np.nan, ints),
            "zone": pd.Series(pd.to_datetime(ints, unit="s", utc=True)).where(~mask),
        }
    )
    path = tmp_path / "file"
    _write(pa.Table.from_pandas(given), path, how)
    frame = cn.read(path, format=how if how == "msgpack" else None)
    got = frame.to_pandas()
    pd.testing.assert_frame_equal(got, frame.to_arrow().to_pandas())
    got.loc[:, "Int64"] = 7
    got.loc[3, "UInt8"] = pd.NA
    got.loc[4, "boolean"] = True
    again = frame.to_pandas()
    pd.testing.assert_frame_equal(again, frame.to_arrow().to_pandas())
    if how != "msgpack":
        backend = frame.to_pandas(dtype_backend="numpy_nullable")
        assert backend["Int64"].isna().sum() == mask.sum() == backend["float"].isna().sum()


def test_one_column_twice_is_two_columns(tmp_path: Path) -> None:
    path = tmp_path / "file.parquet"
    pq.write_table(pa.table({"a": pa.array([1.5, None, 3.0]), "b": pa.array([1, None, 3])}), path)
    got = cn.read(path)[["a", "b", "a", "b"]].to_pandas()
    got.iloc[0, 0] = got.iloc[0, 1] = 9
    assert got.iloc[0].tolist() == [9, 9, 1.5, 1]
