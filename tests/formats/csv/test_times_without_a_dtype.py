"""Columns of times that are found without a dtype: NumPy's in a file that is read whole, Arrow's in chunks."""

import io

import numpy as np
import pytest

import colonnade as cn

pa = pytest.importorskip("pyarrow")

CONTENT = b"t,n\n2020-01-01 10:00:00,1\n,2\n2021-01-01 12:30:00.5,3\n"
TIMES = np.array(["2020-01-01T10:00:00", "NaT", "2021-01-01T12:30:00.5"], "M8[us]")


def test_times_of_a_whole_file_are_datetime64() -> None:
    frame = cn.decode(CONTENT, "csv")
    assert frame.dtypes["t"] == np.dtype("M8[us]")
    np.testing.assert_array_equal(frame["t"].to_numpy(), TIMES, strict=True)


def test_chunks_have_the_types_of_arrow() -> None:
    """A later chunk may have nulls where the first one has none, so the metadata declare no NumPy dtype."""
    with cn.open_reader(io.BytesIO(CONTENT), format="csv", chunk_rows=1) as reader:
        tables = [frame.to_arrow() for frame in reader]
    expected = pa.schema([("t", pa.timestamp("us")), ("n", pa.int64())])
    for table in tables:
        assert [field.remove_metadata() for field in table.schema] == list(expected)
        assert [field.metadata for field in table.schema] == [None, None]
    assert pa.concat_tables(tables)["t"].to_pylist() == TIMES.tolist()
