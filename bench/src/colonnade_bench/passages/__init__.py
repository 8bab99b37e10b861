"""Ways for data to go from one process to another, by name: ``"engine format"``."""

from colonnade_bench.passages import msgpack_io, ours, pickles, pieces, pyarrow_io, raw
from colonnade_bench.passages.base import PASSAGES, Passage, register_passage

__all__ = ["PASSAGES", "Passage", "msgpack_io", "ours", "pickles", "pieces", "pyarrow_io", "raw", "register_passage"]
