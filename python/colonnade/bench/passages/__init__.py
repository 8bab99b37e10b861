"""Ways for data to go from one process to another, by name: ``"engine format"``."""

from colonnade.bench.passages import ours, pickles, pieces, pyarrow_io, raw
from colonnade.bench.passages.base import PASSAGES, Passage, register_passage

__all__ = ["PASSAGES", "Passage", "ours", "pickles", "pieces", "pyarrow_io", "raw", "register_passage"]
