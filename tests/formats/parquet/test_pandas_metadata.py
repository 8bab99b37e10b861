"""The metadata that pandas stores in a file."""

import io

import pytest

pytest.importorskip("pyarrow")

import pandas as pd
import pyarrow.parquet as pq

import colonnade as cn


def test_a_whole_file_keeps_long_metadata_as_they_are() -> None:
    sink = io.BytesIO()
    pd.DataFrame({f"column {k}": [1, 2] for k in range(300)}).to_parquet(sink, engine="pyarrow")
    stored = pq.read_schema(sink).metadata[b"pandas"]
    assert len(stored) > 32 << 10
    assert cn.read_arrow(sink.getvalue()).schema.metadata[b"pandas"] == stored
