"""A table as pyarrow's and pandas' readers give it, and as ours do: equal to the dtype of each cell."""

from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from colonnade import _core
from colonnade.adapters import pandas as adapter
from colonnade.adapters._pandas_arrow_table import table_to_pandas

BACKENDS = [None, "numpy_nullable", "pyarrow"]


def stream_of(table: Any, batch_rows: int | None = None) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=batch_rows)
        if not table.num_rows:  # pyarrow crashes where a dictionary never came
            arrays = [column.chunk(0) if column.num_chunks else pa.nulls(0, column.type) for column in table.columns]
            writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=table.schema))
    return sink.getvalue().to_pybytes()


def landed(source: Any) -> Any:
    """The core frame of a table, or of the stream that pyarrow wrote of it."""
    data = source if isinstance(source, bytes) else stream_of(source)
    file = _core.File.open_buffer(data, options=_core.ArrowsReadOptions(limits=_core.Limits()))
    return file.load(private=True)


def reference(table: Any, dtype_backend: str | None = None) -> pd.DataFrame:
    return table_to_pandas(table, dtype_backend)


def check(table: Any, dtype_backend: str | None = None) -> pd.DataFrame:
    for batch_rows in (2, None):
        data = stream_of(table, batch_rows)
        try:
            expected = reference(pa.ipc.open_stream(data).read_all(), dtype_backend)
        except Exception as error:
            pytest.skip(f"the reader itself refuses it: {error}")
        back = adapter.from_frame(landed(data), dtype_backend=dtype_backend)
        assert_same(expected, back)
    return back


def assert_same(expected: pd.DataFrame, found: pd.DataFrame) -> None:
    # pandas cannot compare every type that it holds for pyarrow.
    arrow = [i for i, dtype in enumerate(expected.dtypes) if isinstance(dtype, pd.ArrowDtype)]
    for i in arrow:
        left, right = (frame.iloc[:, i].array._pa_array for frame in (expected, found))
        assert left.type == right.type
        assert repr(left.to_pylist()) == repr(right.to_pylist())
    keep = [i for i in range(expected.shape[1]) if i not in arrow]
    if arrow:
        expected, found = expected.iloc[:, keep], found.iloc[:, keep]
    pd.testing.assert_frame_equal(found, expected, check_freq=True, check_flags=True, check_column_type="exact")
    assert type(found.index) is type(expected.index)
    assert type(found.columns) is type(expected.columns)
    assert list(found.index.names) == list(expected.index.names)
    assert list(found.columns.names) == list(expected.columns.names)
    assert found.attrs == expected.attrs
    for i in range(found.shape[1]):
        left, right = expected.iloc[:, i], found.iloc[:, i]
        assert repr(left.dtype) == repr(right.dtype)
        if isinstance(left.dtype, pd.CategoricalDtype):
            assert left.cat.codes.dtype == right.cat.codes.dtype
        if left.dtype == object:
            assert [type(cell) for cell in left] == [type(cell) for cell in right]


def readable(array: Any) -> bool:
    try:
        reference(pa.table({"x": array}))
    except (pa.ArrowException, ValueError):
        return False
    return not isinstance(array, pa.ExtensionArray)
