"""Text that an odd shape could change: cut chunks, delimiters within quotes, late empty texts, rooms just full."""

import io
import logging

import numpy as np
import pytest

import colonnade as cn
from tests.helpers.each import each

pd = pytest.importorskip("pandas")


@pytest.mark.parametrize(("format", "schema"), [("csv", "header"), ("csv", "sidecar"), ("ndjson", "header")])
def test_a_cut_behind_whole_chunks_is_told(format: str, schema: str, tmp_path: object) -> None:
    path = f"{tmp_path}/x.{format}"
    cn.write({"a": np.arange(10)}, path, schema=schema)
    with open(path, "rb") as file:
        lines = file.read().splitlines(keepends=True)
    head = len(lines) - 10
    for rows in range(1, 10):
        with open(path, "wb") as file:
            file.write(b"".join(lines[: head + rows]))
        with (
            pytest.raises(cn.DecodeError, match=f"expected 10 rows.*, found {rows}"),
            cn.open_reader(path, chunk_rows=4) as r,
        ):
            list(r)
    with open(path, "wb") as file:
        file.write(b"".join(lines))
    with cn.open_reader(path, chunk_rows=4) as r:
        assert [len(frame) for frame in r] == [4, 4, 2]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters_within_quotes_are_not_taken_for_the_files_own(delimiter: str) -> None:
    for other in ",;\t|":
        frame = pd.DataFrame({"k": ["x", "y"], f"p{other}q{other}r": [f"a{other}b{other}c", f"d{other}e{other}f"]})
        content = cn.encode(frame, "csv", sep=delimiter)
        pd.testing.assert_frame_equal(cn.decode(content, "csv").to_pandas(), frame)


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_inches_do_not_turn_the_look_for_the_delimiter(delimiter: str) -> None:
    content = f'id{delimiter}size, inches\n1{delimiter}40"\n2{delimiter}50"\n'.encode()
    assert list(cn.decode(content, "csv").columns) == ["id", "size, inches"]


@each("before", [1, 5, 63, 64, 65, 300, 5000])
def test_an_empty_text_among_nulls_is_text_wherever_it_stands(before: int) -> None:
    pa = pytest.importorskip("pyarrow")
    frame = pa.table({"k": ["x"] * (before + 1), "t": pa.array([None] * before + [""], pa.large_string())})
    found = cn.decode(cn.encode(frame, "csv"), "csv").to_arrow()
    assert found.column("t").to_pylist() == frame.column("t").to_pylist()
    assert str(found.schema.field("t").type) == "large_string"


@pytest.mark.parametrize("rows", [32_766, 32_767, 32_768, 524_287])
def test_text_that_just_fills_a_room_is_not_cut(rows: int) -> None:
    """Lines of eight bytes: rooms are powers of two."""
    packed = cn.encode({"aaaaaaa": np.full(rows, 1_234_567)}, "csv", compression="zstd")
    with cn.open_reader(io.BytesIO(packed), format="csv") as reader:
        assert sum(len(frame) for frame in reader) == rows
    assert cn.decode(packed, "csv").shape == (rows, 1)


@pytest.mark.parametrize(
    ("index", "keys"),
    [
        (pd.to_timedelta([5, 7], unit="D"), None),
        (pd.Index([pd.Timestamp("2020-01-01").time(), pd.Timestamp("2020-01-01 05:06:07.000008").time()]), None),
    ],
)
def test_labels_without_a_header_say_themselves(index: object, keys: object) -> None:
    content = bytes(cn.encode(pd.DataFrame({"a": [1, 2]}, index=index), "json"))
    assert b'"0":1' not in content
    assert b'"1":2' not in content


def test_records_that_chunks_leave_out_are_told(caplog: pytest.LogCaptureFixture) -> None:
    content = b"a,b\n1,2\n3\n4,5\n"
    with caplog.at_level(logging.WARNING), cn.open_reader(io.BytesIO(content), format="csv", on_error="skip") as reader:
        assert sum(len(frame) for frame in reader) == 2
    assert [record.getMessage() for record in caplog.records] == ["csv: 1 records do not fit and were left out."]


def test_types_of_very_many_columns() -> None:
    """Quadratic time would be minutes."""
    n = 30_000
    text = (",".join(f"c{i}" for i in range(n)) + "\n" + ",".join("1" * n) + "\n").encode()
    frame = cn.decode(text, "csv", dtype={f"c{i}": "float32" for i in range(n)})
    assert frame.shape == (1, n)
    assert frame.dtypes[f"c{n - 1}"] == "float32"


def test_very_many_equal_names() -> None:
    n = 30_000
    frame = cn.decode(b"," * (n - 1) + b"\n" + b"1," * (n - 1) + b"1\n", "csv")
    assert len(cn.encode(frame, "json")) > n
