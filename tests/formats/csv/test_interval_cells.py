"""Cells of CSV that are intervals or complex numbers: their text, and any text that is none."""

import numpy as np
import pytest

import colonnade as cn
from tests.helpers.each import each

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

BAD = [
    '{"right":1}',
    '{"left":0}',
    '{"left":0,"x":1}',
    '{"x":0,"right":1}',
    "{}",
    "[0,1]",
    "7",
    '{"left":0,"right":1}}',
]


def quoted(cell: str) -> bytes:
    return b'"' + cell.encode().replace(b'"', b'""') + b'"'


@each("cell", BAD)
def test_an_interval_has_a_left_and_a_right(cell: str) -> None:
    frame = pd.DataFrame({"i": pd.arrays.IntervalArray.from_breaks([0, 1, 2]), "k": [1, 2]})
    content = cn.encode(frame, "csv", schema="header")
    good = quoted('{"left":0,"right":1}')
    assert content.count(good) == 1
    pd.testing.assert_frame_equal(cn.decode(content, "csv").to_pandas(), frame)
    with pytest.raises(cn.DecodeError, match="line 3, column 1: expected an interval as JSON"):
        cn.decode(content.replace(good, quoted(cell)), "csv")


@each("dtype", ["complex64", "complex128"])
@each(("start", "stop"), [(0, 6), (1, 6), (2, 5), (5, 6)])
def test_complex_cells_of_a_slice_are_those_of_its_rows(start: int, stop: int, dtype: str) -> None:
    cells = np.array([1 + 2j, 3 - 4j, 5j, -1, 0.5, complex(7, -0.0)], dtype)
    arrow = cn.decode(cn.encode({"z": cells}, "npz"), "npz").to_arrow().slice(start, stop - start)
    content = cn.encode(arrow, "csv", schema="header")
    texts = [f"({float(cell.real)}{float(cell.imag):+}j)" for cell in cells[start:stop]]
    assert content.decode().splitlines()[1:] == ["z", *texts]
    assert cn.decode(content, "csv")["z"].to_numpy().tobytes() == cells[start:stop].tobytes()
