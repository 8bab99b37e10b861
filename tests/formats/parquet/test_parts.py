"""Parts of columns: a field of run-end encoded structs, and what pandas says of columns whose names need escapes."""

import io

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import colonnade as cn


def test_a_field_of_run_end_encoded_structs_is_read_without_the_others() -> None:
    structs = pa.array([{"x": 1, "y": "a"}, {"x": 2, "y": "b"}])
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([2, 3], pa.int32()), structs)
    content = bytearray(cn.encode(pa.table({"r": runs}), "parquet"))
    chunk = pq.read_metadata(io.BytesIO(bytes(content))).row_group(0).column(1)
    assert chunk.path_in_schema == "r.y"
    start = chunk.dictionary_page_offset or chunk.data_page_offset
    content[start : start + chunk.total_compressed_size] = b"\xff" * chunk.total_compressed_size
    expected = [{"r": {"x": 1}}, {"r": {"x": 1}}, {"r": {"x": 2}}]
    assert cn.read(bytes(content)).select(["r.x"]).to_arrow().to_pylist() == expected
    with pytest.raises(cn.DecodeError):
        cn.read(bytes(content)).to_arrow()


@pytest.mark.parametrize("name", ['a "word"', "back\\slash", "tab\t", "plain", "ä"])
def test_a_column_keeps_its_dtype_whatever_its_name_is(name: str) -> None:
    """The file says of so many columns what pandas needs that only the entries of the wanted ones are read."""
    columns = {f"column {k}": [k, k + 1] for k in range(400)}
    frame = pd.DataFrame({**columns, name: pd.array([1, None], "Int16")})
    sink = io.BytesIO()
    frame.to_parquet(sink, engine="pyarrow")
    metadata = pq.read_metadata(io.BytesIO(sink.getvalue())).metadata
    assert len(metadata[b"pandas"]) > 32 << 10
    found = cn.read(sink.getvalue(), columns=["column 7", name]).to_pandas()
    pd.testing.assert_frame_equal(found, frame[["column 7", name]])
