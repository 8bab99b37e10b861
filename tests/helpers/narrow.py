"""Frames of polars as files of other libraries can hold them."""

from typing import Any


def narrow(frame: Any) -> Any:
    """The frame without its integers of 128 bits: Arrow and Parquet have none, and polars writes types of its own."""
    return frame.drop([name for name, dtype in frame.schema.items() if str(dtype) in ("Int128", "UInt128")])
