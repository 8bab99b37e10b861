"""Buffers that are too short for their rows: the error names the bytes that are needed, and those that are there."""

from collections.abc import Callable

import pytest

pytest.importorskip("pyarrow")

import colonnade as cn
from tests.helpers import arrow_bytes as ab
from tests.helpers.each import each

NROWS = 100
FORMATS: dict[str, Callable[..., bytes]] = {"arrow": ab.file, "arrows": ab.stream}


@each("format", list(FORMATS))
def test_the_values_of_a_column(format: str) -> None:
    rows = ab.batch(NROWS, [(NROWS, 0)], [(0, 0), (0, 16)], bytes(8 * NROWS))
    content = FORMATS[format](ab.schema(ab.field("a", ab.INT64)), rows)
    with pytest.raises(cn.DecodeError, match=f"{8 * NROWS} bytes are needed for its rows, found 16"):
        cn.read_pandas(content)


@each("large", [False, True])
@each("format", list(FORMATS))
def test_the_offsets_of_texts(format: str, large: bool) -> None:
    """A text has an offset where it begins, and the last one has an end. The second batch lacks most of them."""
    kind, item = (ab.LARGE_UTF8, 8) if large else (ab.UTF8, 4)
    whole, short = (NROWS + 1) * item, 128
    offsets = bytes(whole)
    rows = [ab.batch(NROWS, [(NROWS, 0)], [(0, 0), (0, n), (n, 0)], offsets) for n in (whole, short)]
    content = FORMATS[format](ab.schema(ab.field("s", kind)), *rows)
    with pytest.raises(cn.DecodeError, match=f"{whole} bytes are needed for its rows, found {short}"):
        cn.read_pandas(content)
