"""Bools become bits in Arrow's layout: pages, row groups and tasks meet inside of bytes."""

import io
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import colonnade as cn
from tests.helpers.each import each

ENCODINGS = {
    "plain": {"use_dictionary": False},
    "runs": {"use_dictionary": False, "column_encoding": dict.fromkeys(("whole", "nulls", "runs", "empty"), "RLE")},
}


def table(nrows: int) -> Any:
    random = np.random.default_rng(nrows)
    values = random.random(nrows) < 0.5
    runs = np.repeat(values, 37)[:nrows]
    return pa.table(
        {
            "whole": values,
            "nulls": pa.array(values, mask=random.random(nrows) < 0.3),
            "runs": pa.array(runs, mask=np.roll(runs, 11)),
            "empty": pa.nulls(nrows, pa.bool_()),
        }
    )


def written(table: Any, **options: Any) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, data_page_size=1, **options)
    return sink.getvalue()


@each("encoding", ENCODINGS)
@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("group", [1, 3, 7, 13, 64, 1001, 4000])
def test_row_groups_meet_inside_of_bytes(group: int, version: str, encoding: dict[str, Any]) -> None:
    expected = table(min(4000, 61 * group))
    content = written(
        expected, row_group_size=group, write_batch_size=11, data_page_version=version, compression="snappy", **encoding
    )
    n = expected.num_rows
    for threads in (1, 4):
        for start, stop in [(0, n), (1, n), (3, n - 2), (n // 3, n // 2), (n - 1, n)]:
            part = expected.slice(start, max(stop - start, 0))
            found = cn.read_arrow(content, rows=slice(start, max(start, stop)), threads=threads)
            assert found.cast(expected.schema).equals(part), (threads, start, stop)


@each("encoding", ENCODINGS)
@each("batch", [8, 999, 1000, 4097])
def test_tasks_of_one_chunk_meet_inside_of_bytes(batch: int, encoding: dict[str, Any]) -> None:
    expected = table(1_300_007)
    content = written(expected, row_group_size=1 << 22, write_batch_size=batch, compression="none", **encoding)
    for start, stop in [(0, 1_300_007), (5, 1_300_002)]:
        found = cn.read_arrow(content, rows=slice(start, stop), threads=4)
        assert found.cast(expected.schema).equals(expected.slice(start, stop - start)), (start, stop)


@pytest.mark.parametrize("group", [5, 777])
def test_bools_of_lists_and_selected_rows(group: int) -> None:
    random = np.random.default_rng(group)
    cells = [None if k % 17 == 0 else [None, True, False][: k % 4] * (k % 3) for k in range(3001)]
    expected = pa.table({"n": random.integers(0, 9, 3001), "lists": pa.array(cells, pa.list_(pa.bool_()))})
    expected = expected.append_column("flags", pa.array(random.random(3001) < 0.5, mask=random.random(3001) < 0.2))
    content = written(expected, row_group_size=group, write_batch_size=9, use_dictionary=False)
    assert cn.read_arrow(content, threads=4).cast(expected.schema).equals(expected)
    found = cn.read_arrow(content, filters=[("n", "<", 3)], threads=4)
    wanted = expected.filter(pc.less(expected["n"], 3))
    assert found.cast(expected.schema).equals(wanted)


def test_pandas_takes_the_same_bools_as_bytes() -> None:
    expected = table(5003)
    content = written(expected, row_group_size=701, write_batch_size=13)
    found = cn.read_pandas(content)
    assert found["whole"].dtype == bool
    for name in expected.column_names:
        assert pa.array(found[name], pa.bool_(), from_pandas=True).equals(expected[name].combine_chunks()), name
