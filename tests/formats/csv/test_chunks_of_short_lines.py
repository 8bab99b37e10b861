"""Chunks of a file with lines that have too few cells: each such line is a row and counts as one."""

import io

import colonnade as cn
from tests.helpers.each import each

ROWS = [("p", 2), (" x", None), ("q", 4), ("r", 6), ("\ty", None), ("s", 8)]
TEXT = "a,b\n" + "".join(f"{a}\n" if b is None else f"{a},{b}\n" for a, b in ROWS)


@each("count", [1, 2, 3])
def test_an_indented_line_without_a_delimiter_counts_as_a_row(count: int) -> None:
    with cn.open_reader(io.BytesIO(TEXT.encode()), format="csv", chunk_rows=count, on_error="null") as reader:
        found = [list(zip(*frame.to_arrow().to_pydict().values(), strict=True)) for frame in reader]
    assert found == [ROWS[start : start + count] for start in range(0, len(ROWS), count)]
