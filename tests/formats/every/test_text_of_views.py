"""Text of views, as polars and recent Arrow libraries hold it, is written as the same text of offsets is."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import colonnade as cn

CELLS = [
    "", "a", None, "twelve bytes", "thirteen byte", 'say "no"', "a,b", "two\nlines", "\t\x01", "ünïcödé öf möré",
    "x" * 300, "null", "1.5", "2013-01-01", "ß" * 40, None, " leading and trailing ",
]  # fmt: skip

WAYS: list[tuple[str, dict[str, Any]]] = [
    ("csv", {"on_loss": "ignore"}),
    ("csv", {"on_loss": "ignore", "sep": ";", "quoting": "all"}),
    ("ndjson", {}),
    ("json", {"orient": "columns"}),
    ("yaml", {}),
    ("msgpack", {"header": False}),
]


@pytest.mark.parametrize(("format", "options"), WAYS)
def test_the_bytes_are_those_of_offsets(format: str, options: dict[str, Any]) -> None:
    text = pa.array(CELLS * 30, pa.large_string())
    for start in (0, 1, 3, 10):
        offsets = text.slice(start)
        views = text.cast(pa.string_view()).slice(start)
        want, have = (bytes(cn.encode(pa.table({"t": a}), format, **options)) for a in (offsets, views))
        assert have == want, start


@pytest.mark.parametrize("format", ["csv", "ndjson", "yaml"])
@pytest.mark.parametrize("cell", [b"\xff", b"more than twelve bytes \xff"])
def test_text_that_is_no_utf8_is_refused_or_kept(format: str, cell: bytes) -> None:
    """CSV has bytes as they are; JSON and YAML are UTF-8."""
    views = pa.array([b"ok", cell], pa.binary_view())
    broken = pa.Array.from_buffers(pa.string_view(), len(views), views.buffers())
    table = pa.table({"t": broken})
    if format == "csv":
        assert bytes(cn.encode(table, format, on_loss="ignore")) == b"t\nok\n" + cell + b"\n"
        return
    with pytest.raises(cn.DecodeError, match=r"holds text that is no UTF-8. Make it again"):
        cn.encode(table, format)
