"""Categories that are dates and times: the file counts them in other units than Arrow does."""

import datetime as dt
import io

import pyarrow as pa
import pyarrow.parquet as pq

import colonnade as cn
from tests.helpers.each import each

DAYS = [dt.date(2024, 2, 29), dt.date(1969, 12, 31)]
TIMES = [dt.time(1, 2, 3), dt.time(23, 59, 59)]


@each("kind, values", [(pa.date64(), DAYS), (pa.time32("s"), TIMES)])
def test_categories_of_days_and_seconds(kind: pa.DataType, values: list[dt.date] | list[dt.time]) -> None:
    categories = pa.DictionaryArray.from_arrays(pa.array([0, None, 1, 0], pa.int8()), pa.array(values, kind))
    content = cn.encode(pa.table({"a": categories}), "parquet")
    rows = [values[0], None, values[1], values[0]]
    assert pq.read_table(io.BytesIO(content))["a"].to_pylist() == rows
    found = cn.read_arrow(content, format="parquet")["a"].combine_chunks()
    assert found.dictionary.type == kind
    assert found.to_pylist() == rows
