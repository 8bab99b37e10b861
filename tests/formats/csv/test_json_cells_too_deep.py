"""JSON in a cell of CSV that nests deeper than a cell may: it is no JSON of a value, whatever the limits are."""

import numpy as np
import pytest

import colonnade as cn
from tests.helpers.each import each


def content(depth: int) -> bytes:
    """A column of any values, whose last one is arrays inside arrays."""
    cells = np.array([[1], "x"], object)
    written = cn.encode({"a": cells}, "csv", schema="header")
    head, _, last = written.rstrip(b"\n").rpartition(b"\n")
    assert b"x" in last
    return b"%b\n%b%b\n" % (head, b"[" * depth, b"]" * depth)


@each("max_depth", [64, 512, 10_000])
def test_a_cell_deeper_than_512_is_refused_as_malformed(max_depth: int) -> None:
    with pytest.raises(cn.DecodeError, match="expected the JSON text of a value"):
        cn.decode(content(513), "csv", limits=cn.Limits(max_depth=max_depth))


def test_a_cell_deeper_than_the_limit_says_which_limit() -> None:
    with pytest.raises(cn.LimitError, match=r"deeper than 64\. Raise max_depth"):
        cn.decode(content(100), "csv", limits=cn.Limits(max_depth=64))
    depth, value = 0, cn.decode(content(100), "csv", limits=cn.Limits(max_depth=512)).to_numpy()["a"][1]
    while value:
        depth, value = depth + 1, value[0]
    assert depth == 99
