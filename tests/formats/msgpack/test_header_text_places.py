"""Errors in columns of text after a header name the byte of the cell that is no text."""

import pyarrow as pa
import pytest

import colonnade as cn
from tests.helpers.each import each

TWO = b"\xa3yyy\xa3zzz"


@each("kind", [pa.string(), pa.large_string()])
@each(("cell", "words"), [(b"\xc0", "nil"), (b"\x01", "an integer"), (b"\xc3", "a bool")])
def test_a_cell_that_is_no_text_is_named_by_its_byte(cell: bytes, words: str, kind: pa.DataType) -> None:
    """The column has no nulls as the header says, and the cells have as many bytes as before."""
    content = cn.encode(pa.table({"a": pa.array(["xxx", "yyy", "zzz"], kind)}), "msgpack")
    assert content.count(TWO) == 1
    with pytest.raises(cn.DecodeError, match=rf"a\[1\].* at byte {content.index(TWO)}: expected text .*found {words}"):
        cn.decode(content.replace(TWO, cell + b"\xa6zzzzzz"), "msgpack").to_arrow()
